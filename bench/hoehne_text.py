"""Tables of the page on noise and moments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.hoehne_source import Known, Printed
    from bench.hoehne_tables import Floats, Theory

NAMES = {
    "mixture": "`mixture`",
    "fixed sign": "`controlled`, first sign always down",
    "random sign": "`controlled`",
    "alpha 0.5": "`controlled`, alpha 0.5",
    "alpha 0.1": "`controlled`, alpha 0.1",
}


def write_tables(page: Path, printed: Sequence[tuple[Printed, Theory]], found: Sequence[tuple[Known, Floats]]) -> None:
    """Put the tables between their marks."""
    text = page.read_text(encoding="utf-8")
    for mark, table in (("print", _printed(printed)), ("surrogate", _surrogate(found))):
        text = re.sub(
            f"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda at, t=table: at[1] + t + at[2], text, flags=re.S
        )
    page.write_text(text, encoding="utf-8")


def _printed(rows: Sequence[tuple[Printed, Theory]]) -> str:
    head = ["records", "sd of mean", "bias of sd", "sd of sd", "bias of skewness", "bias of excess"]
    body = []
    for row, theory in rows:
        both = zip(row[5:], theory, strict=True)
        body.append([f"{row.n:,}", *(f"{known:.2f} / {ours:.2f}" for known, ours in both)])
    return _table(head, body)


def _surrogate(rows: Sequence[tuple[Known, Any]]) -> str:
    head = ["sigma", "records", "noise", "runs", "mean", "sd", "skewness", "excess"]
    body = []
    for row, errors in rows:
        numbers = zip(errors.mean(axis=0), errors.std(axis=0, ddof=1), strict=True)
        cells = [f"{mean + 0:.2f} ± {spread:.2f}".replace("-0.00", "0.00") for mean, spread in numbers]
        body.append([f"{row.sigma}", f"{row.kept:,}", NAMES[row.variant], f"{len(errors):,}", *cells])
    return _table(head, body)


def _table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
