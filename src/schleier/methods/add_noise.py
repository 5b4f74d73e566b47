"""Add random numbers to values (Höhne N01 to N03, N08, N09: additive noise)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import model_validator

from schleier.core.amount import Design
from schleier.core.component import counted, secret
from schleier.core.correction import Correction
from schleier.core.errors import InfeasibleError, Problem, Problems, stop
from schleier.core.promises import Keeps
from schleier.core.record import Declared
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._discrete import Discrete
from schleier.methods._inexactness import tell_inexact
from schleier.methods._noise_correction import NOISE
from schleier.methods._strata import changed_numbers, stratum_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.change.keyed import KeyedDraws

    Floats = NDArray[np.float64]

Kind = Literal["independent", "correlated", "mixture_roque", "mixture_yancey", "mixture"]
TAKES = {
    "sd": ("independent",),
    "distribution": ("independent",),
    "c": ("mixture", "mixture_yancey"),
    "g": ("mixture_roque",),
    "signs": ("mixture",),
    "published": ("mixture",),
    "exact": ("correlated", "mixture_roque", "mixture_yancey", "mixture"),
}
"""Parameters that only some kinds of noise have."""
NEAR = 0.9
"""Share of the largest possible centre that is taken when none is said."""


class Spread(Declared):
    """What was learned from the rows of a stratum."""

    covariance: tuple[tuple[float, ...], ...]
    """Variances and covariances of the columns (divisor n)."""
    c: float | None = None
    """Centre of the components of a mixture."""


class AddNoise(Discrete):
    """Add random numbers with mean 0 to the values of some columns.

    >>> AddNoise(columns=["rent", "wage"], kind="correlated", d=0.1).exact
    False
    """

    reference: ClassVar[str] = (
        "Höhne (2010), 2.2.2 and 4.1 (N01-N03, N08, N09); Kim (1986); Roque (2000); Yancey (2002)"
    )
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"noise"})
    effects: ClassVar[tuple[str, ...]] = ("E3",)
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    ways: ClassVar[tuple[str, ...]] = ("within", "number", "sullivan")
    keeps: ClassVar[Keeps] = {
        "rows": "exact",
        "other columns": "exact",
        "missing": "exact",
        "mean": "expected",
        "total": "expected",
        "weighted total": "expected",
    }
    correction: ClassVar[Correction | None] = NOISE
    example: ClassVar[dict[str, object]] = {"columns": ["income", "age"], "kind": "correlated", "d": 0.1}

    kind: Kind
    """Every value on its own (independent), with the covariances of the columns (correlated), or so and from several
    components (mixture, mixture_roque, mixture_yancey), which avoid small changes of few columns or alike ones."""
    d: float | None = secret(None, gt=0)
    """Variance of the noise as a share of the variance of the column."""
    sd: dict[str, float] | None = secret(None)
    """Standard deviation of the noise of each column in its own unit; instead of ``d``."""
    distribution: Literal["normal", "uniform"] = "normal"
    """Shape of independent noise."""
    c: float | None = secret(None, gt=0, lt=1)
    """How far the components lie from 0, in standard deviations of the noise; unless given, nine tenths of what is
    possible."""
    signs: tuple[Literal[-1, 1], ...] = secret(())
    """Whether a column goes up or down in the first component; all up unless given."""
    g: float = secret(0.25, gt=0, lt=1)
    """Share of the noise that lies within the components of Roque's mixture."""
    exact: bool = False
    """Shape the noise so that means stay and covariances become 1 + d times as large exactly, not just on average;
    over the records that are complete, before whole numbers are rounded."""
    keep_zeros: bool = False
    """Leave zeros alone (they are structural) and learn nothing from them."""
    published: bool = False
    """Take ``c`` as a share of d times the standard deviation, as the source prints it, instead of √d times."""
    public: tuple[str, ...] = ()
    """Secret parameters that are published on purpose; analysts need ``d`` to correct covariances."""
    learned: dict[str, Spread] = secret(default_factory=dict)
    """Learned: covariances and centres of each stratum."""

    @model_validator(mode="after")
    def _fits_the_kind(self) -> Self:
        defaults = {name: info.default for name, info in type(self).model_fields.items()}
        odd = [
            name for name, kinds in TAKES.items() if self.kind not in kinds and getattr(self, name) != defaults[name]
        ]
        if odd:
            raise ValueError(f"noise of kind {self.kind} has no {', '.join(odd)}")
        if (self.d is None) == (self.sd is None):
            raise ValueError("say exactly one of d and sd" if self.kind == "independent" else "say d")
        if self.sd is not None and (set(self.sd) != set(self.columns) or min(self.sd.values(), default=0) <= 0):
            raise ValueError("sd names each of the columns with a number above 0")
        return self

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Signs belong to numeric columns, one each; sd is for numbers only."""
        yield from super().problems(schema)
        if any(name not in schema for name in self.columns):
            return
        if self.signs and len(self.signs) != len(self.metric(schema)):
            message = f"{counted(len(self.signs), 'sign')} for {counted(len(self.metric(schema)), 'numeric column')}"
            yield Problem("wrong-signs", "signs", message, "give one sign for each, in the order of the columns")
        if self.sd is not None and len(self.metric(schema)) < len(self.columns):
            yield Problem("not-numeric", "sd", "categories have no unit to say the noise in", "say d instead of sd")

    def fit(self, data: Dataset, run: Run) -> Self:
        """Learn strata, covariances and centres; refuse what cannot be done in any stratum, all at once."""
        if self.kept is not None:
            return self
        step = self.model_copy(update=self.learn(data, run))
        if self.sd is not None:
            return step
        found, learned = dict[str, Problem](), dict[str, Spread]()
        counts = dict[str, int]()
        for stratum, numbers in stratum_numbers(step, data, run):
            learned[stratum], problem = step._spread(step._without_zeros(numbers))
            if problem is not None:
                counts[problem.code] = counts.get(problem.code, 0) + 1
                found.setdefault(problem.code, problem)
        problems = Problems()
        for code, one in found.items():
            more = f" (and so in {counts[code]} of {len(learned)} strata)" if len(learned) > 1 else ""
            problems.extend([replace(one, message=one.message + more)])
        problems.raise_as(InfeasibleError)
        flat = sum(spread.c is not None and spread.c**2 <= 0.5 for spread in learned.values())
        if flat:  # ½N(±μ, τ²) has two peaks when |μ| > τ, which is c² > ½
            run.note("restricted", strata_with_one_peak=flat, strata=len(learned))
        return step.model_copy(update={"learned": learned})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with noise; missing stays missing."""
        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        run.note(noise=self.kind, columns=list(self.columns), exact=self.exact)
        if self.d is not None and "d" in self.public:
            run.note(correction="covariances of the original: those of the release divided by 1 + d", d=Design(self.d))
        if self.exact:
            tell_inexact(self, data, run, self.keep_zeros)
        return changed_numbers(self, data, run, self.changed)

    def changed(self, numbers: Floats, stratum: str, draws: KeyedDraws) -> Floats:
        """Numbers with noise."""
        import numpy as np

        from schleier.kernels.change.noise import exact_noise

        clean = self._without_zeros(numbers)
        covariance = np.zeros((0, 0))
        if self.sd is None:
            covariance = np.array(self._known(stratum, clean).covariance)
        noise = self._noise(clean, stratum, covariance, draws)
        if self.exact and self.d is not None:
            self._demand_exact(clean)
            noise = exact_noise(noise, clean, self.d)
        if self.keep_zeros:
            noise[numbers == 0] = 0
        noise += numbers
        return noise

    def _noise(self, numbers: Floats, stratum: str, covariance: Floats, draws: KeyedDraws) -> Floats:
        import numpy as np

        from schleier.kernels.change import noise
        from schleier.kernels.change.keyed import beside

        d = self.d or 0.0
        match self.kind:
            case "correlated":
                return noise.correlated(draws, covariance, d)
            case "mixture_roque":
                return noise.roque(draws, covariance, d, self.g)
            case "mixture_yancey":
                return noise.yancey(draws, covariance, d, self.c or NEAR)
            case "mixture":
                c = self._known(stratum, numbers).c or 0.0
                return noise.mixture(draws, covariance, d, self._centre(covariance, c))
            case "independent":
                width = numbers.shape[1]
                size = (
                    np.array([self.sd[name] for name in self.columns]) if self.sd else np.sqrt(d * np.diag(covariance))
                )
                found = []
                for column in range(width):
                    if self.distribution == "uniform":
                        found.append((2 * draws.uniform(f"noise:{column}") - 1) * np.sqrt(3))
                    else:
                        found.append(draws.normal(f"noise:{column}"))
                    found[column] *= size[column]
                return beside(found)

    def _without_zeros(self, numbers: Floats) -> Floats:
        import numpy as np

        return np.where(numbers == 0, np.nan, numbers) if self.keep_zeros else numbers

    def _known(self, stratum: str, numbers: Floats) -> Spread:
        """What was learned of a stratum, else what these rows tell (other rows, other strata)."""
        if stratum in self.learned:
            return self.learned[stratum]
        spread, problem = self._spread(numbers)
        if problem is not None:
            raise InfeasibleError(problem)
        return spread

    def _e(self, width: int) -> Floats:
        import numpy as np

        return np.array([*self.signs, *[1] * (width - len(self.signs))], dtype=np.float64)

    def _centre(self, covariance: Floats, c: float) -> Floats:
        """μ = c·√d·sd (the printed d instead of √d is an erratum, L2079)."""
        import numpy as np

        d = self.d or 0.0
        found: Floats = (
            c * (d if self.published else np.sqrt(d)) * np.sqrt(np.diag(covariance)) * self._e(len(covariance))
        )
        return found

    def _spread(self, numbers: Floats) -> tuple[Spread, Problem | None]:
        """What these rows tell, and why it is not enough."""
        import numpy as np

        from schleier.kernels.change.noise import complete, definite, largest_centre, means_and_covariances

        covariance = means_and_covariances(numbers)[1]
        if self.kind == "independent":  # each column by itself: rows need not be complete
            covariance = np.diag([means_and_covariances(column[:, None])[1][0, 0] for column in numbers.T])
        rows, width = int(complete(numbers).sum()), numbers.shape[1]
        learned = Spread(covariance=tuple(map(tuple, np.nan_to_num(covariance).tolist())))
        if np.isnan(covariance).any():
            hint = "name fewer columns, coarsen the strata, or use kind = independent"
            return learned, Problem("no-complete-rows", "columns", "no record has values in all columns", hint)
        if not (np.diag(covariance) > 0).all():
            hint = "leave constant columns out: there is nothing to hide in them, and no scale for the noise"
            return learned, Problem("constant-column", "columns", "a column is constant: d times 0 is no noise", hint)
        if self.exact and rows < 2 * width + 2:
            message = f"exact noise for {width} columns needs {2 * width + 2} complete records, there are {rows}"
            return learned, Problem("too-few-complete", "exact", message, "coarsen the strata, or set exact = false")
        if self.exact and not definite(covariance):
            hint = "leave one of them out, or set exact = false"
            return learned, Problem("collinear", "exact", "a column follows from the others", hint)
        if self.kind != "mixture":
            return learned, None
        most = largest_centre(covariance, self._e(width))
        if self.published and self.d is not None:
            most /= np.sqrt(self.d)
        c = self.c if self.c is not None else NEAR * min(most, 1.0 if self.published else most)
        if not 0 < c < most:
            why = "a column follows from the others" if most == 0 else f"c must be below {most:.4f}"
            message = f"no mixture has its centres so far out: {why} for these correlations"
            hint = "lower c, choose signs that follow the correlations, or name fewer columns"
            return learned, Problem("infeasible-mixture", "c", message, hint)
        return learned.model_copy(update={"c": c}), None

    def _demand_exact(self, numbers: Floats) -> None:
        from schleier.kernels.change.noise import complete, definite, means_and_covariances

        rows, width = int(complete(numbers).sum()), numbers.shape[1]
        if rows < 2 * width + 2 or not definite(means_and_covariances(numbers)[1]):
            message = "these rows are too few or too much alike for exact noise"
            stop(InfeasibleError, "too-few-complete", "exact", message, "coarsen the strata, or set exact = false")
