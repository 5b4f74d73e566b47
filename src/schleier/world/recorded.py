"""What stands in the release of a design: not what is true, but what somebody said and somebody else coded.

Rates are published ones (``kernels.population.published_rates``); how far a wrong code or year is off is our choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schleier.world.designs import AMBIGUOUS, SCHOLAR_KEYS, Design
from schleier.world.questions import ALL_KEYS
from schleier.world.stream import Stream

if TYPE_CHECKING:
    import pyarrow as pa

RATES = {"scholars": "process_1", "survey": "allbus"}
"""Table 9.4 and Table 4.3. Where a scholar has a second code it is taken by half of them besides: process 2."""
SAME = {
    "status": "occupational_status",
    "field": "field_of_study",
    "size_class": "municipality_size",
    "birth_year": "age",
    "birth_half": "birth_half_year",
}
ASKED = {
    "marital": "marital_status",
    "schooling": "school_degree",
    "vocational": "vocational_degree",
    "status": "occupational_status",
    "hours": "weekly_hours",
    "searching": "unemployed",
    "contract": "employed",
    "ended": "year_of_last_employment",
    "household_income": "income",
    "livelihood": "main_income_source",
    "education": "in_school",
}
FEW = 10
"""Categories up to which a wrong one may be any other; of more it is one that is near."""


def variables(design: Design) -> dict[str, str]:
    """For each key of a design the variable whose rate is published; where there is none, one that is like it."""
    if design == "scholars":
        return {name: SAME.get(name, name) for name in SCHOLAR_KEYS}
    found = {}
    for name in ALL_KEYS:
        plain = name.removeprefix("partner_")
        if name.startswith("child_"):
            plain = name.removeprefix("child_").rsplit("_", 1)[0]
        found[name] = "children" if name.startswith("children_") else ASKED.get(plain, plain)
    return found


def recorded(released: pa.Table, design: Design, key: bytes) -> pa.Table:
    """The table with mistakes in it, and of two codes the one that the person took himself."""
    import numpy as np

    from schleier.kernels.population.published_rates import published_rates

    rates, stream = published_rates()[RATES[design]], Stream(key, 0)
    for name, variable in variables(design).items():
        values = released[name].combine_chunks()
        hit, where = (stream.generator(f"recorded-{name}-{what}").random(len(values)) for what in ("hit", "to"))
        wrong = _wrong(values, rates[variable], hit, where)
        if design == "scholars" and name in AMBIGUOUS:
            other = released[f"{name}_2"].combine_chunks()
            taken = stream.generator(f"recorded-{name}-second").random(len(values)) < 0.5
            wrong = _coded(np.where(taken & np.asarray(other.is_valid()), _codes(other), _codes(wrong)), wrong)
        released = released.set_column(released.column_names.index(name), name, wrong)
    return released


def _wrong(values: Any, rate: float, hit: Any, where: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    from schleier.kernels.change.mistakes import changed_codes, errors, near_categories, other_categories

    if not pa.types.is_dictionary(values.type):
        known = values.fill_null(0).to_numpy()
        off = np.where(hit < rate, errors(where, 1.5, whole=True), 0.0)
        return pa.array((known + off).astype(known.dtype), mask=np.asarray(values.is_null()))
    size = len(values.dictionary)
    chances = other_categories(size) if size <= FEW else near_categories(size, 3.0)
    return _coded(changed_codes(_codes(values), np.full(size, rate), chances, hit, where), values)


def _codes(values: Any) -> Any:
    import numpy as np

    return np.asarray(values.indices.fill_null(-1)).astype(np.int64)


def _coded(codes: Any, like: Any) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(codes.astype("int32"), mask=codes < 0), like.dictionary)
