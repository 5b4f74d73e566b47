"""What everybody may read of an experiment: so coarse that whoever repeats it does not learn which claims are right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from schleier.core.amount import LEAST
from schleier.core.measure import ALARM, Finding
from schleier.kernels.statistics.trials import Trials

STEPS = (0.05, 0.1, 0.2, 0.5)
OUTCOME = "outcome"
Outcome = Literal["guess", "better", "alarm", "withheld"]
"""Against guessing: no better, clearly better, so much better that it is called a problem, or withheld, because few
claims were made."""
FEW = 20
"""Fewer claims than these are few: not even half of them are ten."""


def round_step(units: int) -> float:
    """The round step in which a share of so many units is told: it holds ten of them, or it is all there is.

    >>> [round_step(units) for units in (1000, 200, 60, 12)]
    [0.05, 0.05, 0.2, 1.0]
    """
    return next((step for step in STEPS if step * units >= LEAST), 1.0)


def share_of(share: float, units: int) -> float | None:
    """A share of so many units to the nearest step; nothing for so few that the steps are halves.

    >>> share_of(0.334, 1000), share_of(0.334, 60), share_of(0.334, 40)
    (0.35, 0.4, None)
    """
    step = round_step(units)
    return None if step >= STEPS[-1] else round(math.floor(round(share / step, 9) + 0.5) * step, 2)


def block_of(count: int, most: int) -> tuple[int, int]:
    """The least and the largest count that are told like this one: blocks of ten or more, of the counts up to ``most``.

    The last one takes what is left over, so that nobody and everybody are told apart from nine others neither.

    >>> block_of(0, 50), block_of(37, 50), block_of(50, 50), block_of(7, 12)
    ((0, 9), (30, 39), (40, 50), (0, 12))
    """
    last = max((most + 1) // LEAST - 1, 0)
    place = min(count // LEAST, last)
    return place * LEAST, most if place == last else place * LEAST + LEAST - 1


def middle_of(count: int, most: int) -> int:
    """The count that stands for all in its block.

    >>> [middle_of(count, 50) for count in (0, 9, 10, 49, 50)]
    [4, 4, 14, 45, 45]
    """
    return sum(block_of(count, most)) // 2


def interval_of(low: float, high: float, units: int) -> tuple[float, float]:
    """The ends of an interval of a share of so many units, outwards to the next step.

    >>> interval_of(0.011, 0.052, 1000), interval_of(-0.01, 0.15, 60)
    ((0.0, 0.1), (-0.2, 0.2))
    """
    step = round_step(units)
    least, most = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
    return round(least * step, 2) + 0.0, round(most * step, 2) + 0.0


def outcome_of(finding: Finding) -> Outcome:
    """What an experiment came to against guessing; where values are inferred, what exceeds the same guess for all."""
    detail = finding.detail
    if "difference" in detail:
        gain, better = detail["difference"], detail["difference_low"] > 0
    else:
        gain, better = finding.value, (finding.low or 0.0) > detail.get("baseline", 0.0)
    better = (
        better or (detail.get("area_low") or 0.0) > 0.5
    )  # where all are put in order, half of the pairs is guessing
    return "guess" if not better else "alarm" if gain >= ALARM else "better"


@dataclass(frozen=True)
class Openness:
    """Which parts of the detail of an experiment everybody may read; of all others the names stay, with nothing behind
    them."""

    told: frozenset[str] = frozenset()
    """As they are: parameters, and what follows from the released file."""
    counts: frozenset[str] = frozenset()
    """Numbers of persons, in tens from ten on."""
    shares: Mapping[str, str] = field(default_factory=dict)
    """In steps, with the count each is out of: shares under their own name, counts as a share under NAME_share."""

    def open(self, name: str, value: Any) -> Any:
        """A part of the detail as everybody reads it; nothing when it is told in steps, or not at all."""
        if name in self.counts and isinstance(value, int):
            return round(value / LEAST) * LEAST if value >= LEAST else None  # nor nobody: that it is one would show
        return value if name in self.told else None

    def __or__(self, other: Openness) -> Openness:
        return Openness(self.told | other.told, self.counts | other.counts, {**self.shares, **other.shares})


USUAL = Openness(
    frozenset({"known", "knowledge", "sensitive", "targets", "records", "sure", "within"}),
    frozenset({"without_value", "rare", "control_targets"}),
    {
        "contained": "targets",
        "claims": "targets",
        "false_share": "claims",
        "baseline": "claims",
        "as_it_stands": "claims",
        "control_claims": "control_targets",
        "control_right": "control_targets",
        "rare_correct": "rare",
        "rare_guessed": "rare",
    },
)
"""What experiments of every kind may tell."""


def tell_coarsely(exact: Finding, openness: Openness) -> Finding:
    """The public side of an experiment: intervals and shares in steps, no count of what was right."""
    detail, targets = exact.detail, int(exact.detail["targets"])
    claims = int(detail["claims"])
    units = claims if "difference" in detail else targets
    public: dict[str, Any] = {name: openness.open(name, value) for name, value in detail.items()}
    for name, out_of in openness.shares.items():
        value, of = detail.get(name), int(detail.get(out_of) or 0)
        if isinstance(value, int):
            public[f"{name}_share"] = share_of(value / of, of) if of else None
        elif value is not None:
            public[name] = share_of(value, of)
    low, high = exact.low or 0.0, 1.0 if exact.high is None else exact.high
    less, more = detail.get("difference_low", -1.0), detail.get("difference_high", 1.0)
    few = 0 < claims < FEW
    if few:  # none of the claims may be right, or all of them
        low, high, less, more = 0.0, Trials(claims, units).interval()[1], -1.0, 1.0
    low, high = interval_of(low, high, units)
    if not claims:  # nobody is told right or wrong
        public |= {"claims": 0, "correct": 0}
    public[OUTCOME] = "withheld" if few else outcome_of(exact)
    if "difference" in detail:
        less, more = interval_of(less, more, units)
        public |= {"difference": round((less + more) / 2, 3), "difference_low": less, "difference_high": more}
        public["targets"] = targets + int(detail.get("without_value") or 0)  # or else the difference would tell them
    else:
        # Blind guessing follows from how many records there are, and from how many of the targets are among them.
        records, there = int(detail.get("records") or 0), public.get("contained_share")
        guess = share_of(detail.get("baseline") or 0.0, targets)
        public["baseline"] = (1.0 if there is None else there) / records if records else guess
    ends = {"value": round((low + high) / 2, 3), "low": low, "high": high}
    return exact.model_copy(update={**ends, "detail": public})


def hide_presence(exact: Finding) -> Finding:
    """An experiment without what follows from who took part: whoever brings a file of his own would ask for that."""
    detail, records = exact.detail, int(exact.detail.get("records") or 0)
    if detail.get("knowledge") != "file":
        return exact
    hidden: dict[str, Any] = {"contained": None}
    if "difference" not in detail:
        hidden["baseline"] = 1 / records if records else 0.0
    return exact.model_copy(update={"detail": {**detail, **hidden}})


def tell_tried(exact: Finding, parts: Mapping[str, str], out_of: str = "targets") -> Finding | None:
    """The public side of a measure that tries something: shares in steps, ends outwards, no counts; nothing of few.

    Whoever repeats what was tried would learn from exact numbers that his links are right.
    """
    detail, units = dict(exact.detail), int(exact.detail.get(out_of) or 0)
    value = share_of(exact.value, units) if units else 0.0
    if value is None:
        return None
    for name in parts.keys() & detail.keys():
        detail[name] = _in_steps(name, detail[name], int(exact.detail.get(parts[name]) or 0))
    ends = {end: _in_steps(f"_{end}", getattr(exact, end), units) for end in ("low", "high")}
    return exact.model_copy(update={"value": value, **ends, "detail": detail})


def _in_steps(name: str, value: Any, units: int) -> Any:
    """A share in steps, the ends of an interval outwards; no count."""
    if isinstance(value, Mapping):
        return {name: _in_steps(name, one, units) for name, one in value.items()}
    told = share_of(value, units) if isinstance(value, float) else None
    ends = interval_of(value, value, units) if told is not None else (None, None)
    return ends[0] if name.endswith("_low") else ends[1] if name.endswith("_high") else told


def tell_in_a_sentence(finding: Finding) -> str:
    """A public finding in plain English."""
    told = finding.detail
    right = f"between {finding.low:.0%} and {finding.high:.0%}"
    said = _outcome(told[OUTCOME])
    if "difference" not in told:
        finds = f"{told['baseline']:.4%}" if told["baseline"] else "next to nobody"  # small shares are zero in steps
        guess = "" if told["baseline"] is None else f"; blind guessing finds {finds}"
        found = "nobody was" if told.get("claims") == 0 else f"{right} were"
        return f"Of {told['targets']} persons looked for, {found} found{guess}. {said}"
    column = f"a value of '{told['sensitive']}' was claimed"
    if told["claims"] == 0:
        return f"Of {told['targets']} persons, {column} for nobody."
    if told[OUTCOME] == "withheld":
        return f"Of {told['targets']} persons, {column} for fewer than {FEW}. {said}"
    guess = "" if told["baseline"] is None else f"; the same guess for all is right for about {told['baseline']:.0%}"
    many = _about(told.get("claims_share"))
    return f"Of {told['targets']} persons, {column} for {many}, and {right} of the claims were right{guess}. {said}"


def _about(share: float | None) -> str:
    return "some" if share is None else f"about {share:.0%}" if share else "few"


def _outcome(outcome: Outcome) -> str:
    if outcome == "withheld":
        return f"What fewer than {FEW} claims came to is not told."
    return "That is clearly more than guessing." if outcome != "guess" else "That cannot be told from guessing."
