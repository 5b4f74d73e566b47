"""What methods, criteria, measures and attacks have in common: parameters declared once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.names import snake
from schleier.core.record import Frozen
from schleier.core.schema import Schema


class Component(Frozen):
    """A thing a recipe can name. Its fields are its parameters: checked, documented and written from here."""

    reference: ClassVar[str] = ""
    """Where the literature describes it."""
    example: ClassVar[Mapping[str, Any]] = {}
    """Parameters that work on the example table of ``schleier.testing``."""

    name: str | None = Field(default=None, min_length=1)
    """Name of this entry in the recipe; keys its random draws and lets a child recipe replace it."""

    @classmethod
    def word(cls) -> str:
        """How a recipe calls it."""
        return snake(cls.__name__)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns it reads."""
        return ()

    def label(self, schema: Schema) -> str:
        """Its name, or its word and columns."""
        return self.name or ":".join((self.word(), ",".join(self.uses(schema))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """What is wrong with it for such a table, before any row is read."""
        for column in self.uses(schema):
            if column not in schema:
                yield schema.unknown(column)

    def parameters(self, *, public: bool = False) -> dict[str, Any]:
        """Its parameters as plain values, defaults left out; secret ones only when not ``public``."""
        hidden = {
            name
            for name, field in type(self).model_fields.items()
            if public and isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("secret")
        }
        return self.model_dump(mode="json", exclude_defaults=True, exclude=hidden)


def secret(default: Any = ..., **more: Any) -> Any:
    """A parameter or learned value that goes to the restricted audit only."""
    return Field(default, json_schema_extra={"secret": True}, **more)


def listed(names: Sequence[str]) -> str:
    """Column names for a message, shortened when there are many.

    >>> listed(["a", "b"]), listed([str(i) for i in range(9)])
    ("'a', 'b'", "'0', '1', '2', '3', '4' and 4 more")
    """
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
