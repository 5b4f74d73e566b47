"""Numbers of classes brought to their records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset


def by_class(data: Dataset, classes: Classes, numbers: Mapping[str, NDArray[Any]], *further: str) -> nw.LazyFrame[Any]:
    """The row key, ``further`` columns, and the numbers of each record's class; missing where it has no class.

    >>> import numpy as np, pyarrow as pa
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.classes.request import Request
    >>> from schleier.core.schema import Column, Schema
    >>> schema = Schema(columns=[Column(name="x", scale="nominal")])
    >>> data = Dataset.from_frame(pa.table({"x": ["a", None, "a"]}), schema)
    >>> classes = data.classes(Request(keys=("x",)))
    >>> found = by_class(data, classes, {"risk": 1 / classes.sizes})
    >>> data.engine.arrays(found.sort("_row_"))["risk"].to_pylist()
    [0.5, 1.0, 0.5]
    """
    import narwhals as nw
    import pyarrow as pa

    from schleier.core.matching import matched

    places = {name: f"_number_{i}_" for i, name in enumerate(numbers)}
    columns = {places[name]: pa.array(each) for name, each in numbers.items()}
    found = matched(data, pa.table({**classes.combinations(), **columns}), classes.keys)
    named = {name: nw.col(place) for name, place in places.items()}
    return found.frame.select(data.schema.key, *further, **named)
