"""Numbers for the kinds of hierarchy that cut an axis into intervals."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, PlainSerializer

from schleier.core.sql import Typed, number

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

WHOLE = 2**53
"""Up to here every whole number is a float, too."""
LARGEST = 1.7976931348623157e308
"""The largest finite float."""


def short(number: float) -> int | float:
    """The number as a recipe writes it: 5 rather than 5.0."""
    return int(number) if number.is_integer() and abs(number) < WHOLE else number


Whole = Annotated[int, Field(strict=True, ge=-WHOLE, le=WHOLE)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False), PlainSerializer(short)]


def exact_number(number: float) -> Decimal:
    """The number as it is written: 0.1 is one tenth.

    >>> exact_number(0.1) * 3
    Decimal('0.3')
    """
    return Decimal(repr(number))


def number_text(number: Decimal) -> str:
    """Shortest text of a number, without exponent.

    >>> number_text(Decimal("20.0")), number_text(Decimal("1E+3")), number_text(Decimal("-0.0"))
    ('20', '1000', '0')
    """
    written = format(number, "f")
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def interval_label(lower: Decimal, upper: Decimal, whole: bool) -> str:
    """Label of the interval from lower up to, but not including, upper.

    >>> interval_label(Decimal(20), Decimal(25), whole=True), interval_label(Decimal(20), Decimal(25), whole=False)
    ('20-24', '[20, 25)')
    >>> interval_label(Decimal(-5), Decimal(0), whole=True), interval_label(Decimal(7), Decimal(8), whole=True)
    ('-5 to -1', '7')
    """
    if not whole:
        return f"[{number_text(lower)}, {number_text(upper)})"
    last = upper - 1
    if lower == last:
        return number_text(lower)
    return f"{number_text(lower)} to {number_text(last)}" if lower < 0 else f"{number_text(lower)}-{number_text(last)}"


def is_whole(values: pa.Array) -> bool:
    """Whether the type of the values holds whole numbers only."""
    import pyarrow as pa

    kind = values.type
    return bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale <= 0))


def floats(values: pa.Array) -> NDArray[np.float64]:
    """The values as floats; not-a-number where one is no number, or whole but too large to be exact."""
    import numpy as np
    import pyarrow as pa

    kind = values.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return np.full(len(values), np.nan)
    numbers: NDArray[np.float64] = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.where(np.abs(numbers) < WHOLE, numbers, np.nan) if is_whole(values) else numbers


def finite_sql(value: Typed) -> str:
    """Whether ``floats`` makes a finite number of a value, in SQL."""
    reach = float(WHOLE - 1) if value.kind == "integer" else LARGEST
    return f"{value.number} BETWEEN {number(-reach)} AND {number(reach)}"


def interval_labels(
    index: NDArray[np.floating[Any] | np.integer[Any]],
    covered: NDArray[np.bool_],
    label: Callable[[int], str],
) -> pa.Array:
    """Label of each interval index; every distinct index is labelled once."""
    import numpy as np
    import pyarrow as pa

    distinct, inverse = np.unique(np.where(covered, index, 0).astype(np.int64), return_inverse=True)
    written = pa.array([label(int(one)) for one in distinct], pa.string())
    return written.take(pa.array(inverse, mask=~covered))
