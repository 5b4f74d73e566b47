"""Sampling fractions that differ between strata, written down in a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from schleier.core.errors import InfeasibleError, Problems
from schleier.core.record import Declared
from schleier.methods._condition import Value

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class StratumFraction(Declared):
    """The sampling fraction of the strata with these values.

    >>> StratumFraction(of={"region": "north"}, fraction=0.5).fits({"region": "north", "sex": None})
    True
    >>> StratumFraction(of={"region": 1}, fraction=0.5).fits({"region": "1"})  # codes are read as text
    True
    """

    of: dict[str, Value] = Field(min_length=1)
    """The values of some or all of the strata columns."""
    fraction: float = Field(gt=0, le=1)
    """Share of the units to take."""

    def fits(self, stratum: dict[str, Any]) -> bool:
        """Whether a stratum has all these values."""
        return all(stratum[name] == value or str(stratum[name]) == str(value) for name, value in self.of.items())


def fractions_of(
    keys: dict[str, pa.ChunkedArray], entries: Sequence[StratumFraction], otherwise: float | None
) -> NDArray[np.float64]:
    """The fraction of each stratum: that of the first entry that fits, else what holds otherwise.

    An entry no stratum fits would be a slip that nobody sees, so it is refused; so are strata without a fraction.
    """
    import numpy as np

    columns = {name: column.to_pylist() for name, column in keys.items()}
    strata = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    fits = np.array([[entry.fits(stratum) for entry in entries] for stratum in strata]).reshape(len(strata), -1)
    found, first = Problems(), fits.argmax(axis=1)
    for place in np.flatnonzero(~fits.any(axis=0)) if strata else ():
        message, hint = "no stratum has these values", "compare its values with those of the file"
        found.add("no-such-stratum", f"fractions[{place}]", message, hint)
    left = int((~fits.any(axis=1)).sum())
    if left and otherwise is None:
        message = f"{left} of {len(strata)} strata have no fraction"
        hint = "say fraction for all others, or name them under fractions"
        found.add("strata-left-over", "fractions", message, hint)
    found.raise_as(InfeasibleError)
    named = np.array([entry.fraction for entry in entries])[first]
    return np.where(fits.any(axis=1), named, otherwise or 0.0)
