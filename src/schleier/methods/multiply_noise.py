"""Multiply values with random factors (Höhne N04 to N07, N11 to N13: multiplicative noise)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import listed, secret
from schleier.core.correction import Correction
from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problem
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Shift, Trace, Traces
from schleier.methods._discrete import Discrete
from schleier.methods._factor_correction import FACTORS
from schleier.methods._strata import changed_numbers, stratum_numbers
from schleier.methods._unchanged_values import tell_rounding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.change.keyed import KeyedDraws

    Floats = NDArray[np.float64]

Kind = Literal["independent", "truncated", "log", "mixture", "controlled", "best_of"]
SHIFTED = ("mixture", "controlled", "best_of")
TAKES = {
    "s": ("independent", "truncated", *SHIFTED),
    "f": SHIFTED,
    "d": ("log",),
    "inner": ("truncated",),
    "outer": ("truncated",),
    "distribution": ("truncated",),
    "tails": ("independent", "truncated"),
    "spared": ("independent", "truncated"),
    "variant": ("controlled",),
    "by": ("controlled",),
    "alpha": ("controlled", "best_of"),
    "random_first_sign": ("controlled",),
    "tries": ("best_of",),
    "published": ("log",),
}
"""Parameters that only some kinds of noise have."""
NEEDS = {"independent": ("s",), "truncated": ("outer",), "log": ("d",)} | dict.fromkeys(SHIFTED, ("f", "s"))


class MultiplyNoise(Discrete):
    """Multiply the values of some columns with random factors around 1.

    >>> MultiplyNoise(columns=["turnover"], kind="controlled", f=0.11, s=0.03).random_first_sign
    True
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.2 and 4.2 (N04-N07, N11-N13); Kim/Winkler (2003); Gottschalk (2004)"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"noise", "factor", "shift"})
    effects: ClassVar[tuple[str, ...]] = ("E3",)
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    ways: ClassVar[tuple[str, ...]] = ("within", "number", "sullivan")
    keeps: ClassVar[Keeps] = {
        "rows": "exact",
        "other columns": "exact",
        "missing": "exact",
        "zeros": "weak",
        "signs": "weak",
    }
    correction: ClassVar[Correction | None] = FACTORS
    example: ClassVar[dict[str, object]] = {"columns": ["income"], "kind": "controlled", "f": 0.11, "s": 0.03}

    kind: Kind
    """Normal factors (independent), factors that are neither too near to 1 nor too far (truncated), noise on the
    logarithms (log), all values of a record up or down (mixture), so that large records make up for each other
    (controlled), or the best of many tries (best_of)."""
    f: float | None = secret(None, gt=0, lt=1)
    """How far all values of a record go up or down, as a share of the value."""
    s: float | None = secret(None, gt=0, lt=0.5)
    """Standard deviation of the part of a factor that every value has on its own."""
    d: float | None = secret(None, gt=0)
    """Variance of the noise on the logarithms as a share of their variance."""
    inner: float = secret(0.0, ge=0, lt=1)
    """Factors nearer to 1 than this are drawn again."""
    outer: float | None = secret(None, gt=0, lt=1)
    """Factors farther from 1 than this are drawn again."""
    distribution: Literal["normal", "uniform"] = "normal"
    """Shape of truncated factors."""
    tails: float | None = secret(None, gt=0, le=0.5)
    """Change only so large a share of the lowest and of the highest values; 0.1 for the extreme tenths."""
    spared: int | None = secret(None, ge=1)
    """With ``tails``: so many values at either end, with equals, stay as ``replace_extremes`` left them."""
    variant: Literal["a", "b", "c"] | None = None
    """How signs are chosen: best balance (a), by one dominating column (b), or by all (c). One column: b, else c."""
    by: str | None = None
    """The dominating column of variant b; unless given, the one most correlated with the others."""
    alpha: float = Field(default=1.0, ge=0, le=1)
    """Weight of the means against the standard deviations where signs or tries are compared."""
    random_first_sign: bool = True
    """Draw the sign of the largest record; else it always shrinks, as in the source, and everybody knows."""
    tries: int = Field(default=100, ge=2)
    """How many times noise is drawn before the best is taken."""
    published: bool = False
    """Leave the mean of the noise on the logarithms at 0, as printed: means of the values then grow."""
    public: tuple[str, ...] = ()
    """Secret parameters that are published on purpose; analysts need f and s to correct variances."""
    dominating: str | None = None
    """Learned: the column by which signs were chosen."""
    logs: dict[str, tuple[tuple[float, ...], ...]] = secret(default_factory=dict)
    """Learned: covariances of the logarithms of each stratum."""

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """Means, unless factors grow as printed, or the direction of the largest record was never drawn."""
        if known.get("published") or (known.get("kind") == "controlled" and not known.get("random_first_sign")):
            return cls.keeps
        return {**cls.keeps, "mean": "expected", "total": "expected", "weighted total": "expected"}

    def leaves(self) -> Traces:
        """Only some kinds shift a record as a whole."""
        return self.traces if self.kind in SHIFTED else self.traces - {"shift"}

    def trail(self, trace: Trace, schema: Schema) -> Shift | None:
        """How far records went, and whether their size tells the direction."""
        if trace != "shift":
            return None
        return Shift(
            f=self.f,
            public="f" in self.public,
            by_size=self.kind == "controlled",
            by=self.dominating,
            strata=self.splits(schema),
            smallest=self.min_stratum,
            drawn=self.random_first_sign,
        )

    @staticmethod
    def minimal_sd(f: float, p: float) -> float:
        """The smallest ``s`` of independent noise that leaves at most the share p of values within ±f of the truth.

        >>> round(MultiplyNoise.minimal_sd(f=0.05, p=0.5), 4)
        0.0741
        """
        from schleier.kernels.change.factors import minimal_sd

        return minimal_sd(f, p)

    @model_validator(mode="after")
    def _fits_the_kind(self) -> Self:
        defaults = {name: info.default for name, info in type(self).model_fields.items()}
        odd = [
            name for name, kinds in TAKES.items() if self.kind not in kinds and getattr(self, name) != defaults[name]
        ]
        absent = [name for name in NEEDS[self.kind] if getattr(self, name) is None]
        if odd:
            raise ValueError(f"noise of kind {self.kind} has no {', '.join(odd)}")
        if self.kind == "truncated" and self.distribution == "normal" and self.s is None:
            absent.append("s")
        if absent:
            raise ValueError(f"noise of kind {self.kind} needs {', '.join(absent)}")
        if self.outer is not None and self.inner >= self.outer:
            raise ValueError("inner must be below outer")
        if self.spared is not None and self.tails is None:
            raise ValueError("spared needs tails: without them every value is changed")
        if self.kind in SHIFTED and (self.f or 0) + 5 * (self.s or 0) >= 1:
            raise ValueError("f + 5 s must be below 1, or values would change their sign")
        return self

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The dominating column is one of the numeric ones."""
        yield from super().problems(schema)
        if self.by is not None and self.by not in [c for c in self.columns if c in schema and schema[c].numeric]:
            message = f"the dominating column '{self.by}' is not among the numeric columns that change"
            yield Problem("not-dominating", "by", message, "name one of the numeric columns")

    def fit(self, data: Dataset, run: Run) -> Self:
        """Learn strata, the dominating column, covariances of logarithms; refuse what cannot be done."""
        if self.kept is not None:
            return self
        self._demand(data)
        step = self.model_copy(update=self.learn(data, run))
        if self.kind == "log":
            logs = {at: step._covariance(numbers) for at, numbers in stratum_numbers(step, data, run)}
            return step.model_copy(update={"logs": logs})
        if self._variant(data.schema) == "b":
            chosen = self.by or step._most_correlated(data, run)
            self._demand_whole(data, chosen)
            step = step.model_copy(update={"dominating": chosen})
        return step

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its values multiplied; zero stays zero and missing stays missing."""
        import narwhals as nw

        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        self._demand(data)
        if self.dominating is not None:
            self._demand_whole(data, self.dominating)
        metric = self.metric(data.schema)
        zeros = data.totals(**{name: tally(nw.col(name) == 0) for name in metric}) if metric else {}
        run.note(noise=self.kind, columns=list(self.columns))
        run.note("restricted", zeros_left={name: count or 0 for name, count in zeros.items()})
        if self.kind == "best_of":
            run.note(caution="the try nearest to the original moments was released: they tell more than one try would")
        first = 1.0 if self.random_first_sign and run.rng("first sign").random() < 0.5 else -1.0
        place = metric.index(self.dominating) if self.dominating in metric else 0
        variant = self._variant(data.schema)

        def change(numbers: Floats, stratum: str, draws: KeyedDraws) -> Floats:
            factors = self._factors(numbers, stratum, draws, variant, place, first)
            factors *= numbers
            return factors

        result = changed_numbers(self, data, run, change)
        whole = [name for name in metric if data.schema[name].scale == "discrete" and self.round != "none"]
        tell_rounding(data, result, whole, 1.0 if self.tails is None else 2 * self.tails, run)
        return result

    def _factors(
        self, numbers: Floats, stratum: str, draws: KeyedDraws, variant: str, place: int, first: float
    ) -> Floats:
        import numpy as np

        from schleier.kernels.change import factors
        from schleier.kernels.change.controlled import choose_signs

        n, s, f = numbers.shape[1], self.s or 0.0, self.f or 0.0
        match self.kind:
            case "independent":
                found = factors.independent_factors(draws, n, s)
            case "truncated":
                found = factors.truncated(draws, n, self.distribution, self.s, self.inner, self.outer or 0.0)
            case "log":
                logs = np.array(self.logs.get(stratum) or self._covariance(numbers))
                return factors.logarithmic(draws, logs, self.d or 0.0, not self.published)
            case "mixture":
                return factors.moved(factors.small(draws, n, s), draws.signs("sign"), f)
            case "best_of":
                return factors.best_of(draws, numbers, f, s, self.alpha, self.tries)
            case "controlled":
                small = factors.small(draws, n, s)
                return factors.moved(small, choose_signs(numbers, small, variant, place, f, self.alpha, first), f)
        return found if self.tails is None else factors.only_tails(found, numbers, self.tails, self.spared or 0)

    def _variant(self, schema: Schema) -> str:
        usual = "b" if self.by is not None or len(self.columns) == 1 else "c"
        return (self.variant or usual) if self.kind == "controlled" else ""

    def _covariance(self, numbers: Floats) -> tuple[tuple[float, ...], ...]:
        """Covariances of the logarithms of records without zeros and gaps."""
        import numpy as np

        from schleier.kernels.change.noise import means_and_covariances

        covariance = means_and_covariances(np.log(np.where(numbers > 0, numbers, np.nan)))[1]
        if not (np.diag(covariance) > 0).all():
            hint = "name fewer columns, or coarsen the strata"
            message = "no record has positive values in all columns, or these are all the same"
            raise InfeasibleError(Problem("no-complete-rows", "columns", message, hint))
        return tuple(map(tuple, covariance.tolist()))

    def _most_correlated(self, data: Dataset, run: Run) -> str:
        import numpy as np

        from schleier.kernels.change.noise import means_and_covariances

        metric = self.metric(data.schema)
        whole = self.model_copy(update={"strata": (), "columns": metric, "categories": None, "kept": ()})
        for _, numbers in stratum_numbers(whole, data, run) if len(metric) > 1 else ():
            covariance = means_and_covariances(numbers)[1]
            sd = np.sqrt(np.diag(covariance))
            with np.errstate(invalid="ignore", divide="ignore"):
                return metric[int(np.nan_to_num(np.abs(covariance / np.outer(sd, sd))).sum(axis=0).argmax())]
        return metric[0]

    def _demand(self, data: Dataset) -> None:
        """Logarithms need positive numbers."""
        import narwhals as nw

        names = self.metric(data.schema)
        below = data.totals(**{name: tally(nw.col(name) < 0) for name in names}) if self.kind == "log" and names else {}
        if odd := [name for name, count in below.items() if count]:
            message = f"negative numbers have no logarithm, and there are some: {listed(odd)}"
            hint = "use kind = mixture or controlled, which keep the sign"
            raise InfeasibleError(Problem("negative-values", "columns", message, hint))

    def _demand_whole(self, data: Dataset, name: str) -> None:
        """Whose value is missing gets no sign. Where it is the only column, there is nothing to multiply either."""
        import narwhals as nw

        if gaps := data.totals(n=tally(nw.col(name).is_null()))["n"] if len(self.columns) > 1 else 0:
            message = f"the dominating column '{name}' has {gaps} missing values"
            hint = "use variant c, which looks at all columns"
            raise InfeasibleError(Problem("missing-dominating", "by", message, hint))
