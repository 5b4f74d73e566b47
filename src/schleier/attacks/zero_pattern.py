"""Zero patterns: who exports nothing still exports nothing after noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

from schleier.attacks.exact_match import ExactMatch
from schleier.core.attack import Attack
from schleier.core.errors import Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.core.trust.aim import changed_columns
from schleier.core.trust.trustee import knowable

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run


class ZeroPattern(Attack):
    """Match records by what else is known of a target, and by which of its numbers are zero or negative.

    >>> ZeroPattern(known=["branch"], zeros=["exports", "investment"]).zeros
    ('exports', 'investment')
    """

    reference: ClassVar[str] = "Höhne (2010), 4.2.1: multiplicative noise keeps zeros and signs"
    example: ClassVar[dict[str, object]] = {"known": ["age", "region"], "zeros": ["children"], "targets": 100}
    against: ClassVar[Traces] = frozenset({"factor"})

    zeros: tuple[str, ...]
    """Columns of numbers of which the attacker knows only whether they are zero, positive, negative or missing."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """The noisy columns, with the keys."""
        zeros = tuple(changed_columns(case, cls.against, numbers=True))
        return [cls(zeros=zeros)] if zeros and knowable(case, case.released.schema.quasi) else []

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """The known columns, and those known to be zero or not."""
        return tuple(dict.fromkeys((*(self.known or schema.quasi), *self.zeros)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only numbers are zero."""
        yield from super().problems(schema)
        if not self.zeros:
            yield Problem("missing-parameter", "zeros", "this parameter is required", "name columns of numbers")
        for name in self.zeros:
            if name in schema and not schema[name].numeric:
                hint = "name a column of numbers"
                yield Problem("not-numeric", "zeros", f"column '{name}' holds no numbers", hint)

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> nw.LazyFrame[Any]:
        """One-to-one matches when numbers are reduced to their signs."""
        import narwhals as nw

        signs = {
            name: nw.when(nw.col(name) > 0)
            .then(nw.lit(1))
            .otherwise(nw.when(nw.col(name) < 0).then(nw.lit(-1)).otherwise(nw.when(nw.col(name) == 0).then(nw.lit(0))))
            for name in self.zeros
        }
        return ExactMatch().claim(released.mutate(**signs), known.mutate(**signs), columns, run)
