"""Estimates from columns with added noise: what the noise put in is taken out (Höhne N01, N02, N09)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schleier.core.correction import Correction, Estimate
from schleier.core.errors import InfeasibleError, Problem


def without_noise(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Noise of covariance d times that of the columns (N02, N09), or of each column by itself (N01)."""
    import numpy as np

    if known["keep_zeros"]:  # they get none of the noise, and were no part of the variance it was made from
        message = "zeros got no noise, so the noise of a column is not d times its variance"
        raise InfeasibleError(Problem("cannot-correct", "keep_zeros", message, "ask the data holder for the estimate"))
    if estimate.weighted and not known.get("sd"):
        message = "the noise was made from variances without weights, so it cannot be taken out of weighted ones"
        hint = "compute the estimate without weights, or ask the data holder for it"
        raise InfeasibleError(Problem("cannot-correct", "weighted", message, hint))
    changed = np.array([name in known["columns"] for name in estimate.columns])
    own = np.eye(len(changed), dtype=bool) & changed[:, None]
    noisy = own if known["kind"] == "independent" else np.outer(changed, changed)
    if estimate.kind == "correlation" and noisy.all():
        return estimate  # variances and covariances grew alike
    fixed = _of_own_size(estimate, known) if known.get("sd") else _of_shared_size(estimate, known, changed, noisy)
    notes = ("It holds within one stratum only, as the noise was made.",) if known.get("strata") else ()
    return estimate.but(fixed if estimate.value.ndim else fixed[0, 0], *notes)


def _of_own_size(estimate: Estimate, known: Mapping[str, Any]) -> Any:
    """Each column has noise of a standard deviation that is known."""
    import numpy as np

    if estimate.kind == "correlation":
        hint = "correct the covariances, and compute the correlations from them"
        message = "how much noise of this size weakens a correlation depends on the variances"
        raise InfeasibleError(Problem("cannot-correct", "sd", message, hint))
    return np.atleast_2d(estimate.value) - np.diag([known["sd"].get(name, 0.0) ** 2 for name in estimate.columns])


def _of_shared_size(estimate: Estimate, known: Mapping[str, Any], changed: Any, noisy: Any) -> Any:
    """The noise is d times the covariance of the columns."""
    import numpy as np

    from schleier.kernels.change.corrections import additive_correlation, additive_covariance

    d, matrix = known["sd" if known["d"] is None else "d"], np.atleast_2d(estimate.value)
    if estimate.kind == "correlation":
        return additive_correlation(matrix, d, changed, noisy)
    return np.where(noisy, additive_covariance(matrix, d), matrix)


NOISE = Correction(without_noise, ("correlation", "covariance", "variance"))
