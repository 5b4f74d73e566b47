"""Which few changes of the keys would reduce the risk most: chosen and measured on classes, never on rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.core.pieces import piece
from schleier.core.record import Frozen
from schleier.flow.inspect.changes.columns import Choosing, Group, gone
from schleier.flow.inspect.changes.effects import (
    BLANKED,
    Blanked,
    Effect,
    information_kept,
    rare_blanked,
    risk_when_coarser,
)
from schleier.flow.inspect.changes.options import Kind, Option, leave_out, options
from schleier.flow.recipe.writing import steps_toml

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.schema import Schema
    from schleier.flow.redundant import Redundant
    from schleier.kernels.classes.coarser import Coarse, Coarser

ENOUGH = 0.8
"""Milder changes are preferred to leaving columns out when together they do at least this part of what that does."""
LEAST = 0.01
"""A change that takes away a smaller part of the risk is not worth a word."""
WORKERS = 2


class Change(Frozen):
    """One change and what it does, measured on the file."""

    kind: Kind
    """What is done."""
    columns: tuple[str, ...]
    """The column that is changed; all keys when rare combinations are blanked."""
    by: int | float | str | None = None
    """Width, bins, unit, characters, level, limit, or smallest number of records."""
    dropped: tuple[str, ...] = ()
    """Columns left out with it, because they say nearly the same."""
    follows: tuple[str, ...] = ()
    """Columns from which what is left out can be computed; empty where it is left out for another reason."""
    values: tuple[int, int] | None = None
    """Different values of the column before and after."""
    kept: float
    """Part of what the column tells (its entropy) that stays; of the records when rare ones are blanked."""
    blanked: int = 0
    """Records whose keys are blanked."""
    alone: Effect | None = None
    """The risk after this change alone; absent where it makes sense only after the others."""
    together: Effect
    """The risk after this change and those before it."""
    left_out: Effect | None = None
    """The risk had the column been left out, and nothing else been done."""
    steps: tuple[dict[str, Any], ...]
    """The steps of a recipe that do it."""
    toml: str
    """The same steps as text."""


def best_changes(
    classes: Classes, schema: Schema, most: int = 3, redundant: Sequence[Redundant] = ()
) -> tuple[Change, ...]:
    """The columns whose loss would reduce the risk most, each changed as mildly as that allows.

    Columns are chosen as if they were left out, which does most. Then every change is made milder, the harshest first,
    while all of them together still do nearly as much. Where few records are rare, blanking these may do more than
    another column. What is ``redundant`` goes first: as long as it is there, other changes of its sources do nothing.

    >>> import pyarrow as pa
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.classes.request import Request
    >>> from schleier.core.schema import Column, Schema
    >>> schema = Schema(columns=[Column(name="age", role="quasi", scale="discrete")])
    >>> data = Dataset.from_frame(pa.table({"age": list(range(100))}), schema)
    >>> (change,) = best_changes(data.classes(Request(keys=("age",))), schema)
    >>> change.kind, change.by, change.together.unique, change.steps[0]["method"]
    ('bands', 5, 0, 'recode')
    """
    from schleier.kernels.classes.coarser import Coarser

    if not classes.records:
        return ()
    table = Coarser.of(classes.codes, classes.sizes, [len(values) for values in classes.values])
    places = tuple(classes.keys.index(one.column) for one in redundant)
    with ThreadPoolExecutor(WORKERS) as pool:  # sorting does not hold the interpreter
        if not places:
            return tuple(_Looking(classes, schema, Choosing(pool), table).found(most))
        rest = table.changed(gone(table, [places]))
        first = _leaving_out(redundant, table.values[places[0]], risk_when_coarser(rest))
        others = () if first.together.small else _Looking(classes, schema, Choosing(pool), rest).found(most - 1)
        return (first, *(change.model_copy(update={"alone": None}) for change in others))


def _leaving_out(redundant: Sequence[Redundant], values: int, effect: Effect) -> Change:
    """What can be computed from other keys is left out."""
    names = [one.column for one in redundant]
    step = piece("leave_out", columns=names)
    return Change(
        kind="drop",
        columns=(names[0],),
        dropped=tuple(names[1:]),
        follows=tuple(dict.fromkeys(source for one in redundant for source in one.sources)),
        values=(values, 0),
        kept=0.0,
        alone=effect,
        together=effect,
        steps=(step,),
        toml=steps_toml([step]),
    )


@dataclass(frozen=True)
class _Choice:
    """How a column is changed, and the risk after it."""

    group: Group
    option: Option
    alone: Effect
    together: Effect
    left_out: Effect


@dataclass
class _Looking:
    classes: Classes
    schema: Schema
    choosing: Choosing
    start: Coarser
    known: dict[int, list[Option]] = field(default_factory=dict)

    def found(self, most: int) -> Iterator[Change]:
        """The changes, the one that does most first."""
        before = risk_when_coarser(self.start).score
        least = LEAST * before
        groups, blank = self._groups(self.start, most, least), rare_blanked(self.start)
        singles = self.choosing.without(self.start, [(), *((group,) for group in groups)])
        single = min(effect.score for effect in singles.values())
        if blank is not None and before - (effect := risk_when_coarser(blank.table)).score >= max(
            ENOUGH * (before - single), least
        ):
            yield self._blanking(blank, alone=effect, together=effect)
            if not effect.small:
                yield from map(self._told, self._changed(blank.table, self._groups(blank.table, most - 1, least)))
            return
        choices = list(self._changed(self.start, groups))
        last = self._blanked_last(choices) if len(choices) == most > 1 else None
        yield from map(self._told, choices[:-1] if last else choices)
        if last:
            yield last

    def _groups(self, table: Coarser, most: int, least: float) -> list[Group]:
        """The columns to change; of two that say the same, the one stays that can be coarsened in more ways."""
        found = self.choosing.best(table, most, least)
        return [tuple(sorted(group, key=lambda j: -len(self._options(j)))) for group in found]

    def _blanked_last(self, choices: Sequence[_Choice]) -> Change | None:
        """Rare records blanked in place of the last change, where that does nearly as much."""
        before, after = choices[-2].together, choices[-1].together
        if before.share > BLANKED:
            return None
        table = self.start.changed(self._all((choice.option, choice.group) for choice in choices[:-1]))
        blank = rare_blanked(table)
        if blank is None or before.score - risk_when_coarser(blank.table).score < ENOUGH * (before.score - after.score):
            return None
        same = rare_blanked(self.start, (blank.least,))
        return self._blanking(
            blank, alone=risk_when_coarser(same.table) if same else None, together=risk_when_coarser(blank.table)
        )

    def _changed(self, table: Coarser, groups: Sequence[Group]) -> Iterator[_Choice]:
        """Each column changed as mildly as all together allow, the change that does most first, until it is enough."""
        chosen = self._milder(table, groups)
        out = self.choosing.without(table, [(group,) for group in groups], roughly=False)
        left, done, alone = list(chosen), list[Group](), dict[Group, Effect]()
        while left:
            tried = [self._all((chosen[group], group) for group in (*done, one)) for one in left]
            effects = dict(zip(left, self.choosing.measured(table, tried), strict=True))
            alone = alone or effects
            best = min(left, key=lambda group: effects[group].score)
            left.remove(best)
            done.append(best)
            yield _Choice(best, chosen[best], alone[best], effects[best], out[(best,)])
            if effects[best].small:
                return

    def _milder(self, table: Coarser, groups: Sequence[Group]) -> dict[Group, Option]:
        """What is done to each column: from leaving out upwards, the one that keeps least first, while it is enough."""

        def score(changes: Mapping[int, Coarse]) -> float:
            return risk_when_coarser(table, changes, roughly=True).score

        before = score({})
        least = ENOUGH * (before - score(gone(table, groups)))
        now = {group: leave_out(self.classes.keys[group[0]], table.values[group[0]]) for group in groups}
        left = {group: self._options(group[0]) for group in groups}

        def enough(tried: Mapping[Group, Option]) -> bool:
            return before - score(self._all((option, group) for group, option in tried.items())) >= least

        while any(left.values()):
            group = min((one for one in groups if left[one]), key=lambda one: self._kept(one[0], now[one]))
            tried = now | {group: left[group][0]}
            left[group] = left[group][1:]
            now = tried if enough(tried) else now
        for group in groups:  # a change that does nothing is none
            fewer = {one: option for one, option in now.items() if one != group}
            now = fewer if fewer and enough(fewer) else now
        return now

    def _options(self, j: int) -> list[Option]:
        """The options of a column, those that keep least first."""
        if j not in self.known:
            column = self.schema[self.classes.keys[j]]
            found = options(column, self.classes.values[j], self.start.counts(j), self.classes.hierarchies[j])
            self.known[j] = sorted(found, key=lambda option: self._kept(j, option))
        return self.known[j]

    def _kept(self, j: int, option: Option) -> float:
        return information_kept(self.start, j, option.coarse)

    def _all(self, chosen: Iterable[tuple[Option, Group]]) -> dict[int, Coarse]:
        found: dict[int, Coarse] = {}
        for option, group in chosen:
            found |= gone(self.start, [group]) | {group[0]: option.coarse}
        return found

    def _told(self, choice: _Choice) -> Change:
        keys, option, (place, *others) = self.classes.keys, choice.option, choice.group
        dropped = tuple(keys[j] for j in others)
        steps = [dict(option.step)]
        if dropped:
            gone = [keys[place], *dropped] if option.kind == "drop" else list(dropped)
            steps = [piece("leave_out", columns=gone), *(steps if option.kind != "drop" else ())]
        return Change(
            kind=option.kind,
            columns=(keys[place],),
            by=option.by,
            dropped=dropped,
            values=(self.start.values[place], 0 if option.kind == "drop" else option.values),
            kept=self._kept(place, option),
            alone=choice.alone,
            together=choice.together,
            left_out=None if option.kind == "drop" else choice.left_out,
            steps=tuple(steps),
            toml=steps_toml(steps),
        )

    def _blanking(self, blank: Blanked, *, alone: Effect | None, together: Effect) -> Change:
        step = piece("blank_rare", columns=list(self.classes.keys), min_count=blank.least)
        return Change(
            kind="blank",
            columns=self.classes.keys,
            by=blank.least,
            kept=1 - blank.records / self.classes.records,
            blanked=blank.records,
            alone=alone,
            together=together,
            steps=(step,),
            toml=steps_toml([step]),
        )
