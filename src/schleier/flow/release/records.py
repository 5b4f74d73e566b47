"""What measures know about single records: files for the data holder alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schleier.core.engine import Engine
    from schleier.core.run import Run


def write_by_record(run: Run, engine: Engine, folder: Path) -> None:
    """One Parquet file for each measure that kept something, in the order of the row key, its first column."""
    if not run.by_record:
        return
    folder.mkdir(mode=0o700)
    for label, make in run.by_record.items():
        with run.progress(f"record by record: {label}"):
            frame = make()
            names = frame.collect_schema().names()
            path = folder / f"{file_name(label)}.parquet"
            engine.write(frame, path, names[:1], names)
            path.chmod(0o600)


def file_name(label: str) -> str:
    """The label of a measure as the name of a file.

    >>> file_name("suda:age,sex"), file_name("my risk#2")
    ('suda_age_sex', 'my_risk_2')
    """
    return re.sub(r"[^\w-]+", "_", label).strip("_")[:100] or "records"
