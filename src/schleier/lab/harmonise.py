"""Bring two files to the same columns and codes, and look how well they then agree.

Müller, Blien, Knoche, Wirth et al. (1991), 8.2.2.2 and 8.2.3.2: exact matching compares codes, so both files must have
the same ones. What cannot be brought over is told apart, with its records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import listed
from schleier.core.engine import Source
from schleier.core.errors import DataError, Problems
from schleier.core.overlap import counts
from schleier.core.record import Declared

if TYPE_CHECKING:
    from schleier.core.data import Dataset

Side = Literal["released", "known"]
Table = dict[str, tuple[str, ...]]


class Crosswalk(Declared):
    """How the codes of both files become common categories: several codes may become one, none several.

    >>> status = Crosswalk(column="status", released={"worker": ["6", "7"]}, known={"worker": ["60", "61"]})
    >>> status.codes("released")
    {'6': 'worker', '7': 'worker'}
    """

    column: str = Field(min_length=1)
    """Name of the column in both files afterwards."""
    released: Table = Field(repr=False)
    """For each common category the codes of the release."""
    known: Table = Field(repr=False)
    """For each common category the codes of the file of known persons."""
    released_column: str | None = None
    """What the column is called in the release, where that is another name."""
    known_column: str | None = None
    """The same for the file of known persons."""
    unmapped: Literal["error", "missing"] = "error"
    """What becomes of a code that the table does not know: it stops everything, or the value is missing."""

    @model_validator(mode="after")
    def _each_code_once(self) -> Self:
        for table in (self.released, self.known):
            times = Counter(code for codes in table.values() for code in codes)
            if any(n > 1 for n in times.values()):
                raise ValueError("a code can become one category only")
        return self

    def name(self, side: Side) -> str:
        """What the column is called in a file beforehand."""
        return (self.released_column if side == "released" else self.known_column) or self.column

    def codes(self, side: Side) -> dict[str, str]:
        """For each code of a file its category."""
        table = self.released if side == "released" else self.known
        return {code: category for category, codes in table.items() for code in codes}


@dataclass(frozen=True)
class Lost:
    """A code that cannot be brought over. Only the holder reads it: it is a value of the file."""

    column: str
    file: Side
    code: str = field(repr=False)
    records: int = field(repr=False)
    why: Literal["unmapped", "no counterpart"]
    """The table does not know it, or the other file has nothing of its category."""


@dataclass(frozen=True)
class Harmonised:
    """Both files with common columns and categories, and what was lost on the way."""

    released: Dataset
    known: Dataset
    lost: tuple[Lost, ...] = field(repr=False)
    """Codes that cannot be brought over, with their records."""


def harmonise(released: Dataset, known: Dataset, crosswalks: Sequence[Crosswalk]) -> Harmonised:
    """Recode both files as the crosswalks say; everything that is in the way is said at once."""
    found = Problems()
    files: tuple[tuple[Side, Dataset], ...] = (("released", released), ("known", known))
    for walk in crosswalks:
        for side, data in files:
            if walk.name(side) not in data.schema:
                found.extend([data.schema.unknown(walk.name(side), f"{walk.column}.{side}")])
    found.raise_as(DataError)
    lost = [one for walk in crosswalks for one in _lost(released, known, walk)]
    for walk in crosswalks:
        strange = [one for one in lost if one.column == walk.column and one.why == "unmapped"]
        if strange and walk.unmapped == "error":
            message = f"{len(strange)} codes of column '{walk.column}' are in no category of the crosswalk"
            hint = 'add them, or set unmapped = "missing"'
            found.add("codes-unmapped", walk.column, message, hint)
    found.raise_as(DataError)
    for walk in crosswalks:
        released, known = _recoded(released, walk, "released"), _recoded(known, walk, "known")
    return Harmonised(released, known, tuple(lost))


def _lost(released: Dataset, known: Dataset, walk: Crosswalk) -> list[Lost]:
    both = {"released": counts(released, walk.name("released")), "known": counts(known, walk.name("known"))}
    sides: tuple[Side, Side] = ("released", "known")
    categories = {side: {walk.codes(side).get(code) for code in both[side] if code is not None} for side in sides}
    lost = []
    for side, other in (sides, sides[::-1]):
        for code, records in both[side].items():
            category = None if code is None else walk.codes(side).get(code)
            if code is not None and category not in categories[other] - {None}:
                why: Literal["unmapped", "no counterpart"] = "unmapped" if category is None else "no counterpart"
                lost.append(Lost(walk.column, side, code, records, why))
    return lost


def _recoded(data: Dataset, walk: Crosswalk, side: Side) -> Dataset:
    import narwhals as nw
    import pyarrow as pa

    codes, old = walk.codes(side), walk.name(side)
    values, words = pa.array(list(codes), pa.string()), pa.array(list(codes.values()), pa.string())
    data = data.replace(walk.column, nw.col(old).cast(nw.String), values, words)
    plain: dict[str, Any] = {
        "name": walk.column,
        "scale": "nominal",
        "hierarchy": None,
        "labels": {},
        "missing": (),
        "reasons": (),
    }
    columns = tuple(
        one.model_copy(update=plain) if one.name == old else one
        for one in data.schema.columns
        if one.name == old or one.name != walk.column
    )
    frame = data.frame if old == walk.column else data.frame.drop(old)
    return data.reframed(frame, data.schema.model_copy(update={"columns": columns}))


def common_columns(released: Dataset, known: Dataset, wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns by which both files can be compared; refused where there are none, or where codes never agree.

    A column in which no value of one file occurs in the other one is coded differently: by it nobody is ever found.
    """
    found = Problems()
    names = tuple(name for name in wanted or released.schema.names if name in known.schema and name in released.schema)
    if lacking := [name for name in wanted if name not in names]:
        message = f"not both files have the column {listed(lacking)}"
        found.add("not-in-both", "columns", message, "name columns that both files have, or rename them first")
    elif not names:
        message = "the release and the file of known persons have no column in common"
        found.add("no-common-column", "columns", message, "rename columns that mean the same, with a crosswalk")
    for name in names:
        here, there = counts(released, name), counts(known, name)
        if here.keys() - {None} and there.keys() - {None} and not (here.keys() & there.keys()) - {None}:
            message = f"no value of column '{name}' is in both files: it is coded differently"
            found.add("different-codes", name, message, "bring both to the same codes, with a crosswalk")
    found.raise_as(DataError)
    return names


@dataclass(frozen=True)
class Margin:
    """How often each value occurs in both files, in per cent; a gap is a value. For the holder."""

    values: tuple[str | None, ...] = field(repr=False)
    released: tuple[float, ...] = field(repr=False)
    known: tuple[float, ...] = field(repr=False)

    @property
    def points(self) -> tuple[float, ...]:
        """By how many percentage points the file of known persons has a value more often."""
        return tuple(b - a for a, b in zip(self.released, self.known, strict=True))

    @property
    def total_variation(self) -> float:
        """Half the sum of the differences: so many points at least are somewhere else."""
        return sum(abs(one) for one in self.points) / 2

    @property
    def gap_points(self) -> float:
        """Difference of the shares without a value: at least so many persons are recorded differently."""
        return next((abs(p) for value, p in zip(self.values, self.points, strict=True) if value is None), 0.0)


def compare_margins(released: Dataset, known: Dataset, columns: Sequence[str]) -> dict[str, Margin]:
    """How columns are spread in both files: large differences mean other persons, other questions or other codes."""
    found = {}
    for name in columns:
        here, there = counts(released, name), counts(known, name)
        values = tuple(sorted(here.keys() | there.keys(), key=lambda value: (value is None, value or "")))
        sides = [[100 * side.get(value, 0) / max(sum(side.values()), 1) for value in values] for side in (here, there)]
        found[name] = Margin(values, tuple(sides[0]), tuple(sides[1]))
    return found


def restrict_to_observed(released: Dataset, known: Dataset, columns: Sequence[str]) -> Dataset:
    """The records all of whose values occur, column by column, in the file of known persons (9.2.1.3).

    No exact match is lost by it; a person with a value that is wrong by far is.
    """
    from dataclasses import replace

    import narwhals as nw
    import pyarrow as pa

    frame = released.frame
    for name in columns:
        seen = counts(known, name)
        texts = pa.array([value or "" for value in seen], pa.string())
        gaps = pa.array([value is None for value in seen], pa.bool_())
        lookup = released.engine.read(Source(pa.table({"_value_": texts, "_gap_": gaps})))
        text = nw.col(name).cast(nw.String).fill_null("")
        keyed = frame.with_columns(_value_=text, _gap_=nw.col(name).is_null())
        frame = keyed.join(lookup, on=["_value_", "_gap_"], how="semi").drop("_value_", "_gap_")
    return replace(released, frame=released.engine.keep(frame))
