"""A measure looks at original and release and returns a finding."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.amount import in_tens
from schleier.core.component import Component
from schleier.core.record import Frozen
from schleier.core.shown import Shown

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.classes.request import Request
    from schleier.core.data import Dataset
    from schleier.core.method import Method
    from schleier.core.run import Run
    from schleier.core.schema import Schema
    from schleier.core.visible import Visible

Better = Literal["lower", "higher"]
Section = Literal["", "twins", "units", "classes", "combinations", "columns", "cells", "loss", "moments"]
"""Parts of a page that show findings of one form, most of them with a picture."""
ALARM = 0.09
"""Chance to find a person from which on it is called a problem: the threshold for public release that the European
Medicines Agency (Policy 0070) and Health Canada recommend."""


@dataclass(frozen=True)
class Case:
    """What a measure may look at. The row key is still there, so original and release can be joined."""

    original: Dataset
    released: Dataset
    control: Dataset | None = None
    """Rows that took no part in the release; without it the report says "no control"."""
    steps: tuple[Method, ...] = ()
    """The fitted steps: an attacker reads in the report how values were recoded, and does the same."""
    known: Dataset | None = None
    """What an attacker holds about persons, with their names left out."""
    truth: nw.LazyFrame[Any] | None = field(default=None, repr=False)
    """Row key of the original and row key of ``known`` of the same person; only the trustee looks at it."""
    further: Mapping[str, Dataset] = field(default_factory=dict)
    """Further releases of the same rows by their address, with the row key."""
    silent: bool = False
    """Whether it stays unsaid that the file and the release have nobody in common: what is told is for everybody."""

    @cached_property
    def visible(self) -> Visible:
        """The original as far as the release shows it: what everybody may read is computed from this alone."""
        from schleier.core.visible import Visible, visible_original

        if self.original is self.released:
            return Visible(self.original, 0, {})
        return visible_original(self)

    def shown(self) -> Case:
        """The case with the visible original in the place of the original."""
        return replace(self, original=self.visible.data)


class Finding(Shown, Frozen):
    """One number with its interval, and what it means."""

    name: str
    """What was measured."""
    value: float
    """The number."""
    low: float | None = None
    """Lower end of the 95 % interval; absent when the number is a count of the file itself."""
    high: float | None = None
    """Upper end of the 95 % interval."""
    better: Better
    """Which direction is better for the data subject (risk) or the analyst (utility)."""
    text: str
    """The finding in one plain sentence."""
    detail: dict[str, Any] = Field(default_factory=dict, repr=False)
    """More numbers, by name; never values of protected columns."""


class Measure(Component):
    """A risk or a loss of information."""

    kind: ClassVar[Literal["risk", "utility"]]
    better: ClassVar[Better] = "lower"
    inspected: ClassVar[int] = 0
    """Place in the first look at a file, 1 being the first; 0 when it is measured only where somebody asks for it."""

    section: ClassVar[Section] = ""
    """The part of the report, or of the first look at a file, that shows it with a picture; its ``detail`` has the form
    that part reads. Empty: it is told in a sentence, among all others."""
    compares: ClassVar[bool] = False
    """Whether it is a risk that says nothing about a file as it is, because it compares two files."""

    counts_before: ClassVar[bool] = False
    """Whether what its detail says under ``before`` about the original follows from numbers of records alone, weights
    aside; otherwise it stays with the holder."""
    tries: ClassVar[Mapping[str, str]] = {}
    """Parts of the detail that came of trying something on original values, with the count each is a share of; counts
    among them have none. They are told coarsely (``core.trust.coarse``)."""
    out_of: ClassVar[str] = "targets"
    """The count that its value is a share of, where it tries something."""
    structure: ClassVar[frozenset[str]] = frozenset()
    """Whole numbers of its detail, by name, that tell how large a comparison is, and nothing about anybody."""
    released_detail: ClassVar[tuple[str, ...]] = ()
    """Parts of the detail that anybody computes from the released file, by their path: where the file is not public,
    they are not published either."""

    estimates: ClassVar[Mapping[str, Any]] = {}
    """Parameters that tell it to estimate where no table of a population is named; empty when it needs none, or one."""

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """The class tables it looks at, where they need more than the file: a population to compare with."""
        return ()

    def files(self) -> Mapping[str, str]:
        """Further releases it compares with: their addresses, with the column it reads there."""
        return {}

    def coded_again(self) -> Mapping[str, str]:
        """Further columns it reads in the file of known persons: each with the column whose values it holds."""
        return {}

    def parts(self, case: Case, run: Run) -> Sequence[Measure]:
        """What is measured in its place: itself, unless it stands for several."""
        return (self,)

    @abstractmethod
    def measure(self, case: Case, run: Run) -> Finding:
        """Look at the case and say what was found; exact, so for the holder alone."""

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """What of it everybody may read; nothing when that would give somebody away.

        Of the original only numbers of records in tens, and their shares; everything else follows from the released
        file. A measure that compares values overrides this (``core.amount``).
        """
        if case.original is case.released:
            return exact
        if self.tries:
            from schleier.core.run import Run
            from schleier.core.trust.coarse import tell_tried

            found = self.measure(case.shown(), Run(key=run.key, step=run.step))
            return (told := tell_tried(found, self.tries, self.out_of)) and self.phrase(told)
        return self.phrase(exact.model_copy(update={"detail": _of_records(exact.detail, told=self.counts_before)}))

    def phrase(self, finding: Finding) -> Finding:
        """The finding with its sentence made anew: its numbers were made coarser."""
        return finding


def _of_records(detail: Mapping[str, Any], *, told: bool, records: int = 0) -> dict[str, Any]:
    """A detail without what it says of the original, or with the counts in it in tens."""
    old = detail.get("before")
    records = next((one["records"] for one in (old, detail) if isinstance(one, Mapping) and "records" in one), records)
    found: dict[str, Any] = {
        name: _of_records(one, told=told, records=records) if isinstance(one, Mapping) and name != "before" else one
        for name, one in detail.items()
    }
    if old is not None:
        found["before"] = in_tens(_unweighted(old), records) if told else None
    return found


def _unweighted(before: Any) -> Any:
    """Without what follows from weights: one of them may be that of a record that is gone."""
    if not isinstance(before, Mapping):
        return before
    return {name: value for name, value in before.items() if not name.startswith("weighted")}
