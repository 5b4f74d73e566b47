"""Estimates from columns that were multiplied: what the factors put in is taken out (Höhne N04, N05, N11)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from schleier.core.correction import Correction, Estimate, refuse_relative
from schleier.core.errors import InfeasibleError, Problem, RecipeError


def without_factors(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Factors with mean one: independent (N04), truncated (N05), of a mixture with a sign for each unit (N11)."""
    import numpy as np

    from schleier.kernels.change.corrections import multiplied_covariance

    if len(estimate.means) != len(estimate.columns):
        message = "factors are corrected with the means of the released columns"
        raise RecipeError(Problem("no-means", "mean", message, "give the mean beside the variance or covariance"))
    if estimate.kind == "correlation" and not estimate.variances:
        message = "how much factors change a correlation depends on the variances of the released columns"
        raise RecipeError(Problem("no-means", "variance", message, "give variance and mean of each column beside it"))
    refuse_relative(estimate)
    shared, own = factor_variance(known)
    changed = np.array([name in known["columns"] for name in estimate.columns])
    matrix = estimate.covariances()
    fixed = multiplied_covariance(matrix, np.array(estimate.means), shared, own)
    fixed = np.where(np.outer(changed, changed), fixed, matrix)
    return estimate.of_covariances(fixed)


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


FACTORS = Correction(without_factors, ("correlation", "covariance", "variance"))
