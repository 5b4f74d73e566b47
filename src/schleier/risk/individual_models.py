"""The risk of every class of a file by one of the models, with what the model says of itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.kernels.individual_risk import Model
    from schleier.kernels.log_linear import Interactions

    Floats = NDArray[np.float64]

TOO_FAR = 1.96
"""An error of so many standard deviations says that the model does not fit."""


@dataclass(frozen=True)
class Estimated:
    """The risks of classes under one model."""

    risks: Floats
    """E[1/F | f] of each class."""
    alone: float
    """Records expected to be unique in the population."""
    variance: float = 0.0
    """Of the sum of 1/F over records: by chance, and because the model was estimated. Not whether it is right."""
    facts: dict[str, Any] = field(default_factory=dict)
    fits: bool = True
    """Whether the model says of itself that it can be trusted."""


def estimated(
    model: Model, classes: Classes, sizes: NDArray[np.int64], persons: Floats, interactions: Interactions
) -> Estimated:
    """The risks of classes with so many records, estimated to stand for so many persons of the population."""
    import numpy as np

    from schleier.kernels.individual_risk import alone, risk, variance

    if not len(sizes):
        return Estimated(np.zeros(0), 0.0)
    if bool((persons <= sizes).all()):  # everybody is in the file: there is nothing to estimate
        return Estimated(np.asarray(1 / sizes), float((sizes == 1).sum()))
    if model == "poisson_inverse_gaussian":
        return _poisson_inverse_gaussian(sizes, float(sizes.sum() / persons.sum()))
    if model == "log_linear":
        return _log_linear(classes, float(sizes.sum() / persons.sum()), interactions)
    uniques = float(alone(model, persons[sizes == 1]).sum())
    chance = float((classes.sizes**2 * variance(model, sizes, persons)).sum())
    return Estimated(risk(model, sizes, persons), uniques, chance + _by_weights(model, classes, sizes, persons))


def _by_weights(model: Model, classes: Classes, sizes: NDArray[np.int64], persons: Floats) -> float:
    """Variance because the weights of a class differ: which of its records were drawn tells its size.

    Delta method; the variance of a sum of f weights is estimated from how they differ within the class.
    """
    import numpy as np

    from schleier.kernels.individual_risk import slope

    if classes.weights is None or classes.squares is None or len(sizes) != len(classes.sizes):
        return 0.0
    some = (classes.sizes > 1) & (classes.sizes == sizes) & (persons > sizes)
    f, weights = classes.sizes[some].astype(np.float64), classes.weights[some]
    scale = persons[some] / weights
    within = (classes.squares[some] - weights**2 / f) * f / (f - 1) * scale**2
    differ = within > 1e-6 * persons[some] ** 2  # the rest is rounding
    steep = slope(model, classes.sizes[some][differ], persons[some][differ])
    return float((f[differ] ** 2 * steep**2 * within[differ]).sum())


def _poisson_inverse_gaussian(sizes: NDArray[np.int64], fraction: float) -> Estimated:
    from schleier.kernels.poisson_inverse_gaussian import alone, error, fit, moments

    found = fit(sizes)
    risks, variances = moments(found, sizes, fraction)
    return Estimated(
        risks,
        float((sizes == 1).sum()) * alone(found, fraction),
        float((sizes**2 * variances).sum()) + error(found, sizes, fraction) ** 2,
        {"mean": found.mean, "spread": found.spread, "cells": found.cells},
        not found.edge,
    )


def _log_linear(classes: Classes, fraction: float, interactions: Interactions) -> Estimated:
    """Counts and margins need classes that do not overlap, so missing keys are no wildcards here."""
    import numpy as np

    from schleier.kernels.individual_risk import given_rate, variance
    from schleier.kernels.log_linear import LARGEST, fitted, shape

    cells = math.prod(shape(classes.codes))
    if cells > LARGEST:
        message = f"the keys have {cells} possible combinations; the log-linear model can hold {LARGEST}"
        hint = "name fewer keys, coarsen them, or choose another model"
        raise DataError(Problem("large-cross-table", "keys", message, hint))
    found = fitted(classes.codes, classes.sizes, fraction, interactions)
    unseen, unique = (1 - fraction) * found.rates, classes.sizes == 1
    risks = given_rate(classes.sizes, unseen)
    uniques = float(np.exp(-unseen[unique]).sum())
    facts = {
        "cells": cells,
        "pairs": [[classes.keys[j] for j in pair] for pair in found.pairs],
        "population_uniques": uniques,
        "correct_links": float(risks[unique].sum()),
        "errors": list(found.errors),
        "deviations": list(found.deviations),
        "score": found.score,
    }
    chance = float((classes.sizes**2 * variance("poisson", classes.sizes, classes.sizes + unseen)).sum())
    return Estimated(risks, uniques, chance + found.deviations[1] ** 2, facts, abs(found.score) <= TOO_FAR)
