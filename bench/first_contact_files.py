"""Files as they are brought by people who have never used Schleier, each with what its columns are."""

from __future__ import annotations

import json
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.guesses import foreign, made

if TYPE_CHECKING:
    import pandas as pd

ROWS = 400
TOLD = Path(__file__).with_suffix(".toml")
CODE = {"values": [1, 2, 3, 4], "gaps": 0.1}


class Brought(NamedTuple):
    """A file on the disk, and the roles that fit each of its columns."""

    path: Path
    truth: Mapping[str, tuple[str, ...]]


def told_files() -> list[dict[str, Any]]:
    """What is said of each file."""
    found: list[dict[str, Any]] = tomllib.loads(TOLD.read_text(encoding="utf-8"))["file"]
    return found


def bring(told: Mapping[str, Any], folder: Path) -> Brought:
    """Write a file into a folder."""
    if "public" in told:
        labels = tomllib.loads((TOLD.parent / "guesses" / "labels.toml").read_text(encoding="utf-8"))
        path = foreign.write(told["public"], folder).rename(folder / told["name"])
        return Brought(path, {name: _roles(one) for name, one in labels[told["public"]]["columns"].items()})
    source = made.made()[told["from"]]["columns"]
    columns = {name: source[name] for name in told.get("columns", source)}
    columns |= {name: {"is": role, **CODE} for role, names in told.get("more", {}).items() for name in names}
    frame = made.drawn(told["from"], columns, told.get("rows", ROWS))
    path = folder / told["name"]
    WRITERS[path.suffix](frame, columns, path)
    return Brought(path, {name: _roles(spec["is"]) for name, spec in columns.items()})


def _roles(one: str | list[str]) -> tuple[str, ...]:
    return (one,) if isinstance(one, str) else tuple(one)


def _csv(frame: pd.DataFrame, _: Mapping[str, Any], path: Path) -> None:
    """As R and pandas write it, with the names of the rows in a column without a name."""
    frame.to_csv(path, index=path.stem.startswith("from_"))


def _package(frame: pd.DataFrame, columns: Mapping[str, Any], path: Path) -> None:
    import pyreadstat

    labels = {n: {int(k): told for k, told in c["labels"].items()} for n, c in columns.items() if "labels" in c}
    plain = frame.astype({name: float for name in frame if frame[name].dtype.kind in "iuf"})
    titles = {n: c["title"] for n, c in columns.items() if "title" in c}
    if path.suffix == ".por":
        plain.columns = plain.columns.str.upper().str[:8]
        pyreadstat.write_por(plain, path)
    elif path.suffix == ".sav":
        pyreadstat.write_sav(plain, path, column_labels=titles, variable_value_labels=labels)
    else:
        pyreadstat.write_dta(plain, path, column_labels=titles, variable_value_labels=labels, version=14)


def _excel(frame: pd.DataFrame, _: Mapping[str, Any], path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["List of staff, as of the end of the year"])
    sheet.append([])
    sheet.append([*frame.columns])
    for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False):
        sheet.append([*row])
    sheet.append([])
    sheet.append(["Source: personnel department; confidential"])
    book.save(path)


def _lines(frame: pd.DataFrame, _: Mapping[str, Any], path: Path) -> None:
    frame.to_json(path, orient="records", lines=True)


def _r(frame: pd.DataFrame, _: Mapping[str, Any], path: Path) -> None:
    from tests.r_files import data_frame, numbers, rds, texts

    found = {}
    for name in frame:
        values = frame[name]
        if values.dtype.kind in "iuf":
            found[str(name)] = numbers([*values.astype(float)])
        else:
            found[str(name)] = texts(
                [None if gap else str(one) for one, gap in zip(values, values.isna(), strict=True)]
            )
    path.write_bytes(rds(data_frame(found, len(frame))))


def _parquet(frame: pd.DataFrame, _: Mapping[str, Any], path: Path) -> None:
    """With a point for each record where the file is about places."""
    import struct

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    if path.stem == "places":
        points = [struct.pack("<BIdd", 1, 1, 8 + n / 1000, 50 + n / 900) for n in range(len(frame))]
        geo = {
            "version": "1.0.0",
            "primary_column": "geometry",
            "columns": {"geometry": {"encoding": "WKB", "geometry_types": ["Point"]}},
        }
        table = table.append_column("geometry", pa.array(points))
        table = table.replace_schema_metadata({"geo": json.dumps(geo)})
    pq.write_table(table, path)


def _fixed(frame: pd.DataFrame, _: Mapping[str, Any], path: Path) -> None:
    texts = frame.astype("string").fillna("")
    widths = {name: max(int(texts[name].str.len().max()), 1) for name in texts}
    lines = texts.agg(lambda row: "".join(str(row[name]).rjust(width) for name, width in widths.items()), axis=1)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    start, fields = 1, ["name,start,width"]
    for name, width in widths.items():
        fields.append(f"{name},{start},{width}")
        start += width
    path.with_suffix(".dictionary.csv").write_text("\n".join(fields) + "\n", encoding="utf-8")


def _zip(frame: pd.DataFrame, _: Mapping[str, Any], path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{path.stem}.csv", frame.to_csv(index=False, sep=";", decimal=","))


WRITERS = {
    ".csv": _csv,
    ".sav": _package,
    ".por": _package,
    ".dta": _package,
    ".xlsx": _excel,
    ".jsonl": _lines,
    ".rds": _r,
    ".parquet": _parquet,
    ".fwf": _fixed,
    ".zip": _zip,
}
