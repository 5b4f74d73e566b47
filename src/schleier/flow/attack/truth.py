"""Who is who, for the trustee alone: from the original by making the release once more, or from a table of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.data import tally
from schleier.core.engine import Source
from schleier.core.errors import DataError, Problems, RecipeError, stop

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Engine
    from schleier.flow.attack.subject import Subject

WHERE, RECORD = "pairs", "record"
"""The column of a table of pairs that numbers the records of the released file, from 1 on."""
LEFT, RIGHT = "_record_", "_entry_"


@dataclass(frozen=True)
class Pairs:
    """A table of who is who as it was given: a column for the release, and one for the file of known persons."""

    frame: nw.LazyFrame[Any] = field(repr=False)
    release: str
    known: str


def pairs_of(file: str, subject: Subject, engine: Engine, key: str | None, held: Sequence[str]) -> Pairs:
    """The table in a Parquet file; ``key`` is the row key of the original where that is at hand."""
    if Path(file).suffix.lower() not in (".parquet", ".pq"):
        hint = "its keys must have the types of the two files, which only Parquet keeps; write it so"
        stop(RecipeError, "truth-format", WHERE, "the table of who is who must be a Parquet file", hint)
    frame = engine.read(Source(Path(file)))
    names = frame.collect_schema().names()
    sides = [key] if key is not None else [*subject.released.names, RECORD]
    release = [name for name in names if name in sides]
    known = [name for name in names if name in held and name not in release] or [n for n in names if n not in release]
    if len(names) != 2 or len(release) != 1 or len(known) != 1:
        whose = (
            f"'{key}', the row key of the original" if key is not None else f"'{RECORD}', or a column of the release"
        )
        message = "the table of who is who must have two columns, one for each file"
        hint = f"one is {whose}; the other is called as in the file of known persons"
        stop(DataError, "bad-pairs", WHERE, message, hint)
    return Pairs(frame, release[0], known[0])


def nobody(engine: Engine) -> nw.LazyFrame[Any]:
    """A table of who is who that says nothing."""
    import pyarrow as pa

    empty = pa.array([], pa.string())
    return engine.read(Source(pa.table({LEFT: empty, RIGHT: empty})))


def same_key(data: Dataset) -> nw.LazyFrame[Any]:
    """Who is who where the file of known persons has the row key of the original."""
    import narwhals as nw

    key = nw.col(data.schema.key).cast(nw.String)
    return data.frame.select(**{LEFT: key, RIGHT: key})


def linked(pairs: Pairs, people: Dataset, known: Dataset, *, silent: bool = False) -> tuple[nw.LazyFrame[Any], int]:
    """Row keys of ``people`` (the original, or the released records) and of the known persons, and pairs of neither.

    A table that says one thing twice, or that fits neither file, is refused; when ``silent``, it stays unsaid that it
    names nobody in both.
    """
    import narwhals as nw

    engine, found = people.engine, Problems()
    text = {LEFT: nw.col(pairs.release).cast(nw.String), RIGHT: nw.col(pairs.known).cast(nw.String)}
    table = engine.keep(pairs.frame.select(**text).filter(~nw.col(LEFT).is_null() & ~nw.col(RIGHT).is_null()))
    here = engine.keep(_side(pairs, people).filter(~nw.col(LEFT).is_null()))
    there = known.frame.select(nw.col(known.schema.key).cast(nw.String).alias(RIGHT))
    whole = {"pairs": nw.len(), "records": nw.col(LEFT).n_unique(), "entries": nw.col(RIGHT).n_unique()}
    counted = engine.arrays(table.select(**whole)).to_pylist()[0]
    told = {name: int(number or 0) for name, number in counted.items()}  # of no rows there is no number
    twice = engine.arrays(here.group_by(LEFT).agg(_n_=nw.len()).select(n=tally(nw.col("_n_") > 1)))["n"][0].as_py()
    if twice:
        message = f"column '{pairs.release}' does not tell the records of the release apart"
        found.add("bad-pairs", WHERE, message, f"name records by their numbers, in a column '{RECORD}'")
    elif told["records"] < told["pairs"] or told["entries"] < told["pairs"]:
        message = "the table of who is who names a record, or a known person, more than once"
        found.add("bad-pairs", WHERE, message, "give each person one row")
    found.raise_as(DataError)
    joined = engine.keep(table.join(here, on=LEFT, how="inner").join(there, on=RIGHT, how="inner"))
    used = _count(engine, joined)
    if not used and not silent:
        ends = {side: _count(engine, table.join(frame, on=side, how="inner")) for side, frame in
                ((LEFT, here), (RIGHT, there))}  # fmt: skip
        for side, whose in ((LEFT, "the release"), (RIGHT, "the file of known persons")):
            if told["pairs"] and not ends[side]:
                message = f"the table of who is who does not fit {whose}: it has none of the keys there"
                hint = "check that it is the table of these two files, and that keys have the same types"
                found.add("bad-pairs", WHERE, message, hint)
        if not found.found:
            message = "the file of known persons and the release have nobody in common"
            found.add("no-overlap", WHERE, message, "check the table of who is who")
    found.raise_as(DataError)
    return joined.select("_key_", RIGHT), told["pairs"] - used


def _side(pairs: Pairs, people: Dataset) -> nw.LazyFrame[Any]:
    """The rows by what the table calls them, with their row keys."""
    import narwhals as nw

    key = nw.col(people.schema.key)
    named = key if pairs.release == people.schema.row_key else nw.col(pairs.release)
    if pairs.release == RECORD and RECORD not in people.schema and people.schema.row_key is None:
        named = key.cast(nw.Int64) + 1  # the first row has the number 0
    return people.frame.select(_key_=key.cast(nw.String), **{LEFT: named.cast(nw.String)})


def _count(engine: Engine, frame: nw.LazyFrame[Any]) -> int:
    import narwhals as nw

    return int(engine.arrays(frame.select(n=nw.len()))["n"][0].as_py())
