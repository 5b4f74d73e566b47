"""Which columns to change: those whose loss would reduce the risk most, as if they were left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations, islice
from typing import TYPE_CHECKING

from schleier.flow.inspect.changes.effects import Effect, risk_when_coarser, same_columns, telling

if TYPE_CHECKING:
    from schleier.kernels.classes.coarser import Coarse, Coarser

TRIED = 16
"""Columns that are compared; of more, those that tell most."""
WORK = 40_000_000
"""Sets of columns times classes, at most: beyond it the columns are chosen one after the other."""

Group = tuple[int, ...]
"""A column, then those that are left out with it because they say nearly the same."""


@dataclass(frozen=True)
class Choosing:
    """Compares columns of a table of classes with several workers: sorting does not hold the interpreter."""

    pool: ThreadPoolExecutor

    def best(self, table: Coarser, most: int, least: float) -> list[Group]:
        """The best so many columns of all, or one after the other where that takes too long; ``least`` is a gain."""
        columns = telling(table, TRIED)
        singles: list[Group] = [(j,) for j in columns]
        pairs = same_columns(table, columns)
        effects = self.without(table, [(), *((group,) for group in (*singles, *pairs))])
        pairs = [pair for pair in pairs if _hidden(pair, effects)]
        apart = {j for pair in pairs for j in pair}
        groups = [*pairs, *(one for one in singles if one[0] not in apart)]
        affordable = WORK // max(len(table.sizes), 1)
        sizes = range(min(most, len(groups)), 0, -1)  # pairs may share columns, so that there is no set of this size
        sets = next((found for n in sizes if (found := list(islice(_sets(groups, n), affordable + 1)))), [])
        if len(sets) > affordable:
            return self._stepwise(table, groups, most, least)
        score = self._score(table, [*sets, ()])
        best = min(sets, key=score, default=())
        return list(best) if score(()) - score(best) >= least else []

    def measured(
        self, table: Coarser, changes: Sequence[Mapping[int, Coarse]], *, roughly: bool = False
    ) -> list[Effect]:
        """The risk after each of some changes."""
        return list(self.pool.map(lambda one: risk_when_coarser(table, one, roughly=roughly), changes))

    def without(
        self, table: Coarser, sets: Sequence[tuple[Group, ...]], *, roughly: bool = True
    ) -> dict[tuple[Group, ...], Effect]:
        """The risk without each of some sets of columns, to compare them."""
        effects = self.measured(table, [gone(table, one) for one in sets], roughly=roughly)
        return dict(zip(sets, effects, strict=True))

    def _stepwise(self, table: Coarser, groups: Sequence[Group], most: int, least: float) -> list[Group]:
        """One column after the other; several at once where no smaller number does anything."""
        chosen, size = list[Group](), 1
        while size <= most - len(chosen):
            sets = list(islice(_sets(groups, size), max(WORK // max(len(table.sizes), 1), len(groups))))
            score = self._score(table, [*sets, ()], chosen)
            best = min(sets, key=score, default=())
            if score(()) - score(best) < least:
                size += 1
                continue
            chosen, size = [*chosen, *best], 1
            used = {j for group in best for j in group}
            groups = [group for group in groups if not used & set(group)]
        return chosen

    def _score(
        self, table: Coarser, sets: Sequence[tuple[Group, ...]], chosen: Sequence[Group] = ()
    ) -> Callable[[tuple[Group, ...]], float]:
        """The score of each set of columns left out, beside those that were chosen before."""
        effects = self.without(table, [(*chosen, *one) for one in sets])
        return lambda one: effects[(*chosen, *one)].score


def gone(table: Coarser, groups: Iterable[Group]) -> dict[int, Coarse]:
    """Some columns left out."""
    from schleier.kernels.classes.coarser import nothing

    return {j: nothing(table.values[j]) for group in groups for j in group}


def _hidden(pair: Group, effects: Mapping[tuple[Group, ...], Effect]) -> bool:
    """Whether each of two columns hides what the other tells: then they are changed together or not at all."""
    before = effects[()].score
    alone = before - min(effects[((j,),)].score for j in pair)
    return before - effects[(pair,)].score > 2 * alone


def _sets(groups: Sequence[Group], size: int) -> Iterator[tuple[Group, ...]]:
    """Sets of so many groups that share no column."""
    for one in combinations(groups, size):
        columns = [j for group in one for j in group]
        if len(set(columns)) == len(columns):
            yield one
