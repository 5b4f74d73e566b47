"""How an analyst corrects an estimate from changed data: each method names its correction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.errors import InfeasibleError, Problem, RecipeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KINDS = ("counts", "covariance", "correlation", "mean", "total", "variance")
"""What an estimate can be."""


@dataclass(frozen=True)
class Estimate:
    """Something computed from a release.

    >>> Estimate.of({"variance": 4.0, "mean": 1.0, "column": "rent"}).kind
    'variance'
    """

    kind: str
    """One of ``KINDS``."""
    value: NDArray[np.float64]
    """A matrix of covariances or correlations, a row of counts, or one number."""
    columns: tuple[str, ...] = ()
    """The columns it was computed from, in the order of the matrix."""
    means: tuple[float, ...] = ()
    """Means of these columns in the release; factors need them."""
    categories: tuple[str, ...] = ()
    """What was counted, in the order of the counts."""
    weighted: bool = False
    """Whether it was computed with the weights of the release."""
    notes: tuple[str, ...] = ()
    """What the analyst must know of the correction."""

    @staticmethod
    def of(given: Mapping[str, Any]) -> Estimate:
        """An estimate from plain values; a RecipeError says what is wrong with it."""
        import numpy as np

        kinds = [kind for kind in KINDS if kind in given and not (kind == "mean" and len(set(given) & set(KINDS)) > 1)]
        if len(kinds) != 1:
            hint = f"name one of: {', '.join(KINDS)}"
            raise RecipeError(Problem("bad-estimate", "estimate", "it is not said what was estimated", hint))
        kind = kinds[0]
        columns = given.get("columns", (given["column"],) if "column" in given else ())
        means = np.atleast_1d(np.asarray(given.get("mean", ()) if kind != "mean" else (), dtype=np.float64))
        value = np.asarray(given[kind], dtype=np.float64)
        columns = (columns,) if isinstance(columns, str) else tuple(columns)
        if not columns or (kind in ("mean", "total", "variance") and len(columns) > 1):
            message = "it is not said which columns it was computed from"
            hint = "name the column, or the columns of a matrix or of counts"
            raise RecipeError(Problem("bad-estimate", kind, message, hint))
        shape = {"covariance": 2, "correlation": 2, "counts": 1}.get(kind, 0)
        square = shape < 2 or value.shape == (len(columns), len(columns))
        wrong = value.ndim != shape or not square or (len(means) and len(means) != len(columns))
        if wrong or not (np.isfinite(value).all() and np.isfinite(means).all()):
            hint = "a matrix has a row for each of the columns, a mean belongs to each of them, and all are numbers"
            raise RecipeError(Problem("bad-estimate", kind, "its numbers do not fit its columns", hint))
        names = tuple(map(str, given.get("categories", ())))
        weighted = bool(given.get("weighted", False))
        return Estimate(kind, value, columns, tuple(means.tolist()), names, weighted)

    def told(self) -> dict[str, Any]:
        """The estimate as plain values."""
        return {self.kind: self.value.tolist(), "columns": list(self.columns), "notes": list(self.notes)}

    def but(self, value: Any, *notes: str) -> Estimate:
        """The same with another value, and something to know."""
        import numpy as np

        return replace(self, value=np.asarray(value, dtype=np.float64), notes=(*self.notes, *notes))


@dataclass(frozen=True)
class Correction:
    """What a method says about estimates: which stay right, and how others are corrected.

    ``apply`` gets the estimate, the public parameters of the step (a secret one is a KeyError) and its public facts.
    """

    apply: Callable[[Estimate, Mapping[str, Any], Mapping[str, Any]], Estimate]
    """Gives the corrected estimate."""
    estimates: tuple[str, ...]
    """What it can correct."""
    unbiased: tuple[str, ...] = field(default=())
    """What needs no correction."""


def _additive(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Noise of covariance d times that of the columns (N02, N09), or of each column by itself (N01)."""
    import numpy as np

    from schleier.kernels.change.corrections import additive_correlation, additive_covariance

    if known["keep_zeros"]:  # they get none of the noise, and were no part of the variance it was made from
        message = "zeros got no noise, so the noise of a column is not d times its variance"
        raise InfeasibleError(Problem("cannot-correct", "keep_zeros", message, "ask the data holder for the estimate"))
    changed = np.array([name in known["columns"] for name in estimate.columns])
    matrix = estimate.value if estimate.value.ndim else estimate.value[None, None]
    own = np.eye(len(changed), dtype=bool) & changed[:, None]
    noisy = own if known["kind"] == "independent" else np.outer(changed, changed)
    if estimate.kind == "correlation" and noisy.all():
        return estimate  # variances and covariances grew alike
    if known.get("sd"):
        if estimate.kind == "correlation":
            hint = "correct the covariances, and compute the correlations from them"
            message = "how much noise of this size weakens a correlation depends on the variances"
            raise InfeasibleError(Problem("cannot-correct", "sd", message, hint))
        fixed = matrix - np.diag([known["sd"].get(name, 0.0) ** 2 for name in estimate.columns])
    else:
        d = known["sd" if known["d"] is None else "d"]
        if estimate.kind == "correlation":
            fixed = additive_correlation(matrix, d, changed, noisy)
        else:
            fixed = np.where(noisy, additive_covariance(matrix, d), matrix)
    notes = ("It holds within one stratum only, as the noise was made.",) if known.get("strata") else ()
    return estimate.but(fixed if estimate.value.ndim else fixed[0, 0], *notes)


def _multiplied(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Factors with mean one: independent (N04), truncated (N05), of a mixture with a sign for each unit (N11)."""
    import numpy as np

    from schleier.kernels.change.corrections import multiplied_covariance

    if len(estimate.means) != len(estimate.columns):
        message = "factors are corrected with the means of the released columns"
        raise RecipeError(Problem("no-means", "mean", message, "give the mean beside the variance or covariance"))
    shared, own = factor_variance(known)
    changed = np.array([name in known["columns"] for name in estimate.columns])
    matrix = estimate.value if estimate.value.ndim else estimate.value[None, None]
    fixed = multiplied_covariance(matrix, np.array(estimate.means), shared, own)
    fixed = np.where(np.outer(changed, changed), fixed, matrix)
    return estimate.but(fixed if estimate.value.ndim else fixed[0, 0])


def truncated_variance(s: float, inner: float, outer: float) -> float:
    """Variance of normal numbers of standard deviation s that are drawn again until inner <= |number| <= outer.

    >>> round(truncated_variance(0.45, 0.0, 1.0), 4), round(truncated_variance(0.1, 0.0, 1.0), 6)
    (0.1713, 0.01)
    """
    a, b = inner / s, outer / s
    low, high = (math.exp(-(t**2) / 2) / math.sqrt(2 * math.pi) for t in (a, b))
    mass = (math.erf(b / math.sqrt(2)) - math.erf(a / math.sqrt(2))) / 2
    return s**2 * (1 + (a * low - b * high) / mass)


def factor_variance(known: Mapping[str, Any]) -> tuple[float, float]:
    """Variance of the factors: what the values of a unit share, and what each has on its own.

    >>> factor_variance({"kind": "mixture", "f": 0.11, "s": 0.03})
    (0.0121, 0.0009)
    """
    if known["kind"] == "mixture":
        return known["f"] ** 2, known["s"] ** 2
    whole = known["kind"] in ("independent", "truncated") and known["tails"] is None  # else some values were left alone
    if whole and known["kind"] == "independent":
        return 0.0, truncated_variance(known["s"], 0.0, 1.0)  # they are drawn again until positive and below 2
    if whole:
        inner, outer = known["inner"], known["outer"]
        if known.get("distribution") == "uniform":
            return 0.0, (outer**3 - inner**3) / (3 * (outer - inner))
        return 0.0, truncated_variance(known["s"], inner, outer)
    message = "for noise of this kind no correction is known"
    raise InfeasibleError(Problem("cannot-correct", "kind", message, "ask the data holder for the estimate"))


def _exchanged(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Categories exchanged with known probabilities: the inverse of their matrix (PRAM, L734)."""
    import numpy as np

    from schleier.kernels.change.corrections import exchanged_counts

    if known.get("matrix_kind") != "own":
        return estimate.but(estimate.value, "The probabilities were chosen so that counts stay the same on average.")
    matrix: Mapping[str, Mapping[str, float]] = known["matrix"]
    if known.get("strata") or set(estimate.categories) != set(matrix):
        message = f"counts of the {len(matrix)} categories of the matrix are needed, without strata"
        raise RecipeError(Problem("bad-estimate", "categories", message, "name the categories in the order of counts"))
    order = estimate.categories
    table = np.array([[matrix[a].get(b, 0.0) for b in order] for a in order])
    if np.linalg.matrix_rank(table) < len(table):
        message = "the matrix has no inverse: different originals give the same release"
        raise InfeasibleError(Problem("cannot-correct", "matrix", message, "merge categories that became the same"))
    return estimate.but(exchanged_counts(estimate.value, table))


def _sampled(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Totals of a sample: with the weights they are right, without they are raised by size (T05)."""
    if estimate.weighted:
        return estimate
    if known.get("strata") or facts.get("sampled") != "records":
        message = "strata or units have factors of their own, so the weights of the file are needed"
        raise InfeasibleError(
            Problem("cannot-correct", "weighted", message, "weigh the records, and say weighted = true")
        )
    return estimate.but(estimate.value * (facts["of"] / facts["taken"]))


ADDITIVE = Correction(_additive, ("correlation", "covariance", "variance"), ("mean", "total"))
MULTIPLIED = Correction(_multiplied, ("covariance", "variance"), ("mean", "total"))
EXCHANGED = Correction(_exchanged, ("counts",))
SAMPLED = Correction(_sampled, ("total", "counts"), ("mean", "variance", "covariance", "correlation"))
