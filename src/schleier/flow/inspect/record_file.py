"""What is known about single records, in one file for the data holder alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.atomic import whole_file
from schleier.core.classes.records import by_class
from schleier.core.errors import Problem, Problems, WriteError
from schleier.flow.release.records import file_name

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset

Known = Mapping[str, Callable[[], "nw.LazyFrame[Any]"]]
"""How to compute what a measure knows about single records, by the label of the measure."""


def misplaced(out: Path) -> Iterator[Problem]:
    """Why a file cannot be written, said before a long look."""
    if out.suffix.lower() != ".parquet":
        hint = "choose a name that ends in .parquet"
        yield Problem("unknown-format", str(out), "records are written as .parquet", hint)
    if not out.parent.is_dir() or out.is_dir():
        yield Problem("cannot-write", str(out), "the file cannot be written")


def write_records(data: Dataset, classes: Classes, known: Known, out: Path) -> None:
    """The row key, how many records look alike, the chance to pick the right one, and what measures know beyond.

    The file is written as a whole or not at all, and only its owner may read it.
    """
    import numpy as np

    Problems(list(misplaced(out))).raise_as(WriteError)
    frame = by_class(data, classes, {"alike": classes.sizes.astype(np.float64), "chance": 1 / classes.sizes})
    for start, make in zip(_starts(known), known.values(), strict=True):
        frame = _joined(frame, make(), start, data.schema.key)
    names = frame.collect_schema().names()
    with whole_file(out, private=True) as place:
        data.engine.write(frame, place, names[:1], names)


def _starts(labels: Iterable[str]) -> Iterator[str]:
    """The name of each measure without its columns, with a number where it comes again.

    >>> list(_starts(["suda:age,sex", "my risk", "suda:age"]))
    ['suda', 'my_risk', 'suda_2']
    """
    seen: Counter[str] = Counter()
    for label in labels:
        start = file_name(label.partition(":")[0])
        seen[start] += 1
        yield f"{start}_{seen[start]}" if seen[start] > 1 else start


def _joined(frame: nw.LazyFrame[Any], other: nw.LazyFrame[Any], start: str, key: str) -> nw.LazyFrame[Any]:
    """The columns of another frame beside those of the first, named after their measure."""
    import narwhals as nw

    own, *columns = other.collect_schema().names()
    renamed = other.select(nw.col(own).alias("_own_"), **{f"{start}_{column}": nw.col(column) for column in columns})
    return frame.join(renamed, left_on=key, right_on="_own_", how="left")
