"""Learnt matches: the attacker makes up pairs with the errors he expects, and learns to tell true from false."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._metrics import columns_of
from schleier.core.attack import Attack
from schleier.core.errors import EngineError, Problem, stop
from schleier.core.schema import Schema
from schleier.core.trust.answer import Claims
from schleier.core.trust.sides import Sides, sides_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.attacks._simulated import Common
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.linkage.choosing import Pairs

    Whole = NDArray[np.int64]

Share = Annotated[float, Field(gt=0, lt=1)]
SMALLEST = 20
"""Pairs of each kind without which there is nothing to learn from."""


class LearnedMatch(Attack):
    """Claim the records that a model takes for those of the targets; it has seen made-up pairs only.

    >>> LearnedMatch(known=["age", "sex"], threshold=0.9, errors={"age": 0.1}).threshold
    0.9
    """

    reference: ClassVar[str] = (
        "Christen (2012), Data Matching, 6; Ke et al. (2017), LightGBM (boosting by histograms, as in scikit-learn)"
    )
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex", "region"], "targets": 50}

    threshold: Share = 0.5
    """Claims are made from this probability on that a record is the target's."""
    rule: Literal["best", "greedy", "mutual", "assignment"] = "best"
    """Which likely pairs are claimed: each target's likeliest record (best), the likeliest pairs first and each record
    once (greedy), those that are likeliest for each other (mutual), or each record once with the likeliest pairs in
    all (assignment)."""
    candidates: int = Field(default=30, ge=2, le=1000)
    """So many records of each target are looked at: those that differ in the fewest and least telling columns."""
    errors: dict[str, Share] = Field(default_factory=dict)
    """Share of the values of a column that he takes for different in the two files; 0.05 where not named."""
    simulated: int = Field(default=2000, ge=50)
    """So many persons he makes up from records of the release, at most one from each."""
    contained: Share = 0.5
    """Share of the targets he takes to be in the release."""

    def at_least(self, probability: float) -> Self:
        """Claims from this probability on."""
        return self.model_copy(update={"threshold": probability})

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Errors are for known columns."""
        yield from super().problems(schema)
        known = self.keys(schema)
        for name in self.errors:
            if known and name not in known:
                message = f"the attacker does not know column '{name}'"
                yield Problem("not-a-key", "errors", message, "name known columns only")

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """The pairs the model believes in. A cell that stands for several values fits each of them."""
        sides = sides_of(released, known, columns, "anything")
        pairs = self._pairs(sides, run)
        return sides.claims(released, pairs.target, pairs.record)

    def _pairs(self, sides: Sides, run: Run) -> Pairs:
        import numpy as np

        from schleier.attacks._simulated import commons_of, vectors
        from schleier.kernels.linkage.choosing import by_rule
        from schleier.kernels.linkage.posteriors import listed

        commons = commons_of(sides)
        target, record = self._candidates(sides, commons)
        chance = np.zeros(0)
        if len(target):
            model = self._learnt(sides, commons, run)
            chance = model.predict_proba(vectors(sides, commons, self.errors, target, record))[:, -1]
        distance = -np.log(np.maximum(chance, 1e-300))
        near = listed(target, record, distance, len(sides.targets), self.candidates)
        back = listed(record, target, distance, len(sides.records), 1)
        return by_rule(self.rule, near, back, -math.log(self.threshold))

    def _candidates(self, sides: Sides, commons: dict[str, Common]) -> tuple[Whole, Whole]:
        """Pairs that differ least; a column weighs as much as it tells when it agrees."""
        import numpy as np

        from schleier.attacks._simulated import ERROR
        from schleier.kernels.linkage.penalties import nearest_records

        weights = {
            name: float(-np.log(commons[name].mass).mean() - math.log(self.errors.get(name, ERROR)))
            for name in sides.columns
        }
        near = nearest_records(columns_of(sides, "hamming", weights, {}, fishing=False), self.candidates)
        target, rank = np.nonzero(near.record >= 0)
        return target.astype(np.int64), near.record[target, rank]

    def _learnt(self, sides: Sides, commons: dict[str, Common], run: Run) -> Any:
        """A model of what pairs of one person look like, from persons made up; some of them are not in the file."""
        from schleier.attacks._simulated import simulated, vectors

        rng = run.rng("simulated")
        made, own = simulated(sides, self.errors, self.simulated, rng)
        target, record = self._candidates(made, commons)
        true = record == own[target]
        absent = rng.random(len(own)) >= self.contained
        kept = ~(true & absent[target])
        target, record, true = target[kept], record[kept], true[kept]
        model = _ensemble().HistGradientBoostingClassifier(
            max_iter=150,
            learning_rate=0.08,
            max_leaf_nodes=15,
            early_stopping=False,
            random_state=int(rng.integers(2**31)),
        )
        if true.sum() < SMALLEST or (~true).sum() < SMALLEST:
            return _Nothing()
        with import_module("threadpoolctl").threadpool_limits(1):  # more would wait for each other by spinning
            return model.fit(vectors(made, commons, self.errors, target, record), true)


class _Nothing:
    """What is learnt of too few pairs: to claim none."""

    @staticmethod
    def predict_proba(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        return np.zeros((len(pairs), 1))


def _ensemble() -> Any:
    try:
        return import_module("sklearn.ensemble")
    except ImportError:
        message = "learning from pairs needs scikit-learn, which is not installed"
        stop(EngineError, "not-installed", "attack", message, 'pip install "schleier[ml]"')
