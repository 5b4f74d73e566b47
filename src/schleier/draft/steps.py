"""The steps and demands of a draft recipe, from the guesses and what is known of the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from schleier.core.classes.request import Request
from schleier.core.pieces import made, piece
from schleier.core.record import Declared
from schleier.core.units import units
from schleier.draft.coarsening import Coarsening, coarsening

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.data import Dataset

Access = Literal["public", "contract", "on-site"]
Protection = Literal["normal", "high", "very high"]

K: Mapping[Access, Mapping[Protection, int]] = {
    "public": {"normal": 5, "high": 10, "very high": 20},
    "contract": {"normal": 3, "high": 5, "very high": 10},
    "on-site": {"normal": 3, "high": 3, "very high": 5},
}
"""Smallest class, by who gets the file and how much harm a disclosure could do. A proposal: the steward decides."""
TAIL = 0.01
"""Share of the records whose sensitive numbers are capped at the top."""
FEWEST = 3
"""A capped tail holds at least so many records."""
TARGETS, WIDE = 1000, 300
KEYS = 62
"""What can be known of a record is compared on so many columns at most; of more, the last are left out."""


class Purpose(Declared):
    """What the steward says about the release."""

    title: str = ""
    purpose: str = ""
    access: Access = "public"
    protection: Protection = "normal"
    language: Literal["en", "de"] = "en"
    format: str = ""
    """Format of the release; that of the file when left out."""
    k: int | None = None
    """Smallest class; proposed from access and protection when absent."""

    @property
    def smallest(self) -> int:
        """The k of the draft."""
        return self.k or K[self.access][self.protection]


def classes_of(data: Dataset, keys: tuple[str, ...]) -> Classes:
    """The classes of some keys, with their units where there are units."""
    unit = next(iter(data.schema.having("unit")), None)
    return data.classes(Request(keys=keys, units=unit, members=unit is not None))


def recipe_of(
    data: Dataset, purpose: Purpose, redundant: Sequence[str] = (), classes: Classes | None = None
) -> dict[str, Any]:
    """The sections of a recipe: drop what names people or is undecided, coarsen, cap, blank what stays rare.

    Keys that are ``redundant`` are left out too: as long as they are there, coarsening what they follow from is vain.
    The classes of all that is known outside may be given where they are at hand.
    """
    schema, rows = data.schema, data.rows
    steps: list[dict[str, Any]] = []
    named = list(schema.having("identifier"))
    if named and len(named) == len(schema.columns):
        named = []  # nothing would be left; the check will say that identifiers would be released
    named += schema.quasi[KEYS:]
    redundant = [name for name in redundant if name not in named]
    if named:
        steps.append(piece("leave_out", columns=named))
    if schema.undecided:
        steps.append(piece("leave_undecided"))
    if redundant:
        steps.append(piece("leave_redundant", columns=list(redundant)))
        data = data.described(schema.without(redundant))
    quasi = tuple(name for name in schema.quasi[:KEYS] if name not in redundant)
    k = purpose.smallest
    unit = next(iter(schema.having("unit")), None)
    if quasi and (classes is None or classes.keys != quasi):
        classes = classes_of(data, quasi)
    coarser = coarsening(data, classes, k) if quasi and classes else Coarsening((), {})
    levels = coarser.levels
    # A draft does not give up keys for the number of a unit: where the levels of records leave units apart, it goes.
    apart = bool(unit and classes and not made("units_alike", k=k).met([classes.at(levels)]))
    if not apart:
        steps += [piece("number_anew", column=name) for name in schema.having("unit")]
    if quasi:
        steps += [
            piece("coarser_values", column=name, level=level)
            for name, level in zip(quasi, levels, strict=True)
            if level
        ]
    steps += [step for name in schema.having("sensitive") if (step := capped(data, name))]
    found: dict[str, Any] = {}
    if quasi:
        steps.append(coarser.blanking)
        found["criteria"] = [piece("records_alike", k=k)]
        if unit and not apart:
            found["criteria"].append(piece("units_alike", k=k))
        found["attacks"] = [piece("found_by_keys", targets=min(TARGETS, rows))]
    if apart:  # at the end: until then units are counted, for those of one unit do not hide each other
        steps.append(piece("leave_units"))
    left = schema.without([*named, *schema.undecided])
    found["measures"] = [piece("standing_alone")] if quasi else []
    if quasi and unit and not apart:
        found["measures"].append(piece("units_compared"))
    if quasi and 0 < len(left.having("sensitive")) <= WIDE:
        found["measures"].append(piece("learned_from_classes"))
    if len(left.columns) <= WIDE:
        found["measures"].append(piece("cells_changed"))
    if any(column.numeric for column in left):
        found["measures"].append(piece("spread_changed"))
    about = purpose.model_dump(exclude={"k"}, exclude_defaults=True) | {
        "access": purpose.access,
        "protection": purpose.protection,
    }
    order = ("steps", "criteria", "measures", "attacks")
    return {"release": about} | {name: entries for name in order if (entries := {"steps": steps, **found}.get(name))}


def capped(data: Dataset, name: str) -> dict[str, Any] | None:
    """A limit above which about one in a hundred values lies, at least three, and as round as it can be."""
    import narwhals as nw
    import numpy as np

    if not data.schema[name].numeric:
        return None
    values = data.engine.arrays(data.frame.select(name))[name].drop_null().to_numpy()
    values = np.sort(values.astype(np.float64))
    if len(np.unique(values)) < 20:
        return None
    beyond = max(FEWEST, int(len(values) * TAIL))
    while beyond < len(values) / 10:
        limit = round_below(float(values[-beyond]), float(values[-beyond - 1]))
        if units(data, nw.col(name) > limit) >= FEWEST:
            return piece("cap", column=name, upper=limit)
        beyond *= 2
    return None


def round_below(upper: float, lower: float) -> int | float:
    """The roundest number from ``lower`` to just below ``upper``.

    >>> round_below(9187.5, 8640.0), round_below(7, 3)
    (9000, 3)
    """
    import math

    if not lower < upper:
        return int(lower) if float(lower).is_integer() else lower
    for power in range(math.floor(math.log10(max(abs(upper), abs(lower), 1e-9))), -10, -1):
        for step in (10.0**power, 5 * 10.0 ** (power - 1), 2 * 10.0 ** (power - 1)):
            place = math.ceil(lower / step) * step
            if lower <= place < upper:
                place = round(place, max(-power + 1, 0))
                return int(place) if place.is_integer() else place
    return int(lower) if float(lower).is_integer() else lower
