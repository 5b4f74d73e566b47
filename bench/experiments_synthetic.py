"""The synthetic-file design of 1991 (9.2.3.5): what a technique finds when only known errors are in its way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from bench.experiments_files import KEY, Pair, share, spoiled
from bench.experiments_scholars import SECONDS, rates
from schleier.attacks.discriminant_match import DiscriminantMatch
from schleier.attacks.distance_match import DistanceMatch
from schleier.attacks.exact_match import ExactMatch
from schleier.attacks.learned_match import LearnedMatch
from schleier.core.attack import Attack
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.trust.answer import Answer
from schleier.core.trust.sides import Sides, sides_of
from schleier.lab.mistakes import preset
from schleier.world.designs import SCHOLAR_KEYS
from schleier.world.recorded import variables

PROCESS = "process_4"
ASKED = 500
DESIGNS = 3
"""Synthetic files, each with entries of its own."""


def design(known: pa.Table, number: int) -> tuple[Pair, int]:
    """Some entries with errors, looked for among all; and how many of them have none."""
    rng = np.random.Generator(np.random.Philox(key=11 + number))
    chosen = np.sort(rng.choice(len(known), min(ASKED, len(known) // 4), replace=False))
    asked = known.take(pa.array(chosen))
    wrong = preset(PROCESS, variables("scholars"), SECONDS, file=f"synthetic {number}")
    told = spoiled(asked, SCHOLAR_KEYS, wrong, tuple(SECONDS.values()))
    same = sum(a == b for a, b in zip(_rows(asked), _rows(told), strict=True))
    return Pair(known, told, chosen, np.arange(len(chosen))), same


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(table[name].to_pylist() for name in SCHOLAR_KEYS), strict=True))


def ranked(attack: Attack, case: Case, levels: list[int]) -> list[Answer]:
    """What the trustee answers to the surest claims of an attack, for several numbers of them."""
    run = Run(key=KEY)
    trustee, columns = attack.trustee(case, run), attack.columns(case)
    sides, pairs = _pairs(attack, trustee.released, trustee.known, columns, run)
    order, found = np.argsort(pairs.distance, kind="stable"), []
    for level in levels:
        first = order[:level]
        claims = sides.claims(trustee.released, pairs.target[first], pairs.record[first])
        found.append(trustee.answer(claims.pairs))
    return found


def _pairs(attack: Any, released: Any, known: Any, columns: tuple[str, ...], run: Run) -> tuple[Sides, Any]:
    if isinstance(attack, DistanceMatch):
        sides = sides_of(released, known, columns, attack.missing)
        return sides, attack._pairs(sides)[0]
    sides = sides_of(released, known, columns, "anything")
    if isinstance(attack, LearnedMatch):
        return sides, attack._pairs(sides, run)
    return sides, attack._pairs(attack._compared(released, known, columns, sides), columns, run)


def compared(known: pa.Table, say: Callable[[str], None]) -> dict[str, Any]:
    """Techniques of 1991 by their own rules, and all others at the same numbers of claims."""
    from schleier.extras.linkage.attacks.probabilistic_match import ProbabilisticMatch

    errors = rates(PROCESS)
    how: dict[str, Any] = {"targets": "all", "knowledge": "file"}
    designs = [design(known, number) for number in range(DESIGNS)]
    cases = [pair.case(SCHOLAR_KEYS) for pair, _ in designs]
    asked = sum(len(pair.known) for pair, _ in designs)
    own: dict[str, Attack] = {
        "exact": ExactMatch(**how),
        "discriminant at 0.99": DiscriminantMatch(errors=errors, **how),
        "discriminant at 0.95": DiscriminantMatch(errors=errors, accepting=0.95, **how),
        "discriminant at 0.50": DiscriminantMatch(errors=errors, listing=0.5, accepting=0.5, **how),
    }
    by_distance: dict[str, Attack] = {
        "distance, Lambert": DistanceMatch(metric="lambert", errors=errors, **how),
        "distance, Mahalanobis": DistanceMatch(metric="mahalanobis", errors=errors, **how),
        "distance, Hamming": DistanceMatch(metric="hamming", **how),
    }
    modern: dict[str, Attack] = {
        "probabilistic": ProbabilisticMatch(errors=errors, threshold=1e-9, **how),
        "probabilistic, errors not learnt": ProbabilisticMatch(errors=errors, threshold=1e-9, learn=False, **how),
        "learned": LearnedMatch(errors=errors, threshold=1e-9, contained=0.9, **how),
    }
    told: dict[str, Any] = {"asked": asked, "identical": sum(same for _, same in designs), "own": {}, "curves": {}}
    levels = [round(part * asked) for part in (0.1, 0.2, 0.29, 0.4, 0.5, 0.6, 0.7, 0.8)]
    for name, attack in own.items():
        details = [attack.measure(case, Run(key=KEY)).detail for case in cases]
        claims, correct = (sum(one[what] for one in details) for what in ("claims", "correct"))
        told["own"][name] = {"claims": claims, "right": share(correct, claims), "found": share(correct, asked)}
        levels.append(claims)
        say(f"  {name}: {told['own'][name]}")
    told["levels"] = sorted(set(levels))
    for name, attack in {**by_distance, **modern}.items():
        every = [ranked(attack, case, [round(level / DESIGNS) for level in told["levels"]]) for case in cases]
        curve = [
            [sum(a.claims for a in answers), sum(a.correct for a in answers)] for answers in zip(*every, strict=True)
        ]
        told["curves"][name] = curve
        say(f"  {name}: {curve}")
    return told
