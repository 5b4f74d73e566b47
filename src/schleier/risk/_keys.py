"""What measures on classes of keys have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import field_validator

from schleier.core.classes.request import Missing, Request
from schleier.core.errors import Problem
from schleier.core.measure import Measure
from schleier.core.schema import Schema


class KeysMeasure(Measure):
    """A risk told from the classes of some keys."""

    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; all quasi-identifiers when empty."""
    missing: Missing = "category"
    """A missing key is a value of its own (category), may be anything (wildcard), or leaves its row out (exclude)."""

    @field_validator("keys")
    @classmethod
    def _once(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        """A key that is named twice is known once."""
        return tuple(dict.fromkeys(keys))

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return self.keys or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys."""
        yield from super().problems(schema)
        if not (self.keys or schema.quasi):
            hint = 'give columns the role "quasi", or name keys'
            yield Problem("no-keys", "keys", "there is no quasi-identifier to look at", hint)

    def request(self, schema: Schema, **more: Any) -> Request:
        """The class table of the keys, and what else it must hold."""
        return Request(keys=self.keys or schema.quasi, missing=self.missing, **more)
