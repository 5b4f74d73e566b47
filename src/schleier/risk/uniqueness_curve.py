"""How uniqueness falls with the size of a file and grows with the number of known columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schleier.core.component import counted
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.risk._keys import KeysMeasure
from schleier.risk._weights import cautions, weight_of, weighted_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.run import Run

WORK = 1_000_000_000
"""Classes times columns tried, at most, for each of the two orders: beyond it fewer columns are put in order."""


class UniquenessCurve(KeysMeasure):
    """Share of unique records, and what it would be in smaller samples of the file and with fewer known columns.

    >>> UniquenessCurve(fractions=[0.1, 1]).fractions
    (0.1, 1.0)
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche, Wirth et al. (1991), 4.2 (uniqueness by file size and key)"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age", "region"]}

    fractions: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    """Parts of the file, as random samples of its records, for which the expected share is told."""
    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out (exclude)."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Fractions are parts of the file."""
        yield from super().problems(schema)
        if not self.fractions or any(not 0 < each <= 1 for each in self.fractions):
            hint = "a tenth of the file is 0.1, the whole file 1"
            yield Problem("bad-fraction", "fractions", "parts of the file are above 0 and at most 1", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Thin the classes out, and roll them up column by column."""
        data = case.released
        weight, unweighted = weight_of(data)
        classes = data.classes(self.request(data.schema, weight=weight))
        records, unique = classes.records, int((classes.sizes == 1).sum())
        drawn = sorted({max(round(each * records), 1) for each in self.fractions}) if records else []
        steps = _steps(len(classes.keys), len(classes))
        worst, best = (_order(classes, steps, drawn, most=most) for most in (True, False))
        value = unique / records if records else 0.0
        over = _curve(classes.sizes, drawn)
        detail: dict[str, Any] = {
            "keys": list(classes.keys),
            "records": records,
            "unique": unique,
            "samples": drawn,
            "shares": over,
            "smallest_sample": drawn[0] if drawn else 0,
            "smallest_share": over[0] if over else 0.0,
            "worst_order": worst,
            "best_order": best,
            "cut": steps < len(classes.keys),
            **cautions({"cut": steps < len(classes.keys), "weights": unweighted}),
        }
        if (share := weighted_share(classes, classes.sizes == 1)) is not None:
            detail["weighted_share"] = share
        known = counted(len(classes.keys), "known column")
        text = (
            f"{unique} of {records} records ({value:.2%}) are unique on {known}; in a random "
            f"sample of {detail['smallest_sample']} of them {detail['smallest_share']:.2%} would be."
        )
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)


def _steps(keys: int, classes: int) -> int:
    """How many columns there is time to put in order; the first one always is.

    >>> _steps(8, 5_000_000), _steps(40, 5_000_000)
    (8, 5)
    """
    tried = 0
    for step in range(keys):
        tried += keys - step
        if tried * classes > WORK:
            return max(step, 1)
    return keys


def _order(classes: Classes, steps: int, drawn: list[int], *, most: bool) -> list[dict[str, Any]]:
    """The columns as an attacker would learn them for most (or fewest) unique records, each with what it leads to."""
    from schleier.kernels.classes.uniqueness import order_columns, prefixes

    order = order_columns(classes.codes, classes.sizes, steps, most=most)
    sizes = prefixes(classes.codes, classes.sizes, [column for column, _ in order])
    records = classes.records
    return [
        {
            "column": classes.keys[column],
            "unique": unique,
            "share": unique / records if records else 0.0,
            "shares": _curve(each, drawn),
        }
        for (column, unique), each in zip(order, sizes, strict=True)
    ]


def _curve(sizes: NDArray[np.int64], drawn: list[int]) -> list[float]:
    """Expected share of unique records in samples of so many records."""
    from schleier.kernels.classes.uniqueness import unique_in_sample
    from schleier.kernels.population.uniques import frequencies

    occurring, counts = frequencies(sizes)
    return [unique_in_sample(occurring, counts, each) for each in drawn]
