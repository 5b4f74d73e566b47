"""Decoupled pseudonyms: attacks on many simulated populations, and the time of a whole pseudonym.

All attacks of the wing on populations of 200 with the real parties, by three sets of rules; hits are added up. Work is
processor time of everything, imports left out.
"""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Iterator
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (5, 20)
"""Populations."""
METRIC = "work"
PERSONS, REGISTRATION = 200, 1000.0
RULES = {"no delay": (2, 1e-9), "half the time": (2, 500.0), "all issued first": (PERSONS, 1000.0)}
TITLE = "decoupled pseudonyms"
FAR = 3.0
"""Standard errors between what was found and chance, at most; both are counts of about one per population."""


def skip() -> str | None:
    return None if importlib.util.find_spec("rbcl") else "rbcl is not installed"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for size in sizes:
        ours = [Contestant(name, call("cases.decoupled:attacked", rules=name, populations=size)) for name in RULES]
        yield Round(TITLE, tuple(ours), size, largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for name in RULES:
        entry = results.get(TITLE, name)
        if entry is None:
            continue
        facts = entry.samples[0].facts
        chance = facts.get("populations", 0) * 1.0
        for attack, hits in facts.get("hits", {}).items():
            if attack == "timing" and name != "all issued first":
                share = hits / (chance * PERSONS)
                wanted = (0.98, 1.0) if name == "no delay" else (0.0, 0.05)
                yield Requirement(f"timing, {name}", f"{share:.4f}", wanted[0] <= share <= wanted[1])
            elif attack.startswith(("collusion", "timing")):
                off = abs(hits - chance) / math.sqrt(chance)
                told = f"{hits} hits, {chance:.0f} by chance"
                yield Requirement(f"{attack} at 1/n, {name}", entry.failure or told, off <= FAR)
            else:
                yield Requirement(f"{attack} refused, {name}", f"{hits} came through", hits == 0)


def attacked(rules: str, populations: int) -> dict[str, Any]:
    from schleier.core.run import Run
    from schleier.extras.decoupled.attacking import every
    from schleier.extras.decoupled.messages import Rules
    from schleier.extras.decoupled.simulation import Plan, simulate

    n_min, window = RULES[rules]
    plan = Plan(PERSONS, REGISTRATION, Rules(n_min=n_min, window=window, batch=20))
    hits: dict[str, int] = {}
    issue = 0.0
    start = time.process_time()
    for number in range(populations):
        run = Run(key=number.to_bytes(32, "big"))
        before = time.process_time()
        outcome = simulate(plan, run)
        issue += time.process_time() - before
        for result in every(outcome, run):
            hits[result.attack] = hits.get(result.attack, 0) + result.found.successes
    work = time.process_time() - start
    return {"work": work, "hits": hits, "populations": populations, "per_pseudonym": issue / populations / PERSONS}
