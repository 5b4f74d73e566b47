"""Whether a model can tell released from original records (propensity score)."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import EngineError, stop
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.utility._comparison import rounded
from schleier.utility._left_out import disclosed
from schleier.utility._models import designs
from schleier.utility._parts import Part, part_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run

RIDGE = 1e-6
LEFT_OUT = ("identifier", "unit", "weight")


class Propensity(Measure):
    """How much better a model tells the files apart than chance would: pMSE divided by its expectation.

    >>> Propensity(columns=["age", "sex"]).learner
    'logistic'
    """

    reference: ClassVar[str] = (
        "Woo, Reiter, Oganian, Karr (2009), Global measures of data utility (pMSE); Snoke, Raab, Nowok, Dibben, "
        "Slavković (2018), General and specific utility measures for synthetic data (expectation)"
    )
    example: ClassVar[dict[str, object]] = {"columns": ["age", "sex", "income"]}
    kind: ClassVar[Literal["risk", "utility"]] = "utility"

    columns: tuple[str, ...] = ()
    """Columns the model sees; all but identifiers, units, weights, texts and times when empty."""
    learner: Literal["logistic", "tree"] = "logistic"
    """Logistic regression with main effects, or a decision tree (needs scikit-learn)."""
    permutations: int = Field(default=20, ge=2, le=1000)
    """How often a tree is grown on records whose file was drawn at random, to learn what chance does."""
    most: int = Field(default=100_000, ge=100)
    """How many records of each file are used at most; a larger file is sampled."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns the model sees."""
        suit = (c for c in schema if c.role not in LEFT_OUT and c.scale not in ("text", "time"))
        return self.columns or tuple(c.name for c in suit)

    def measure(self, case: Case, run: Run) -> Finding:
        """Put both files together and let the model say where each record comes from."""
        import numpy as np

        old_schema, new_schema = case.original.schema, case.released.schema
        names = [n for n in self.uses(new_schema) if n in old_schema and n in new_schema]
        numbers = [n for n in names if old_schema[n].numeric and new_schema[n].numeric]
        words = [n for n in names if n not in numbers]
        rng = run.rng("propensity")
        parts = [part_of(data, numbers, words, (), weighted=False) for data in (case.original, case.released)]
        sampled = max(map(len, parts)) > self.most
        old, new = (_some(part, self.most, rng) for part in parts)
        terms, before, after = designs(old, new, names)
        x = _filled(np.vstack([before, after]), [not t.endswith("]") for t in terms])
        y = np.repeat([0.0, 1.0], [len(before), len(after)])
        found = self._scored(x, y, rng) if min(len(before), len(after)) else None
        detail: dict[str, Any] = {"learner": self.learner, "compared": len(names) if found else 0}
        if found is None:
            text = "There are too few records to tell the files apart."
            return Finding(name=self.word(), value=0.0, better=self.better, text=text, detail=detail)
        squares, expected, spread = found
        ratio = float(squares.mean()) / expected
        error = 1.96 * float(squares.std()) / math.sqrt(len(squares)) / expected if sampled else None
        detail |= {
            "pmse": rounded(float(squares.mean())),
            "expected": rounded(expected),
            "standardised": float(f"{(float(squares.mean()) - expected) / spread:.3g}") if spread else None,
            "records": len(y),
        }
        value = rounded(ratio) or 0.0
        ends = (None, None) if error is None else (max(value - error, 0.0), value + error)
        text = self._text(value)
        return Finding(
            name=self.word(), value=value, low=ends[0], high=ends[1], better=self.better, text=text, detail=detail
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """The same on grids that hide every unit; what the release does not show is not compared."""
        if case.original is case.released or not exact.detail["compared"]:
            return exact
        found = disclosed(self, case, run, each=False)
        return found and found.model_copy(update={"text": self._text(found.value)})

    def _text(self, ratio: float) -> str:
        return f"A {self.learner} model tells released from original records {ratio:.3g} times as well as chance."

    def _scored(
        self, x: NDArray[np.float64], y: NDArray[np.float64], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], float, float] | None:
        """Squared distances of the scores from the share of released records; their expectation and its error."""
        import numpy as np

        share = float(y.mean())
        if self.learner == "tree":
            trees = _trees()
            seed = int(rng.integers(2**31))
            chance = [
                ((_grown(trees, x, rng.permutation(y), seed) - share) ** 2).mean() for _ in range(self.permutations)
            ]
            expected = float(np.mean(chance))
            squares = (_grown(trees, x, y, seed) - share) ** 2
            return (squares, expected, float(np.std(chance))) if expected > 0 else None
        from schleier.kernels.statistics.regression import independent_columns, logistic

        kept = x[:, independent_columns(x)]
        model = logistic(kept, y, np.ones(len(y)), ridge=RIDGE * len(y))
        free = kept.shape[1] - 1
        if model is None or not free:
            return None
        expected = free * (1 - share) ** 2 * share / len(y)
        spread = math.sqrt(2 * free) * (1 - share) ** 2 * share / len(y)
        return (model.fitted - share) ** 2, expected, spread


def _some(part: Part, most: int, rng: np.random.Generator) -> Part:
    import numpy as np

    return part if len(part) <= most else part.at(np.sort(rng.choice(len(part), most, replace=False)))


def _filled(x: NDArray[np.float64], numbers: list[bool]) -> NDArray[np.float64]:
    """Gaps become the mean, and a column more tells where they were; numbers are brought to one scale."""
    import numpy as np

    if not len(x):
        return x
    gaps = ~np.isfinite(x)
    more = np.unique(gaps[:, gaps.any(axis=0)], axis=1)
    known = np.where(gaps, 0.0, x)
    means = known.sum(axis=0) / np.maximum((~gaps).sum(axis=0), 1)
    filled = np.where(gaps, means, x)
    spread = filled.std(axis=0)
    scaled = np.where(np.array(numbers) & (spread > 0), (filled - means) / np.where(spread > 0, spread, 1.0), filled)
    scaled[:, 0] = 1.0
    return np.hstack([scaled, more.astype(np.float64)])


def _grown(trees: Any, x: NDArray[np.float64], y: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    import numpy as np

    least = max(20, len(y) // 200)
    model = trees.DecisionTreeClassifier(min_samples_leaf=least, random_state=seed).fit(x, y)
    return np.asarray(model.predict_proba(x)[:, 1], dtype=np.float64)


def _trees() -> Any:
    try:
        return import_module("sklearn.tree")
    except ImportError:
        message = "decision trees need scikit-learn, which is not installed"
        hint = 'pip install scikit-learn, or take learner = "logistic"'
        stop(EngineError, "not-installed", "learner", message, hint)
