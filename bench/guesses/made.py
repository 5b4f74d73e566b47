"""Files in the style of code books and registers, drawn alike each time from what ``made.toml`` says of columns."""

from __future__ import annotations

import tomllib
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ROWS = 1500
MADE = Path(__file__).with_name("made.toml")


def made() -> dict[str, Any]:
    """What is said of each file."""
    return tomllib.loads(MADE.read_text(encoding="utf-8"))


def write(name: str, folder: Path) -> Path:
    """Write one of the files."""
    told, path = made()[name], folder / name
    frame = drawn(name, told["columns"])
    if path.suffix == ".dta":
        _write_stata(frame, told["columns"], path)
    else:
        german = {"sep": ";", "decimal": ","} if told.get("german") else {}
        frame.to_csv(path, index=False, **german)
    return path


def drawn(name: str, columns: dict[str, Any], rows: int = ROWS) -> pd.DataFrame:
    """The columns of a file, each alike whatever the others are."""
    import numpy as np
    import pandas as pd

    found = {}
    for column, spec in columns.items():
        random = np.random.default_rng(crc32(f"{name} {column}".encode()))
        found[column] = pd.Series(_drawn(spec, random, rows)).mask(random.random(rows) < spec.get("gaps", 0.0))
    return pd.DataFrame(found).convert_dtypes()


def _drawn(spec: dict[str, Any], random: np.random.Generator, rows: int) -> Any:
    import numpy as np

    if "group" in spec:  # records of one household or person stand together
        number = np.cumsum(random.random(rows) < 1 / spec["group"])
        low = spec["whole"][0] if "whole" in spec else 1
        return [_numbered(spec["pattern"], n) for n in number] if "pattern" in spec else low + number
    if "pattern" in spec:
        most = 10 ** min(spec["pattern"].count("#"), 15)
        return [_numbered(spec["pattern"], n) for n in random.integers(0, most, rows)]
    if "serial" in spec:
        low, high = spec["serial"]
        step = max((high - low) // rows, 1)  # a number of its own for each, somewhere in its part of the range
        return random.permutation(low + step * np.arange(rows) + random.integers(0, step, rows))
    if "whole" in spec:
        return random.integers(spec["whole"][0], spec["whole"][1] + 1, rows)
    if "amount" in spec:
        return random.uniform(*spec["amount"], rows).round(2)
    if "dates" in spec:
        first, last = (date.fromisoformat(day) for day in spec["dates"][:2])
        days = random.integers(0, (last - first).days + 1, rows)
        return [(first + timedelta(days=int(n))).strftime(spec["dates"][2]) for n in days]
    values = [spec["values"][i] for i in random.integers(0, len(spec["values"]), rows)]
    return [f"{value} {i}" for i, value in enumerate(values)] if spec.get("number") else values


def _numbered(pattern: str, number: int) -> str:
    signs = pattern.count("#")
    return pattern.replace("#" * signs, f"{number:0{signs}d}")


def _write_stata(frame: Any, columns: dict[str, Any], path: Path) -> None:
    import pyreadstat

    labels = {n: {int(k): told for k, told in c["labels"].items()} for n, c in columns.items() if "labels" in c}
    plain = frame.astype({name: float for name in frame if frame[name].dtype.kind in "iuf"})
    titles = [c.get("title", "") for c in columns.values()]
    pyreadstat.write_dta(plain, path, column_labels=titles, variable_value_labels=labels, version=14)
