"""What the parts of a partition must meet: criteria, judged on class tables made of parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schleier.core.classes import Classes, Request
from schleier.core.component import listed
from schleier.core.criterion import Criterion, Limits
from schleier.core.errors import InfeasibleError, Problem, RecipeError, stop
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

WAY_OUT = "lower the demand, or leave out what is special before"


@dataclass(frozen=True)
class Goal:
    """Criteria with the tables they look at, and one class table of all keys that holds what they need."""

    criteria: tuple[Criterion, ...]
    requests: tuple[tuple[Request, ...], ...]
    limits: tuple[Limits, ...]
    table: Classes

    @property
    def least(self) -> int:
        """Records a part needs, whatever else is asked of it."""
        return max([1, *(limit.least for limit in self.limits)])

    @property
    def only_least(self) -> bool:
        """Whether the number of records is all that is asked of a part."""
        return all(map(_counts_only, self.limits))

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
        for criterion, limit, requests in zip(self.criteria, self.limits, self.requests, strict=True):
            if not _counts_only(limit):
                bad |= criterion.bad(_seen(merged, requests))
        return bad

    def refuse(self, part: NDArray[np.int64], words: Sequence[pa.Array], why: str) -> None:
        """Stop when the parts, labelled with ``words``, break a criterion; the words of a part may be missing."""
        import numpy as np

        from schleier.core.classes import sorted_codes

        coded = [sorted_codes(column) for column in words]
        codes = np.stack([own[part] for _, own in coded], axis=1)
        values = tuple(values for values, _ in coded)
        none = (None,) * len(coded)
        table = replace(self.table, values=values, codes=codes, hierarchies=none).at((0,) * len(coded))
        problems = []
        for i, (criterion, requests) in enumerate(zip(self.criteria, self.requests, strict=True)):
            seen = _seen(table, requests)
            views = [(seen.onto(request.keys)[0], request.missing) for request in requests]
            shown = [view.excluding_missing() if missing == "exclude" else view for view, missing in views]
            verdict = criterion.judge(shown)
            if not verdict.holds:
                where = f"criteria[{i}] ({criterion.word()})"
                problems.append(Problem("unreachable", where, f"{why}: {verdict.text}", WAY_OUT))
        if problems:
            raise InfeasibleError(problems)


def goal_of(data: Dataset, keys: Sequence[str], own: Sequence[Criterion], given: Sequence[Criterion]) -> Goal:
    """The criteria of the step, or those of the recipe that look at its keys, with one count of the classes."""
    criteria = tuple(own) or tuple(c for c in given if _keys(c, data.schema) & set(keys))
    if not criteria:
        message = "nothing says how small a part may become"
        stop(RecipeError, "no-criteria", "criteria", message, "add [[criteria]], or criteria of this step")
    problems = [problem for criterion in criteria for problem in misfits(criterion, data.schema, keys)]
    if problems:
        raise RecipeError(problems)
    requests = tuple(tuple(criterion.needs(data.schema)) for criterion in criteria)
    limits = tuple(criterion.limits(data.schema) for criterion in criteria)
    return Goal(criteria, requests, limits, data.classes(_together(keys, [one for some in requests for one in some])))


def misfits(criterion: Criterion, schema: Schema, keys: Sequence[str]) -> Iterator[Problem]:
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
        hint = "who knows the value need not learn it: take it out of the columns, or of the criterion"
        yield Problem("sensitive-key", "columns", f"both key and sensitive: {listed(both)}", hint)


def _seen(table: Classes, requests: Sequence[Request]) -> Classes:
    """The table as a criterion asked for it: weights that others wanted must not take the place of records."""
    wanted = any(request.weight for request in requests)
    return table if wanted else replace(table, weights=None, squares=None)


def _counts_only(limit: Limits) -> bool:
    return limit.whole and limit.sensitive is None


def _keys(criterion: Criterion, schema: Schema) -> set[str]:
    return {key for request in criterion.needs(schema) for key in request.keys}


def _together(keys: Sequence[str], requests: Sequence[Request]) -> Request:
    """One request for all."""

    def every(what: str) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(one for request in requests for one in getattr(request, what)))

    return Request(
        keys=tuple(keys),
        sensitive=every("sensitive"),
        weight=next((request.weight for request in requests if request.weight), None),
        joint=every("joint"),
        magnitudes=every("magnitudes"),
    )
