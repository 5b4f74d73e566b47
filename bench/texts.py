"""The made-up persons as text files, plain and as a German office writes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from bench.data import VERSION, persons
from bench.harness import STORE

Style = Literal["plain", "german"]
TYPES = {
    "id": "BIGINT",
    "sex": "VARCHAR",
    "region": "VARCHAR",
    "title": "VARCHAR",
    "edu": "VARCHAR",
    "born": "DATE",
    "income": "DOUBLE",
    "rent": "DOUBLE",
    "hours": "BIGINT",
    "kids": "BIGINT",
    "nat": "VARCHAR",
    "weight": "DOUBLE",
}
OPTIONS: dict[Style, str] = {
    "plain": "delim = ',', dateformat = '%Y-%m-%d'",
    "german": "delim = ';', dateformat = '%d.%m.%Y', decimal_separator = ',', thousands = '.'",
}
"""What a user would tell DuckDB about each style."""


def text_file(rows: int, style: Style) -> Path:
    """A CSV file of 12 columns, made once: codes with leading zeros, fields in quotes, dates, empty fields."""
    import duckdb

    path = STORE / f"text-{VERSION}-{len(TYPES)}-{style}-{rows}.csv"
    if path.exists():
        return path
    if style == "german":
        delimiter, date = ";", "%d.%m.%Y"
        income, rent = (f"translate(format('{{:,.2f}}', {name}), ',.', '.,')" for name in ("income", "rent"))
        weight = "replace(CAST(weight AS VARCHAR), '.', ',')"
    else:
        delimiter, date, income, rent, weight = ",", "%Y-%m-%d", "income", "rent", "weight"
    partial = path.with_suffix(f".{os.getpid()}")
    duckdb.execute(f"""
        COPY (SELECT id, sex, region, if(hours % 20 = 0, 'Koch, "Köchin"; gelernt', 'Beruf ' || job) AS title, edu,
                     strftime(DATE '2024-12-31' - (CAST(age AS INTEGER) * 365 + hours), '{date}') AS born,
                     {income} AS income, if(kids = 4, NULL, {rent}) AS rent, hours, kids,
                     nat, {weight} AS weight
              FROM read_parquet('{persons(rows)}'))
        TO '{partial}' (FORMAT csv, DELIMITER '{delimiter}')""")
    partial.rename(path)
    return path
