"""Experiment 1 of 1991: a handbook of scholars against a 1 % file (9.1, 9.2, 11.2)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bench.experiments_files import KEY, Pair, coded, observed, pairs_of, plain, share, spoiled, uniqueness
from schleier.attacks.discriminant_match import DiscriminantMatch
from schleier.attacks.distance_match import DistanceMatch
from schleier.attacks.exact_match import ExactMatch
from schleier.core.attack import Attack
from schleier.core.run import Run
from schleier.kernels.population.published_rates import published_rates
from schleier.lab.mistakes import preset
from schleier.world.designs import AMBIGUOUS, SCHOLAR_KEYS, Drawn
from schleier.world.recorded import variables
from schleier.world.scholars import TEACHER

SECONDS = {name: f"{name}_2" for name in AMBIGUOUS}
PROCESSES = ("process_1", "process_2", "process_3", "process_4")
SUBFILES = {1: (), 8: ("activity",)}
"""Columns that hold second codes in the versions of the file that the source looked at more closely."""
Say = Callable[[str], None]


def rates(process: str) -> dict[str, float]:
    """What an attacker takes for the errors of each key; of age in standard deviations."""
    found = {name: published_rates()[process][variable] for name, variable in variables("scholars").items()}
    return {name: max(rate, 1e-3) for name, rate in found.items()} | {"birth_year": 0.14}


def files(drawn: Drawn, process: str, samples: int) -> list[Pair]:
    """Each sample as a process records it, against the handbook as it is."""
    released, known = plain(drawn.released), plain(drawn.known)
    wrong = preset(process, variables("scholars"), SECONDS, file="release")
    return pairs_of(spoiled(released, SCHOLAR_KEYS, wrong, tuple(SECONDS.values())), known, samples)


def version(known: pa.Table, second: tuple[str, ...]) -> pa.Table:
    """The handbook with second codes in some columns; who has none has a gap."""
    for name in second:
        known = known.set_column(known.column_names.index(name), name, known[f"{name}_2"])
    return known


def restricted(pair: Pair, second: tuple[str, ...] | None = None) -> Pair:
    """The records whose values all occur in the handbook, in all its versions or in one of them."""
    held = {n: [pair.known[n]] + ([pair.known[SECONDS[n]]] if n in SECONDS else []) for n in SCHOLAR_KEYS}
    if second is not None:
        one = version(pair.known, second)
        held = {name: [one[name]] for name in SCHOLAR_KEYS}
    return pair.only(observed(pair.released, held))


def today(process: str) -> dict[str, Attack]:
    """Techniques that nobody had in 1991."""
    from schleier.attacks.learned_match import LearnedMatch
    from schleier.extras.linkage.attacks.probabilistic_match import ProbabilisticMatch

    assumed = rates(process)
    return {
        "learned": LearnedMatch(errors=assumed, contained=0.01, threshold=0.5),
        "probabilistic": ProbabilisticMatch(errors=assumed, threshold=0.5),
    }


def tried(attack: Attack, case: Any, key: bytes = KEY) -> dict[str, Any]:
    """Counts of an attack, with the processor seconds it took."""
    begun, run = time.process_time(), Run(key=key)
    answer, beside = attack.tried(attack.trustee(case, run), case, run)
    counts = {"targets": answer.targets, "claims": answer.claims, "correct": answer.correct}
    return {**beside, **counts, "cpu": time.process_time() - begun}


def exact(pair: Pair, keys: list[str] = SCHOLAR_KEYS) -> dict[str, Any]:
    """Sixteen versions of the handbook, each matched exactly."""
    others = {name: (SECONDS[name],) for name in AMBIGUOUS}
    attack = ExactMatch(targets="all", knowledge="file", variants=others)
    return tried(attack, pair.case(keys, tuple(SECONDS.values())))


def pooled(found: list[dict[str, Any]], overlap: int) -> dict[str, Any]:
    """Counts of several samples together."""
    total = Counter[str]()
    for one in found:
        total.update({name: one[name] for name in ("claims", "correct", "targets", "cpu")})
    return {
        "samples": len(found),
        "claims": total["claims"],
        "per_sample": round(total["claims"] / len(found), 1),
        "right": share(total["correct"], total["claims"]),
        "found": share(total["correct"], overlap),
        "of_known": share(total["correct"], total["targets"]),
        "cpu": round(total["cpu"] / len(found), 2),
    }


def exact_part(pairs: list[Pair]) -> dict[str, Any]:
    """Uniqueness, 16 versions, what is identical, and who answers when it is known who took part."""
    small = [restricted(pair) for pair in pairs]
    overlap = sum(len(pair.record) for pair in pairs)
    whole = [exact(pair) for pair in small]
    versions = [{"codes": v["codes"], "claims": 0, "correct": 0} for v in whole[0]["versions"]]
    for one in whole:
        for total, part in zip(versions, one["versions"], strict=True):
            total["claims"] += part["claims"]
            total["correct"] += part["correct"]
    same = _identical(pairs)
    told = [exact(pair.knowing(np.isin(np.arange(len(pair.known)), pair.entry))) for pair in small if len(pair.record)]
    return {
        "records": [len(pair.released) for pair in pairs],
        "restricted": [len(pair.released) for pair in small],
        "unique_all": [uniqueness(pair.released, SCHOLAR_KEYS) for pair in pairs],
        "unique_restricted": [uniqueness(pair.released, SCHOLAR_KEYS) for pair in small],
        "overlap": [len(pair.record) for pair in pairs],
        "teachers": [int(pc.sum(pc.equal(pair.released["occupation"], TEACHER)).as_py()) for pair in pairs],
        "exact": pooled(whole, overlap),
        "versions": versions,
        "identical_any": share(same, overlap),
        "participation": pooled(told, overlap),
    }


def _identical(pairs: list[Pair]) -> int:
    """Pairs of one person that agree in some version of the handbook."""
    many = 0
    for pair in pairs:
        if not len(pair.record):
            continue
        mine, theirs = pair.released.take(pa.array(pair.record)), pair.known.take(pa.array(pair.entry))
        same = np.ones(len(pair.record), dtype=np.bool_)
        for name in SCHOLAR_KEYS:
            columns = [theirs[name]] + ([theirs[SECONDS[name]]] if name in SECONDS else [])
            alike = np.zeros(len(same), dtype=np.bool_)
            for other in columns:
                a, b = coded(pa.table({name: mine[name]}), pa.table({name: other}), keys=[name])
                alike |= (a == b)[:, 0]
            same &= alike
        many += int(same.sum())
    return many


def handbook(known: pa.Table) -> list[float]:
    """Share of unique entries of the handbook, version by version."""
    from itertools import product

    every = [tuple(n for n, on in zip(AMBIGUOUS, which, strict=True) if on) for which in product((0, 1), repeat=4)]
    return [uniqueness(version(known, second), SCHOLAR_KEYS) for second in every]


def near_part(pairs: list[Pair], process: str, more: Mapping[str, Attack], say: Say) -> dict[str, Any]:
    """Near techniques on two versions of the handbook; the attacker assumes the rates of a process."""
    found: dict[str, Any] = {}
    assumed = rates(process)
    plans: dict[str, Attack] = {
        "exact": ExactMatch(),
        "distance, mass fishing": DistanceMatch(metric="lambert", rule="mutual", search="records", errors=assumed),
        "distance, targeted": DistanceMatch(metric="lambert", rule="mutual", errors=assumed),
        "discriminant, mass fishing": DiscriminantMatch(search="records", fraction=0.3, errors=assumed),
        "discriminant, targeted": DiscriminantMatch(fraction=0.01, errors=assumed),
        **more,
    }
    for number, second in SUBFILES.items():
        small = [restricted(pair, second) for pair in pairs]
        cases = [p.taking(known=version(p.known, second)).case(SCHOLAR_KEYS) for p in small if len(p.record)]
        overlap = sum(len(pair.record) for pair in pairs)
        for name, attack in plans.items():
            attack = attack.model_copy(update={"targets": "all", "knowledge": "file"})
            told = [tried(attack, case) for case in cases]
            found[f"{name}, file {number}"] = pooled(told, overlap)
            if "listed" in told[0]:
                found[f"{name}, file {number}"]["listed"] = sum(one["listed"] for one in told)
            say(f"  {name}, file {number}: {found[f'{name}, file {number}']['right']}")
    return found


def beliefs_part(pairs: list[Pair]) -> dict[str, Any]:
    """Mass fishing by discriminant analysis where the attacker takes the errors for something else than they are."""
    second = SUBFILES[8]
    small = [restricted(pair, second) for pair in pairs]
    cases = [p.taking(known=version(p.known, second)).case(SCHOLAR_KEYS) for p in small if len(p.record)]
    fishing: dict[str, Any] = {"search": "records", "fraction": 0.3, "targets": "all", "knowledge": "file"}
    plans = {process: DiscriminantMatch(errors=rates(process), **fishing) for process in PROCESSES}
    for belief in ("fourfold", "random"):
        plans[belief] = DiscriminantMatch(errors=rates("process_2"), assumed=belief, **fishing)
    overlap = sum(len(pair.record) for pair in pairs)
    return {name: pooled([tried(attack, case) for case in cases], overlap) for name, attack in plans.items()}


def measures_part(pairs: list[Pair]) -> dict[str, Any]:
    """What coarser keys and a subsample do to exact matching (Tables 11.1 to 11.3)."""
    keys = SCHOLAR_KEYS
    plans: dict[str, Callable[[Pair], tuple[Pair, list[str]]]] = {
        "as it is": lambda pair: (pair, keys),
        "without the size of the municipality": lambda pair: (pair, [k for k in keys if k != "size_class"]),
        "without any region": lambda pair: (pair, [k for k in keys if k not in ("size_class", "region")]),
        "fields in 13 groups": lambda pair: (_both(pair, ("field", "field_2"), _group), keys),
        "birth years in fives": lambda pair: (_both(pair, ("birth_year",), _fives), keys),
        "75 % of the records": lambda pair: (_part(pair, 0.75), keys),
        "50 % of the records": lambda pair: (_part(pair, 0.50), keys),
    }
    found = {}
    for name, plan in plans.items():
        made = [plan(pair) for pair in pairs]
        overlap = sum(len(pair.record) for pair in pairs)
        small = [restricted(pair) for pair, _ in made]
        told = [exact(pair, held) for pair, (_, held) in zip(small, made, strict=True) if len(pair.record)]
        found[name] = pooled(told, overlap)
        found[name]["unique_all"] = round(float(np.mean([uniqueness(p.released, k) for p, k in made])), 4)
        rates_ = [uniqueness(p.released, k) for p, (_, k) in zip(small, made, strict=True)]
        found[name]["unique_restricted"] = round(float(np.mean(rates_)), 4)
    return found


def _both(pair: Pair, names: tuple[str, ...], how: Callable[[Any], Any]) -> Pair:
    released, known = pair.released, pair.known
    for name in names:
        if name in released.column_names:
            released = released.set_column(released.column_names.index(name), name, how(released[name]))
        known = known.set_column(known.column_names.index(name), name, how(known[name]))
    return pair.taking(released, known)


def _group(values: Any) -> Any:
    return pc.utf8_slice_codeunits(values, 0, 2)


def _fives(values: Any) -> Any:
    return pc.multiply(pc.divide(values, 5), 5)


def _part(pair: Pair, kept: float) -> Pair:
    homes = pair.released["household"].to_numpy()
    names, place = np.unique(homes, return_inverse=True)
    drawn = np.random.Generator(np.random.Philox(key=7)).random(len(names)) < kept
    return pair.only(drawn[place])
