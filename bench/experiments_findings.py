"""What the book found, what was found here, and whether it holds: decided by intervals, not by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.experiments_text import per_cent

HOLDS, NOT, OPEN, LEFT = "yes", "no", "cannot be told", "not run"
Row = tuple[str, str, str, str]


def findings(scholars: Any, synthetic: Any, survey: Mapping[str, Any]) -> Iterator[Row]:
    """Row by row: finding, book, here, whether it holds."""
    yield from _of_scholars(scholars) if scholars else [("experiment 1", "", "", LEFT)]
    yield from _of_synthetic(synthetic) if synthetic else [("synthetic file", "", "", LEFT)]
    yield from _of_survey(survey)


def _below(one: Mapping[str, Any], limit: float) -> str:
    """Whether a share is below a limit, with its whole interval."""
    return HOLDS if one["high"] < limit else NOT if one["low"] > limit else OPEN


def _less(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Whether one share is lower than another: intervals apart, or cannot be told."""
    return HOLDS if one["high"] < other["low"] else NOT if one["low"] > other["high"] else OPEN


def _of_scholars(found: Mapping[str, Any]) -> Iterator[Row]:
    high = found["process_2"]["exact"]
    exact, sure = high["exact"], high["participation"]
    text = "few of the handbook are found: at most one in a thousand"
    yield text, "0.05 %", per_cent(exact["of_known"]), _below(exact["of_known"], 0.001)
    text = "most of those in both files are not found by exact matching"
    yield text, "92 % not", f"found: {per_cent(exact['found'])}", _below(exact["found"], 0.5)
    text = "most unique assignments are wrong"
    yield text, "71 % wrong", f"right: {per_cent(exact['right'])}", _below(exact["right"], 0.5)
    text = "who is known to have taken part is found more often, without a wrong link"
    wrong = sure["claims"] - sure["right"]["n"]
    more = HOLDS if sure["found"]["n"] > exact["found"]["n"] and not wrong else NOT
    yield text, "9 against 4, none wrong", f"{sure['found']['n']} against {exact['found']['n']}, {wrong} wrong", more
    best = max((c["correct"], c["codes"]) for c in high["versions"])
    first = next(c for c in high["versions"] if c["codes"] == [1, 1, 1, 1])
    text = "a version with second codes finds more than that with all first codes"
    yield (
        text,
        "7 and 1 assigned",
        f"{best[0]} and {first['correct']} right",
        HOLDS if best[1] != first["codes"] else NOT,
    )
    cells = [(p, n) for p in found if p.startswith("process") for n in (1, 8)]
    fish = {(p, n): found[p]["near"][f"discriminant, mass fishing, file {n}"] for p, n in cells}
    plain = {(p, n): found[p]["near"][f"exact, file {n}"] for p, n in cells}
    told = "; ".join(f"{p[-1]}/{n}: {per_cent(fish[p, n]['right'])}" for p, n in cells)
    text = "discriminant analysis is right in less than a quarter of its assignments (process/version)"
    verdict = HOLDS if all(one["right"]["high"] < 0.25 for one in fish.values()) else OPEN
    verdict = NOT if any(one["right"]["low"] > 0.25 for one in fish.values()) else verdict
    yield text, "0 to 22 %", told, verdict
    text = "discriminant analysis finds nobody whom exact matching of the same version does not find"
    told = "; ".join(f"{p[-1]}/{n}: {fish[p, n]['found']['n']} against {plain[p, n]['found']['n']}" for p, n in cells)
    more = any(fish[cell]["found"]["n"] > plain[cell]["found"]["n"] for cell in cells)
    yield text, "3 against 3", told, NOT if more else OPEN
    text = "high probabilities at large distances: targeted search claims nearly everybody, wrongly"
    far = found["process_2"]["near"]["discriminant, targeted, file 8"]
    yield text, "described (9.2.3)", per_cent(far["right"]), _below(far["right"], 0.05)
    text = "the level of the errors matters: with fewer errors more are found"
    if "process_3" in found:
        low, mid = (found[p]["exact"]["exact"]["found"] for p in ("process_3", "process_1"))
        yield text, "expected", f"process 3: {per_cent(low)}, process 1: {per_cent(mid)}", _less(mid, low)
    else:
        more, less = high["exact"]["found"], found["process_1"]["exact"]["exact"]["found"]
        yield text, "expected", f"process 1: {per_cent(less)}, process 2: {per_cent(more)}", _less(more, less)
    if "measures" in found:
        yield from _of_measures(found)
    text = "a right link costs far more than an interview (62,000 DM in all, 150 DM an interview)"
    each = 62_000 * exact["samples"] / max(exact["found"]["n"], 1)
    yield text, "15,500 DM", f"{each:,.0f} DM at the same outlay", HOLDS if each > 150 else NOT


def _of_measures(found: Mapping[str, Any]) -> Iterator[Row]:
    text = "what the attacker assumes of the errors matters little"
    shares = [one["right"] for one in found["beliefs"].values() if one["claims"]]
    apart = any(a["high"] < b["low"] for a in shares for b in shares)
    yield (
        text,
        "hardly any change",
        f"right: {min(s['share'] for s in shares):.0%} to {max(s['share'] for s in shares):.0%}",
        NOT if apart else OPEN,
    )
    measures = found["measures"]
    for name, what in (("without any region", "coarser regions"), ("50 % of the records", "a subsample")):
        text = f"{what}: fewer are found"
        one, whole = measures[name], measures["as it is"]
        book = {"without any region": "4 to 0", "50 % of the records": "4 to 1"}[name]
        yield text, book, f"{per_cent(whole['found'])} to {per_cent(one['found'])}", _less(one["found"], whole["found"])
        text = f"{what}: a larger share of assignments is wrong"
        book = {"without any region": "71 to 100 %", "50 % of the records": "71 to 83 %"}[name]
        yield (
            text,
            book,
            f"right: {per_cent(whole['right'])} to {per_cent(one['right'])}",
            _less(one["right"], whole["right"]),
        )


def _of_synthetic(found: Mapping[str, Any]) -> Iterator[Row]:
    one = found["own"]["discriminant at 0.99"]
    text = "synthetic file: at 0.99 most assignments are right"
    yield text, "85 % of 145", per_cent(one["right"]), HOLDS if one["right"]["low"] > 0.8 else OPEN
    beyond, likely = (one["found"]["n"] - n for n in (found["identical"], found["own"]["exact"]["found"]["n"]))
    text = "synthetic file: a third or more of the right ones have deviating values"
    told = f"at least {beyond / max(one['found']['n'], 1):.0%}, about {likely / max(one['found']['n'], 1):.0%}"
    yield text, "42 %", told, HOLDS if 3 * beyond >= one["found"]["n"] else OPEN
    text = "today: at equal claims a learnt or probabilistic match finds at least 95 % of what the best of 1991 finds"
    levels, worst, where = found["levels"], 9.0, 0
    for place, level in enumerate(levels):
        old = [c[place] for n, c in found["curves"].items() if n.startswith("distance") and c[place][0] >= level - 5]
        rights = [right for _, right in old] + [o["found"]["n"] for o in found["own"].values() if o["claims"] == level]
        new = max(c[place][1] for n, c in found["curves"].items() if not n.startswith("distance"))
        if rights and new / max(rights) < worst:
            worst, where = new / max(rights), level
    yield text, "–", f"at least {worst:.1%} (at {where:,} claims)", HOLDS if worst >= 0.95 else NOT


def _of_survey(found: Mapping[str, Any]) -> Iterator[Row]:
    if "allbus" not in found:
        yield "experiment 2", "", "", LEFT
        return
    one = found["allbus"]
    phases = [one[phase] for phase in ("13", "21", "35")]
    text = "more keys make more records unique"
    unique = [f"{100 * p['unique']:.0f} %" for p in phases]
    yield (
        text,
        "20, 79, 84 %",
        ", ".join(unique),
        HOLDS if phases[0]["unique"] < phases[1]["unique"] < phases[2]["unique"] else NOT,
    )
    text = "more keys, fewer assignments"
    assigned = [p["assigned"] for p in phases]
    yield (
        text,
        "1107, 298, 74",
        ", ".join(f"{a:,.0f}" for a in assigned),
        HOLDS if assigned[0] > assigned[1] > assigned[2] else NOT,
    )
    text = "with few keys there are many more assignments than persons in both files"
    yield (
        text,
        "1107 for 27",
        f"{assigned[0]:,.0f} for {phases[0]['overlap'] / phases[0]['exact']['samples']:.0f}",
        HOLDS if assigned[0] > 3 * one["common"]["mean"] else NOT,
    )
    right = sum(p["exact"]["right"]["n"] for p in phases)
    text = "nobody is found rightly, with 13, 21 or 35 keys"
    yield text, "0", "; ".join(per_cent(p["exact"]["right"]) for p in phases), HOLDS if right == 0 else NOT
    text = "nearly nobody is recorded alike in 35 keys"
    yield text, "0 of 10", per_cent(phases[2]["identical"]), _below(phases[2]["identical"], 0.1)
    text = "persons in both samples scatter more than independent draws"
    common = one["common"]
    low, high = _spread(common["deviation"], common["samples"])
    verdict = HOLDS if low > common["binomial"] else NOT if high < common["binomial"] else OPEN
    told = f"standard deviation {common['deviation']} ({low:.1f} to {high:.1f}) against {common['binomial']}"
    yield text, "10 for 27", told, verdict


def _spread(deviation: float, samples: int) -> tuple[float, float]:
    """The interval of a standard deviation, by the chi-square distribution."""
    from scipy.stats import chi2

    free = samples - 1
    return tuple(deviation * float((free / chi2.ppf(p, free)) ** 0.5) for p in (0.975, 0.025))  # type: ignore[return-value]
