"""Counts of categories that were exchanged with known probabilities: the inverse of their matrix (Höhne L734)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schleier.core.correction import Correction, Estimate
from schleier.core.errors import InfeasibleError, Problem, RecipeError


def before_exchange(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Categories exchanged with known probabilities: the inverse of their matrix."""
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


TRANSITIONS = Correction(before_exchange, ("counts",))
