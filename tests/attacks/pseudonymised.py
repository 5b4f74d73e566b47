"""A column before and after it was pseudonymised, as attacks get it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

RUN = Run(key=bytes(32))


def keyed(value: str) -> str:
    return hmac.new(b"a long secret that nobody has", value.encode(), hashlib.sha256).hexdigest()[:32]


def fresh() -> Callable[[str], str]:
    """A new pseudonym for each record."""
    numbers = iter(range(10**9))
    return lambda value: keyed(f"{value}#{next(numbers)}")


def case(values: Sequence[str | None], make: Callable[[str], str], **more: Any) -> Case:
    keys = [f"r{i:05d}" for i in range(len(values))]
    made = [None if one is None else make(one) for one in values]
    columns = [Column(name="value", role="quasi", scale="text"), *(Column(**one) for one in more.pop("columns", ()))]
    schema = Schema(columns=columns, row_key="id")
    sides = ({"id": keys, "value": pa.array(one, pa.string()), **more} for one in (values, made))
    return Case(*(Dataset.from_frame(pa.table(side), schema) for side in sides))
