"""Why releases cannot stand side by side, and what can be done: it need not be the fault of the newest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schleier.core.criterion import Criterion
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.flow.run.groups import Groups

COARSER = (
    "make it as coarse as the earlier one, in the same places (replay does), let more persons come or go between two "
    "releases, or release one of them only"
)
NOTHING = "nothing was written"
TAKEN_BACK = "take an earlier release back and leave it out of --after, if nobody holds it any more"


@dataclass(frozen=True)
class Promise:
    """What a release promised by itself of the size of classes."""

    name: str
    """Its folder; empty for the new one."""
    k: int
    """How many records look alike at least; one where nothing was promised."""
    gaps: tuple[str, ...] = ()
    """As what its criteria counted missing keys, where not as values of their own."""

    @staticmethod
    def of(criteria: Sequence[Criterion], released: Schema, name: str = "") -> Promise:
        """The promise of the criteria of a recipe."""
        sized = [one for one in criteria if one.smallest > 1]
        found = dict.fromkeys(request.missing for one in sized for request in one.needs(released))
        gaps = tuple(missing for missing in found if missing != "category")
        return Promise(name, max((one.smallest for one in sized), default=1), gaps)


@dataclass(frozen=True)
class Judge:
    """Releases that are judged together; the new one is the first."""

    promises: Sequence[Promise]
    count: Callable[[Sequence[int]], Groups]
    """How many look alike in some of them, by their numbers."""
    k: int
    who: str
    """Whom it counts: persons or units."""

    def apart(self, pairs: Mapping[int, Groups]) -> list[Problem]:
        """Why they do not go together; ``pairs`` are the groups of each earlier release and the new one."""
        found = [problem for i, groups in pairs.items() for problem in self._pair(i, groups)]
        if len(pairs) == 1:
            return found
        names = ", ".join(promise.name for promise in self.promises[1:])
        together, earlier = self.count(range(len(self.promises))), self.count(list(pairs))
        if earlier.level < self.k and all(self.count([i]).level >= self.k for i in pairs):
            message = f"the earlier releases alone tell {self._told(earlier)}, whatever the new one is like"
            already = Problem("after-already-apart", names, message, self._way_out(earlier))
            return [already] if earlier == together else [already, *found]
        if together.level < self.k and not found:
            return [self._apart(names, "this release and all earlier ones", together)]
        return found

    def _pair(self, i: int, found: Groups) -> Iterator[Problem]:
        """Why an earlier release and the new one do not go together."""
        if found.level >= self.k:
            return
        promise = self.promises[i]
        alone = {j: self.count([j]) for j in (i, 0)}
        broken = [j for j, groups in alone.items() if groups.level < self.k]
        if gappy := [j for j in broken if self.promises[j].gaps]:
            yield self._gaps(gappy, i, alone[gappy[0]])
        elif i in broken and promise.k > 1:
            made = f"the earlier release was made with k = {promise.k}, and {self.k} are demanded here"
            message = f"{made}: by itself it tells {self._told(alone[i])}"
            yield Problem("after-smaller-k", promise.name, message, self._way_out(alone[i]))
        elif i in broken:
            message = f"the earlier release alone tells {self._told(alone[i])}, whatever the new one is like"
            yield Problem("after-already-apart", promise.name, message, self._way_out(alone[i]))
        else:
            yield self._apart(promise.name, "this release and the earlier one", found)

    def _told(self, found: Groups) -> str:
        groups = "1 group" if found.small == 1 else f"{found.small} groups"
        return f"{groups} of fewer than {self.k} {self.who} apart, {found.persons} {self.who} in all"

    def _apart(self, where: str, what: str, found: Groups) -> Problem:
        least = f"at least {self.k} must look alike in all files together"
        message = f"whoever holds {what} tells {self._told(found)}; {least}"
        return Problem("after-apart", where, message, f"{COARSER}; {NOTHING}")

    def _gaps(self, numbers: Sequence[int], i: int, found: Groups) -> Problem:
        which = "both releases were" if len(numbers) > 1 else "the earlier one was" if numbers[0] else "this one was"
        words = " and ".join(dict.fromkeys(f'missing = "{gap}"' for j in numbers for gap in self.promises[j].gaps))
        message = (
            f"{which} made with {words}, but what is missing in one file may be known from the other: a gap is a value "
            f"of its own here, and then one file alone tells {self._told(found)}"
        )
        mend = ['set missing = "category" in the criteria and steps of this recipe'] if 0 in numbers else []
        hint = "; ".join([*mend, self._way_out(found) if i in numbers else NOTHING])
        return Problem("after-gaps", self.promises[i].name, message, hint)

    def _way_out(self, found: Groups) -> str:
        """What can be done where an earlier release is at fault."""
        fewer = f"say --after-k {found.level} to demand no more than there is, which the report tells; or "
        return f"{fewer if found.level > 1 else ''}{TAKEN_BACK}; {NOTHING}"
