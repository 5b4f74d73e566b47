"""What an attack is aimed at: the traces it follows, and the parameters it then takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

from schleier.core.measure import Measure
from schleier.core.traces import EVERYTHING, Trace, Traces, Trail, refuse_unknown
from schleier.core.trust.coarse import USUAL, Openness, hide_presence, tell_coarsely, tell_in_a_sentence

if TYPE_CHECKING:
    from schleier.core.measure import Case, Finding
    from schleier.core.method import Method
    from schleier.core.run import Run
    from schleier.core.schema import Schema

MOST = 3
"""Columns that ``auto`` tries each attack on, those of role "sensitive" first: more would tell little more."""

LEFT_OUT = "attacks_that_do_not_apply"
"""The fact ``auto`` notes: words of the attacks that fit nothing that was done."""

T = TypeVar("T", bound=Trail)


class Technique(Measure):
    """A risk that comes with what methods leave behind."""

    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    against: ClassVar[Traces] = frozenset()
    """Traces it follows (``core.traces``); empty when it can be tried on every release."""
    openness: ClassVar[Openness] = USUAL
    """Which parts of its detail everybody may read, and how."""
    counts_hits_alone: ClassVar[bool] = False
    """Whether false alarms are set beforehand, so that its claims are those that are right: no share of them is."""
    done: ClassVar[str] = "found"
    """What is done with a person when a claim is right."""
    members_only: ClassVar[bool] = False
    """Whether the attacker knows that his targets took part: people who did not are no control of it."""

    @classmethod
    def __pydantic_init_subclass__(cls, **more: Any) -> None:
        super().__pydantic_init_subclass__(**more)
        refuse_unknown(cls.__name__, "traces", cls.against, EVERYTHING)

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """The same attack with sensible parameters for a release; nothing when it does not apply."""
        return []

    @classmethod
    def on_request(cls) -> bool:
        """Whether it is tried only where somebody names it, who alone knows what it needs."""
        return cls.fitting.__func__ is Technique.fitting.__func__  # type: ignore[attr-defined]

    def at_least(self, probability: float) -> Self | None:
        """The same attack by somebody who claims only what he takes for that probable; none where nobody is asked."""
        return None

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Intervals in coarse steps, and no count of what was right, nor of who took part (``core.trust.coarse``)."""
        if (known := hide_presence(exact)) is None:
            return None
        exact = known
        if not self.counts_hits_alone:
            return self.phrase(tell_coarsely(exact, self.openness))
        # Something is claimed of each of them, so that how many claims were made is a count of the right ones.
        detail = {**exact.detail, "claims": exact.detail["targets"]}
        told = tell_coarsely(exact.model_copy(update={"detail": detail}), self.openness)
        return self.phrase(told.model_copy(update={"detail": {**told.detail, "claims_share": None}}))

    def phrase(self, finding: Finding) -> Finding:
        """The finding with a sentence that counts nothing."""
        return finding.model_copy(update={"text": tell_in_a_sentence(finding, self.done)})


def steps_leaving(case: Case, traces: Traces) -> Iterator[tuple[Method, Schema]]:
    """The steps of a release that leave one of these traces, with the schema they met."""
    yield from ((step, schema) for step, schema, _ in _steps(case) if _leaves(step, traces))


def trails(case: Case, trace: Trace, kind: type[T]) -> Iterator[tuple[Method, Schema, T | None]]:
    """The steps that leave a trace, with the schema they met and what is known of it; nothing where one must guess."""
    for step, schema in steps_leaving(case, frozenset({trace})):
        trail = step.trail(trace, schema)
        yield step, schema, trail if isinstance(trail, kind) else None


def changed_columns(
    case: Case, traces: Traces, *, numbers: bool, renamed: bool = False, only: Sequence[Method] | None = None
) -> list[str]:
    """Columns of the release on which steps left one of these traces, as numbers or not, the most sensitive first.

    By their names in the original. When ``renamed``, also those that have other names in the release (``copies``).
    """
    before, after = case.original.schema, case.released.schema
    found: dict[str, None] = {}
    for step, schema, names in _steps(case):
        if _leaves(step, traces) and (only is None or any(step is one for one in only)):
            found |= {names[name]: None for name in step.changes(schema) if name in names}
    places = {name: copies(case, name) or (name,) for name in found}
    fit = {
        name: after[shown[0]]
        for name, shown in places.items()
        if all(one in after and before[name].numeric == after[one].numeric == numbers for one in shown)
        and after[shown[0]].role not in ("weight", "unit")
        and (renamed or shown == (name,))
    }
    return sorted(fit, key=lambda name: fit[name].role != "sensitive")


def copies(case: Case, name: str) -> tuple[str, ...]:
    """The columns of the release that hold a column of the original; empty when it just has its own name."""
    last = {one: one for one in case.original.schema.names}
    for step, schema, names in _steps(case):
        last = _names_after(step, schema, names)
    found = tuple(one for one in case.released.schema.names if last.get(one) == name)
    return () if found == (name,) else found


def _leaves(step: Method, traces: Traces) -> bool:
    """Whether a step leaves one of these traces, or may do so because it declares none."""
    left = step.leaves()
    return bool(traces & (EVERYTHING if left is None else left))


def _steps(case: Case) -> Iterator[tuple[Method, Schema, dict[str, str]]]:
    """The steps with the schema they met, and what its columns were called in the original."""
    schema = case.original.schema
    names = {name: name for name in schema.names}
    for step in case.steps:
        yield step, schema, names
        names, schema = _names_after(step, schema, names), step.after(schema)


def _names_after(step: Method, schema: Schema, names: dict[str, str]) -> dict[str, str]:
    others = step.becomes(schema)
    kept = step.after(schema)
    found = {new: names[old] for old in names for new in others.get(old, (old,))}
    return {new: old for new, old in found.items() if new in kept}


def amounts(case: Case) -> list[str]:
    """Numbers of the release that somebody may want to learn, the most sensitive first."""
    after = case.released.schema
    names = [c.name for c in after if c.numeric and (c.role == "sensitive" or c.is_open)]
    fit = [name for name in names if name in case.original.schema and case.original.schema[name].numeric]
    return sorted(fit, key=lambda name: after[name].role != "sensitive")


def table_columns(case: Case) -> list[str]:
    """Columns of the release by which tables are likely to be published: keys with few values."""
    before, after = case.original.schema, case.released.schema
    named = [c.name for c in after if c.role == "quasi" and c.scale in ("nominal", "ordinal", "place")]
    return [name for name in named if name in before]
