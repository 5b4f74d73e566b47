"""Growth on both engines, as a page: ``python -m bench.scale 100000 1000000`` runs these sizes of bench/cases/scale.py.

Writes bench/scale.json and the tables of docs/guide/scale.md; what is known of other sizes stays. With ``duckdb`` or
``spark`` among the arguments this engine runs alone, with ``missing`` only what is not known yet: each task is stored
when it is done. Up to 100 million rows need 30 GB of disk and some hours; whoever changes the program meanwhile spoils
them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import tree
from bench.cases import scale
from bench.harness import Entry, play
from bench.show import machine

STORED = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parent.parent / "docs" / "guide" / "scale.md"
START, END = "<!-- made by bench/scale.py -->", "<!-- end -->"
ENGINES = {"duckdb": scale.DUCKDB, "spark": scale.SPARK}
NAMES = {"duckdb": "DuckDB", "spark": "Spark, local"}


def main(arguments: Sequence[str]) -> None:
    """Run what was asked for and write what was seen."""
    tree.adopt_orphans()
    sizes = tuple(int(one) for one in arguments if one.isdigit())
    engines = [one for one in arguments if one in ENGINES] or list(ENGINES)
    for round_ in scale.rounds(sizes):
        if round_.title.split(",")[0] in engines:
            for contestant in round_.contestants:
                if "missing" not in arguments or not _is_known(round_.title, contestant.name):
                    alone = replace(round_, contestants=(contestant,))
                    (entry,) = play(alone, 1, lambda text: print(text, flush=True))
                    _store(round_.title, entry)
    write_page(_known())


def _known() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    return found


def _is_known(title: str, task: str) -> bool:
    seen = _known().get("rounds", {}).get(title, {}).get(task)
    return seen is not None and not seen.get("failure")


def _store(title: str, entry: Entry) -> None:
    """Keep what was seen of a task beside all that is known."""
    known = _known()
    known["machine"] = machine()
    known.setdefault("rounds", {}).setdefault(title, {})[entry.name] = (
        {"failure": entry.failure}
        if entry.failure
        else {
            "wall": round(entry.median("wall"), 2),
            "cpu": round(entry.median("cpu"), 2),
            "peak": int(entry.median("peak")),
            "load": round(entry.samples[0].load, 1),
            "digest": str(entry.samples[0].facts.get("digest", ""))[:12],
            "bytes": entry.samples[0].facts.get("bytes", 0),
        }
    )
    STORED.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def write_page(known: Mapping[str, Any]) -> None:
    """Put the tables into the page, between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(START) + len(START)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n{tables(known)}{after}", encoding="utf-8")


def tables(known: Mapping[str, Any]) -> str:
    """One table for each engine: processor seconds, memory, and the ratio to the bare GROUP BY.

    >>> seen = {"GROUP BY": {"wall": 1, "cpu": 2.0, "peak": 3e8, "load": 0.5}}
    >>> seen["`inspect`"] = {"wall": 9, "cpu": 10.0, "peak": 6e8, "load": 0.5}
    >>> print(tables({"rounds": {"duckdb, 100,000 rows": seen}}).splitlines()[6])
    | `inspect` | 10 s, 0.6 GB, x 5.0 | not run | not run | not run |
    """
    return "\n".join((*_whole(known), *(line for engine in ENGINES for line in _table(engine, known)))) + "\n"


def _table(engine: str, known: Mapping[str, Any]) -> Iterator[str]:
    rounds = {rows: known["rounds"].get(scale.title(engine, rows)) for rows in ENGINES[engine]}
    if not any(rounds.values()):
        return
    yield f"\n## {NAMES[engine]}\n"
    yield f"| | {' | '.join(f'{rows:,} rows' for rows in rounds)} |"
    yield "|---" * (len(rounds) + 1) + "|"
    for task in scale.TASKS:
        if any(task in (seen or {}) for seen in rounds.values()):
            yield f"| {task} | {' | '.join(_cell(seen, task) for seen in rounds.values())} |"


def _cell(seen: Mapping[str, Any] | None, task: str) -> str:
    if not seen or task not in seen or not seen.get(scale.BARE, {}).get("cpu"):
        return "not run"
    one = seen[task]
    if one.get("failure"):
        return "failed"
    cpu = one["cpu"]
    told = f"{cpu:.{1 if cpu < 10 else 0}f} s, {one['peak'] / 1e9:.1f} GB"
    return told if task == scale.BARE else f"{told}, x {one['cpu'] / seen[scale.BARE]['cpu']:.1f}"


def _whole(known: Mapping[str, Any]) -> Iterator[str]:
    """Which digests were compared, and how busy the machine was."""
    rounds = known["rounds"]
    both = [(a, b) for a in rounds for b in rounds if a < b and a.split(", ", 1)[1] == b.split(", ", 1)[1]]
    alike = [
        one
        for a, b in both
        for one in scale.STEPS
        if (c := rounds[a].get(one, {}).get("digest")) and c == rounds[b].get(one, {}).get("digest")
    ]
    every = sum(one in rounds[a] and one in rounds[b] for a, b in both for one in scale.STEPS)
    if every:
        yield f"\nReleases that both engines wrote from the same rows: {every}; with the same digest: {len(alike)}."
    loads = [one["load"] for seen in rounds.values() for one in seen.values() if "load" in one]
    if loads and max(loads) > 2:
        yield f"\nThe machine was busy with other things: a load of up to {max(loads):.0f} on two cores."


if __name__ == "__main__":
    main(sys.argv[1:])
