"""Round numbers to multiples of a base (Höhne T11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.sql import Rewrite, Typed, choice, number, quoted
from schleier.core.sql import whole as floored
from schleier.core.traces import Traces

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

EXACT = 2.0**52
"""From here on a floating number has no digits behind the point to round."""


class RoundTo(Method):
    """Numbers become the nearest multiple of ``base``; halves go away from zero.

    >>> RoundTo(column="income", base=500).base
    500
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Rundung (T11)"
    traces: ClassVar[Traces] = frozenset({"rounding", "rule"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "order": "weak"}
    example: ClassVar[dict[str, object]] = {"column": "income", "base": 500}

    column: str
    """The numeric column to round."""
    base: int | float = Field(gt=0, allow_inf_nan=False)
    """Released values are multiples of this."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must be numeric, and a whole-number column needs a whole base."""
        yield from super().problems(schema)
        if self.column not in schema:
            return
        column = schema[self.column]
        if not column.numeric:
            message = f"column '{column.name}' is {column.scale}: only numbers can be rounded"
            yield Problem("not-numeric", "column", message, "recode it instead")
        if column.scale == "discrete" and self.base != int(self.base):
            message = f"column '{column.name}' holds whole numbers, but the base is none"
            yield Problem("not-whole", "base", message, 'choose a whole base, or declare the column "continuous"')

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the column rounded; missing stays missing."""
        import narwhals as nw

        value = nw.col(self.column)
        whole = data.schema[self.column].scale == "discrete"
        rounded = self._whole(value.cast(nw.Int64)) if whole else self._broken(value.cast(nw.Float64))
        return data.mutate(**{self.column: rounded})

    def _whole(self, value: nw.Expr) -> nw.Expr:
        """In whole numbers only, so that no engine rounds on its own account."""
        import narwhals as nw

        base, size = int(self.base), value.abs()
        rest = size % base
        up = nw.when(rest >= base - rest).then(nw.lit(base)).otherwise(nw.lit(0))
        nearest = size - rest + up
        return nw.when(value < 0).then(-nearest).otherwise(nearest)

    def _broken(self, value: nw.Expr) -> nw.Expr:
        """The base as a fraction p/q of whole numbers: 3 * 1 / 10 is 0.3, while 3 * 0.1 is not."""
        import narwhals as nw

        base = Fraction(str(self.base))
        p, q = float(base.numerator), float(base.denominator)
        multiples = value.abs() * q / p
        within = multiples < EXACT
        count = nw.when(within).then(multiples).otherwise(nw.lit(0.0))
        nearest = (count + 0.5).floor().cast(nw.Float64) * p / q
        signed = nw.when(value < 0).then(-nearest).otherwise(nearest)
        return nw.when(within).then(signed).otherwise(value)

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The same arithmetic as in ``apply``."""
        value = Typed(quoted(self.column), types[self.column])
        if schema[self.column].scale == "discrete":
            return Rewrite({self.column: Typed(self._whole_sql(value.text), "integer")})
        return Rewrite({self.column: Typed(self._broken_sql(value.number), "number")})

    def _whole_sql(self, value: str) -> str:
        base = int(self.base)
        rest = f"abs({value}) % {base}"
        nearest = f"(abs({value}) - {rest} + {choice([(f'{rest} >= {base} - {rest}', str(base))], '0')})"
        return choice([(f"{value} < 0", f"-{nearest}")], nearest)

    def _broken_sql(self, value: str) -> str:
        base = Fraction(str(self.base))
        p, q = float(base.numerator), float(base.denominator)
        multiples = f"abs({value}) * {number(q)} / {number(p)}"
        # The first test keeps PostgreSQL from computing what it would call an overflow.
        far = min(2 * EXACT * p / q, 1e308)
        within = f"abs({value}) <= {number(far)} AND {multiples} < {number(EXACT)}"
        count = choice([(within, multiples)], number(0))
        nearest = f"{floored(f'{count} + {number(0.5)}')} * {number(p)} / {number(q)}"
        return choice([(within, choice([(f"{value} < {number(0)}", f"-({nearest})")], nearest))], value)
