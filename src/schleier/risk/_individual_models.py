"""The risk of every class of a file by one of the models, with what the model says of itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.kernels.population.individual_risk import Model
    from schleier.kernels.population.link_intervals import LinkSum
    from schleier.kernels.population.log_linear import Interactions
    from schleier.kernels.population.margins import Fitted

    Floats = NDArray[np.float64]

TOO_FAR = 1.96
"""An error of so many standard deviations says that the model does not fit."""


@dataclass(frozen=True)
class ModelRisks:
    """The risks of classes under one model."""

    risks: Floats
    """E[1/F | f] of each class."""
    alone: float
    """Records expected to be unique in the population."""
    variances: Floats | None = None
    """Of the sum of 1/F over the records of each class, by chance; nothing where F is known."""
    error: float = 0.0
    """Standard deviation of the sum of 1/F over all records, because the model was estimated."""
    facts: dict[str, Any] = field(default_factory=dict)
    fits: bool = True
    """Whether the model says of itself that it can be trusted."""
    fitted: Fitted | None = None
    """The model of the margins, to be asked again."""

    def mean_interval(
        self, model: Model, classes: Classes, sizes: NDArray[np.int64], fraction: float
    ) -> tuple[float | None, float | None]:
        """95 % interval of the mean of 1/F over records; nothing where F is known."""
        from schleier.kernels.population.link_intervals import off_by

        linked = self.linked(classes, sizes)
        if linked is None or fraction >= 1:
            return None, None
        low, high = linked.interval(off_by(model, fraction))
        edge = model == "poisson_inverse_gaussian" and not self.fits
        return 0.0 if edge else low / classes.records, min(high / classes.records, 1.0)

    def linked(self, classes: Classes, sizes: NDArray[np.int64]) -> LinkSum | None:
        """The sum of 1/F over all records, for an interval; nothing where it is known."""
        from schleier.kernels.population.link_intervals import link_sum

        if self.variances is None:
            return None
        return link_sum(classes.sizes * self.risks, self.variances, sizes, self.error)


def estimated(
    model: Model,
    classes: Classes,
    sizes: NDArray[np.int64],
    persons: Floats,
    interactions: Interactions = "search",
    fitted: Fitted | None = None,
) -> ModelRisks:
    """The risks of classes with so many records, estimated to stand for so many persons of the population."""
    import numpy as np

    from schleier.kernels.population.individual_risk import class_risk, slope, unique_chance, variance

    if not len(sizes):
        return ModelRisks(np.zeros(0), 0.0)
    if bool((persons <= sizes).all()):  # everybody is in the file: there is nothing to estimate
        return ModelRisks(np.asarray(1 / sizes), float((sizes == 1).sum()))
    if model == "margins":
        return _margins(classes, sizes, persons, fitted)
    if model == "poisson_inverse_gaussian":
        return _poisson_inverse_gaussian(sizes, float(sizes.sum() / persons.sum()))
    if model == "log_linear":
        return _log_linear(classes, float(sizes.sum() / persons.sum()), interactions)
    uniques = float(unique_chance(model, persons[sizes == 1]).sum())
    variances = classes.sizes**2 * variance(model, sizes, persons)
    _by_weights(variances, classes, sizes, persons, lambda own: slope(model, sizes[own], persons[own]))
    return ModelRisks(class_risk(model, sizes, persons), uniques, variances)


def _by_weights(
    variances: Floats,
    classes: Classes,
    sizes: NDArray[np.int64],
    persons: Floats,
    steep: Callable[[NDArray[np.int64]], Floats],
) -> None:
    """Add the variance because the weights of a class differ: which of its records were drawn tells its size.

    Delta method; the variance of a sum of f weights is estimated from how they differ within the class. ``steep`` tells
    how much the risk of classes falls for one more person.
    """
    import numpy as np

    if classes.weights is None or classes.squares is None or len(sizes) != len(classes.sizes):
        return
    own = np.flatnonzero((classes.sizes > 1) & (classes.sizes == sizes) & (persons > sizes))
    f, weights = classes.sizes[own].astype(np.float64), classes.weights[own]
    within = (classes.squares[own] - weights**2 / f) * f / (f - 1) * (persons[own] / weights) ** 2
    differ = within > 1e-6 * persons[own] ** 2  # the rest is rounding
    own, f, within = own[differ], f[differ], within[differ]
    variances[own] += f**2 * steep(own) ** 2 * within


def _margins(classes: Classes, sizes: NDArray[np.int64], persons: Floats, fitted: Fitted | None) -> ModelRisks:
    """Every class may be sampled with its own fraction; the model of the sample is the same for all of them."""
    import numpy as np

    from schleier.kernels.population.links import links, log_sum_error
    from schleier.kernels.population.margins import chances, unique_chances

    overall, parts = float(sizes.sum() / persons.sum()), np.minimum(sizes / persons, 1.0)
    even = np.allclose(parts, overall, rtol=1e-9, atol=0.0)
    fitted = fitted or chances(classes.codes, sizes, overall)
    found = links(fitted, sizes, overall if even else parts)
    variances = sizes**2 * found.variances

    def steep(own: NDArray[np.int64]) -> Floats:
        some, step = replace(fitted, levels=fitted.levels[own]), 0.05 * persons[own]  # wide: tables are not smooth
        ends = [links(some, sizes[own], np.minimum(sizes[own] / (persons[own] + s), 1.0)).risks for s in (-step, step)]
        return np.asarray((ends[1] - ends[0]) / (2 * step))

    _by_weights(variances, classes, sizes, persons, steep)
    shift, slope, lean, sigma = fitted.parameters
    return ModelRisks(
        found.risks,
        float((fitted.chances if even else unique_chances(fitted, sizes, parts)).sum()),
        variances,
        float(sizes @ found.risks) * log_sum_error(fitted, sizes, overall),
        {"shift": shift, "slope": slope, "lean": lean, "spread": sigma},
        fitted=fitted,
    )


def _poisson_inverse_gaussian(sizes: NDArray[np.int64], fraction: float) -> ModelRisks:
    from schleier.kernels.population.poisson_inverse_gaussian import fit, inverse_moments, sum_error, unique_chance

    found = fit(sizes)
    risks, variances = inverse_moments(found, sizes, fraction)
    return ModelRisks(
        risks,
        float((sizes == 1).sum()) * unique_chance(found, fraction),
        sizes**2 * variances,
        sum_error(found, sizes, fraction),
        {"mean": found.mean, "spread": found.spread, "cells": found.cells},
        not found.edge,
    )


def _log_linear(classes: Classes, fraction: float, interactions: Interactions) -> ModelRisks:
    """Counts and margins need classes that do not overlap, so missing keys are no wildcards here."""
    import numpy as np

    from schleier.kernels.population.individual_risk import given_rate, variance
    from schleier.kernels.population.log_linear import LARGEST, fit_model, shape

    cells = math.prod(shape(classes.codes))
    if cells > LARGEST:
        message = f"the keys have {cells} possible combinations; the log-linear model can hold {LARGEST}"
        hint = "name fewer keys, coarsen them, or choose another model"
        raise DataError(Problem("large-cross-table", "keys", message, hint))
    found = fit_model(classes.codes, classes.sizes, fraction, interactions)
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
    variances = classes.sizes**2 * variance("poisson", classes.sizes, classes.sizes + unseen)
    return ModelRisks(risks, uniques, variances, found.deviations[1], facts, abs(found.score) <= TOO_FAR)
