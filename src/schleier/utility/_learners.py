"""Models that tell a target from coded columns, and the coding."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from schleier.core.errors import EngineError, stop

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Learner = Literal["logistic", "forest", "boosting"]
Guess = Callable[["NDArray[np.int64]"], "NDArray[np.int64]"]
"""From codes to classes."""
BINS, MOST = 20, 100
"""Numbers are cut into so many intervals; so many words are told apart, the rarer ones together."""


def learner_codes(column: pa.Array, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], int, bool]:
    """Codes of a column, how many there are, and whether they have an order; a gap is code 0."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    gaps = np.asarray(column.is_null())
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = np.asarray(column.cast(pa.float64()).fill_null(0.0), dtype=np.float64)
        known = np.flatnonzero(~gaps)
        order = known[np.argsort(numbers[known], kind="stable")]
        below = np.cumsum(counts[order])
        wanted = np.arange(1, BINS) * float(below[-1]) / BINS if len(order) else np.zeros(0)
        cuts = np.unique(numbers[order][np.searchsorted(below, wanted)])
        return np.where(gaps, 0, np.searchsorted(cuts, numbers, side="left") + 1), len(cuts) + 2, True
    words = column.cast(pa.string()).dictionary_encode()
    names, spots = words.dictionary, np.asarray(words.indices.fill_null(0), dtype=np.int64)
    sizes = np.bincount(spots[~gaps], weights=counts[~gaps], minlength=len(names))
    rank = np.empty(len(names), dtype=np.int64)
    alphabet = np.argsort(np.asarray(pc.rank(names, sort_keys="ascending")))
    rank[alphabet[np.argsort(-sizes[alphabet], kind="stable")]] = np.arange(len(names))
    common = np.minimum(rank, MOST) + 1
    return np.where(gaps, 0, common[spots] if len(names) else 0), min(len(names), MOST + 1) + 1, False


def learnt(
    learner: Learner,
    codes: NDArray[np.int64],
    shape: tuple[tuple[int, ...], tuple[bool, ...]],
    classes: NDArray[np.int64],
    counts: NDArray[np.int64],
    seed: int,
) -> Guess:
    """A model of the class of each row; with a single class there is nothing to learn."""
    import numpy as np

    widths, ordered = shape
    names, own = np.unique(classes, return_inverse=True)
    if len(names) < 2:
        return lambda rows: np.full(len(rows), names[0] if len(names) else -1)
    if learner == "logistic":
        from schleier.kernels.statistics.logistic import fit, predict

        model = fit(codes, widths, own, len(names), counts.astype(np.float64))
        return lambda rows: names[predict(model, rows)]
    ensemble = _ensemble()
    if learner == "forest":
        forest = ensemble.RandomForestClassifier(n_estimators=100, random_state=seed)
    else:
        kinds = [not one for one in ordered]
        forest = ensemble.HistGradientBoostingClassifier(categorical_features=kinds, random_state=seed)
    if not widths:  # nothing to split by: the constant column changes nothing
        codes = np.zeros((len(codes), 1), dtype=np.int64)
        forest.set_params(**({"categorical_features": None} if learner == "boosting" else {}))
    forest.fit(codes, own, sample_weight=counts)
    return lambda rows: names[forest.predict(rows if widths else np.zeros((len(rows), 1), dtype=np.int64))]


def _ensemble() -> Any:
    try:
        return import_module("sklearn.ensemble")
    except ImportError:
        message = "forests and boosting need scikit-learn, which is not installed"
        hint = 'pip install "schleier[ml]", or take learner = "logistic"'
        stop(EngineError, "not-installed", "learner", message, hint)
