"""What every format promises: it does what it declares, and refuses the rest in plain words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from schleier.core import registry
from schleier.core.address import Address
from schleier.core.errors import DataError, SchleierError, WriteError
from schleier.core.format import Format
from schleier.core.schema import Column
from schleier.flow.run.files import Files, format_of
from schleier.flow.run.reader import read, read_header

FORMATS = registry.names("format")
FILES = [name for name in FORMATS if registry.get("format", name).suffixes]
BATCH = pa.record_batch({"age": [30, 41], "sex": ["f", "m"]})
COLUMNS = (Column(name="age", scale="discrete"), Column(name="sex", scale="nominal"))
NEEDS = {"scan": {"header"}, "parse": {"header", "detect"}, "batches": {"header", "batches"}, "unwrap": {"unwrap"}}
"""What a way of reading asks of a format."""
TRAITS = {"explains": "dictionary", "writes": "write", "fills": "target"}


def form_of(name: str) -> Format:
    found = registry.get("format", name)()
    assert isinstance(found, Format)
    return found


def overridden(form: Format) -> set[str]:
    verbs = {"header", "detect", "batches", "unwrap", "dictionary", "write", "target"}
    return {verb for verb in verbs if getattr(type(form), verb) is not getattr(Format, verb)}


@pytest.mark.parametrize("name", FORMATS)
def test_it_implements_what_it_declares_and_nothing_else(name: str) -> None:
    form = form_of(name)
    traits = {verb for trait, verb in TRAITS.items() if getattr(form, trait)}
    assert overridden(form) == NEEDS[form.reading] | traits
    assert form.name == name
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in form.suffixes)


@pytest.mark.parametrize("name", FORMATS)
def test_what_it_does_not_declare_is_refused_in_plain_words(name: str, tmp_path: Path) -> None:
    form, path = form_of(name), tmp_path / "people.any"
    calls: dict[str, Callable[[], object]] = {
        "header": lambda: form.header(path),
        "detect": lambda: form.detect(path),
        "batches": lambda: form.batches(path),
        "unwrap": lambda: form.unwrap(path, tmp_path),
        "write": lambda: form.write([BATCH], BATCH.schema, path),
        "target": lambda: form.target(path, "people"),
    }
    for verb in calls.keys() - overridden(form):
        kind: type[SchleierError] = WriteError if verb in ("write", "target") else DataError
        with pytest.raises(kind) as caught:
            calls[verb]()
        (problem,) = caught.value.problems
        assert problem.code == "unknown-format"
        assert problem.message.startswith(f"a {name} file ")
    if "dictionary" not in overridden(form):
        assert form.dictionary(path) == {}


@pytest.mark.parametrize("name", FILES)
def test_its_endings_lead_to_it(name: str) -> None:
    for suffix in form_of(name).suffixes:
        assert format_of(Address(f"people{suffix.upper()}")).name == name


@pytest.mark.parametrize("name", [name for name in FILES if registry.get("format", name).writes])
def test_what_it_writes_it_reads(name: str, tmp_path: Path) -> None:
    form = form_of(name)
    path = tmp_path / f"people{form.suffixes[0]}"
    form.write([BATCH], BATCH.schema, path, columns=COLUMNS)
    assert list(read_header(path)[0]) == ["age", "sex"]
    from schleier.core.schema import Schema

    rows = read(path, Schema(columns=COLUMNS)).to_arrow()
    assert rows.to_pydict() == BATCH.to_pydict()


@pytest.mark.parametrize("name", [name for name in FILES if not registry.get("format", name).parts])
def test_a_part_is_refused_where_there_are_none(name: str, tmp_path: Path) -> None:
    form = form_of(name)
    path, contents = tmp_path / f"people{form.suffixes[0]}", (b"",)
    if form.reading == "unwrap":  # what is inside is looked at first: one of these it can unwrap
        path = tmp_path / f"people.csv{form.suffixes[0]}"
        import gzip

        contents = (gzip.compress(b"age\n1\n"), b'{"age": 1}\n')
    codes = []
    for content in contents:
        if content:
            path.write_bytes(content)
        with pytest.raises(DataError) as caught, Files() as files:
            files.file(f"{path}::sheet")
        codes += [problem.code for problem in caught.value.problems]
    assert "no-parts" in codes


def test_only_the_format_of_a_file_is_imported(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n30\n")
    shutil.copy(tmp_path / "people.csv", tmp_path / "people.txt")
    code = (
        "import sys; from schleier.flow.run.reader import read_header; read_header(sys.argv[1]);"
        "rooms = [name for name in sys.modules if name.startswith('schleier.formats.')];"
        "print(sorted(name.split('.')[2] for name in rooms if not name.split('.')[2].startswith('_')))"
    )
    for name in ("people.csv", "people.txt"):
        command = [sys.executable, "-c", code, str(tmp_path / name)]
        told = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ))
        assert told.stdout.strip() == "['csv']"
