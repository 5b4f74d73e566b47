"""Who is who, for the trustee alone: from the original by making the release once more, or from a table of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.data import tally
from schleier.core.engine import Source
from schleier.core.errors import DataError, Problem, Problems, stop
from schleier.core.schema import Column, Schema
from schleier.flow.run.knowledge import as_text
from schleier.flow.run.reader import read

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Engine
    from schleier.flow.attack.subject import Subject
    from schleier.flow.run.files import Files

WHERE, RECORD, ROW = "pairs", "record", "row"
"""Columns of a table of pairs that number the records of the released file, and the rows of an original without a row
key, both from 1 on."""
LEFT, RIGHT = "_record_", "_entry_"
WHOSE = {True: "the original", False: "the release"}
"""Of which file the first column speaks, by whether the original is at hand."""


@dataclass(frozen=True)
class Pairs:
    """A table of who is who as it was given: a column for the release, and one for the file of known persons."""

    file: str
    release: str
    known: str
    numbered: bool = False
    """Whether the first column holds numbers of rows."""
    whose: str = WHOSE[False]
    """Of which file that column speaks."""

    def rows(self, engine: Engine, files: Files) -> nw.LazyFrame[Any]:
        """Both keys as texts, where both are there."""
        import narwhals as nw

        columns = [Column(name=name, role="plain", scale="text") for name in (self.release, self.known)]
        frame = read(self.file, Schema(columns=columns, others="drop"), engine, files).frame
        both = frame.select(**{LEFT: as_text(frame, self.release), RIGHT: as_text(frame, self.known)})
        return engine.keep(both.filter(~nw.col(LEFT).is_null() & ~nw.col(RIGHT).is_null()))


def pairs_of(
    file: str, names: Sequence[str], subject: Subject, key: str | None, held: Sequence[str], *, original: bool
) -> Pairs:
    """What the columns of a table of pairs mean, by their ``names``.

    ``key`` is the row key of the original where that is at hand.
    """
    numbers = ROW if original else RECORD
    sides = [key] if key is not None else [ROW] if original else [*subject.released.names, RECORD]
    release = [name for name in names if name in sides]
    known = [name for name in names if name in held and name not in release] or [n for n in names if n not in release]
    if len(names) != 2 or len(release) != 1 or len(known) != 1:
        whose = WHOSE[original]
        message = f"neither column of the table of who is who is called so that it speaks of {whose}: {listed(names)}"
        if len(names) != 2:
            message = f"the table of who is who must have two columns, one for each file; it has {listed(names)}"
        elif release:
            message = f"both columns of the table of who is who may be meant for {whose}: {listed(names)}"
        hint = f"one is '{RECORD}', or a column of the release; the other is called as in the file of known persons"
        if key is not None:
            hint = f"one is '{key}', the row key of the original; the other is called as in the file of known persons"
        elif original:
            hint = (
                f"one is '{ROW}', the number of the row in the original, which has no row key; the other is called as "
                "in the file of known persons"
            )
        elif ROW in names and len(names) == 2:
            hint = (
                f"'{ROW}' numbers the rows of the original: name that, too (--original); otherwise one is '{RECORD}', "
                "or a column of the release; the other is called as in the file of known persons"
            )
        stop(DataError, "bad-pairs", WHERE, message, hint)
    numbered = key is None and release[0] == numbers and (original or numbers not in subject.released)
    return Pairs(file, release[0], known[0], numbered, WHOSE[original])


def nobody(engine: Engine) -> nw.LazyFrame[Any]:
    """A table of who is who that says nothing."""
    import pyarrow as pa

    empty = pa.array([], pa.string())
    return engine.read(Source(pa.table({LEFT: empty, RIGHT: empty})))


def same_key(people: Dataset, known: Dataset, *, silent: bool = False) -> nw.LazyFrame[Any]:
    """Who is who where the file of known persons has the row key of the original; when ``silent``, nobody may be."""
    import narwhals as nw

    mine, theirs = (data.frame.select(**{RIGHT: nw.col(data.schema.key).cast(nw.String)}) for data in (people, known))
    both = people.engine.keep(mine.join(theirs, on=RIGHT, how="inner").select(nw.col(RIGHT).alias("_key_"), RIGHT))
    if not silent and not _count(people.engine, both):
        hint = "check that both write the row key alike, or name a table of who is who (--pairs)"
        stop(DataError, "no-overlap", "known", "the file of known persons and the original have nobody in common", hint)
    return both


def linked(
    pairs: Pairs, people: Dataset, known: Dataset, files: Files, *, silent: bool = False
) -> tuple[nw.LazyFrame[Any], int]:
    """Row keys of ``people`` (the original, or the released records) and of the known persons, and pairs of neither.

    A table that says one thing twice, or that fits neither file, is refused; when ``silent``, it stays unsaid that it
    names nobody in both.
    """
    import narwhals as nw

    engine, found = people.engine, Problems()
    table = pairs.rows(engine, files)
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
    if pairs.numbered and _count(engine, table.filter(nw.col(LEFT) == "0")):
        message = "the table of who is who names a row 0, but the first row has the number 1"
        found.add("bad-pairs", WHERE, message, "add 1 to all numbers if they begin with 0")
    found.raise_as(DataError)
    joined = engine.keep(table.join(here, on=LEFT, how="inner").join(there, on=RIGHT, how="inner"))
    used = _count(engine, joined)
    if not used and not silent:
        ends = {side: _count(engine, table.join(frame, on=side, how="inner")) for side, frame in
                ((LEFT, here), (RIGHT, there))}  # fmt: skip
        found.extend(_misfits(pairs, told["pairs"], ends))
    found.raise_as(DataError)
    return joined.select("_key_", RIGHT), told["pairs"] - used


def _misfits(pairs: Pairs, rows: int, ends: dict[str, int]) -> Iterator[Problem]:
    """Why a table links nobody."""
    if not rows:
        hint = "write a row for each person whom you know to be in both files"
        yield Problem("no-overlap", WHERE, "the table of who is who names nobody", hint)
        return
    wrong = False
    for side, whose in ((LEFT, pairs.whose), (RIGHT, "the file of known persons")):
        if not ends[side]:
            wrong = True
            message = f"the table of who is who does not fit {whose}: it has none of the keys there"
            hint = "check that it is the table of these two files, and that both write their keys alike"
            yield Problem("bad-pairs", WHERE, message, hint)
    if not wrong:
        message = "the file of known persons and the release have nobody in common"
        yield Problem("no-overlap", WHERE, message, "check the table of who is who")


def _side(pairs: Pairs, people: Dataset) -> nw.LazyFrame[Any]:
    """The rows by what the table calls them, with their row keys."""
    import narwhals as nw

    key = nw.col(people.schema.key)
    if pairs.numbered:
        named = (key.cast(nw.Int64) + 1).cast(nw.String)  # the first row has the number 0
    else:
        named = as_text(people.frame, people.schema.key if pairs.release == people.schema.row_key else pairs.release)
    return people.frame.select(_key_=key.cast(nw.String), **{LEFT: named})


def _count(engine: Engine, frame: nw.LazyFrame[Any]) -> int:
    import narwhals as nw

    return int(engine.arrays(frame.select(n=nw.len()))["n"][0].as_py())
