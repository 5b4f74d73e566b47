"""What the findings of an inspection must hold to be shown by the parts of its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from schleier.report.untold import Count, Form, Share


class Spread(Form):
    """How many records look alike."""

    records: Annotated[int, Field(gt=0, le=10**15)]
    unique: Count
    in_pairs: Count
    smallest: Count
    share: Share
    average: Share


class SizesAfter(Form):
    """Records by the size of their class."""

    bins: Sequence[str]
    after: Sequence[Count]


class AloneDetail(Form):
    """Who stands alone."""

    keys: Sequence[str]
    after: Spread
    sizes: SizesAfter


class Step(Form):
    """How many records so many columns are enough for."""

    columns: Count
    records: Count
    share: Share


class Found(Form):
    """Columns that single out so many records together."""

    columns: Sequence[str]
    unique: Count
    share: Share


class Added(Form):
    """What a column adds to the others."""

    unique: Count
    share: Share


class EnoughDetail(Form):
    """Which combinations are enough."""

    enough: Sequence[Step]
    worst: Sequence[Sequence[Found]]
    columns: Mapping[str, Added]
    most: Count
    limit: Share
    smallest_found: Count
    looked_at: Count
    cut: bool


class Column(Form):
    """A column by itself."""

    values: Count
    effective: float
    unique: Count
    share: Share
    missing_share: Share


class ColumnsDetail(Form):
    """All columns by themselves."""

    columns: Mapping[str, Column]
