"""Which experiments may be told apart: only those whose claims differ in twenty at least, whatever lies between them.

Whoever repeats two attacks that differ in one claim learns from a change between them whether that claim was right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.amount import LEAST
from schleier.core.trust.coarse import FEW, OUTCOME, tell_in_a_sentence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.measure import Finding
    from schleier.core.trust.coarse import Openness
    from schleier.core.trust.overheard import Overheard

AS_EARLIER = "as_earlier"
"""Part of the detail of an experiment that is told as an earlier one, or not told because of it."""

NOT_COMPARED = {"difference": 0.0, "difference_low": -1.0, "difference_high": 1.0}
NO_GUESS = {**NOT_COMPARED, "baseline": None, OUTCOME: "unclear"}


@dataclass(frozen=True)
class Held:
    """How an experiment is told."""

    place: int
    """As which one: its own place, or that of an earlier one."""
    told: bool = True
    """Whether that one's numbers are its own, too; else nothing of it is told but its parameters."""
    guess: bool = True
    """Whether it is told what that is against guessing."""


@dataclass(frozen=True)
class Claimed:
    """What was claimed in an experiment, as far as others are compared with it."""

    kind: str
    """What sets of claims must have in common to be compared."""
    sketch: NDArray[np.int64] | None = field(repr=False)
    """Nothing where the claims were not heard: then any two may be almost the same."""
    judged: Any
    """What must be equal, beside the claims, for numbers to be those of another: persons asked about, and what counts
    as right."""
    guesses: NDArray[np.int64] | None = field(default=None, repr=False)
    """Of claimed values: the same guess for all of whom something is claimed, which is told beside the claims."""


def claimed_in(exact: Finding, about: str, heard: Overheard) -> Claimed | None:
    """What was claimed in an experiment; nothing where so few claims were heard that nothing is told of them."""
    if heard.sketch is None:
        return Claimed(f"{exact.name} {about}", None, None)
    if int(exact.detail.get("claims") or 0) < FEW:
        return None
    judged = exact.detail.get("targets"), exact.detail.get("within")
    return Claimed(f"{heard.kind} {about}", heard.sketch, judged, heard.guesses)


APART = 2 * LEAST
"""Claims in which two experiments must differ. Ten are too few: where a set has eleven claims more than another, and is
told two blocks higher, all eleven are right; of twenty it could be any eleven."""


def hold(experiments: Sequence[Claimed | None], order: Sequence[int] | None = None) -> list[Held]:
    """How each experiment is told, the later ones (by ``order``) as earlier ones that hardly differ.

    Where claims were not heard only the first of a kind is told.
    """
    found, told = [Held(place) for place in range(len(experiments))], dict[str, list[Held]]()
    for here in range(len(experiments)) if order is None else order:
        one = experiments[here]
        if one is None:
            continue
        others = told.setdefault(one.kind, [])
        found[here] = _held(here, one, [(other, experiments[other.place]) for other in others])
        if found[here].place == here:
            others.append(found[here])
    return found


def _held(here: int, one: Claimed, others: Sequence[tuple[Held, Claimed | None]]) -> Held:
    """How an experiment is told beside some that are told already.

    Of other claims about almost the same persons the guess is almost the same, and is not told again.
    """
    import numpy as np

    from schleier.kernels.statistics.sketches import apart

    known = [(how, other) for how, other in others if other is not None]
    if not known:
        return Held(here)
    if one.sketch is None:
        return Held(known[0][0].place, told=False)
    far = apart(one.sketch, np.stack([other.sketch for _, other in known if other.sketch is not None]))
    best = int(np.argmin(far))
    if far[best] < APART:
        return replace(known[best][0], told=known[best][1].judged == one.judged)
    guesses = [other.guesses for how, other in known if how.guess and other.guesses is not None]
    near = apart(one.guesses, np.stack(guesses)) if one.guesses is not None and guesses else far
    return Held(here, guess=not bool(((near > 0) & (near < APART)).any()))


def told_as(own: Finding, earlier: Finding, openness: Openness, how: Held) -> Finding:
    """A public finding with the numbers of an earlier one, or with none; parameters are its own.

    Or with its own ones, but for what they are against the guess.

    Of how many something is claimed is not: of values only claims about persons who have one are counted.
    """
    if earlier is own:
        detail = {**own.detail, **NO_GUESS, **dict.fromkeys(own.detail.keys() & {"skill"})}
        told = own.model_copy(update={"detail": detail})
        return told.model_copy(update={"text": tell_in_a_sentence(told)})
    kept = openness.told - {"baseline"}
    numbers = earlier.detail if how.told else {OUTCOME: "withheld"}
    detail = {name: value if name in kept else numbers.get(name) for name, value in own.detail.items()}
    ends: dict[str, Any] = {end: getattr(earlier, end) for end in ("value", "low", "high")}
    if not how.told:
        ends = {"value": 0.5, "low": 0.0, "high": 1.0}
        if "difference" in own.detail:
            detail |= NOT_COMPARED
    detail[AS_EARLIER] = True
    told = own.model_copy(update={**ends, "detail": detail})
    return told.model_copy(update={"text": tell_in_a_sentence(told)})
