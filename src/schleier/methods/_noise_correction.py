"""Estimates from columns with added noise: what the noise put in is taken out (Höhne N01, N02, N09)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from schleier.core.correction import Correction, Estimate, refuse_relative
from schleier.core.errors import InfeasibleError, Problem


def without_noise(estimate: Estimate, known: Mapping[str, Any], facts: Mapping[str, Any]) -> Estimate:
    """Noise of covariance d times that of the columns (N02, N09), or of each column by itself (N01)."""
    import numpy as np

    from schleier.kernels.change.corrections import additive_covariance

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
    notes = ("It holds within one stratum only, as the noise was made.",) if known.get("strata") else ()
    alone = estimate.kind == "correlation" and not estimate.variances
    if noisy.all() and alone:
        return estimate  # variances and covariances grew alike
    if noisy.all() and "d" not in known and (estimate.kind == "correlation" or estimate.response is not None):
        return replace(estimate, relative=True, spread=None)  # slopes are right, but nobody knows how much noise is in
    if alone:
        return estimate.but(_of_correlations(estimate, known, changed, noisy), *notes)
    if known.get("sd"):
        refuse_relative(estimate)
        size = np.diag([known["sd"].get(name, 0.0) ** 2 for name in estimate.columns])
        return estimate.without_noise(estimate.covariances() - size, 1.0, *notes)
    d, matrix = known["sd" if known["d"] is None else "d"], estimate.covariances()
    shrunk = np.where(noisy, 1 / (1 + d), 1.0)
    return estimate.without_noise(np.where(noisy, additive_covariance(matrix, d), matrix), shrunk, *notes)


def _of_correlations(estimate: Estimate, known: Mapping[str, Any], changed: Any, noisy: Any) -> Any:
    """Correlations without the variances of their columns."""
    from schleier.kernels.change.corrections import additive_correlation

    if known.get("sd"):
        hint = "give the variance of each column beside the correlations"
        message = "how much noise of this size weakens a correlation depends on the variances"
        raise InfeasibleError(Problem("cannot-correct", "sd", message, hint))
    d = known["sd" if known["d"] is None else "d"]
    return additive_correlation(estimate.value, d, changed, noisy)


NOISE = Correction(without_noise, ("correlation", "covariance", "variance"))
