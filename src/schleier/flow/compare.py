"""How much information each grouping of a method loses on a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.engine import Resources
from schleier.core.errors import DataError, RecipeError, SchleierError, stop
from schleier.core.measure import Case
from schleier.core.pieces import made
from schleier.core.record import Frozen
from schleier.core.run import Listener, Run, silence
from schleier.core.schema import CONTENT, Schema
from schleier.flow.run.reader import read

MOST = 2000
"""Records that are compared: some groupings take the square or the cube of that."""
SIZES = (3, 5, 10)
DRAW = "_draw_"


class Compared(Frozen):
    """What was found: shares and names of columns, never a value."""

    method: str
    """The method that was tried."""
    records: int
    """Records in the file."""
    compared: int
    """Records that were looked at: those without gaps, or a sample of them."""
    columns: tuple[str, ...]
    """Columns that were grouped: all numbers that are not weights, units or identifiers."""
    sizes: tuple[int, ...]
    """The smallest group of each trial."""
    losses: dict[str, tuple[float | None, ...]]
    """For each grouping and size 100 SSE/SST: variance lost in per cent; nothing where it cannot be done."""


def compared(
    source: Any, schema: Schema, method: str, sizes: tuple[int, ...] = SIZES, *, listener: Listener = silence
) -> Compared:
    """Try every grouping of a method on the numbers of a file, always with the same draws."""
    declared = registry.get("method", method, "NAME")
    groupings = _words(declared)
    if not groupings:
        stop(RecipeError, "no-groupings", "--compare", f"{method} has no groupings that could be compared")
    mover = registry.get("engine", "duckdb")(Resources())
    run = Run(key=bytes(32), listener=listener)
    try:
        with run.progress("reading"):
            given = isinstance(source, str | Path)
            data = read(source, schema, mover) if given else Dataset.from_frame(source, schema, mover)
            records = data.rows
            columns = tuple(c.name for c in schema if c.numeric and c.role in CONTENT)
            if not columns or not records:
                hint = "the schema says what the columns are: name one with --schema"
                stop(DataError, "nothing-to-compare", "--compare", "the file holds no numbers to group", hint)
            data = _sampled(data, columns, run)
            used = data.rows
        measure = made("squared_distance", columns=columns)
        losses = {}
        for grouping in groupings:
            with run.progress(f"grouping: {grouping}"):
                found = (
                    _lost(declared, {"columns": columns, "k": k, "grouping": grouping}, data, measure) for k in sizes
                )
                losses[grouping] = tuple(found)
        return Compared(
            method=method,
            records=records,
            compared=used,
            columns=columns,
            sizes=sizes,
            losses=losses,
        )
    finally:
        mover.close()


def _lost(declared: type[Any], parameters: dict[str, Any], data: Dataset, measure: Any) -> float | None:
    run = Run(key=bytes(32))
    try:
        step = declared(**parameters)
        if list(step.problems(data.schema)):
            return None
        with run.within(step.label(data.schema)):
            released = step.apply(data, run).kept()
        return float(100 * measure.measure(Case(data, released), run).value)
    except SchleierError:
        return None


def _sampled(data: Dataset, columns: tuple[str, ...], run: Run) -> Dataset:
    """Records with a value in every column: some groupings refuse gaps, and all are to be compared on the same ones."""
    import narwhals as nw

    for name in columns:
        data = data.filter(~nw.col(name).is_null())
    if data.rows <= MOST:
        return data.kept()
    drawn = run.draw(data, DRAW, "compare")
    return replace(drawn, frame=drawn.frame.sort(DRAW).head(MOST).drop(DRAW)).kept()


def _words(declared: type[Any]) -> tuple[str, ...]:
    """The words a method's parameter ``grouping`` may be."""
    field = declared.model_fields.get("grouping")
    waiting = [field.annotation] if field else []
    while waiting:
        kind = waiting.pop()
        if get_origin(kind) is Literal:
            return tuple(word for word in get_args(kind) if isinstance(word, str))
        waiting += get_args(kind)
    return ()
