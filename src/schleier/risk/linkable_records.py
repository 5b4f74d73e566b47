"""Which records can be told to be about the same person, although nobody is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schleier.core.amount import in_tens
from schleier.core.data import tally
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.pairs import MATCH, matched_by
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

BINS = {"1": 1, "2": 2, "3-4": 3, "5-9": 5, "10-19": 10, "20+": 20}
"""Records of a unit, each bin with its smallest number."""
UNIT = "_unit_"
MOST = 0.5
"""A column that links the records of so many of the units with several stands in for the unit."""


class LinkableRecords(Measure):
    """Share of units (persons, households, devices) with several records that one released column links.

    A column links records of a unit where at least two of them have a value that no other unit has.

    >>> LinkableRecords().word()
    'linkable_records'
    """

    reference: ClassVar[str] = (
        "Kneuper (2020), personal reference of records that can be assigned to each other (K-004)"
    )
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """Every column may link records."""
        return tuple(schema.names)

    def measure(self, case: Case, run: Run) -> Finding:
        """Look for the column that links most units; a released unit links all its records."""
        shown = case.released.schema.having("unit")
        data = self._with_units(case, shown[0] if shown else None)
        sizes, records = _by_size(data)
        units, several = sum(sizes), sum(sizes[1:])
        linked = {
            name: several if name in shown else _linked(data, name)
            for name in (case.released.schema.names if several else shown)
        }
        best = max(linked, key=lambda name: linked[name], default="")
        found = linked.get(best, 0)
        most = {name: many / several for name, many in linked.items() if several and many >= MOST * several}
        detail: dict[str, Any] = {
            "units": units,
            "records": records,
            "several": several,
            "linked": found,
            "column": best if found else "",
            "unit_released": bool(shown),
            "stand_in": [name for name in most if name not in shown],
            "by_column": most,
            "sizes": {"bins": list(BINS), "counted": sizes},
        }
        value = found / units if units else 0.0
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Where the release does not hold the units, how many there are follows from the original: told in tens."""
        if case.released.schema.having("unit"):
            return exact
        # Steps follow from what is told, and not from how many units there are: else they would tell it. Nor is it told
        # how many records have one: the others, even a single one, would be the difference to the file.
        rows, found = case.released.genuine().rows, exact.detail
        told = found | {name: in_tens(found[name], rows) for name in ("several", "linked", "units")}
        told["records"] = in_tens(found["records"], rows)
        told["by_column"] = in_tens(found["by_column"], told["several"])
        told["sizes"] = found["sizes"] | {"counted": in_tens(found["sizes"]["counted"], rows)}
        value = in_tens(exact.value, told["units"])
        return self.phrase(exact.model_copy(update={"value": value, "detail": told}))

    def phrase(self, finding: Finding) -> Finding:
        """How many units, and by which column."""
        told: Mapping[str, Any] = finding.detail
        how = f"by '{told['column']}'" if told["column"] else "by no column"
        text = (
            f"Records of {told['linked']} of {told['units']} units ({finding.value:.2%}) can be told to belong "
            f"together, {how}; {told['several']} units have several records."
        )
        return finding.model_copy(update={"text": text})

    def _with_units(self, case: Case, shown: str | None) -> Dataset:
        """The released records that have a unit, with it: as released, or as only the holder knows it."""
        import narwhals as nw

        data = case.released.genuine()
        if shown is not None:
            frame = data.frame.with_columns(nw.col(shown).alias(UNIT))
        elif hidden := case.original.schema.having("unit"):
            left, right = matched_by(case)
            whose = case.original.frame.select(left, nw.col(hidden[0]).alias(UNIT))
            frame = data.frame.with_columns(right).join(whose, on=MATCH, how="inner")
        else:
            hint = 'give one column the role "unit", or leave the measure out'
            raise DataError(Problem("no-unit", "measure", "there is no unit column", hint))
        return replace(data, frame=frame.filter(~nw.col(UNIT).is_null()))


def _by_size(data: Dataset) -> tuple[list[int], int]:
    """Units by their number of records, and all records."""
    import narwhals as nw

    groups = replace(data, frame=data.frame.group_by(UNIT).agg(_n_=nw.len()))
    n, least = nw.col("_n_"), list(BINS.values())
    ends = [*(limit - 1 for limit in least[1:]), None]
    within = [(n >= low) if high is None else (n >= low) & (n <= high) for low, high in zip(least, ends, strict=True)]
    found = groups.totals(records=n.sum(), **{f"b{i}": tally(each) for i, each in enumerate(within)})
    return [int(found[f"b{i}"] or 0) for i in range(len(BINS))], int(found["records"] or 0)


def _linked(data: Dataset, name: str) -> int:
    """Units with a value of the column that no other has, in at least two records; a gap links nobody."""
    import narwhals as nw

    unit, n = nw.col(UNIT), nw.col("_n_")
    held = data.frame.filter(~nw.col(name).is_null())
    groups = held.group_by(name).agg(_n_=nw.len(), _low_=unit.min(), _high_=unit.max())
    own = groups.filter((n > 1) & (nw.col("_low_") == nw.col("_high_")))
    return int(replace(data, frame=own).totals(units=nw.col("_low_").n_unique())["units"] or 0)
