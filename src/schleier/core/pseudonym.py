"""What methods that give pseudonyms have in common: a key, a domain, a column, and how its values are compared."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.engine import Source
from schleier.core.errors import DataError, InfeasibleError, Problem, RecipeError, SchleierError, stop
from schleier.core.letters import run_of, runs_of
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Role, Schema
from schleier.core.traces import Traces

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.keys import Key
    from schleier.core.run import Run

Normal = Literal["nfkc", "blanks", "case"]
Left = Literal["equality", "prefix", "interval", "check_digit"]
"""What an attacker can use of a pseudonym."""
NAMES = ("nominal", "text", "place")
"""Scales whose values are words: numbers would have lost their leading zeros."""
AT_ONCE = 1 << 16
"""Pseudonyms that are looked at once more together."""
MEANING: dict[str, object] = {
    "hierarchy": None,
    "missing": (),
    "decimals": None,
    "labels": {},
    "reasons": (),
    "date": None,
}
"""What the description of a column says of its old values and not of pseudonyms."""


class Pseudonym(Method):
    """Words that follow from the value and a long-lived key alone: the same in all columns, tables and releases."""

    traces: ClassVar[Traces] = frozenset()
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact"}
    linkable: ClassVar[bool] = True

    column: str
    """The column of names or numbers: of a person, a household, a doctor."""
    key: str = Field(min_length=1)
    """The long-lived key: its name under ``[keys]``, or ``env:VARIABLE``."""
    domain: str = Field(min_length=1)
    """What shares pseudonyms. Equal values get the same pseudonym wherever key and domain are the same."""
    normal: tuple[Normal, ...] = ("nfkc", "blanks")
    """What makes no difference: the form of a Unicode character (nfkc), blanks (blanks), small and capital letters
    (case)."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must hold words."""
        yield from super().problems(schema)
        if self.column in schema and schema[self.column].scale not in NAMES:
            column = schema[self.column]
            message = f"column '{column.name}' is {column.scale}: as numbers, its values lose their leading zeros"
            hint = 'declare it "nominal", so that it is read as it is written'
            if not column.numeric:
                message, hint = f"column '{column.name}' is {column.scale}, and no name", "shift_dates moves dates"
            yield Problem("not-a-name", "column", message, hint)

    def exposes(self) -> tuple[Left, ...]:
        """What an attacker can use of the pseudonyms; equal values are equal in any case."""
        return ("equality",)

    def candidates(self, schema: Schema) -> int | None:
        """About how many values a pseudonym may stand for, where a recipe tells: who has the key tries them."""
        return len(schema[self.column].labels) or None

    def after(self, schema: Schema) -> Schema:
        """Words without meaning. What identified tells which records belong together; other roles stay."""
        return pseudonymous(schema, self.column)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with pseudonyms; missing stays missing. The old values are written down nowhere."""
        key = run.key_of(self.key)
        return exchanged(data, self.column, lambda values: self.pseudonyms(values, key), self.after(data.schema))

    def pseudonyms(self, values: pa.Array, key: Key) -> pa.Array:
        """The pseudonym of each value; refused where two different values would share one."""
        import pyarrow.compute as pc

        plain = self.comparable(values)
        unique = plain if plain is values else plain.unique()
        found = self.spell(unique, key)
        if not self.one_to_one:
            refuse_shared(unique, found, self.word())
        self.refuse(unique, found)
        return found if len(unique) == len(plain) else found.take(pc.index_in(plain, unique))

    @property
    def one_to_one(self) -> bool:
        """Whether different values have different pseudonyms by construction, so that nothing is to be counted."""
        return False

    def comparable(self, values: pa.Array) -> pa.Array:
        """Values as they are compared: what is equal then gets the same pseudonym."""
        return normalized(values, self.normal)

    def refuse(self, values: pa.Array, found: pa.Array) -> None:
        """Stop where pseudonyms must not be what they are; nothing is refused here."""

    @abstractmethod
    def spell(self, values: pa.Array, key: Key) -> pa.Array:
        """The pseudonyms of different values, none of them missing."""

    @property
    def reversible(self) -> bool:
        """Whether the holder of the key can tell a value from its pseudonym."""
        return False

    def reveal(self, pseudonyms: pa.Array, key: Key) -> pa.Array:
        """The values, normalized, behind pseudonyms; missing where something else than a pseudonym is given."""
        message = "nobody can undo these pseudonyms: they are cut from a digest"
        hint = "compute the pseudonyms of the persons in question, and compare"
        stop(RecipeError, "not-reversible", self.word(), message, hint)


def pseudonymous(schema: Schema, name: str, **changes: Any) -> Schema:
    """The schema with pseudonyms in a column: what identified becomes the unit, or plain where there is one."""
    column: Column = schema[name]
    role: Role = column.role
    if role == "identifier":
        role = "plain" if schema.having("unit") else "unit"
    return schema.changed(name, **{"role": role, "scale": "nominal", **MEANING, **changes})


def exchanged(data: Dataset, column: str, spell: Any, after: Schema) -> Dataset:
    """Words in place of the values of a column: computed here of the different values, and joined as a table.

    So neither a value nor a key stands in the text of a query or a plan.
    """
    import narwhals as nw
    import pyarrow as pa

    name = nw.col(column)
    held = data.frame.filter(~name.is_null()).select(_value_=name).group_by("_value_").agg(_n_=nw.len())
    values = data.engine.arrays(held.select("_value_")).column("_value_").combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], pa.string())
    words = spell(texts(values))
    lookup = data.engine.read(Source(pa.table({"_value_": values, "_word_": words})))
    joined = data.frame.with_columns(_value_=name).join(lookup, on="_value_", how="left")
    frame = joined.with_columns(nw.col("_word_").alias(column)).select(after.key, *after.names)
    return replace(data.reframed(frame, after))


def texts(values: pa.Array) -> pa.Array:
    """Values as text; refused where they are broken numbers, whose text is not settled."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not (pa.types.is_integer(values.type) or is_text(values.type)):
        message = "the values are no words but numbers or dates"
        stop(DataError, "not-words", "column", message, "hand them over as text")
    return values if is_text(values.type) else values.cast(pa.string())


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of text."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def normalized(values: pa.Array, how: tuple[str, ...]) -> pa.Array:
    """Values as they are compared.

    >>> import pyarrow as pa
    >>> normalized(pa.array([" Ada  Berg ", "ﬁne"]), ("nfkc", "blanks", "case")).to_pylist()
    ['ada berg', 'fine']
    """
    import pyarrow.compute as pc

    held = run_of(values)
    if not len(held) or (held.min() > 32 and held.max() < 128):  # neither blanks nor letters with several forms
        how = tuple(one for one in how if one == "case")
    if "nfkc" in how:
        values = pc.utf8_normalize(values, "NFKC")
    if "blanks" in how:
        values = pc.utf8_trim_whitespace(pc.replace_substring_regex(values, r"\s+", " "))
    if "case" in how:
        values = pc.utf8_lower(values)
    return values


def undone(pseudonyms: pa.Array, undo: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """What stands behind pseudonyms; missing where something else is given, which ``undo`` refuses."""
    import pyarrow as pa

    def told(text: str | None) -> str | None:
        try:
            return None if text is None else undo(pa.array([text], pa.string()))[0].as_py()
        except SchleierError:
            return None

    try:
        if not pseudonyms.null_count:
            return undo(pseudonyms)
    except SchleierError:
        pass  # one of them is none: the others are told all the same
    return pa.array([told(text) for text in pseudonyms.to_pylist()], pa.string())


def refuse_shared(values: pa.Array, words: pa.Array, where: str) -> None:
    """Stop where different values would get one pseudonym: records of two persons would be those of one."""
    import numpy as np
    import pyarrow.compute as pc

    starts, run = runs_of(words)
    if len(words) and (np.diff(starts) == starts[1] - starts[0]).all() and starts[1] - starts[0] >= 8:
        last = np.ascontiguousarray(run[starts[0] : starts[-1]].reshape(len(words), -1)[:, -8:]).view(np.uint64)
        last = last.reshape(-1)
        ends = np.sort(last)  # numbers are sorted faster than words
        twice = np.unique(ends[1:][ends[1:] == ends[:-1]])
        if not len(twice):
            return
        del ends, starts
        rows = np.concatenate([i + _among(last[i : i + AT_ONCE], twice) for i in range(0, len(last), AT_ONCE)])
        values, words = values.take(rows), words.take(rows)  # the others differ in their ends already
    shared = pc.count_distinct(values).as_py() - pc.count_distinct(words).as_py()
    if shared:
        message = f"{shared} of the pseudonyms stand for several values each"
        stop(InfeasibleError, "shared-pseudonym", where, message, "make the pseudonyms longer")


def _among(numbers: NDArray[np.uint64], few: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Places of numbers that are among a few, in order."""
    import numpy as np

    return np.flatnonzero(few[np.minimum(np.searchsorted(few, numbers), len(few) - 1)] == numbers)
