"""What methods, criteria, measures and attacks have in common: parameters declared once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.names import snake
from schleier.core.record import Declared
from schleier.core.schema import Schema

SHOWN = frozenset({"name", "column", "columns", "keys", "by", "into"})
"""Parameters that name columns, or the component itself: a component shows them, and those that are numbers."""


class Component(Declared):
    """A thing a recipe can name. Its fields are its parameters: checked, documented and written from here."""

    reference: ClassVar[str] = ""
    """Where the literature describes it."""
    example: ClassVar[Mapping[str, Any]] = {}
    """Parameters that work on the example table of ``schleier.testing``."""

    name: str | None = Field(default=None, min_length=1)
    """Name of this entry in the recipe; keys its random draws and lets a child recipe replace it."""

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Columns, numbers and switches that are no secret; texts and lists may be values of the file.

        >>> Component(name="first")
        Component(name='first')
        """
        for name in sorted(self.model_fields_set - self.secrets(), key=list(type(self).model_fields).index):
            value = getattr(self, name)
            if name in SHOWN or isinstance(value, bool | int | float):
                yield name, value

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
        odd = sorted(set(getattr(self, "public", ())) - self.secrets())
        if odd:
            hint = f"secret are: {', '.join(sorted(self.secrets())) or 'none'}"
            yield Problem(
                "not-secret", "public", f"no secret parameters, so they are public anyway: {listed(odd)}", hint
            )

    def parameters(self, *, public: bool = False) -> dict[str, Any]:
        """Its parameters as plain values, defaults left out; when ``public``, secret ones only where declared so."""
        hidden = self.secrets() - set(getattr(self, "public", ())) if public else set()
        # The context reaches components inside this one: what they keep secret stays secret here.
        return self.model_dump(mode="json", exclude_defaults=True, exclude=hidden, context={"public": public})

    @classmethod
    def secrets(cls) -> set[str]:
        """Names of its secret parameters."""
        extras = ((name, field.json_schema_extra) for name, field in cls.model_fields.items())
        return {name for name, extra in extras if isinstance(extra, dict) and extra.get("secret")}


def secret(default: Any = ..., **more: Any) -> Any:
    """A parameter or learned value that goes to the restricted audit only."""
    return Field(default, json_schema_extra={"secret": True}, **more)


def counted(n: int, thing: str) -> str:
    """So many of a thing, for a message.

    >>> counted(1, "known column"), counted(4, "known column")
    ('1 known column', '4 known columns')
    """
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def listed(names: Sequence[str]) -> str:
    """Column names for a message, shortened when there are many.

    >>> listed(["a", "b"]), listed([str(i) for i in range(9)])
    ("'a', 'b'", "'0', '1', '2', '3', '4' and 4 more")
    """
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
