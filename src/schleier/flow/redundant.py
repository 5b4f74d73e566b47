"""Keys that follow from other keys, such as a body mass index beside height and weight, or a code beside its label.

Making one of them coarser does nothing as long as the others give it back: so they are looked for first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from schleier.core.record import Frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

ROWS = 5_000
"""Records that are looked at."""
FEWEST, VALUES = 50, 8
"""So many records are needed, and so many different values of a key: few values are met by chance."""
MEAN, BESIDE = 5, 5
"""Two keys say the same only where a value has so many records on average, and so many are beside the commonest one:
what is unique, or the same nearly everywhere, goes together by chance."""
WITHIN, SHARE = 0.01, 0.95
"""A key is computed when a formula meets such a share of its values to within one or two hundredths of its range."""


class Redundant(Frozen):
    """A key that says nothing beside others."""

    column: str
    """What can be computed."""
    sources: tuple[str, ...]
    """What it is computed from: other keys, none of them redundant; a single one says the same."""


def redundant_keys(data: Dataset) -> tuple[Redundant, ...]:
    """Keys that say the same as another one, or are a sum, a product or a ratio of others.

    Of keys that say the same a word stays rather than its code, else the first; of keys that follow from each other by
    a formula the finest goes.

    >>> import pyarrow as pa
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.schema import Column, Schema
    >>> tall, heavy = [150 + n * 7 % 45 for n in range(400)], [45 + n * 11 % 60 for n in range(400)]
    >>> rows = {"tall": tall, "heavy": heavy, "index": [w / (t / 100) ** 2 for t, w in zip(tall, heavy)]}
    >>> schema = Schema(columns=[Column(name=name, role="quasi", scale="continuous") for name in rows])
    >>> redundant_keys(Dataset.from_frame(pa.table(rows), schema))
    (Redundant(column='index', sources=('tall', 'heavy')),)
    """
    found = _same(data)
    return (*found, *_computed(data, {one.column for one in found}))


def _same(data: Dataset) -> tuple[Redundant, ...]:
    """Keys each of whose values belongs to one value of another key, and the other way round."""
    import numpy as np

    from schleier.core.classes.table import sorted_codes

    names = sorted(data.schema.quasi, key=lambda name: data.schema[name].numeric)  # words before their codes
    if len(names) < 2:
        return ()
    table = data.engine.arrays(data.frame.select(*names).head(ROWS))
    coded = {name: sorted_codes(table[name])[1].astype(np.int64) for name in names}
    values = {name: len(np.unique(codes)) for name, codes in coded.items()}
    able = [name for name in names if 1 < values[name] <= table.num_rows / MEAN and table.num_rows >= FEWEST]
    found: dict[str, str] = {}
    for place, name in enumerate(able):
        for other in able[:place]:
            if other not in found and values[other] == values[name] and _one_to_one(coded[other], coded[name]):
                found[name] = other
                break
    return tuple(Redundant(column=name, sources=(found[name],)) for name in data.schema.quasi if name in found)


def _one_to_one(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether there are as many pairs as values of either, a gap being one of them, and enough beside the commonest."""
    import numpy as np

    _, rows = np.unique(np.stack([one, other]), axis=1, return_counts=True)
    return len(rows) == len(np.unique(one)) and int(rows.sum() - rows.max()) >= BESIDE


def _computed(data: Dataset, gone: Collection[str]) -> tuple[Redundant, ...]:
    """Keys that a formula gives back, but for those that are gone already."""
    import numpy as np

    names = [name for name in data.schema.quasi if data.schema[name].numeric and name not in gone]
    if len(names) < 3:
        return ()
    table = data.engine.arrays(data.frame.select(*names).head(ROWS))
    columns = {name: table[name].cast("float64").to_numpy().astype(np.float64) for name in names}
    finest = sorted(names, key=lambda name: -len(np.unique(columns[name])))
    found: list[Redundant] = []
    for name in finest:
        left = [one for one in names if one != name and one not in {before.column for before in found}]
        if len(np.unique(columns[name])) >= VALUES and (sources := _sources(columns, name, left)):
            found.append(Redundant(column=name, sources=sources))
    return tuple(found)


def _sources(columns: dict[str, NDArray[np.float64]], name: str, others: Sequence[str]) -> tuple[str, ...]:
    """What a key is computed from; nothing where it is not, or from one alone, which then says the same."""
    import numpy as np

    from schleier.kernels.inference.rebuilding import best_linear

    if len(others) < 2:
        return ()
    wanted, given = columns[name], np.stack([columns[one] for one in others], axis=1)
    whole = np.isfinite(given).all(axis=1) & np.isfinite(wanted)
    wanted, given = wanted[whole], given[whole]
    if len(wanted) < FEWEST:
        return ()
    formula = best_linear(_scaled(wanted), given, WITHIN, SHARE)
    positive = [j for j in range(len(others)) if (given[:, j] > 0).all()]
    if formula.share < SHARE and len(positive) > 1 and (wanted > 0).all():  # powers are linear in logarithms
        formula = best_linear(_scaled(np.log(wanted)), np.log(given[:, positive]), WITHIN, SHARE)
        others = [others[j] for j in positive]
    return tuple(others[j] for j in sorted(formula.places)) if len(formula.places) > 1 else ()


def _scaled(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 1 to 2: a year must be met as exactly as an age."""
    lowest = numbers.min()
    result: NDArray[np.float64] = (numbers - lowest) / max(float(numbers.max() - lowest), 1e-300) + 1.0
    return result
