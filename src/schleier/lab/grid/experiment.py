"""One experiment: an attack on a release, judged by the trustee, with all that its holder wants to know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.attack import Attack
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.trust.answer import Answer
from schleier.core.trust.blocks import block_of
from schleier.core.trust.coarse import FEW, OUTCOME, interval_of, share_of
from schleier.core.trust.hearing import Hearing
from schleier.core.trust.overheard import Overheard, listening
from schleier.core.trust.trustee import draw_targets, harmonised
from schleier.kernels.statistics.trials import Trials
from schleier.lab.mistakes import Mistakes, spoil

if TYPE_CHECKING:
    from schleier.core.trust.aim import Technique
    from schleier.lab.grid.cells import Cell

STEP = "grid"
"""Label of the draws: in every cell of a release the same persons are looked for, under the same aliases."""
ENTRY = "_entry_row_"
NUMBERS = ("targets", "contained", "claims", "correct", "records")


def experiment(cell: Cell, case: Case, key: bytes) -> dict[str, Any]:
    """What came of a cell: exact numbers for the holder, and what everybody may read. Names of columns, no values."""
    cases = [_knowing(case, cell, key, number) for number in range(cell.runs)]
    run = Run(key, step=STEP)
    attack = cell.attack
    with listening() as heard:  # the first set of claims is that of the first run, which everybody reads of
        if isinstance(attack, Attack) and attack.judged_by_pairs():
            finding, exact = _pairs(attack, cases, run)
        else:
            findings = [attack.measure(one, Run(key, step=STEP)) for one in cases]
            finding, exact = findings[0], {"runs": [_counts(one.detail) for one in findings]}
    exact |= _rates(exact["runs"], finding, alone=attack.counts_hits_alone)
    return {
        "exact": exact,
        "public": _public(attack, cases[0], run, finding),
        "claimed": _claimed(attack, heard),
        "values": "difference" in finding.detail,
    }


def _claimed(attack: Technique, heard: Overheard) -> dict[str, Any]:
    """What was claimed, in a sketch, with what sets of claims must have in common to be compared."""
    about = getattr(attack, "sensitive", "")
    if heard.sketch is None:
        return {"kind": f"{attack.word()} {about}", "sketch": None, "guesses": None}
    sketches = {"sketch": heard.sketch, "guesses": heard.guesses}
    told = {name: None if one is None else one.astype("<u4").tobytes().hex() for name, one in sketches.items()}
    return {"kind": f"{heard.kind} {about}", **told}


def _knowing(case: Case, cell: Cell, key: bytes, number: int) -> Case:
    """The case as this attacker meets it: with mistakes in what he holds, and with or without the published steps."""
    import narwhals as nw

    if cell.method == "none":
        case = replace(case, steps=())
    if cell.mistakes is None:
        return case
    people, truth = case.known, case.truth
    if people is None or truth is None:
        # The design of the GMD (9.2.3.5): his file is the original itself, spoilt by a known process.
        people, own = case.original, case.original.schema.key
        truth = people.frame.select(nw.col(own), nw.col(own).alias(ENTRY))
    drawn: Mistakes = cell.mistakes.model_copy(update={"file": f"{cell.mistakes.file}:{number}"})
    return replace(case, known=spoil(people, drawn, Run(key, step=STEP)), truth=truth)


def _pairs(attack: Attack, cases: Sequence[Case], run: Run) -> tuple[Finding, dict[str, Any]]:
    """An attack that claims pairs, in all its runs: the same persons and aliases, so that pairs can be counted once."""
    heard, counts, first = list[Hearing](), list[dict[str, Any]](), None
    for case in cases:
        trustee = Hearing.of(attack.trustee(case, run))
        answer, beside = attack.tried(trustee, case, run)
        attack.refuse_strangers(answer.contained, case)
        heard.append(trustee)
        counts.append({**{name: getattr(answer, name) for name in NUMBERS}, **_counts(beside)})
        first = first or attack.told(answer, beside, case, run)
    assert first is not None
    exact: dict[str, Any] = {"runs": counts, "bias": _bias(attack, heard[0], cases[0], run)}
    exact["together"] = _together(heard[0].together(heard[1:]), counts)
    return first, exact


def _together(answer: Answer, counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Both hit rates over several runs (2.13): of the different pairs, and the mean over the runs that claimed."""
    rates = [one["correct"] / one["claims"] for one in counts if one["claims"]]
    return {
        "claims": answer.claims,
        "correct": answer.correct,
        "hit_rate": answer.right.share if answer.claims else None,
        "mean_hit_rate": sum(rates) / len(rates) if rates else None,
    }


def _bias(attack: Attack, trustee: Hearing, case: Case, run: Run) -> dict[str, float]:
    """How differently those who were found are spread over what is known of the targets."""
    columns = attack.columns(case)
    people = case.known if attack.knowledge == "file" else case.original
    if people is None:
        return {}
    chosen = draw_targets(people, None if attack.targets == "all" else attack.targets, run)
    known = harmonised(chosen, case.steps, columns, run)
    return trustee.identified_bias(known, columns)


def _counts(detail: Mapping[str, Any]) -> dict[str, Any]:
    """The plain numbers of a detail: no lists, no names, no parts."""
    return {name: one for name, one in detail.items() if isinstance(one, int | float) and not isinstance(one, bool)}


def _rates(runs: Sequence[Mapping[str, Any]], finding: Finding, *, alone: bool) -> dict[str, Any]:
    """The measures of 2.13 for the first run; of nothing there is no share, nor where hits ``alone`` are counted."""
    first = runs[0]
    claims, correct, targets, contained = (first.get(name) for name in ("claims", "correct", "targets", "contained"))

    def share(some: float | None, every: float | None) -> float | None:
        return some / every if some is not None and every else None

    found = share(correct, contained)
    claims = None if alone else claims
    hits = share(correct, claims)
    return {
        "value": finding.value,
        "low": finding.low,
        "high": finding.high,
        "baseline": finding.detail.get("baseline"),
        "hit_rate": hits,
        "hit_rate_interval": list(Trials(int(correct or 0), int(claims)).interval()) if claims else None,
        "false_rate": None if hits is None else 1 - hits,
        "missed_rate": None if found is None else 1 - found,
        "found_of_targets": share(correct, targets),
        "found_of_contained": found,
        "causes": {
            name: number for name, number in first.items() if name.startswith("false_") and name != "false_share"
        },
    }


def _public(attack: Technique, case: Case, run: Run, finding: Finding) -> dict[str, Any] | None:
    """What everybody may read: intervals in steps, shares in steps, no count and nothing of few claims."""
    told = attack.disclose(case, run, finding)
    if told is None:
        return None
    claims, correct = int(finding.detail.get("claims") or 0), finding.detail.get("correct")
    targets = int(finding.detail.get("targets") or 0)
    sure = None
    if correct is not None and claims >= FEW and not attack.counts_hits_alone:
        least, most = (Trials(count, claims) for count in block_of(int(correct), min(claims, targets)))
        sure = interval_of(least.interval()[0], most.interval()[1], claims)
    found = "difference" not in told.detail  # else values are claimed, and nobody is found
    return {
        "low": told.low if found else None,
        "high": told.high if found else None,
        "outcome": told.detail.get(OUTCOME),
        "claimed": share_of(claims / targets, targets) if targets and not attack.counts_hits_alone else None,
        "right": None if sure is None else list(sure),
    }
