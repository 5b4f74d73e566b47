"""Leave columns out: the first step of every release (Höhne T01, T16)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import model_validator

from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Role, Schema
from schleier.core.sql import Rewrite
from schleier.core.traces import Traces

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class Drop(Method):
    """Remove columns from the release.

    >>> Drop(columns=["name"]).label(None)
    'drop:name'
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.1 Variablenunterdrückung (T01, T16)"
    traces: ClassVar[Traces] = frozenset({"omission"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E2")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"columns": ["person"]}

    columns: tuple[str, ...] = ()
    """The columns to remove."""
    roles: tuple[Role, ...] = ()
    """All columns with one of these roles are removed too: "undecided" for those that nobody has judged yet."""

    @model_validator(mode="after")
    def _removes_something(self) -> Self:
        if not self.columns and not self.roles:
            raise ValueError("name columns to remove, or roles")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns to remove."""
        return tuple(dict.fromkeys((*self.columns, *(schema.having(*self.roles) if self.roles else ()))))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns to remove."""
        return self.uses(schema)

    def after(self, schema: Schema) -> Schema:
        """The schema without them."""
        return schema.without(self.uses(schema))

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """Nothing to compute: ``after`` tells what is left."""
        return Rewrite()

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset without them."""
        return data.drop(*self.uses(data.schema))
