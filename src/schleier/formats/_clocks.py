"""Days and points in time as statistical packages count them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

DAY = 86_400
FIRST, LAST = -719_162, 2_932_896
"""The years 1 to 9999, in days from 1970: what every engine and Python itself can hold."""


@dataclass(frozen=True)
class Clock:
    """Where a package begins to count, and how finely: Stata counts days of a date and milliseconds of a time.

    >>> import numpy as np
    >>> STATA.dates(np.array([0.0, np.nan]), 1).to_pylist()
    [datetime.date(1960, 1, 1), None]
    """

    origin: int
    """Days from the first day it counts to 1970."""
    day: int
    """Ticks of a date in a day."""
    second: int
    """Ticks of a point in time in a second."""

    def dates(self, ticks: NDArray[np.float64], day: int) -> pa.Array:
        """Ticks as dates, where ``day`` ticks are a day; NaN is missing."""
        import numpy as np
        import pyarrow as pa

        days = np.floor(ticks / day) - self.origin
        return pa.array(np.nan_to_num(days).astype(np.int32), mask=np.isnan(days)).cast(pa.date32())

    def times(self, ticks: NDArray[np.float64], second: int) -> pa.Array:
        """Ticks as points in time to the millisecond: finer a floating number does not tell them since 1582."""
        import numpy as np
        import pyarrow as pa

        thousandths = np.round(ticks * 1000 / second) - self.origin * DAY * 1000.0
        moments = pa.array(np.nan_to_num(thousandths).astype(np.int64), mask=np.isnan(thousandths))
        return moments.cast(pa.timestamp("ms")).cast(pa.timestamp("us"))

    def bad(self, ticks: NDArray[np.float64], day: int) -> NDArray[np.bool_]:
        """Which ticks lie before the year 1 or after 9999; ``day`` ticks are a day."""
        import numpy as np

        days = np.floor(ticks / day) - self.origin
        return (days < FIRST) | (days > LAST)

    def ticks(self, column: Any) -> NDArray[np.float64]:
        """Dates or points in time as the package writes them; NaN where missing."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.types as is_a

        if is_a.is_date(column.type):
            days = column.cast(pa.date32()).cast(pa.int32()).cast(pa.float64())
            return np.asarray((days.to_numpy(zero_copy_only=False) + self.origin) * self.day)
        moments = column.cast(pa.timestamp("ms", column.type.tz), safe=False).cast(pa.int64()).cast(pa.float64())
        thousandths = moments.to_numpy(zero_copy_only=False) + self.origin * DAY * 1000.0
        return np.asarray(thousandths * self.second / 1000)


SPSS = Clock(141_428, DAY, 1)
STATA = Clock(3_653, 1, 1000)
SAS = Clock(3_653, 1, 1)
