"""How an analyst corrects an estimate from changed data: each method names its correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.errors import InfeasibleError, Problem, RecipeError
from schleier.core.promises import Statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KINDS: tuple[Statistic, ...] = ("counts", "covariance", "correlation", "mean", "total", "variance")
"""What an estimate can be."""
EDGE = 1e-12
"""Share of its variance that columns must keep in every direction: less, and they follow from each other."""


@dataclass(frozen=True)
class Estimate:
    """Something computed from a release.

    >>> Estimate.of({"variance": 4.0, "mean": 1.0, "column": "rent"}).kind
    'variance'
    """

    kind: Statistic
    """One of ``KINDS``."""
    value: NDArray[np.float64] = field(repr=False)
    """A matrix of covariances or correlations, counts in a row or by two columns, or one number."""
    columns: tuple[str, ...] = ()
    """The columns it was computed from, in the order of the matrix."""
    means: tuple[float, ...] = ()
    """Means of these columns in the release; factors need them."""
    categories: tuple[tuple[str, ...], ...] = ()
    """What was counted, in the order of the counts: one row for each direction of the table."""
    variances: tuple[float, ...] = ()
    """Variances of the columns of a correlation in the release; factors need them."""
    response: str | None = None
    """The column a regression explains by the others; its coefficients follow from the covariances."""
    records: int | None = None
    """Records it was computed from; a regression needs them for standard errors."""
    spread: NDArray[np.float64] | None = field(default=None, repr=False)
    """Covariances of the entries of the matrix that come of what was taken out so far; nothing where nobody knows."""
    relative: bool = False
    """Whether the covariances are known up to a common factor only."""
    weighted: bool = False
    """Whether it was computed with the weights of the release."""
    notes: tuple[str, ...] = ()
    """What the analyst must know of the correction."""

    @staticmethod
    def of(given: Mapping[str, Any]) -> Estimate:
        """An estimate from plain values; a RecipeError says what is wrong with it."""
        import numpy as np

        beside = {"mean", "variance"} if "correlation" in given else {"mean"}
        named = set(given) & set(KINDS)
        kinds = [kind for kind in KINDS if kind in named and not (kind in beside and len(named) > 1)]
        if len(kinds) != 1:
            hint = f"name one of: {', '.join(KINDS)}; a regression is given by its covariance"
            raise RecipeError(Problem("bad-estimate", "estimate", "it is not said what was estimated", hint))
        kind = kinds[0]
        columns = given.get("columns", (given["column"],) if "column" in given else ())
        means, variances = (_beside(given, name, kind) for name in ("mean", "variance"))
        value = _numbers(given[kind], kind)
        columns = (columns,) if isinstance(columns, str) else tuple(columns)
        if not columns or (kind in ("mean", "total", "variance") and len(columns) > 1):
            message = "it is not said which columns it was computed from"
            hint = "name the column, or the columns of a matrix or of counts"
            raise RecipeError(Problem("bad-estimate", kind, message, hint))
        names, response = _categories(given.get("categories", ())), given.get("regression")
        table = kind == "counts" and value.ndim == 2
        shape = {"covariance": 2, "correlation": 2, "counts": 2 if table else 1}.get(kind, 0)
        square = table or shape < 2 or value.shape == (len(columns), len(columns))
        wrong = value.ndim != shape or not square or any(len(n) not in (0, len(columns)) for n in (means, variances))
        wrong = wrong or (table and (len(columns) != 2 or value.shape != tuple(map(len, names))))
        wrong = wrong or any(len(set(axis)) != len(axis) for axis in names)
        if wrong or not all(np.isfinite(numbers).all() for numbers in (value, means, variances)):
            hint = "a matrix has a row for each of the columns, a mean belongs to each of them, and all are numbers"
            raise RecipeError(Problem("bad-estimate", kind, "its numbers do not fit its columns", hint))
        if response is not None and (kind != "covariance" or response not in columns or len(columns) < 2):
            message = "a regression is given by the covariances of its columns, one of which it explains"
            hint = "name that one under regression, and give covariance and columns"
            raise RecipeError(Problem("bad-estimate", "regression", message, hint))
        weighted = bool(given.get("weighted", False))
        found = Estimate(kind, value, columns, tuple(means.tolist()), names, tuple(variances.tolist()))
        found = replace(found, response=response, weighted=weighted)
        return found if given.get("records") is None else found._with_records(given["records"])

    def _with_records(self, records: Any) -> Estimate:
        """Standard errors are wanted, too: nothing was taken out yet, so nothing has errors of its own."""
        import numpy as np

        number = None if isinstance(records, bool) else _numbers(records, "records")
        least = len(self.columns) + 2
        if number is None or number.ndim or not (number >= least and number == np.floor(number)):
            hint = f"say how many records it was computed from, {least} at least"
            raise RecipeError(Problem("bad-estimate", "records", "this is no number of records", hint))
        clean = None if self.response is None or self.weighted else np.zeros((len(self.columns),) * 4)
        return replace(self, records=int(number), spread=clean)

    def covariances(self) -> NDArray[np.float64]:
        """The matrix of covariances, also of correlations with their variances and of a single variance."""
        import numpy as np

        if self.kind != "correlation":
            return np.atleast_2d(self.value)
        sd = np.sqrt(np.array(self.variances))
        return np.asarray(self.value * np.outer(sd, sd))

    def of_covariances(self, matrix: NDArray[np.float64], *notes: str) -> Estimate:
        """The same estimate from other covariances."""
        import numpy as np

        if self.kind != "correlation":
            return self.but(matrix if self.value.ndim else matrix[0, 0], *notes)
        variances = np.diag(matrix)
        if not (variances > 0).all():
            message = "without what was added a column has no variance left: the file is too small for this correction"
            hint = "ask the data holder for the estimate"
            raise InfeasibleError(Problem("cannot-correct", "variance", message, hint))
        sd = np.sqrt(variances)
        return replace(self.but(matrix / np.outer(sd, sd), *notes), variances=tuple(variances.tolist()))

    def without_noise(self, matrix: NDArray[np.float64], shrunk: Any, *notes: str) -> Estimate:
        """The same without normal noise, which made each covariance ``matrix`` / ``shrunk`` and moved it at random."""
        import numpy as np

        from schleier.kernels.change.corrections import noise_spread

        found = self.of_covariances(matrix, *notes)
        if self.spread is None or self.records is None:
            return found
        factor = np.broadcast_to(shrunk, matrix.shape)
        spread = self.spread + noise_spread(self.value, matrix, self.records)
        return replace(found, spread=np.einsum("ij,kl,ijkl->ijkl", factor, factor, spread))

    def told(self) -> dict[str, Any]:
        """The estimate as plain values."""
        if self.response is not None:
            unknown = self.records is not None and self.spread is None
            notes = (
                [*self.notes, "Standard errors are not known after these steps, or with weights."] if unknown else []
            )
            return self._regression() | {"columns": list(self.columns), "notes": notes or list(self.notes)}
        return {self.kind: self.value.tolist(), "columns": list(self.columns), "notes": list(self.notes)}

    def _regression(self) -> dict[str, Any]:
        """Coefficients and R² from the covariances, and the intercept where the means are known."""
        import numpy as np

        y = self.columns.index(self.response or "")
        x = [j for j in range(len(self.columns)) if j != y]
        inner, outer = self.value[np.ix_(x, x)], self.value[x, y]
        if np.linalg.eigvalsh(inner).min() <= EDGE * np.trace(inner) or self.value[y, y] <= 0:
            message = "without what was added the columns have no variance left, or follow from each other"
            hint = "leave columns out, or ask the data holder for the estimate"
            raise InfeasibleError(Problem("cannot-correct", "regression", message, hint))
        slopes = np.linalg.solve(inner, outer)
        found: dict[str, Any] = {"coefficients": dict(zip([self.columns[j] for j in x], slopes.tolist(), strict=True))}
        if self.spread is not None and self.records is not None:
            from schleier.kernels.change.corrections import slope_errors

            errors = slope_errors(self.value, self.spread, y, self.records)
            found["standard_errors"] = dict(zip(found["coefficients"], errors.tolist(), strict=True))
        if self.means:
            found["intercept"] = float(self.means[y] - slopes @ np.array(self.means)[x])
        return found | {"r_squared": float(slopes @ outer / self.value[y, y])}

    def but(self, value: Any, *notes: str) -> Estimate:
        """The same with another value, and something to know; how far that may be off is not known any more."""
        import numpy as np

        return replace(self, value=np.asarray(value, dtype=np.float64), notes=(*self.notes, *notes), spread=None)


def _beside(given: Mapping[str, Any], name: str, kind: str) -> NDArray[np.float64]:
    """Numbers that stand beside an estimate."""
    import numpy as np

    return np.atleast_1d(_numbers(given.get(name, ()) if kind != name else (), name))


def _numbers(given: Any, where: str) -> NDArray[np.float64]:
    import numpy as np

    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        hint = "a matrix has a row for each of the columns, a mean belongs to each of them, and all are numbers"
        raise RecipeError(Problem("bad-estimate", where, "its numbers do not fit its columns", hint)) from None


def _categories(given: Any) -> tuple[tuple[str, ...], ...]:
    """The categories of each direction of a table; those of a row of counts may be given alone."""
    rows = list(given)
    if rows and not all(isinstance(row, list | tuple) for row in rows):
        rows = [rows]
    return tuple(tuple(map(str, row)) for row in rows)


def refuse_relative(estimate: Estimate) -> None:
    """Stop where covariances are known up to a factor only, and something must be taken off them."""
    if estimate.relative:
        message = "a later step keeps the size of its noise secret, so covariances are known up to a factor only"
        hint = "the data holder can publish it with public = [...] on that step"
        raise InfeasibleError(Problem("cannot-correct", "covariance", message, hint))


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
    by_secrets: bool = True
    """Whether it uses parameters that are secret unless they are published; else the release itself is enough."""
