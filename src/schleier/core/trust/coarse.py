"""What everybody may read of an experiment: so coarse that whoever repeats it does not learn which claims are right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schleier.core.amount import LEAST
from schleier.core.measure import Finding
from schleier.core.trust.blocks import Against, Found, Learned, Outcome, block_of, middle_of
from schleier.kernels.statistics.trials import Trials

STEPS = (0.05, 0.1, 0.2, 0.5)
OUTCOME = "outcome"
FEW = 20
"""Fewer claims than these are few: not even half of them are ten."""
ALMOST = (
    "The claims are, or may be, almost those of an earlier experiment: a difference would tell about single persons."
)
NOT_BETTER = Against(surely=False, perhaps=False, gain=0.0)


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


def interval_of(low: float, high: float, units: int) -> tuple[float, float]:
    """The ends of an interval of a share of so many units, outwards to the next step.

    >>> interval_of(0.011, 0.052, 1000), interval_of(-0.01, 0.15, 60)
    ((0.0, 0.1), (-0.2, 0.2))
    """
    step = round_step(units)
    least, most = math.floor(round(low / step, 9)), math.ceil(round(high / step, 9))
    return round(least * step, 2) + 0.0, round(most * step, 2) + 0.0


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
            return value // LEAST * LEAST if value >= LEAST else None  # nor nobody: that it is one would show
        return value if name in self.told else None

    def __or__(self, other: Openness) -> Openness:
        return Openness(self.told | other.told, self.counts | other.counts, {**self.shares, **other.shares})


USUAL = Openness(
    frozenset({"known", "knowledge", "sensitive", "targets", "records", "sure", "within"}),
    frozenset({"without_value", "control_targets"}),
    {
        "contained": "targets",
        "claims": "targets",
        "false_share": "claims",
        "baseline": "claims",
        "control_claims": "control_targets",
    },
)
"""What experiments of every kind may tell. How many of some of the claims were right is not among it: whoever makes the
claims knows which ones these are, and takes them from all."""


def tell_coarsely(
    exact: Finding, openness: Openness, found: Found | None = None, also: Against = NOT_BETTER
) -> Finding:
    """The public side of an experiment: intervals and shares in steps, no count of what was right.

    Whatever depends on how many claims were right follows from a block of ten such counts (``core.trust.blocks``), the
    same for each of them. ``found`` is how many were found where that is no count, and ``also`` what else was better
    than guessing.
    """
    detail, claims = exact.detail, int(exact.detail["claims"])
    public: dict[str, Any] = {name: openness.open(name, value) for name, value in detail.items()}
    public |= _shares(detail, openness)
    tell = _tell_values if "difference" in detail else _tell_persons
    (low, high), against = tell(exact, openness, public, found)
    if not claims:  # nobody is told right or wrong
        public |= {"claims": 0, "correct": 0}
    few = 0 < claims < FEW
    public[OUTCOME] = "withheld" if few else (against | also).outcome if claims else "guess"
    ends = {"value": round((low + high) / 2, 3) if claims else 0.0, "low": low, "high": high}
    return exact.model_copy(update={**ends, "detail": public})


def _tell_persons(
    exact: Finding, openness: Openness, public: dict[str, Any], found: Found | None
) -> tuple[tuple[float, float], Against]:
    """The share of the targets that was found, and what that is against blind guessing."""
    detail, targets, claims = exact.detail, int(exact.detail["targets"]), int(exact.detail["claims"])
    correct, guess = round(exact.value * targets), float(detail.get("baseline") or 0.0)
    found = found or Found.of(correct, claims, targets)
    if "false_share" in detail:
        right = middle_of(correct, min(claims, targets)) / max(claims, 1)
        public["false_share"] = share_of(1 - right, claims)
    records, there = int(detail.get("records") or 0), public.get("contained_share")
    if "baseline" in openness.told:
        guesses = guess, guess
    elif records:
        # Blind guessing follows from how many records there are, and from how many of the targets are among them.
        public["baseline"] = (1.0 if there is None else there) / records
        guesses = public["baseline"], public["baseline"]
    else:  # blind claims are counted as others are
        least, most = block_of(round(guess * targets), targets)
        public["baseline"] = share_of((least + most) // 2 / targets, targets) if targets else None
        guesses = least / max(targets, 1), most / max(targets, 1)
    low, high = found.least[0], found.most[1]
    if claims < FEW:  # none of the claims may be right, or all of them
        low, high = 0.0, Trials(min(claims, targets), targets).interval()[1]
    return interval_of(low, high, targets), found.against(guesses)


def _tell_values(
    exact: Finding, openness: Openness, public: dict[str, Any], found: Found | None
) -> tuple[tuple[float, float], Against]:
    """The share of the claims that was right, and what that is against the same guess for all."""
    detail, claims = exact.detail, int(exact.detail["claims"])
    learned = learned_of(exact)
    low, high, less, more = learned.least[0], learned.most[1], *learned.difference
    if claims < FEW:  # none of the claims may be right, or all of them
        low, high, less, more = 0.0, 1.0, -1.0, 1.0
    less, more = interval_of(less, more, claims)
    public |= {"difference": round((less + more) / 2, 3), "difference_low": less, "difference_high": more}
    right, guess = learned.correct / max(claims, 1), learned.guessed / max(claims, 1)
    public["baseline"] = share_of(guess, claims)
    if "false_share" in detail:
        public["false_share"] = share_of(1 - right, claims)
    # With those who have no value, or else the difference would tell them.
    public["targets"] = int(detail["targets"]) + int(detail.get("without_value") or 0)
    return interval_of(low, high, claims), learned.against


def learned_of(exact: Finding) -> Learned:
    """What claims of values came to, in blocks; of older documents, as if the guess were right of none of the rest."""
    detail, claims = exact.detail, int(exact.detail["claims"])
    correct, guessed = round(exact.value * claims), round(float(detail.get("baseline") or 0.0) * claims)
    gained, differing = detail.get("gained"), detail.get("differing")
    return Learned.of(claims, correct, guessed, max(correct - guessed, 0) if gained is None else gained, differing)


def _shares(detail: Mapping[str, Any], openness: Openness) -> dict[str, Any]:
    """Shares of blocks in steps, under the names they are told by; those of what was right follow from one block."""
    found = dict[str, Any]()
    for name, out_of in openness.shares.items():
        value, of = detail.get(name), detail.get(out_of) or 0
        if value is None or name in ("false_share", "baseline"):
            continue
        count = value if isinstance(value, int) else round(value * of)
        told = share_of(middle_of(count, max(count, of)) / of, of) if of else None
        found[f"{name}_share" if isinstance(value, int) else name] = told
    return found


def hide_presence(exact: Finding) -> Finding | None:
    """An experiment without what follows from who took part: whoever holds the file would ask for that.

    Nothing is left of claims about values: they are judged for those alone who took part, so all counts tell of these.
    """
    detail, records = exact.detail, int(exact.detail.get("records") or 0)
    if detail.get("knowledge") != "file":
        return exact
    if "difference" in detail:
        return None
    hidden = {"contained": None, "baseline": 1 / records if records else 0.0}
    return exact.model_copy(update={"detail": {**detail, **hidden}})


def tell_tried(exact: Finding, parts: Mapping[str, str], out_of: str = "targets") -> Finding | None:
    """The public side of a measure that tries something: shares of blocks in steps, no counts; nothing of few.

    Whoever repeats what was tried would learn from exact numbers that his links are right.
    """
    detail, units = dict(exact.detail), int(exact.detail.get(out_of) or 0)
    value = _in_steps("", float(exact.value), units) if units else 0.0
    if value is None:
        return None
    for name in parts.keys() & detail.keys():
        detail[name] = _in_steps(name, detail[name], int(exact.detail.get(parts[name]) or 0))
    ends: dict[str, float | None] = {"low": None, "high": None}
    if exact.low is not None and units:
        least, most = (Trials(count, units).interval() for count in block_of(round(exact.value * units), units))
        ends = dict(zip(ends, interval_of(least[0], most[1], units), strict=True))
    return exact.model_copy(update={"value": value, **ends, "detail": detail})


def _in_steps(name: str, value: Any, units: int) -> Any:
    """A share in steps, one for all counts of its block; no count, nor ends, which would tell two of a block apart."""
    if isinstance(value, Mapping):
        return {name: _in_steps(name, one, units) for name, one in value.items()}
    if not isinstance(value, float) or not units or name.endswith(("_low", "_high")):
        return None
    return share_of(middle_of(round(value * units), units) / units, units)


def is_clear(outcome: Outcome, difference_low: float | None = None) -> bool:
    """Whether steps show that an attack is better than guessing; if not, it is so person by person, and by little.

    >>> is_clear("better"), is_clear("better", 0.05), is_clear("alarm", 0.0), is_clear("unclear", 0.05)
    (True, True, False, False)
    """
    return outcome in ("better", "alarm") and (difference_low is None or difference_low > 0)


def tell_in_a_sentence(finding: Finding, done: str = "found") -> str:
    """A public finding in plain English; ``done`` is what was done with persons."""
    told = finding.detail
    right = f"between {finding.low:.0%} and {finding.high:.0%}"
    said = _outcome(told[OUTCOME], told.get("difference_low"), told.get("difference_high"))
    if told.get("as_earlier"):
        said = f"{ALMOST} {'What came of it is not told.' if told[OUTCOME] == 'withheld' else said}"
    if "difference" not in told:
        below = f"less than {round_step(told['targets']):.0%}"  # small shares are zero in steps
        finds = f"{told['baseline']:.4%}" if told["baseline"] else below
        guess = "" if told["baseline"] is None else f"; by blind guessing it would be {finds}"
        found = "nobody was" if told.get("claims") == 0 else f"{right} were"
        return f"Of {told['targets']} persons looked for, {found} {done}{guess}. {said}"
    column = f"a value of '{told['sensitive']}' was claimed"
    if told["claims"] == 0:
        return f"Of {told['targets']} persons, {column} for nobody."
    if told[OUTCOME] == "withheld":
        few = "some" if told.get("as_earlier") else f"fewer than {FEW}"
        return f"Of {told['targets']} persons, {column} for {few}. {said}"
    guess = "" if told["baseline"] is None else f"; the same guess for all is right for about {told['baseline']:.0%}"
    many = _about(told.get("claims_share"))
    return f"Of {told['targets']} persons, {column} for {many}, and {right} of the claims were right{guess}. {said}"


def _about(share: float | None) -> str:
    return "some" if share is None else f"about {share:.0%}" if share else "few"


def _outcome(outcome: Outcome, less: float | None, more: float | None) -> str:
    if outcome == "withheld":
        return f"What fewer than {FEW} claims came to is not told."
    if outcome == "unclear":
        return "Whether that is more than guessing depends on a few claims, and is not told."
    if outcome == "guess":
        return "That cannot be told from guessing."
    if is_clear(outcome, less):
        return "That is clearly more than guessing."
    return f"Compared person by person that is more than guessing, by at most {more or 0.0:.0%} of the claims."
