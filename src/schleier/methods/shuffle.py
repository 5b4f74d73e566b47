"""Give values a new order that follows a model and not the records (data shuffling)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from schleier.core.component import listed
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.methods._discrete import CATEGORICAL
from schleier.methods._exchange import Exchange, Places, Seen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

SAME_ORDER = 0.999
"""With a rank correlation above this the new order is the old one: the model knows the values."""
MOST_CATEGORIES = 100
"""A column of categories with more is no part of a model."""


class Shuffle(Exchange):
    """The values of ``columns`` are put into an order drawn from a normal model given the columns in ``model``.

    >>> Shuffle(columns=["income"], model=["age", "schooling"]).model
    ('age', 'schooling')
    """

    reference: ClassVar[str] = "Muralidhar and Sarathy (2006), Data shuffling: a new masking approach"
    example: ClassVar[dict[str, object]] = {"columns": ["income", "age"], "model": ["children", "schooling"]}
    keeps: ClassVar[Keeps] = {**Exchange.keeps, "rank correlation": "weak"}

    cure: ClassVar[str] = "leave out of the model what tells the values, or use coarser strata"

    model: tuple[str, ...] = ()
    """Columns that stay and whose connection with the shuffled ones is kept: numbers, or a few categories."""

    def given(self, schema: Schema) -> tuple[str, ...]:
        """What the model looks at."""
        return self.model

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns, strata and the model."""
        return tuple(dict.fromkeys((*super().uses(schema), *self.model)))

    def coded(self, schema: Schema) -> tuple[str, ...]:
        """Categories that are numbered or are part of the model."""
        return tuple(dict.fromkeys((*super().coded(schema), *(n for n in self.model if not schema[n].numeric))))

    def moved(self, schema: Schema) -> tuple[str, ...]:
        """What is shuffled."""
        return tuple(name for name in super().moved(schema) if name in self.columns)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """What is shuffled cannot stay."""
        known = all(name in schema for name in self.model)
        yield from super().problems(schema) if known else (schema.unknown(n) for n in self.model if n not in schema)
        both = sorted(set(self.model) & {*self.columns, *self.strata})
        if both:
            message = f"{len(both)} columns of the model are shuffled or split the rows"
            yield Problem("model-change", "model", message, "a column can do one of these")
        odd = [n for n in self.model if n in schema and not schema[n].numeric and schema[n].scale not in CATEGORICAL]
        if odd:
            message = f"the model cannot compute with {listed(odd)}"
            yield Problem("not-numeric", "model", message, "name numbers or categories")

    def fit(self, data: Dataset, run: Run) -> Self:
        """A model of a few hundred columns of 0 and 1 would be none."""
        fitted = super().fit(data, run)
        many = [n for n in self.model if len(fitted.values.get(n, ())) > MOST_CATEGORIES]
        if many:
            message = f"columns of the model with more than {MOST_CATEGORIES} categories: {listed(many)}"
            stop(InfeasibleError, "too-many-categories", "model", message, "recode them first, or use them as strata")
        return fitted

    def places(self, seen: Seen, rng: np.random.Generator) -> Places:
        """Scores drawn from the model say the order."""
        import numpy as np

        from schleier.kernels.change.shuffling import drawn_scores, in_order, normal_scores

        shuffled = [name for name in seen if name in self.columns]
        size = len(next(iter(seen.values())))
        moving = {name: self.moving(seen[name]) for name in shuffled}
        confidential = np.full((size, len(shuffled)), np.nan)
        for j, name in enumerate(shuffled):
            confidential[moving[name], j] = normal_scores(seen[name][moving[name]])
        parts = [self._known(seen[name], name) for name in self.model]
        known = np.concatenate(parts, axis=1) if parts else np.zeros((size, 0))
        order, _ = drawn_scores(confidential, known, rng)
        places = {}
        for j, name in enumerate(shuffled):
            who, place = moving[name], np.arange(size)
            place[who] = who[in_order(seen[name][who], order[who, j])]
            places[name] = place
        return places

    def stays(self, name: str, same: NDArray[np.bool_], place: NDArray[np.int64], seen: Seen) -> NDArray[np.bool_]:
        """All of a stratum where the model tells the order, even if neighbours changed places."""
        import numpy as np

        from schleier.kernels.change.shuffling import normal_scores

        who = self.moving(seen[name])
        old, new = normal_scores(seen[name][who]), normal_scores(seen[name][place][who])
        spread = float((old * old).sum())
        told = spread > 0 and float((old * new).sum()) > SAME_ORDER * spread
        return np.ones_like(same) if told else same

    def _known(self, values: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        """A column of the model as scores, or as columns of 0 and 1."""
        import numpy as np

        from schleier.kernels.change.shuffling import dummies, normal_scores

        if name not in self.values:
            return normal_scores(values)[:, None]
        codes = np.where(np.isnan(values), -1, values - 1).astype(np.int64)
        return dummies(codes)
