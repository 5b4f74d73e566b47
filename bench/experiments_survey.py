"""Experiment 2 of 1991: a social survey of 2,685 persons against a 1 % file, by 13, 21 and 35 keys (9.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bench.experiments_files import KEY, Pair, coded, observed, pairs_of, plain, share, spoiled, uniqueness
from bench.experiments_scholars import pooled, tried
from schleier.attacks.distance_match import DistanceMatch
from schleier.attacks.exact_match import ExactMatch
from schleier.core.attack import Attack
from schleier.kernels.population.published_rates import published_rates
from schleier.lab.kinds import Neighbour
from schleier.lab.mistakes import Mistakes, preset
from schleier.world.designs import GROWN, Drawn
from schleier.world.questions import ALL_KEYS, PHASES
from schleier.world.recorded import variables

LEVELS = ("none", "census_microcensus", "allbus")
"""No mistakes at all; rates of Table 4.4 where it has the variable; rates of Table 4.3."""
RELIABLE = ("sex", "birth_year", "marital", "employed", "contract")
"""Keys in which no common case differed (Übersicht 9.6)."""


def rates(level: str) -> dict[str, float]:
    """How often each key differs."""
    base = published_rates()["allbus"]
    census = published_rates()["census_microcensus"] if level == "census_microcensus" else {}
    return {name: 0.0 if level == "none" else census.get(v, base[v]) for name, v in variables("survey").items()}


def files(drawn: Drawn, level: str, samples: int) -> list[Pair]:
    """Each sample as recorded at a level of errors: persons of the ages of the survey."""
    released, known = plain(drawn.released), plain(drawn.known)
    grown = pc.and_(pc.greater_equal(released["age"], GROWN[0]), pc.less_equal(released["age"], GROWN[1]))
    released = released.filter(grown)
    if level != "none":
        columns = dict(preset("allbus", variables("survey")).columns)
        for name, rate in rates(level).items():
            near = name == "ended"  # years in classes: a wrong one is near
            columns[name] = (
                (Neighbour(rate=rate, spread=1.0),)
                if near
                else tuple(kind.model_copy(update={"rate": rate}) for kind in columns[name])
            )
        mistakes = Mistakes(file=f"release {level}", columns=columns)
        released = spoiled(released, ALL_KEYS, mistakes)
    return pairs_of(released, known, samples)


def of_phase(pair: Pair, many: int) -> Pair:
    """In the third phase persons who live with others."""
    return pair.only(pair.released["size"].to_numpy() > 1) if many == 35 else pair


def small(pair: Pair, keys: tuple[str, ...]) -> Pair:
    """Records whose values all occur in the survey: no exact match is lost by it."""
    return pair.only(observed(pair.released, {name: [pair.known[name]] for name in keys}))


def phases_part(pairs: list[Pair]) -> dict[str, Any]:
    """Uniqueness, assignments, what is right, and what stands in the way, in each phase."""
    found: dict[str, Any] = {"overlap": [len(pair.record) for pair in pairs]}
    for many, keys in PHASES.items():
        held = [of_phase(pair, many) for pair in pairs]
        told = [tried(ExactMatch(targets="all", knowledge="file"), small(p, keys).case(keys)) for p in held]
        known = [p.knowing(np.isin(np.arange(len(p.known)), p.entry)) for p in held]
        sure = [tried(ExactMatch(targets="all", knowledge="file"), small(p, keys).case(keys)) for p in known]
        overlap = sum(len(p.record) for p in held)
        ambiguous = sum(one["ambiguous_targets"] for one in told)
        found[str(many)] = {
            "records": [len(p.released) for p in held],
            "unique": float(np.mean([uniqueness(p.released, keys) for p in held])),
            "unique_known": uniqueness(pairs[0].known, keys),
            "assigned": (sum(one["claims"] for one in told) + ambiguous) / len(pairs),
            "ambiguous": ambiguous / len(pairs),
            "ambiguous_records": sum(one["ambiguous_records"] for one in told) / len(pairs),
            "overlap": overlap,
            "identical": share(sum(one["identical"] for one in told), overlap),
            "exact": pooled(told, overlap),
            "participation": pooled(sure, overlap),
        }
    found["differences"] = differences(pairs)
    found["backstairs"] = backstairs(pairs)
    return found


def differences(pairs: list[Pair]) -> dict[str, Any]:
    """In how many of the 13 and of the 35 keys the records of one person differ."""
    off = []
    for pair in pairs:
        mine, theirs = pair.released.take(pa.array(pair.record)), pair.known.take(pa.array(pair.entry))
        a, b = coded(mine, theirs, keys=ALL_KEYS)
        off.append(a != b)
    whole = np.concatenate(off)
    told = {}
    for many, keys in PHASES.items():
        if many != 21:
            counts = whole[:, [ALL_KEYS.index(name) for name in keys]].sum(axis=1)
            told[str(many)] = {"mean": round(float(counts.mean()), 2), "none": share((counts == 0).sum(), len(counts))}
            told[str(many)]["times"] = np.bincount(counts, minlength=6).tolist()
    return told


def backstairs(pairs: list[Pair]) -> dict[str, Any]:
    """Candidates of a person known to be in the file, with more and more keys, the reliable ones first."""
    counts: dict[str, list[int]] = {"5": [], "13": [], "21": []}
    inside: dict[str, list[bool]] = {"5": [], "13": [], "21": []}
    for pair in pairs:
        theirs = pair.known.take(pa.array(pair.entry))
        a, b = coded(pair.released, theirs, keys=PHASES[21])
        places = {"5": [PHASES[21].index(n) for n in RELIABLE], "13": list(range(13)), "21": list(range(21))}
        for person, own in zip(b, pair.record, strict=True):
            for name, columns in places.items():
                like = (a[:, columns] == person[columns]).all(axis=1)
                counts[name].append(int(like.sum()))
                inside[name].append(bool(like[own]))
    told: dict[str, Any] = {}
    for name, found in counts.items():
        alone = np.array(found) == 1
        right = int((alone & np.array(inside[name])).sum())
        told[name] = {"median": float(np.median(found)), "alone": share(alone.sum(), len(found))}
        told[name] |= {"alone_right": right, "gone": share((~np.array(inside[name])).sum(), len(found))}
    return told


def near_part(pair: Pair, say: Callable[[str], None]) -> dict[str, Any]:
    """Near techniques by 13, 21 and 35 keys on one sample; the source matched exactly only."""
    from schleier.attacks.learned_match import LearnedMatch
    from schleier.extras.linkage.attacks.probabilistic_match import ProbabilisticMatch

    found: dict[str, Any] = {}
    for many, keys in PHASES.items():
        held = of_phase(pair, many)
        errors = {name: min(max(rates("allbus")[name], 1e-3), 0.9) for name in keys}
        errors = {name: 0.15 if name.endswith("birth_year") else error for name, error in errors.items()}
        how: dict[str, Any] = {"targets": "all", "knowledge": "file", "errors": errors}
        plans: dict[str, Attack] = {
            "distance": DistanceMatch(metric="lambert", rule="mutual", **how),
            "learned": LearnedMatch(threshold=0.5, contained=0.01, **how),
            "probabilistic": ProbabilisticMatch(threshold=0.5, **how),
        }
        case = held.case(keys)
        for name, attack in plans.items():
            found[f"{name}, {many}"] = pooled([tried(attack, case, KEY)], len(held.record))
            say(f"  {name}, {many} keys: {found[f'{name}, {many}']}")
    return found
