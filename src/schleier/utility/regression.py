"""Whether a regression comes to the same result (Höhne U8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schleier.core.errors import Problem
from schleier.core.measure import Better, Case
from schleier.core.schema import Schema
from schleier.utility._comparison import Comparison, ComparisonOutcome, finite_or_none, rounded
from schleier.utility._models import designs
from schleier.utility._parts import Part, text_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.kernels.statistics.regression import Fit


class Regression(Comparison):
    """Mean overlap of the 95 % intervals of the coefficients: 1 when a regression of both files comes to the same.

    >>> Regression(target="income", columns=["age", "sex"]).model
    'linear'
    """

    reference: ClassVar[str] = (
        "Karr, Kohnen, Oganian, Reiter, Sanil (2006), A framework for evaluating the utility of data altered to "
        "protect confidentiality (interval overlap); Höhne (2010), 2.3 (bias of coefficients); U8"
    )
    example: ClassVar[dict[str, object]] = {"target": "income", "columns": ["age", "sex"]}
    better: ClassVar[Better] = "higher"

    target: str
    """The column that is explained: a number, or a column of exactly two values for a logistic model."""
    columns: tuple[str, ...] = ()
    """The columns it is explained by, numbers or words; all other numeric columns when empty, weights left out."""
    model: Literal["linear", "logistic"] = "linear"
    """Least squares for a number, logistic for two values."""

    def _wanted(self, schema: Schema) -> tuple[str, ...]:
        return (*(n for n in super()._wanted(schema) if n != self.target), self.target)

    def _numeric(self) -> tuple[str, ...]:
        return (self.target,) if self.model == "linear" else ()

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The target is not explained by itself."""
        yield from super().problems(schema)
        if self.target in self.columns:
            message = f"column '{self.target}' would be told from itself"
            yield Problem("target-is-key", "target", message, "leave it out of columns")

    def numbers(self, case: Case) -> tuple[str, ...]:
        """Numeric columns; the target of a logistic model counts as words."""
        found = super().numbers(case)
        return tuple(n for n in found if n != self.target or self.model == "linear")

    def words(self, case: Case) -> tuple[str, ...]:
        """All other columns that are in both files."""
        old, new = case.original.schema, case.released.schema
        numbers = self.numbers(case)
        return tuple(n for n in self._wanted(new) if n in old and n in new and n not in numbers)

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """Fit both files with the terms that are no combination of others in either of them."""
        import numpy as np

        from schleier.kernels.statistics.regression import independent_columns

        targets = self._targets(old, new)
        names = [n for n in (*old.numbers, *old.words) if n != self.target]
        detail: dict[str, Any] = {"target": self.target, "model": self.model, "compared": 0, "terms": {}}
        if targets is None or not names:
            return ComparisonOutcome(None, detail)
        terms, *matrices = designs(old, new, self._in_order(names))
        files = [_complete(x, y, part.weights) for x, y, part in zip(matrices, targets, (old, new), strict=True)]
        kept = np.ones(len(terms), dtype=bool)
        for x, _, _ in files:
            spots = np.flatnonzero(kept)
            kept[spots] = independent_columns(x[:, spots]) if len(x) else False
        fits = [self._fit(x[:, kept], y, w) for x, y, w in files]
        detail["collinear"] = [term for term, one in zip(terms, kept, strict=True) if not one]
        if fits[0] is None or fits[1] is None or not kept.any():
            return ComparisonOutcome(None, detail)
        return self._outcome([t for t, one in zip(terms, kept, strict=True) if one], fits[0], fits[1], detail)

    def _in_order(self, names: list[str]) -> list[str]:
        order = {name: place for place, name in enumerate(self.columns)}
        return sorted(names, key=lambda name: order.get(name, len(order)))

    def _targets(self, old: Part, new: Part) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        import numpy as np

        if self.target in old.numbers:
            return old.numbers[self.target], new.numbers[self.target]
        if self.target not in old.words or self.model == "linear":
            return None
        (before, after), many = text_codes(old.words[self.target], new.words[self.target])
        if many != 2:
            return None
        return np.where(before < 0, np.nan, before), np.where(after < 0, np.nan, after)

    def _fit(self, x: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64]) -> Fit | None:
        from schleier.kernels.statistics.regression import least_squares, logistic

        if not x.shape[1]:
            return None
        return (least_squares if self.model == "linear" else logistic)(x, y, w, robust=self.weighted)

    def _outcome(self, terms: list[str], old: Fit, new: Fit, detail: dict[str, Any]) -> ComparisonOutcome:
        import numpy as np
        from scipy.stats import norm, t

        limits = [t.ppf(0.975, f.free) if self.model == "linear" else norm.ppf(0.975) for f in (old, new)]
        overlap = _overlap(old, new, limits[0], limits[1])
        known = np.isfinite(overlap)
        shown = {}
        for j, term in enumerate(terms):
            apart = new.coefficients[j] - old.coefficients[j]
            shown[term] = {"coefficient": rounded(apart), "overlap": rounded(overlap[j])}
        detail |= {"compared": len(terms), "terms": shown, "r_squared": rounded(new.fit - old.fit)}
        audit = {
            "before": dict(zip(terms, map(finite_or_none, old.coefficients), strict=True)),
            "errors": dict(zip(terms, map(finite_or_none, old.errors), strict=True)),
            "after": dict(zip(terms, map(finite_or_none, new.coefficients), strict=True)),
            "r_squared": [finite_or_none(old.fit), finite_or_none(new.fit)],
        }
        return ComparisonOutcome(float(overlap[known].mean()) if known.any() else None, detail, audit)

    def said(self, outcome: ComparisonOutcome) -> str:
        """The mean overlap."""
        if outcome.value is None:
            return f"The {self.model} regression of '{self.target}' could not be compared."
        text = f"The intervals of {outcome.detail['compared']} coefficients of a {self.model} regression of "
        return text + f"'{self.target}' overlap by {outcome.value:.1%} on average."


def _complete(
    x: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Records that have all values: what statistical programs do."""
    import numpy as np

    held = np.isfinite(x).all(axis=1) & np.isfinite(y) & (w > 0)
    return x[held], y[held], w[held]


def _overlap(old: Fit, new: Fit, wide: float, wide_new: float) -> NDArray[np.float64]:
    """Karr's overlap: the common part of two intervals as a share of each, averaged; apart is 0."""
    import numpy as np

    a, b = old.coefficients - wide * old.errors, old.coefficients + wide * old.errors
    c, d = new.coefficients - wide_new * new.errors, new.coefficients + wide_new * new.errors
    common = np.maximum(np.minimum(b, d) - np.maximum(a, c), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (common / (b - a) + common / (d - c)) / 2
    same = (b == a) & (d == c)  # fits without any error
    result: NDArray[np.float64] = np.where(same, (a == c).astype(np.float64), found)
    return np.where(np.isfinite(result), result, np.nan)
