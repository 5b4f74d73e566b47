"""Singling out, linkability and inference on 15,000 records of 15 columns, against Anonymeter where it is installed.

Work is processor time from the tables to the finding, with a control of the same size, without imports and without
compiling. Where Anonymeter is not installed, its side is left out.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (15_000,)
METRIC = "work"
OURS, PEER = "Schleier", "Anonymeter"
CRITERIA = ("singling_out", "linkability", "inference")
TITLE = "{}, {:,} x 15"
FASTER = 10.0
LIMIT = {"singling_out": 1.4, "linkability": 1.2, "inference": 0.4}
"""Seconds of work, where there is no peer: a tenth of 14.3, 12.2 and 4.3 s, which Anonymeter 1.1 took once."""
ATTACKS = 2000
FIRST = ("a0", "a1", "n0", "n1", "n2", "a2", "n3")
SECOND = ("a3", "a4", "n4", "n5", "a5", "n6", "a6")


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    peer = importlib.util.find_spec("anonymeter") is not None
    for rows in sizes:
        for name in CRITERIA:
            there = (Contestant(PEER, call(f"cases.three_criteria:{name}_of_peer", rows=rows)),) if peer else ()
            ours = Contestant(OURS, call("cases.three_criteria:ours", name=name, rows=rows))
            yield Round(TITLE.format(name, rows), (*there, ours), rows)


def requirements(results: Results) -> Iterator[Requirement]:
    for rows in SIZES:
        for name in CRITERIA:
            title = TITLE.format(name, rows)
            peer, entry = results.get(title, PEER), results.get(title, OURS)
            if entry is None:
                continue
            work = entry.median("work")
            told = entry.failure or f"{work:.2f} s"
            if peer is None or peer.failure:
                yield Requirement(f"less than {LIMIT[name]:g} s: {title}", told, work < LIMIT[name])
            else:
                ratio = peer.median("work") / work if work else 0.0
                claim = f"at least {FASTER:g} times faster than Anonymeter: {title}"
                yield Requirement(claim, entry.failure or f"{ratio:.1f} times", ratio >= FASTER)


def table(rows: int) -> Any:
    """Words with few to many values, and numbers, most of which go together."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(5)
    kind = rng.integers(0, 12, rows)
    words = {f"a{i}": (kind * (i + 1) + rng.integers(0, 3 + 4 * i, rows)) % (5 + 6 * i) for i in range(8)}
    numbers = {f"n{i}": np.round(kind * 10.0 + rng.gamma(2.0, 20.0, rows), 1) for i in range(7)}
    return pa.table({**{name: [f"w{v}" for v in codes] for name, codes in words.items()}, **numbers})


def ours(name: str, rows: int) -> dict[str, Any]:
    """Our attack, compiled beforehand on a few rows."""
    import schleier as sl
    from schleier.core.measure import Case

    people = table(2 * rows)
    columns = [
        sl.Column(name=one, role="quasi", scale="nominal" if one.startswith("a") else "continuous")
        for one in people.column_names
    ]
    made: dict[str, Any] = {
        "singling_out": sl.attacks.SinglingOut(conditions=3, targets=ATTACKS),
        "linkability": sl.attacks.Linkability(known=FIRST, linked=SECOND, targets=ATTACKS),
        "inference": sl.attacks.Inference(sensitive="a7", known=(*FIRST, *SECOND), targets=ATTACKS),
    }
    few, work, found = made[name].model_copy(update={"targets": 20}), 0.0, None
    for size, attack in ((200, few), (rows, made[name])):
        inside = sl.Dataset.from_frame(people.slice(0, size), sl.Schema(columns=columns))
        outside = sl.Dataset.from_frame(people.slice(size, size), sl.Schema(columns=columns), inside.engine)
        start = time.process_time()
        found = attack.measure(Case(inside, inside, control=outside), sl.Run(key=bytes(32)))
        work = time.process_time() - start
    return {"work": work, "share": found.value if found else None}


def _peer(name: str, rows: int, made: dict[str, Any], **how: Any) -> dict[str, Any]:
    """Anonymeter's attack, compiled beforehand on a few rows, as ours is."""
    from anonymeter import evaluators  # type: ignore[import-not-found, unused-ignore]

    work, share = 0.0, None
    for size, attacks in ((200, 20), (rows, ATTACKS)):
        people = table(2 * size).to_pandas()
        inside, outside = people.iloc[:size], people.iloc[size:].reset_index(drop=True)
        given = {"ori": inside, "syn": inside.copy(), "control": outside, "n_attacks": attacks}
        evaluator = getattr(evaluators, name)(**made, **given)
        start = time.process_time()
        evaluator.evaluate(**how)
        work, share = time.process_time() - start, evaluator.results().attack_rate.value
    return {"work": work, "share": share}


def singling_out_of_peer(rows: int) -> dict[str, Any]:
    return _peer("SinglingOutEvaluator", rows, {"n_cols": 3}, mode="multivariate")


def linkability_of_peer(rows: int) -> dict[str, Any]:
    return _peer("LinkabilityEvaluator", rows, {"aux_cols": (list(FIRST), list(SECOND))}, n_jobs=1)


def inference_of_peer(rows: int) -> dict[str, Any]:
    return _peer("InferenceEvaluator", rows, {"aux_cols": [*FIRST, *SECOND], "secret": "a7"}, n_jobs=1)
