"""What methods leave behind for an attacker: methods declare it, attacks say which of it they are against."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Literal, get_args

Nature = Literal["", "contamination", "censoring"]
"""Whether values are made wrong, or less of them is left to see; empty for what does neither to a value."""

Contaminating = Literal[
    "noise", "factor", "shift", "dither", "exchange", "transition", "model", "simulation", "average", "group_mean",
    "tail_mean", "stretch", "division", "copy",
]  # fmt: skip
Censoring = Literal[
    "rounding", "coarsening", "tail", "gap", "sample", "selection", "sum", "relation", "slicing", "omission"
]
Trace = Literal[Contaminating, Censoring, "rule"]

MEANINGS: Mapping[Trace, str] = {
    "noise": "Random amounts stand between a value and the truth: repeated, they cancel out.",
    "factor": "Values were multiplied: zeros and signs stay, and a record may share its factor.",
    "shift": "All values of a record went up or down together.",
    "dither": "Values were rounded up or down by chance: repeated, that cancels out.",
    "exchange": "Values of other records: each is true, but not of this one.",
    "transition": "Categories were changed with small probabilities: most are true.",
    "model": "Values that a model predicts: where it is sure, they are near the truth.",
    "simulation": "Drawn records in place of the real ones.",
    "average": "What a group has in common stands in place of its members' values.",
    "group_mean": "The mean of a group stands for its members: the group keeps its sum.",
    "tail_mean": "The mean of the extreme values stands in their place: the tail keeps its sum.",
    "stretch": "A column was moved and stretched as a whole.",
    "division": "A unit was divided into several that add up to it.",
    "copy": "Records that stand for nobody.",
    "rounding": "Values are multiples of a base.",
    "coarsening": "Values were replaced by a group of values they belong to.",
    "tail": "Values beyond a limit are hidden.",
    "gap": "Values or records that stood out are missing.",
    "sample": "Records were left out by lot: whoever knows that somebody is in it knows more.",
    "selection": "Records were left out by a rule that tells whom the release is about: a population is narrowed too.",
    "sum": "Only sums of values are shown.",
    "relation": "Only how a value relates to another is shown.",
    "slicing": "Every record shows only some of the columns.",
    "omission": "Columns are missing.",
    "rule": "Each value follows from the record by a published rule: an attacker can apply it to what he knows.",
}
"""Every trace with what it is."""

Traces = frozenset[Trace]
EVERYTHING: Traces = frozenset(MEANINGS)
"""What must be reckoned with where nothing is declared."""


def nature_of(traces: Set[Trace] | None) -> Nature:
    """Whether such traces make values wrong, or leave less of them to see.

    >>> nature_of({"rounding", "rule"}), nature_of({"tail", "tail_mean"}), nature_of(frozenset())
    ('censoring', 'contamination', '')
    """
    found = traces or frozenset()
    if found & set(get_args(Contaminating)):
        return "contamination"
    return "censoring" if found & set(get_args(Censoring)) else ""


def refuse_unknown(owner: str, what: str, found: Set[str] | None, known: Set[str]) -> None:
    """Stop a declaration with a word that does not exist: nothing would ever match it."""
    if odd := sorted((found or frozenset()) - known):
        raise TypeError(f"{owner} declares {what} that do not exist: {', '.join(odd)}; there are: {', '.join(known)}")


@dataclass(frozen=True)
class Shift:
    """Records that went up or down as a whole (trace "shift")."""

    f: float | None = None
    """How far, as a share of the value; nothing when that is not fixed."""
    public: bool = True
    """Whether ``f`` is published."""
    by_size: bool = False
    """Whether the direction follows from the size of the record: then no value need be known."""
    by: str | None = None
    """The column whose size decides; the changed one when absent."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations were treated separately."""
    smallest: int = 3
    """Strata of fewer records were pooled."""
    drawn: bool = False
    """Whether the direction of the largest record was drawn; else it shrinks."""


@dataclass(frozen=True)
class Groups:
    """Groups whose members share a value (trace "group_mean")."""

    ordered: tuple[str, ...] = ()
    """Columns in whose own order the groups are neighbours."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations were grouped separately."""


@dataclass(frozen=True)
class Tail:
    """Values beyond a limit (trace "tail")."""

    column: str
    """The column they stand in."""
    upper: float | None = None
    """The limit above; nothing when only low values are hidden."""


@dataclass(frozen=True)
class Lots:
    """How a sample was drawn (trace "sample")."""

    strata: tuple[str, ...] = ()
    """Columns whose combinations were sampled separately; one lot for all when empty."""


@dataclass(frozen=True)
class Blocks:
    """Records that got mean and variance of their originals back together (trace "stretch")."""

    size: int | None = None
    """Neighbours in a block; all records of a stratum when there are no blocks."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations were treated separately."""


Trail = Shift | Groups | Tail | Lots | Blocks
"""What can be followed further."""
