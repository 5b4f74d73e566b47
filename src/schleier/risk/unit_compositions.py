"""How many units are unlike all others as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schleier.core.amount import in_tens
from schleier.core.classes.compositions import Compositions, count_compositions
from schleier.core.classes.request import Request
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Section
from schleier.core.schema import Schema
from schleier.risk._keys import KeysMeasure
from schleier.risk._original import known_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

BINS = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6+": 6}
"""Members of a unit, each bin with its smallest number."""


class UnitCompositions(KeysMeasure):
    """Share of units (households, patients, firms) whose composition no other has, and of the records in them.

    The composition of a unit says which combinations of keys its members have, and how many members have each.

    >>> UnitCompositions(keys=["age", "sex"]).keys
    ('age', 'sex')
    """

    section: ClassVar[Section] = "units"
    reference: ClassVar[str] = "Nergiz, Clifton and Nergiz (2009), multirelational k-anonymity"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "schooling"]}
    counts_before: ClassVar[bool] = True
    inspected: ClassVar[int] = 4

    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out of its unit (exclude)."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys and units."""
        yield from super().problems(schema)
        if not schema.having("unit"):
            hint = 'give one column the role "unit", or leave the measure out'
            yield Problem("no-unit", "measure", "there is no unit column", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count units that are alike, before and after."""
        keys, old = self.keys or case.released.schema.quasi, case.original.schema
        found = self._composed(case.released, keys)
        keys_before = known_columns(keys, old)
        first = found if case.original is case.released else None
        if first is None and old.having("unit") and keys_before:
            first = self._composed(case.original, keys_before)
        after, sizes = _told(found), _by_size(found)
        detail: dict[str, Any] = {
            "keys": list(keys),
            "keys_before": list(keys_before),
            "before": None if first is None else _told(first),
            "after": after,
            "sizes": {"bins": list(BINS), "before": None if first is None else _by_size(first), "after": sizes},
            "several": _several(sizes),
        }
        share = float(after["unit_share"])
        return Finding(name=self.word(), value=share, better=self.better, text=_sentence(detail), detail=detail)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Of the original in tens of units, which are fewer than its records."""
        if case.original is case.released:
            return exact
        before, sizes, told = exact.detail["before"], exact.detail["sizes"], dict(exact.detail)
        if before is not None:
            units = int(before["units"])
            told |= {"before": _in_tens(before), "sizes": sizes | {"before": in_tens(sizes["before"], units)}}
        return exact.model_copy(update={"detail": told, "text": _sentence(told, at_most="at most ")})

    def phrase(self, finding: Finding) -> Finding:
        """Of a file that is not public, shares in steps of ten units too: there are fewer of them than records."""
        detail, units = finding.detail, int(finding.detail["after"]["units"])
        told = detail | {name: in_tens(detail[name], units) for name in ("after", "several")}
        told["after"] |= {name: detail["after"][name] for name in ("units", "unique_records")}
        text = _sentence(told, at_most="at most ")
        return finding.model_copy(update={"value": told["after"]["unit_share"], "detail": told, "text": text})

    def _composed(self, data: Dataset, keys: tuple[str, ...]) -> Compositions:
        """What units are made of; records that steps added hide nobody."""
        data = data.genuine()
        classes = data.classes(Request(keys=keys, missing=self.missing))  # other measures ask for the same one
        return count_compositions(data, classes, data.schema.having("unit")[0])


def _told(found: Compositions) -> dict[str, Any]:
    """Units and records, and those that are unique."""
    unique, units, records = found.alike < 2, _units(found), found.records
    unique_units, of = int(units[unique].sum()), int(units.sum())
    unique_records, total = int(records[unique].sum()), int(records.sum())
    return {
        "units": of,
        "records": total,
        "unique_units": unique_units,
        "unique_records": unique_records,
        "unit_share": unique_units / of if of else 0.0,
        "share": unique_records / total if total else 0.0,
    }


def _units(found: Compositions) -> NDArray[np.int64]:
    """Units of each entry; a record without a unit is one of its own."""
    return found.units + (found.records - found.units * found.members)


def _by_size(found: Compositions) -> dict[str, list[int]]:
    """Units by their number of members, all and those that are unique."""
    import numpy as np

    place, units = np.searchsorted(list(BINS.values()), found.members, side="right") - 1, _units(found)
    unique = np.where(found.alike < 2, units, 0)
    return {
        name: np.bincount(place, weights=many, minlength=len(BINS)).astype(np.int64).tolist()
        for name, many in (("counted", units), ("unique", unique))
    }


def _several(sizes: Mapping[str, list[int]]) -> dict[str, Any]:
    """The same of units with more than one member."""
    counted, unique = sum(sizes["counted"][1:]), sum(sizes["unique"][1:])
    return {"counted": counted, "unique": unique, "share": unique / counted if counted else 0.0}


def _in_tens(before: dict[str, Any]) -> dict[str, Any]:
    """Counts in tens, shares in steps of ten units: there are fewer of them than records."""
    told: dict[str, Any] = in_tens(before, before["units"])
    return told | {"unique_records": in_tens(before["unique_records"], before["records"])}


def _sentence(detail: Mapping[str, Any], at_most: str = "") -> str:
    after, before = detail["after"], detail["before"]
    first = "" if before is None else f"; before it was {at_most}{before['unit_share']:.2%} and {before['share']:.2%}"
    return (
        f"{after['unique_units']} of {after['units']} units ({after['unit_share']:.2%}) have a composition on "
        f"{len(detail['keys'])} known columns that no other has; {after['share']:.2%} of the records are in "
        f"them{first}."
    )
