"""Random tokens in place of values; a vault keeps which value has which."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.component import secret
from schleier.core.engine import Source
from schleier.core.errors import Problem, RecipeError, SchleierError, stop
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.pseudonym import Left, Normal
from schleier.core.schema import Role, Schema
from schleier.core.traces import Traces
from schleier.methods._running_numbers import MEANING

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.keys import Key
    from schleier.core.run import Run
    from schleier.core.vault.vault import Vault

VARIABLE = "env:"
NAMES = ("nominal", "text", "place")
VALUE, WORD = "_value_", "_word_"


class GiveVaultToken(Method):
    """Replace names and numbers by random tokens, equal values by equal ones; a vault keeps which is which.

    >>> GiveVaultToken(column="patient", key="house", vault="persons.vault", domain="patients").reversible
    True
    """

    reference: ClassVar[str] = "ISO 25237:2017, Health informatics: Pseudonymization"
    traces: ClassVar[Traces] = frozenset()
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact"}
    linkable: ClassVar[bool] = True
    """It leaves pseudonyms: somebody can lead records back to persons, so that they stay personal data."""
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"  # the different values, all at once
    example: ClassVar[dict[str, object]] = {
        "column": "household",
        "key": "env:SCHLEIER_EXAMPLE_KEY",
        "vault": "env:SCHLEIER_EXAMPLE_VAULT",
        "domain": "homes",
    }

    column: str
    """The column of names or numbers: of a person, a household, a doctor."""
    key: str = Field(min_length=1)
    """The long-lived key that opens the vault: its name under ``[keys]``, or ``env:VARIABLE``."""
    vault: str = secret(min_length=1)
    """The file of the vault, relative to the recipe; or ``env:VARIABLE``, which names it."""
    domain: str = Field(min_length=1)
    """What shares tokens. Equal values of a domain get the same token, wherever the vault is the same."""
    normal: tuple[Normal, ...] = ("nfkc", "blanks")
    """What makes no difference: the form of a Unicode character (nfkc), blanks (blanks), small and capital letters
    (case)."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def exposes(self) -> tuple[Left, ...]:
        """Equal values have equal tokens, in every release from the same vault."""
        return ("equality",)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must hold names; the vault must be there, outside of releases, and for this user alone."""
        from schleier.core.vault.place import demand_file

        yield from super().problems(schema)
        if self.column in schema and schema[self.column].scale not in NAMES:
            message = f"column '{self.column}' is {schema[self.column].scale}: its values mean more than who is who"
            hint = 'declare it "nominal" if it holds numbers of persons: as numbers, they lose their leading zeros'
            yield Problem("not-a-name", "column", message, hint)
        try:
            demand_file(self._place())
        except SchleierError as error:
            yield from (Problem(one.code, "vault", one.message, one.hint) for one in error.problems)

    def after(self, schema: Schema) -> Schema:
        """Words without meaning. What identified tells which records belong together; other roles stay."""
        role: Role = schema[self.column].role
        if role == "identifier":
            role = "plain" if schema.having("unit") else "unit"
        return schema.changed(self.column, role=role, scale="nominal", **MEANING)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with tokens; missing stays missing.

        They are joined as a table: neither a value nor a key stands in the text of a query or a plan.
        """
        import narwhals as nw
        import pyarrow as pa

        text = nw.col(self.column).cast(nw.String).alias(VALUE)
        held = data.frame.with_columns(text)
        distinct = held.filter(~nw.col(VALUE).is_null()).group_by(VALUE).agg(_n_=nw.len())
        values = data.engine.arrays(distinct.select(VALUE)).column(VALUE).cast(pa.string()).combine_chunks()
        given = pa.table({VALUE: values, WORD: self.tokens(values, run.key_of(self.key))})
        joined = held.join(data.engine.read(Source(given)), on=VALUE, how="left")
        after = self.after(data.schema)
        frame = joined.with_columns(nw.col(WORD).alias(self.column)).select(after.key, *after.names)
        return data.reframed(frame, after)

    def tokens(self, values: pa.Array, key: Key) -> pa.Array:
        """The token of each value; all of them are in the vault, on the disk, before a row gets one."""
        import pyarrow as pa

        from schleier.core.pseudonym import normalized

        plain = normalized(values, self.normal).to_pylist()
        with self._opened(key) as vault:
            return pa.array(vault.issue(self.domain, plain, sorted(self.normal)).tokens, pa.string())

    @property
    def reversible(self) -> bool:
        """Whoever has vault and key can tell the value, but for persons who were erased."""
        return True

    def reveal(self, pseudonyms: pa.Array, key: Key) -> pa.Array:
        """The values behind tokens; missing where the vault knows none."""
        import pyarrow as pa

        with self._opened(key) as vault:
            found = [None if token is None else vault.original(token) for token in pseudonyms.to_pylist()]
        return pa.array(found, pa.string())

    def _opened(self, key: Key) -> Vault:
        from schleier.core.vault.opening import secret_of
        from schleier.core.vault.vault import Vault

        return Vault.open(self._place(), secret_of(key))

    def _place(self) -> Path:
        if not self.vault.startswith(VARIABLE):
            return Path(self.vault)
        name = self.vault.removeprefix(VARIABLE)
        if not os.environ.get(name):
            message = f"the variable '{name}' of the environment is not set"
            stop(RecipeError, "no-vault", "vault", message, f"set it to the file of the vault: export {name}=...")
        return Path(os.environ[name])
