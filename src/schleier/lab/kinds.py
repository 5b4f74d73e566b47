"""The ways in which a column goes wrong, each with its rate (Müller, Blien, Knoche, Wirth et al. 1991, 9.2.2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from schleier.core.errors import DataError, Problem, stop
from schleier.core.record import Declared
from schleier.core.schema import Schema
from schleier.lab._columns import Held, strange, words_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Share = Annotated[float, Field(ge=0, le=1)]
MOST = 2_000
"""Different values up to which a column has categories."""


class Kind(Declared):
    """What all have in common."""

    rate: Share
    """Share of the values that become wrong."""

    def problems(self, name: str, schema: Schema) -> Iterator[Problem]:
        """Why it cannot be made in a column."""
        yield from ()

    def made(self, column: Held) -> Held:
        """The column with the mistake made in it."""
        raise NotImplementedError


class Category(Kind):
    """A category becomes another one.

    >>> Category(rate=0.02, to={"economist": {"manager": 9, "physician": 1}}).rate
    0.02
    """

    mistake: Literal["category"] = "category"
    rates: dict[str, Share] = Field(default_factory=dict, repr=False)
    """Categories that are wrong more or less often than the rest."""
    to: dict[str, dict[str, Annotated[float, Field(ge=0)]]] = Field(default_factory=dict, repr=False)
    """For a category what it becomes, with weights; what is not named here becomes any other category alike."""

    def made(self, column: Held) -> Held:
        """Draw who is wrong, and what he becomes."""
        import numpy as np

        from schleier.kernels.change.mistakes import changed_codes, other_categories

        values, codes = _categories(column)
        named = [*self.rates, *self.to, *(word for row in self.to.values() for word in row)]
        if odd := strange(named, values):
            message = f"{odd} of the categories named for column '{column.name}' do not occur in it"
            stop(DataError, "category-not-there", f"columns.{column.name}", message, "write them as the file does")
        words = words_of(values)
        weights = np.ones((len(words), len(words)))
        for place, word in enumerate(words):
            if word in self.to:
                weights[place] = [self.to[word].get(other, 0.0) for other in words]
        rates = np.array([self.rates.get(word, self.rate) for word in words], dtype=np.float64)
        chances = other_categories(len(words), weights)
        return column.taking(values, changed_codes(codes, rates, chances, column.drawn("hit"), column.drawn("to")))


class Neighbour(Kind):
    """A code becomes one near it, in an order in which neighbours are alike.

    >>> Neighbour(rate=0.15, spread=3).spread
    3.0
    """

    mistake: Literal["neighbour"] = "neighbour"
    spread: float = Field(default=2.0, gt=0)
    """Standard deviation of the error, in places of the order."""
    order: tuple[str, ...] = Field(default=(), repr=False)
    """The codes with similar ones beside each other; in their own order when empty."""

    def made(self, column: Held) -> Held:
        """Draw who is wrong, and how many places he is off."""
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.change.mistakes import changed_codes, near_categories

        values, codes = _categories(column)
        if self.order:
            place = {word: i for i, word in enumerate(self.order)}
            words = words_of(values)
            if odd := sum(word not in place for word in words):
                message = f"{odd} values of column '{column.name}' are not in the order given for it"
                stop(DataError, "not-in-order", f"columns.{column.name}", message, "add them to order")
            sorting = np.argsort([place[word] for word in words])
            codes = np.append(np.argsort(sorting), -1)[codes]
            values = values.take(pa.array(sorting))
        rates, chances = np.full(len(values), self.rate), near_categories(len(values), self.spread)
        return column.taking(values, changed_codes(codes, rates, chances, column.drawn("hit"), column.drawn("to")))


class Number(Kind):
    """A number is off by a normal error; whole numbers stay whole.

    >>> Number(rate=0.1, deviation=1.5).deviation
    1.5
    """

    mistake: Literal["number"] = "number"
    deviation: float = Field(gt=0)
    """Standard deviation of the error, in units of the column."""

    def problems(self, name: str, schema: Schema) -> Iterator[Problem]:
        """Words have no normal error."""
        if not schema[name].numeric:
            hint = 'use mistake = "category" or "neighbour"'
            yield Problem("not-numeric", f"columns.{name}", f"column '{name}' holds no numbers", hint)

    def made(self, column: Held) -> Held:
        """Draw who is wrong, and by how much."""
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.change.mistakes import errors

        hit, off = column.drawn("hit") < self.rate, errors(column.drawn("to"), self.deviation, whole=column.whole)
        numbers = np.asarray(column.values.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
        moved = pa.array(numbers + off, from_pandas=True)
        return column.holding(_where(hit, moved.cast(column.values.type, safe=False), column.values))


class Date(Kind):
    """A date drifts by days: registers are brought up to date when there is an occasion.

    >>> Date(rate=0.3, days=90, direction="earlier").days
    90.0
    """

    mistake: Literal["date"] = "date"
    days: float = Field(gt=0)
    """Standard deviation of the drift in days."""
    direction: Literal["both", "earlier", "later"] = "both"
    """Whether dates become earlier, later, or either."""

    def problems(self, name: str, schema: Schema) -> Iterator[Problem]:
        """Only dates drift."""
        if schema[name].scale != "time":
            hint = 'use mistake = "number" for years'
            yield Problem("not-a-date-column", f"columns.{name}", f"column '{name}' holds no dates", hint)

    def made(self, column: Held) -> Held:
        """Draw who is wrong, and by how many days."""
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.change.mistakes import errors

        off = errors(column.drawn("to"), self.days, whole=True)
        if self.direction != "both":
            off = np.abs(off) if self.direction == "later" else -np.abs(off)
        kind = column.values.type
        fine = pa.timestamp("us", tz=getattr(kind, "tz", None))
        moments = column.values.cast(pa.timestamp("us")).cast(pa.int64()) if pa.types.is_date(kind) else None
        moments = moments if moments is not None else column.values.cast(fine).cast(pa.int64())
        moved = np.asarray(moments.fill_null(0).to_numpy(), dtype=np.int64) + off.astype(np.int64) * 86_400_000_000
        drifted = pa.array(moved, mask=np.asarray(column.values.is_null().to_numpy()))
        plain = drifted.cast(pa.timestamp("us") if pa.types.is_date(kind) else fine).cast(kind)
        return column.holding(_where(column.drawn("hit") < self.rate, plain, column.values))


class Missing(Kind):
    """A value is not there.

    >>> Missing(rate=0.3).mistake
    'missing'
    """

    mistake: Literal["missing"] = "missing"

    def made(self, column: Held) -> Held:
        """Draw who has none."""
        import pyarrow as pa

        nothing = pa.nulls(len(column.values), column.values.type)
        return column.holding(_where(column.drawn("hit") < self.rate, nothing, column.values))


class Alternative(Kind):
    """Somebody coded it in another way: the second code is taken where there is one, besides other mistakes.

    With a share m of rows without a second code, a value differs with G = a + take (1 - m) (1 - a); a is ``rate``.

    >>> round(Alternative(rate=0.15, second="activity_2").differs(0.0), 3)
    0.575
    """

    mistake: Literal["alternative"] = "alternative"
    second: str
    """The column with second codes."""
    take: Share = 0.5
    """How often the second code is taken where there is one."""
    besides: bool = True
    """Whether those who have a second code are subject to the other mistake too; else only those who have none."""
    other: Annotated[Category | Neighbour, Field(discriminator="mistake")] | None = None
    """The other mistake; any other category alike at ``rate`` when absent. Its own rate is not used."""

    def differs(self, m: float) -> float:
        """How often a value differs when a share m has no second code (source: 9.2.2.2, L15237-15274)."""
        if not self.besides:
            return self.rate * m + self.take * (1 - m)
        return self.rate + self.take * (1 - m) * (1 - self.rate)

    def problems(self, name: str, schema: Schema) -> Iterator[Problem]:
        """Second codes are in a column."""
        if self.second not in schema:
            yield schema.unknown(self.second, f"columns.{name}.second")

    def made(self, column: Held) -> Held:
        """The other mistake first; whose second code is taken has that, whatever else went wrong."""
        import numpy as np

        second = column.beside[self.second]
        if second.type != column.values.type:
            message = f"columns '{column.name}' and '{self.second}' hold values of different kinds"
            stop(DataError, "different-kinds", f"columns.{column.name}.second", message, "read both as text")
        has = np.asarray(second.is_valid().to_numpy())
        taken = has & (column.drawn("second") < self.take)
        other = (self.other or Category(rate=0)).model_copy(update={"rate": self.rate})
        wrong = other.made(column)
        spared = taken if self.besides else has
        return wrong.holding(_where(taken, second, _where(spared, column.values, wrong.values)))


Mistake = Annotated[
    Category | Neighbour | Number | Date | Missing | Alternative,
    Field(discriminator="mistake"),
]


def _categories(column: Held) -> tuple[pa.Array, NDArray[np.int64]]:
    values, codes = column.coded()
    if len(values) > MOST:
        message = f"column '{column.name}' has more than {MOST} different values"
        stop(
            DataError,
            "too-many-different-values",
            f"columns.{column.name}",
            message,
            'use mistake = "number", or recode it',
        )
    return values, codes


def _where(hit: NDArray[np.bool_], one: pa.Array, other: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pa.chunked_array([pa.array(hit)]), one, other)
