"""The documents beside a released file: in its folder, or in the archive that was handed over."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schleier.core import registry
from schleier.core.address import Address
from schleier.core.errors import SchleierError

SCHEMA, REPORT = "schema.toml", "report.json"


@contextmanager
def documents_beside(file: Path | str) -> Iterator[Path]:
    """A folder with the schema and the report of a released file, as far as they are there.

    They are taken out of an archive where they lie in it; else they are looked for beside the archive.
    """
    address = Address.of(file)
    archives = [form for form in registry.every("format").values() if form.parts and form.reading == "unwrap"]
    form = next((form for form in archives if address.path.suffix.lower() in form.suffixes), None)
    if form is None or not address.path.is_file():
        yield address.path.parent
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in (SCHEMA, REPORT):
            try:
                form().unwrap(address.path, folder, part=name)
            except SchleierError:  # not in the archive, or no archive at all, which is said when its rows are read
                break
        yield folder if (folder / SCHEMA).is_file() else address.path.parent
