"""Counts of categories that were exchanged with known probabilities: the inverse of their matrix (Höhne L734).

Of a table by two columns the probabilities change one direction: each row of the other one is corrected by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from schleier.core.correction import Correction, Estimate
from schleier.core.errors import InfeasibleError, Problem, RecipeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STAYS = "The probabilities were chosen so that counts stay the same on average."


def before_exchange(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Categories exchanged with known probabilities, in a row of counts or in one direction of a table."""
    import numpy as np

    own = known.get("matrix_kind") == "own"
    if estimate.weighted and not own:
        message = "the probabilities were made from counts without weights, so weighted ones change on average"
        hint = "count without weights, or ask the data holder for the estimate"
        raise InfeasibleError(Problem("cannot-correct", "weighted", message, hint))
    table = estimate.value.ndim == 2
    inside = {*known["columns"], *(known.get("strata") or ())} <= set(estimate.columns)
    if not own and (not table or (inside and len(known["columns"]) + len(known.get("strata") or ()) == 2)):
        return estimate.but(estimate.value, STAYS)  # both columns were exchanged together, or one within the other
    if table and (known.get("strata") or len(known["columns"]) > 1 or known.get("level") is not None):
        message = "the probabilities differ by strata, levels or further columns that are not those of the table"
        raise InfeasibleError(Problem("cannot-correct", "counts", message, "ask the data holder for the table"))
    axis = estimate.columns.index(known["columns"][0]) if table else 0
    order = estimate.categories[axis] if estimate.categories else ()
    counts = estimate.value.sum(axis=1 - axis) if table else estimate.value
    matrix = _matrix(known, order, counts)
    if np.linalg.matrix_rank(matrix) < len(matrix):
        message = "the matrix has no inverse: different originals give the same release"
        raise InfeasibleError(Problem("cannot-correct", "matrix", message, "merge categories that became the same"))
    return estimate.but(_undone(estimate.value, matrix, axis))


def _undone(value: Floats, matrix: Floats, axis: int) -> Floats:
    from schleier.kernels.change.corrections import exchanged_counts

    return exchanged_counts(value, matrix) if axis == 0 else exchanged_counts(value.T, matrix).T


def _matrix(known: Mapping[str, Any], order: tuple[str, ...], counts: Floats) -> Floats:
    """The probabilities: one's own, or those that follow from alpha and the counts, which stay the same on average."""
    import numpy as np

    from schleier.kernels.change import transitions

    kind, own = known.get("matrix_kind"), None
    if kind == "own" or known.get("matrix"):
        given: Mapping[str, Mapping[str, float]] = known["matrix"]
        if known.get("strata") or set(order) != set(given):
            message = f"counts of the {len(given)} categories of the matrix are needed, without strata"
            hint = "name the categories in the order of counts"
            raise RecipeError(Problem("bad-estimate", "categories", message, hint))
        own = np.array([[given[a].get(b, 0.0) for b in order] for a in order])
        if kind == "own":
            return own
    alpha = known["alpha"] if own is None else 0.0
    matrix = np.eye(len(order))
    for block in known.get("blocks") or (order,):
        who = [i for i, word in enumerate(order) if word in set(map(str, block)) and counts[i] > 0]
        place, part = np.ix_(who, who), counts[who]
        if not who:
            continue
        if own is not None or kind == "two_stage":
            first = transitions.even(len(who), alpha) if own is None else own[place]
            matrix[place] = transitions.two_stage(first, part)
        else:
            matrix[place] = (transitions.invariant if kind == "invariant" else transitions.direct)(part, alpha)
    return matrix


TRANSITIONS = Correction(before_exchange, ("counts",))
