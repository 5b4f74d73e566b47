"""Singling out: a description that fits one released record, and one person alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.sides import Numbers, Sides, Words, sides_of
from schleier.core.trust.trustee import ALIAS, TARGET, draw_targets, harmonised, knowable
from schleier.kernels.statistics.trials import Trials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.inference import predicates

MANY = 300_000
"""Records up to which it is tried without being asked for."""
TRIES = 20
"""Descriptions are drawn in so many turns at most, as many in each as are asked for, and a thousand at least."""
OPEN = ("quasi", "sensitive", "plain", "undecided")


class SinglingOut(Technique):
    """Claim that just one person took part whom a description fits, when it fits just one released record.

    >>> SinglingOut(conditions=2, targets=500).conditions
    2
    """

    reference: ClassVar[str] = (
        "Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP216): singling out; Cohen and Nissim "
        "(2020), Towards formalizing the GDPR's notion of singling out; Giomi et al. (2022), Anonymeter"
    )
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex", "region", "income"], "targets": 100}

    known: tuple[str, ...] = ()
    """Columns that descriptions use; all released ones that say something of a person when empty."""
    conditions: int = Field(default=3, ge=1, le=30)
    """So many columns are in each description, or all that there are."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many descriptions the attacker looks for; with "all" as many as there are records."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, by all columns, where every row can be looked at in seconds."""
        small = 0 < case.released.rows <= MANY
        return [cls()] if small and knowable(case, cls().uses(case.released.schema)) else []

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns of descriptions."""
        return self.known or tuple(c.name for c in schema if c.role in OPEN and c.scale != "text")

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be something to describe somebody by."""
        yield from super().problems(schema)
        if not self.uses(schema):
            yield Problem("no-keys", "known", "there is no column to describe anybody by", "name columns")

    def measure(self, case: Case, run: Run) -> Finding:
        """Describe released records, and let the trustee count whom the descriptions fit."""
        import numpy as np

        from schleier.kernels.inference.predicates import blind_predicates, matches

        columns = knowable(case, self.uses(case.released.schema))
        if not columns:
            raise DataError(Problem("no-keys", "known", "there is no column to describe anybody by", "name columns"))
        aliased = run.draw(case.released, ALIAS, "alias")
        sides, original = _against(aliased, case.original, case, columns, run)
        records = len(sides.records)
        wanted = case.released.rows if self.targets == "all" else self.targets
        found, blind = self._claims(sides, wanted, run), None
        right = int(np.count_nonzero(matches(original, found) == 1))
        if records:
            few = min(self.conditions, len(columns))
            blind = blind_predicates(len(columns), records, wanted, few, run.rng("blind"))
        lucky = 0 if blind is None else int(np.count_nonzero(matches(original, blind) == 1))
        control: dict[str, Any] = {"control_targets": None, "control_claims": None}
        if case.control is not None:
            control = self._control(aliased, case, columns, found, wanted, run)
        trials = Trials(right, wanted)
        (low, high), guess = trials.interval(), lucky / wanted if wanted else 0.0
        return Finding(
            name=self.word(),
            value=trials.share,
            low=low,
            high=high,
            better=self.better,
            text=(
                f"Of {wanted} descriptions looked for, {len(found)} fit just one released record, and {right} of them "
                f"just one person ({trials.share:.2%} of those looked for, 95 % interval {low:.2%} to {high:.2%}); of "
                f"blind descriptions {guess:.2%} do."
            ),
            detail={
                "known": list(columns),
                "knowledge": "exact",
                "targets": wanted,
                "claims": len(found),
                "correct": right,
                "false_share": 1 - right / len(found) if len(found) else 0.0,
                "baseline": guess,
                **control,
            },
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Nothing: one person more in the original, released or not, may be fitted by many descriptions."""
        return None

    def _claims(self, sides: Sides, wanted: int, run: Run) -> predicates.Predicates:
        """Descriptions that fit just one released record, each once."""
        import numpy as np

        from schleier.kernels.inference.predicates import Index, Predicates, drawn_predicates, matches

        released = Index.of([_of_released(column) for column in sides.columns.values()])
        few, records = min(self.conditions, released.columns), len(sides.records)
        empty = np.zeros((0, few), dtype=np.int64)
        found, rng = Predicates(empty, empty, empty), run.rng("descriptions")
        for _ in range(TRIES if records else 0):
            some = drawn_predicates(released.columns, records, max(wanted, 1000), few, rng)
            some = some.take(np.flatnonzero(matches(released, some) == 1))
            # A description that fits one record is about this record: the same columns make it the same.
            both = Predicates(*(np.concatenate(parts) for parts in zip(_parts(found), _parts(some), strict=True)))
            same = both.records[:, 0]
            for column in both.columns.T:
                same = np.unique(same * len(sides.columns) + column, return_inverse=True)[1].reshape(-1)
            first = np.sort(np.unique(same, return_index=True)[1])
            found = both.take(first[:wanted])
            if len(found) >= wanted:
                break
        return found

    def _control(
        self,
        aliased: Dataset,
        case: Case,
        columns: tuple[str, ...],
        found: predicates.Predicates,
        wanted: int,
        run: Run,
    ) -> dict[str, Any]:
        """How many of the descriptions fit just one of the people who took no part, of as many as took part."""
        import numpy as np

        from schleier.kernels.inference.predicates import matches

        assert case.control is not None
        size = min(case.control.rows, case.original.rows)
        with run.within(f"{run.step} outsiders"):
            people = draw_targets(case.control, size, run)
        _, others = _against(aliased, people, case, columns, run)
        lonely = int(np.count_nonzero(matches(others, found) == 1))
        return {"control_targets": size, "control_claims": lonely / wanted if wanted else 0.0}


def _parts(some: predicates.Predicates) -> tuple[NDArray[np.int64], ...]:
    return some.columns, some.records, some.sides


def _against(
    aliased: Dataset, people: Dataset, case: Case, columns: tuple[str, ...], run: Run
) -> tuple[Sides, predicates.Index]:
    """The release beside people, and the columns by which people are counted."""
    from schleier.kernels.inference.predicates import Index

    known = people if TARGET in people.frame.collect_schema().names() else run.draw(people, TARGET, "target")
    sides = sides_of(aliased, harmonised(known, case.steps, columns, run), columns)
    return sides, Index.of([_of_people(column) for column in sides.columns.values()])


def _of_people(column: Words | Numbers) -> predicates.Words | predicates.Numbers:
    """A column of which people are counted: what released cells say, and what is true of people."""
    import numpy as np

    from schleier.kernels.inference import predicates

    if isinstance(column, Words):
        gaps = len(column.meets) - 1, len(column.meets.T) - 1
        cells, known = (np.where(c < 0, gap, c) for c, gap in zip((column.cells, column.known), gaps, strict=True))
        return predicates.Words(cells.astype(np.int64), known.astype(np.int64), column.meets)
    return predicates.Numbers(column.low, column.high, column.known, column.upto, _middle(column))


def _of_released(column: Words | Numbers) -> predicates.Words | predicates.Numbers:
    """The same column when released records are counted: cells that may be the same value may be meant, too."""
    import numpy as np
    from scipy.sparse import csr_array

    from schleier.kernels.inference import predicates

    if isinstance(column, Words):
        cells = np.where(column.cells < 0, len(column.meets) - 1, column.cells).astype(np.int64)
        shared = csr_array(column.meets.astype(np.int32))  # most cells are one value, of many
        both = (shared @ shared.T).toarray() > 0
        np.fill_diagonal(both, val=True)
        return predicates.Words(cells, cells, both)
    return predicates.Numbers(column.low, column.high, column.low, column.high, _middle(column))


def _middle(column: Numbers) -> float:
    """The median of the released numbers; intervals by their middles."""
    import numpy as np

    held = column.middles()[1]
    held = held[np.isfinite(held)]
    return float(np.median(held)) if len(held) else 0.0
