"""What the result of a search must meet: criteria, judged on class tables that the search made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.component import listed
from schleier.core.criterion import Breach, Criterion, Limits, Verdict, is_unjudged
from schleier.core.errors import InfeasibleError, Problem, RecipeError, stop
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

WAY_OUT = "lower the demand, or leave out what is special before"


@dataclass(frozen=True)
class Demand:
    """A criterion, the class tables it looks at, and what of it compiled code can judge."""

    criterion: Criterion
    requests: tuple[Request, ...]
    limits: Limits

    @property
    def counts_only(self) -> bool:
        """Whether the number of records is all it asks of a class."""
        return self.limits.whole and self.limits.sensitive is None

    def is_plain(self, keys: Sequence[str]) -> bool:
        """Whether it judges every class of these keys by itself, so that dropping others changes nothing."""
        return all(set(one.keys) == set(keys) and one.missing == "category" for one in self.requests)

    def bad(self, table: Classes) -> NDArray[np.bool_]:
        """Which classes of a table fail on any of the keys it looks at; a row it leaves out cannot fail."""
        import numpy as np

        bad = np.zeros(len(table), dtype=np.bool_)
        for request in self.requests:
            part, place = table.onto(request.keys)
            failing = self.criterion.bad(part)
            if request.missing == "exclude":
                failing &= (part.codes >= 0).all(axis=1)
            bad |= failing[place]
        return bad

    def verdict(self, table: Classes) -> Verdict:
        """What the criterion says of a table."""
        return self.criterion.conclude(self._views(table))

    def met(self, table: Classes) -> bool:
        """Whether the criterion holds of a table."""
        views = self._views(table)
        return not is_unjudged(views) and self.criterion.met(views)

    def _views(self, table: Classes) -> list[Classes]:
        views = [(table.onto(request.keys)[0], request.missing) for request in self.requests]
        return [view.excluding_missing() if missing == "exclude" else view for view, missing in views]


@dataclass(frozen=True)
class Goal:
    """What parts must meet, and one class table of all keys that holds what is needed to judge them."""

    demands: tuple[Demand, ...]
    table: Classes

    @property
    def least(self) -> int:
        """Records a part needs, whatever else is asked of it."""
        return max([1, *(demand.limits.least for demand in self.demands)])

    @property
    def only_least(self) -> bool:
        """Whether the number of records is all that is asked of a part."""
        return all(demand.counts_only for demand in self.demands)

    def bad(self, place: NDArray[np.int64], parts: int) -> NDArray[np.bool_]:
        """Which parts fail; ``place`` is the part of each class, -1 for classes that do not matter.

        A part is judged by itself, as if missing were a value: two parts that get the same labels only grow.
        """
        import numpy as np
        import pyarrow as pa

        bad = np.zeros(parts, dtype=np.bool_)
        if not parts:
            return bad
        some = self.table.only(place >= 0)
        codes = place[place >= 0].astype(np.int32)[:, None]
        merged = replace(some, keys=("",), values=(pa.nulls(0),), codes=codes, hierarchies=(None,)).at((0,))
        bad |= merged.sizes < self.least
        for demand in self.demands:
            if not demand.counts_only:
                bad |= demand.criterion.bad(merged)
        return bad

    def refuse(self, part: NDArray[np.int64], words: Sequence[pa.Array], why: str) -> None:
        """Stop when the parts, labelled with ``words``, break a criterion; the words of a part may be missing."""
        import numpy as np

        from schleier.core.classes.table import sorted_codes

        coded = [sorted_codes(column) for column in words]
        codes = np.stack([own[part] for _, own in coded], axis=1)
        values = tuple(values for values, _ in coded)
        none = (None,) * len(coded)
        table = replace(self.table, values=values, codes=codes, hierarchies=none).at((0,) * len(coded))
        problems = []
        for i, demand in enumerate(self.demands):
            verdict = demand.verdict(table)
            if not verdict.holds:
                where = f"criteria[{i}] ({demand.criterion.word()})"
                problems.append(Breach("unreachable", where, f"{why}: {verdict.text}", WAY_OUT, verdict))
        if problems:
            raise InfeasibleError(problems)


def goal_of(data: Dataset, keys: Sequence[str], own: Sequence[Criterion], given: Sequence[Criterion]) -> Goal:
    """The criteria of the step, or those of the recipe that look at its keys, with one count of the classes."""
    demands = demands_of(own, given, data.schema, keys)
    if any(request.populations for demand in demands for request in demand.requests):
        message = "this search does not look at population tables: its labels cannot be given to other persons"
        hint = 'use method = "coarsen", or give this step criteria of its own'
        stop(RecipeError, "population-not-searched", "criteria", message, hint)
    return Goal(demands, data.genuine().classes(with_members(request_of(keys, demands))))


def demands_of(
    own: Sequence[Criterion], given: Sequence[Criterion], schema: Schema, keys: Sequence[str]
) -> tuple[Demand, ...]:
    """The criteria of the step, or those of the recipe that look at its keys; they must look at nothing else."""
    criteria = tuple(own) or tuple(c for c in given if _keys(c, schema) & set(keys))
    if not criteria:
        message = "nothing says what the result must meet"
        stop(RecipeError, "no-criteria", "criteria", message, "add [[criteria]], or criteria of this step")
    problems = [problem for criterion in criteria for problem in unjudgeable(criterion, schema, keys)]
    if problems:
        raise RecipeError(problems)
    return tuple(Demand(one, tuple(one.needs(schema)), one.limits(schema)) for one in criteria)


def unjudgeable(criterion: Criterion, schema: Schema, keys: Sequence[str]) -> Iterator[Problem]:
    """Why a criterion cannot be judged on parts of these keys."""
    requests = criterion.needs(schema)
    beyond = sorted({key for request in requests for key in request.keys} - set(keys))
    if beyond:
        message = f"a criterion looks at columns that are not searched: {listed(beyond)}"
        yield Problem("keys-not-searched", "columns", message, "add them to the columns of the search")
    protected = {
        name for r in requests for name in (*r.sensitive, *(n for some in r.joint for n in some), *r.magnitudes)
    }
    both = sorted(protected & set(keys))
    if both:
        hint = "take it out of the columns, or of the criterion, or give this step criteria of its own"
        yield Problem("sensitive-key", "columns", f"both key and sensitive: {listed(both)}", hint)


def _keys(criterion: Criterion, schema: Schema) -> set[str]:
    return {key for request in criterion.needs(schema) for key in request.keys}


def request_of(keys: Sequence[str], demands: Sequence[Demand], further: Sequence[str] = ()) -> Request:
    """One class table for all demands, with the histograms of further columns."""
    return Request.joined(keys, (request for demand in demands for request in demand.requests), further)


def with_members(request: Request) -> Request:
    """The request for a table whose units are known where its classes are merged, and so what units are made of."""
    return replace(request, members=request.units is not None, compositions=())
