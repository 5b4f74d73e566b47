"""How many keys and identifiers of files nobody described are found, on public files and in the style of code books."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (1,)
METRIC = "cpu"
HERE = Path(__file__).parent.parent / "guesses"
KINDS = ("identifier", "unit", "quasi", "sensitive", "weight", "plain")
RECALL, PRECISION, HARM = 0.95, 0.7, 0.005
HALVES = ("seen", "unseen", "new", "last", "fresh")
"""Files in view while rules were written; those unseen at first and in view later; those no rule was written for."""


def skip() -> str | None:
    from bench.guesses.foreign import available

    return None if available() else "the packages with public files cannot be had"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for half in HALVES:
        yield Round(f"files of the half {half!r}", (Contestant("guesses", call("cases.guesses:scored", half=half)),), 1)


def requirements(results: Results) -> Iterator[Requirement]:
    for entry in results:
        facts: dict[str, Any] = entry.samples[0].facts if entry.samples else {}
        for kind in KINDS:
            if kind in facts:
                number, recall, precision = facts[kind]
                told = f"{recall:.2f} of {number} found as such, {precision:.2f} of those taken for it"
                yield Requirement(f"{entry.round}, {kind}", told, True)
        recall, precision = facts.get("recall", 0.0), facts.get("precision", 0.0)
        told = f"{entry.round}: keys and identifiers of {facts.get('files')} files, {facts.get('columns')} columns"
        yield Requirement(f"{told}, recall", f"{recall:.3f}", recall >= RECALL)
        yield Requirement(f"{told}, precision", f"{precision:.3f}", precision >= PRECISION)
        harm = facts.get("harm", 1.0)
        yield Requirement(f"{told}, taken for plain or a weight", f"{harm:.3f}", harm <= HARM)


def scored(half: str) -> dict[str, Any]:
    """The figures of one half."""
    from bench.guesses import foreign, made
    from bench.guesses.score import Score, guess

    labels = tomllib.loads((HERE / "labels.toml").read_text(encoding="utf-8"))
    files = {name: (foreign.write, told["columns"]) for name, told in labels.items() if told["half"] == half}
    for name, told in made.made().items():
        if told["half"] == half:
            files[name] = (made.write, {column: spec["is"] for column, spec in told["columns"].items()})
    score = Score()
    with tempfile.TemporaryDirectory() as folder:
        for name, (write, truth) in files.items():
            score.add(name, truth, guess(write(name, Path(folder))))
    found: dict[str, Any] = {kind: score.of_kind(kind) for kind in KINDS}
    columns = sum(score.pairs.values())
    found |= {"recall": score.recall(), "precision": score.precision(), "harm": score.taken_for_safe()}
    return found | {"files": len(files), "columns": columns}
