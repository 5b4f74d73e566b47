"""The fourth pair of files of Febrl linked by Splink's model: 5,000 made-up persons twice, the second time with errors.

The files are not part of the project: ``SCHLEIER_FEBRL4`` names the folder with febrl_4a.csv and febrl_4b.csv. Work is
processor time of all threads from the two tables to the finding of the trustee, without imports.
"""

from __future__ import annotations

import csv
import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (5_000,)
METRIC = "work"
FOLDER = Path(os.environ.get("SCHLEIER_FEBRL4") or Path(__file__).parents[3] / "shared" / "data" / "febrl4")
OURS, TITLE = "probabilistic_match", "febrl 4"
LEAST = 0.99


def skip() -> str | None:
    if importlib.util.find_spec("splink") is None:
        return "Splink is not installed"
    return (
        None if (FOLDER / "febrl_4a.csv").exists() else f"SCHLEIER_FEBRL4 names no folder with febrl_4a.csv: {FOLDER}"
    )


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        ours = Contestant(OURS, call("cases.febrl:ours", folder=str(FOLDER)))
        yield Round(TITLE, (ours,), rows, largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    entry = results.get(TITLE, OURS)
    if entry is not None:
        facts = entry.samples[0].facts
        for what in ("precision", "recall"):
            share = facts.get(what, 0.0)
            yield Requirement(f"{what} above {LEAST:.0%}", entry.failure or f"{share:.2%}", share > LEAST)


def ours(folder: str) -> dict[str, Any]:
    """Every column is text; who is who stands in the row keys, which only the trustee sees."""
    import pyarrow as pa

    import schleier as sl
    from schleier.core.measure import Case

    file, other = (_read(Path(folder, f"febrl_4{letter}.csv")) for letter in "ab")
    ids, entries = ([str(name) for name in side.pop("rec_id")] for side in (file, other))
    columns = [sl.Column(name=str(name), role="quasi", scale="text") for name in file]
    released = sl.Dataset.from_frame(pa.table({"id": ids, **file}), sl.Schema(row_key="id", columns=columns))
    held = sl.Schema(row_key="entry", columns=columns)
    known = sl.Dataset.from_frame(pa.table({"entry": entries, **other}), held, released.engine)
    pair = sl.Schema(columns=[sl.Column(name=name, scale="text") for name in ("id", "entry")])
    own = {name.split("-")[1]: name for name in ids}
    true = pa.table({"id": [own[name.split("-")[1]] for name in entries], "entry": entries})
    truth = sl.Dataset.from_frame(true, pair, released.engine).frame.select("id", "entry")
    attack = sl.attacks.ProbabilisticMatch(targets="all", knowledge="file")
    start = time.process_time()
    told = attack.measure(Case(released, released, known=known, truth=truth), sl.Run(key=bytes(32))).detail
    work = time.process_time() - start
    return {"work": work, "precision": told["correct"] / max(told["claims"], 1), "recall": told["correct"] / len(ids)}


def _read(path: Path) -> dict[str, list[str | None]]:
    with path.open(encoding="utf-8") as file:
        head, *rows = ([cell.strip() or None for cell in row] for row in csv.reader(file))
    return {str(column): [row[j] for row in rows] for j, column in enumerate(head)}
