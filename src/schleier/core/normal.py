"""The normal form every dataset is brought into at ingest, whatever it was read from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.data import Dataset, tally
from schleier.core.engine import Engine
from schleier.core.errors import DataError, Problem, Problems, stop
from schleier.core.schema import Column, Schema, is_reserved

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

TYPES = {
    "discrete": ("integer", "number", "decimal"),
    "continuous": ("integer", "number", "decimal"),
    "time": ("date", "time"),
}
"""Logical types a scale accepts; the other scales accept everything."""
ITEMS = ("text", "integer")
"""Logical types the items of a list may have."""
LARGEST_WEIGHT = 1_000_000_000_000
"""Persons one row may stand for, also one of a table of counts; more, or infinitely many, could not be added up."""


def normal(frame: nw.LazyFrame[Any], schema: Schema, engine: Engine) -> Dataset:
    """Columns in order with the row key; numbers as whole or floating numbers; codes for missing and NaN empty."""
    import narwhals as nw

    held = dict(frame.collect_schema())
    types = {name: logical(dtype) for name, dtype in held.items()}
    misfits(types, schema, "data").raise_as(DataError)
    raw = frame.select(nw.col(schema.key), *(nw.col(name) for name in schema.names))
    columns = [_missing(column, held[column.name]) for column in schema]
    data = Dataset(raw.select(nw.col(schema.key), *columns), schema, engine)
    floating = [c for c in schema if types[c.name] in ("number", "decimal")]
    # Draws are keyed by the text of a unit: 7.0 is written differently by every engine, 7 is not.
    data = _whole(data, [c.name for c in floating if c.scale == "discrete" or c.role == "unit"])
    _unique_key(data)
    _weights_are_positive(data)
    return data


def refuse_reserved(names: Iterable[str]) -> Problems:
    """Columns of the data whose names are kept for working columns."""
    found = Problems()
    taken = [name for name in names if is_reserved(name)]
    if taken:
        message = f"the data have columns with reserved names: {listed(taken)}"
        found.add(
            "reserved-name", "data", message, "names may not begin and end with an underscore, nor be *: rename them"
        )
    return found


def alike(names: Iterable[str]) -> list[str]:
    """Names that differ only in capitals.

    >>> alike(["AGE", "sex", "age"])
    ['AGE', 'age']
    """
    names = list(names)
    folded = Counter(name.lower() for name in names)
    return [name for name in names if folded[name.lower()] > 1]


def told_apart(table: pa.Table, schema: Schema) -> pa.Table:
    """A table without columns that only capitals tell from those described: an engine would give them other names."""
    described = {*schema.names, schema.key}
    folded = {name.lower() for name in described}
    twice = [name for name in alike(table.column_names) if name.lower() in folded]
    if twice and schema.others == "error":
        message = f"names of columns differ only in capitals: {listed(twice)}"
        stop(DataError, "repeated-name", "data", message, 'rename one of them, or set others = "drop" in [schema]')
    return table.drop_columns([name for name in twice if name not in described])


def logical(dtype: nw.dtypes.DType) -> str:
    """Logical type of a column: integer, number, decimal, text, date, time, boolean, list or other.

    >>> import narwhals as nw
    >>> logical(nw.Int16()), logical(nw.Categorical())
    ('integer', 'text')
    """
    import narwhals as nw

    if dtype.is_integer():
        return "integer"
    if dtype.is_float():
        return "number"
    kinds: dict[str, tuple[type[nw.dtypes.DType], ...]] = {
        "decimal": (nw.Decimal,),
        "text": (nw.String, nw.Categorical, nw.Enum),
        "date": (nw.Date,),
        "time": (nw.Datetime,),
        "boolean": (nw.Boolean,),
    }
    if isinstance(dtype, nw.List) and logical(_inner(dtype)) in ITEMS:
        return "list"
    return next((name for name, types in kinds.items() if isinstance(dtype, types)), "other")


def _inner(dtype: nw.List) -> nw.dtypes.DType:
    return dtype.inner if not isinstance(dtype.inner, type) else dtype.inner()


def misfits(types: dict[str, str], schema: Schema, where: str, *, typed: bool = True) -> Problems:
    """What does not fit between a file's columns (name -> logical type) and the schema; no row is looked at."""
    found = Problems()
    absent = [name for name in schema.names if name not in types]
    if absent:
        folded = {name.lower() for name in absent}
        near = [name for name in types if name.lower() in folded]
        hint = f"write names with the capitals they have there: {listed(near)}" if near else "correct the schema"
        found.add("unknown-column", where, f"the data have no column {listed(absent)}", hint)
    if schema.row_key and schema.row_key not in types:
        found.add("unknown-column", where, f"the data have no column '{schema.row_key}' (the row key)")
    if schema.row_key and typed and types.get(schema.row_key) not in (None, "integer", "text"):
        found.add("row-key-type", where, "the row key must hold whole numbers or text")
    known = {*schema.names, schema.key}
    rest = [name for name in types if name not in known]
    if rest and schema.others == "error":
        way_out = 'describe them, or set others = "drop" in [schema]'
        # Where no name is known the file may have no header, and its "names" are the values of a person.
        headed = any(name in types for name in (*schema.names, schema.row_key))
        named = listed(rest) if headed else f"any of its {len(rest)} columns"
        found.add("undescribed-column", where, f"the schema does not describe {named}", way_out)
    if typed:
        for column in schema:
            _check_type(column, types.get(column.name), where, found)
    return found


def _check_type(column: Column, held: str | None, where: str, found: Problems) -> None:
    """Whether a column may hold what it holds; nothing when the file does not have it."""
    if held == "list" and (column.scale not in ("nominal", "text") or column.role in ("quasi", "unit", "weight")):
        message = f"column '{column.name}' holds lists of items and cannot be {column.scale} and {column.role}"
        hint = 'scale "nominal" and role "sensitive" or "plain", and the criterion km_anonymity'
        found.add("wrong-type", where, message, hint)
    elif held == "other" or (held and column.scale in TYPES and held not in TYPES[column.scale]):
        message = f"column '{column.name}' is declared {column.scale} but holds {held} values"
        found.add("wrong-type", where, message, "change its scale or convert the file")


def _missing(column: Column, dtype: nw.dtypes.DType) -> nw.Expr:
    """A column in its normal type, with declared missing codes and NaN made empty."""
    import narwhals as nw

    value, held = nw.col(column.name), logical(dtype)
    if isinstance(dtype, nw.Datetime) and dtype.time_unit == "ns" and dtype.time_zone is None:
        value = value.cast(nw.Datetime("us"))  # what every engine and the digest can hold
    if held == "decimal":
        value, held = value.cast(nw.Float64), "number"
    if held == "text":
        value = value.cast(nw.String)
    codes = [str(code) if held == "text" else code for code in column.missing]  # 99 in a text column is "99"
    gone = [
        value == code
        for code in codes
        if isinstance(code, str) == (held == "text") and held in ("text", "integer", "number")
    ]
    if held == "number":
        gone.append(value.is_nan())
    if not gone:
        return value.alias(column.name)
    return nw.when(~nw.any_horizontal(*gone, ignore_nulls=True)).then(value).alias(column.name)


def _weights_are_positive(data: Dataset) -> None:
    """A negative weight would hide a small class behind a sum, and an infinite one has none."""
    import narwhals as nw

    weights = [name for name in data.schema.having("weight") if data.schema[name].numeric]
    below = {f"_below_{i}_": tally(nw.col(name) < 0) for i, name in enumerate(weights)}
    above = {f"_above_{i}_": tally(nw.col(name) > LARGEST_WEIGHT) for i, name in enumerate(weights)}
    counts = data.totals(**below, **above) if weights else {}
    found = Problems()
    for i, name in enumerate(weights):
        if count := counts[f"_below_{i}_"]:
            message = f"{count} rows of the weight '{name}' are negative"
            found.add("negative-weight", "data", message, "correct the file")
        if count := counts[f"_above_{i}_"]:
            message = f"{count} rows of the weight '{name}' are above {LARGEST_WEIGHT:,}"
            hint = "a weight says how many persons a record stands for: correct the file"
            found.add("large-weight", "data", message, hint)
    found.raise_as(DataError)


def _whole(data: Dataset, names: list[str]) -> Dataset:
    """Discrete columns and units stored as floating numbers become whole; broken ones are counted, never shown."""
    import narwhals as nw

    if not names:
        return data
    broken = data.totals(**{name: tally(_broken(nw.col(name))) for name in names})
    found = Problems()
    for name, count in broken.items():
        if count:
            declared = "discrete" if data.schema[name].scale == "discrete" else "a unit"
            message = f"column '{name}' is declared {declared} but {count} rows hold numbers with decimals"
            found.add("not-whole", "data", message, "round it first, or declare something else")
    found.raise_as(DataError)
    return data.mutate(**{name: nw.col(name).cast(nw.Int64) for name in names})


def _broken(value: nw.Expr) -> nw.Expr:
    """Numbers that are not whole, or too large for a floating number to be whole with certainty."""
    return (value.abs() > float(2**53)) | (value != value.floor())


def _unique_key(data: Dataset) -> None:
    """A declared row key must tell rows apart; an assigned one does. Rows are counted on the way."""
    import narwhals as nw

    if data.schema.row_key is None:
        return
    # Groups and not COUNT(DISTINCT): that keeps every key twice, which takes half as long again.
    keys = replace(data, frame=data.frame.group_by(data.schema.key).agg(_n_=nw.len()))
    n, missing = nw.col("_n_"), nw.col(data.schema.key).is_null()
    seen = keys.totals(rows=n.sum(), distinct=nw.len(), gaps=nw.when(missing).then(n).otherwise(nw.lit(0)).sum())
    repeated = (seen["rows"] or 0) - seen["distinct"]
    vars(data)["rows"] = int(seen["rows"] or 0)
    if repeated or seen["gaps"]:
        message = f"the row key does not tell rows apart: {repeated} repeated, {seen['gaps'] or 0} missing"
        raise DataError(Problem("row-key-not-unique", "data", message, "choose another row_key or leave it out"))
