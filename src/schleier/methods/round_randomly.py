"""Round numbers up or down at random, right on average (random rounding)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.sql import Rewrite
from schleier.core.traces import Traces
from schleier.methods.round_to import EXACT, RoundTo

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

DRAW = "_draw_"


class RoundRandomly(RoundTo):
    """Numbers become the multiple of ``base`` below or above, the nearer one with the greater chance.

    >>> RoundRandomly(column="income", base=500).random
    True
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 2.2.2 (random rounding, operator A-15)"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"dither"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A1", "A4")
    keeps: ClassVar[Keeps] = {
        "rows": "exact",
        "other columns": "exact",
        "mean": "expected",
        "total": "expected",
        "weighted total": "expected",
    }
    example: ClassVar[dict[str, object]] = {"column": "income", "base": 500}

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """Nothing: draws need the run key."""
        return None

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the column rounded; multiples of the base stay, and so does what is missing."""
        import narwhals as nw

        drawn, value = run.draw(data, DRAW), nw.col(self.column)
        whole = data.schema[self.column].scale == "discrete"
        rounded = self._whole(value.cast(nw.Int64)) if whole else self._broken(value.cast(nw.Float64))
        result = drawn.mutate(**{self.column: rounded})
        return replace(result, frame=result.frame.drop(DRAW))

    def _whole(self, value: nw.Expr) -> nw.Expr:
        """In whole numbers: up with the chance rest / base, so that the mean is right."""
        import narwhals as nw

        base, size = int(self.base), value.abs()
        rest = size % base
        up = nw.when(nw.col(DRAW) * float(base) < rest.cast(nw.Float64)).then(nw.lit(base)).otherwise(nw.lit(0))
        near = size - rest + up
        return nw.when(value < 0).then(-near).otherwise(near).cast(nw.Int64)

    def _broken(self, value: nw.Expr) -> nw.Expr:
        """The base as a fraction p/q of whole numbers, as in ``round_to``."""
        import narwhals as nw

        base = Fraction(str(self.base))
        p, q = float(base.numerator), float(base.denominator)
        multiples = value.abs() * q / p
        within = multiples < EXACT
        count = nw.when(within).then(multiples).otherwise(nw.lit(0.0))
        below = count.floor().cast(nw.Float64)
        above = nw.when(nw.col(DRAW) < count - below).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
        near = (below + above) * p / q
        signed = nw.when(value < 0).then(-near).otherwise(near)
        return nw.when(within).then(signed).otherwise(value)
