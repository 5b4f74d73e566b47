"""Predictable noise: whoever guesses the seed of a generator makes the same noise again and takes it away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.view import Array, ValueTrustee, View, Wanted, values_at
from schleier.core.value_attack import NumberAttack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run

DAY = 86_400
FIRST = 8
"""Values by which a seed is judged first."""
AT_ONCE = 20_000
ORDER = "_order_"
CHANCE = 1e-6
"""A seed counts as found only if fewer false ones than this are to be expected among all that are tried."""


class PredictableNoise(NumberAttack):
    """Make the noise of usual generators again, seed by seed, and see whether all values without it are possible ones.

    >>> PredictableNoise(sensitive="age", scale=2.0, grid=1).seeds
    1000000
    """

    reference: ClassVar[str] = "Bitkom (2020), attacks on noise (B-031d): a predictable pseudo-random generator"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "scale": 100.0, "seeds": 100}
    against: ClassVar[Traces] = frozenset({"noise", "factor"})
    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"rebuilt", "tried"}))
    released_detail: ClassVar[tuple[str, ...]] = ("rebuilt",)
    everybody: ClassVar[bool] = True

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    scale: float = Field(gt=0)
    """The standard deviation of normal noise, or how far uniform noise reaches: reports tell it."""
    law: Literal["normal", "uniform"] = "normal"
    """How the noise is distributed."""
    form: Literal["added", "factor"] = "added"
    """Whether noise was added, or values were multiplied by 1 + noise."""
    grid: float | None = Field(default=None, gt=0)
    """True values are multiples of this; 1 for whole numbers, and by their decimals, where it is left out."""
    generators: tuple[Literal["numpy", "numpy_new", "python", "r"], ...] = ("numpy", "numpy_new", "python", "r")
    """Generators that are tried."""
    seeds: int = Field(default=1_000_000, ge=1, le=2**31)
    """Seeds from 0 up to this are tried; and each record with its number as the seed."""
    around: int | None = Field(default=None, ge=0)
    """Seeds within 86,400 of this number are tried, too: of the seconds since 1970 when the file was made."""

    decimals: int | None = Field(default=None, ge=0, le=9)
    """Decimals to which released values were rounded, where the schema does not say so."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column with the noise."""
        return self.held_in or (self.sensitive,)

    def wanted(self) -> Wanted:
        """The column, and the order of the records."""
        return Wanted(self.sensitive, numbers=(ORDER,), within=self.within)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """It must be clear which values are possible."""
        yield from super().problems(schema)
        if self.sensitive in schema and _grid(self, schema) is None:
            message = f"nothing says which values of '{self.sensitive}' are possible"
            yield Problem("no-steps", "grid", message, "say grid, such as 1 for whole numbers or 0.01 for cents")

    def measure(self, case: Case, run: Run) -> Finding:
        """Take the records in the order of their keys, as they stood when noise was added."""
        import narwhals as nw

        schema = case.released.schema
        grid = _grid(self, case.original.schema) or _grid(self, schema)
        said = schema[self.sensitive].decimals if self.sensitive in schema else None
        informed = self.model_copy(
            update={"grid": grid or 1.0, "decimals": said if self.decimals is None else self.decimals}
        )
        is_number = case.released.frame.collect_schema()[schema.key].is_numeric()
        order = nw.col(schema.key).cast(nw.Float64) if is_number else nw.lit(0.0)  # texts are in their order already
        numbered = case.released.reframed(case.released.frame.with_columns(**{ORDER: order}))
        return super(PredictableNoise, informed).measure(replace(case, released=numbered), run)

    def claims(self, view: View) -> Array:
        """The values without the noise that explains them all; nothing where none does."""
        import numpy as np

        order = np.argsort(view.release[ORDER], kind="stable")
        released = view.release[self.sensitive][order]
        noise = self._noise(released)
        if noise is None:
            return np.full(len(view.place), np.nan)
        true = np.empty(len(released))
        true[order] = np.rint(self._without(released, noise) / self._step) * self._step
        return values_at(true, view.place)

    @property
    def _step(self) -> float:
        return self.grid or 1.0

    @property
    def _slack(self) -> float:
        """By how much a possible value may be off because it was rounded, as a share of the grid."""
        return 0.0 if self.decimals is None else 0.5 * 10.0**-self.decimals / self._step

    def facts(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """Whether the noise was made again, or the values were possible as they stand; and how many were tried."""
        import numpy as np

        moved = np.abs(claims - view.of_targets(self.sensitive)) > 1e-9
        return {"rebuilt": bool(moved.any()), "tried": len(self._seeds()) * len(self.generators)}

    def _seeds(self) -> NDArray[np.int64]:
        import numpy as np

        near = [] if self.around is None else [np.arange(max(self.around - DAY, 0), self.around + DAY + 1)]
        return np.unique(np.concatenate([np.arange(self.seeds, dtype=np.int64), *near]))

    def _without(self, released: Array, noise: Array) -> Array:
        return released - self.scale * noise if self.form == "added" else released / (1 + self.scale * noise)

    def _fits(self, released: Array, noise: Array) -> NDArray[np.bool_]:
        """Which values are possible without the noise; gaps say nothing."""
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            true = self._without(released, noise) / self._step
            slack = self._slack * (1 + 1e-9) + 1e-12 * np.maximum(np.abs(true), 1) + 1e-9
            return np.asarray(np.isnan(released) | (np.abs(true - np.rint(true)) <= slack))

    def _noise(self, released: Array) -> Array | None:
        """The noise that leaves only possible values: none at all, one seed for all, or a seed for each record."""
        import numpy as np

        from schleier.kernels.inference.generators import first_draws

        held, many = int(np.count_nonzero(~np.isnan(released))), len(released)
        if not held:
            return None
        if self._fits(released, np.zeros(many)).all():
            return np.zeros(many)
        seeds = self._seeds()
        wide = min(2 * (self._slack + 1e-9), 1.0)
        if len(seeds) * len(self.generators) * wide**held > CHANCE:
            return None
        for generator in self.generators:
            for first in (0, 1):
                own = first_draws(generator, self.law, np.arange(first, many + first), 1)[:, 0]
                if self._fits(released, own).all():
                    return own
            for start in range(0, len(seeds), AT_ONCE):
                some = seeds[start : start + AT_ONCE]
                short = first_draws(generator, self.law, some, min(FIRST, many))
                for seed in some[self._fits(released[:FIRST], short).all(axis=1)]:
                    whole = first_draws(generator, self.law, np.array([seed]), many)[0]
                    if self._fits(released, whole).all():
                        return whole
        return None


def _grid(attack: PredictableNoise, schema: Schema) -> float | None:
    """The distance of possible values, as it was said or as the schema says."""
    if attack.grid is not None or attack.sensitive not in schema:
        return attack.grid
    column = schema[attack.sensitive]
    if column.decimals is not None:
        return float(10.0**-column.decimals)
    return 1.0 if column.scale == "discrete" else None
