"""How an analyst corrects an estimate from changed data: each method names its correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.errors import Problem, RecipeError
from schleier.core.promises import Statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KINDS: tuple[Statistic, ...] = ("counts", "covariance", "correlation", "mean", "total", "variance")
"""What an estimate can be."""


@dataclass(frozen=True)
class Estimate:
    """Something computed from a release.

    >>> Estimate.of({"variance": 4.0, "mean": 1.0, "column": "rent"}).kind
    'variance'
    """

    kind: Statistic
    """One of ``KINDS``."""
    value: NDArray[np.float64] = field(repr=False)
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


class Secret(KeyError):
    """A parameter that is not public."""


class Known(dict[str, Any]):
    """The parameters an analyst knows of a step; asking for another one is told apart from every other mistake."""

    def __missing__(self, name: str) -> Any:
        raise Secret(name)


@dataclass(frozen=True)
class Correction:
    """How estimates that a method made wrong are corrected.

    ``apply`` gets the estimate, the public parameters of the step (``Known``) and its public facts.
    """

    apply: Callable[[Estimate, Mapping[str, Any], Mapping[str, Any]], Estimate]
    """Gives the corrected estimate."""
    estimates: tuple[str, ...]
    """What it can correct; what needs no correction is said by what the method ``keeps``."""
