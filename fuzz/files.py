"""Data files with something wrong in them: sound ones in every format, and then spoiled byte by byte."""

from __future__ import annotations

import codecs
import gzip
import io
import random
import sys
import zipfile
from functools import cache
from pathlib import Path

from fuzz.recipes import MARK, NUMBER

ROWS = 24
NAMES = ["person", "age", "sex", "region", "income"]
SCHEMA = """
[schema]
others = "drop"
columns = [
  { name = "person", role = "identifier", scale = "text" },
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "sex", role = "quasi", scale = "nominal" },
]
"""
MARKS = [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE]


def rows() -> list[list[object]]:
    """The same rows in every format."""
    return [
        [f"{MARK} {n}", 20 + n % 9, "mf"[n % 2], MARK if n == 2 else "abc"[n % 3], NUMBER if n == 4 else 900 + n]
        for n in range(ROWS)
    ]


@cache
def sound(ending: str, folder: Path) -> bytes:
    """A sound file of a format."""
    table = rows()
    path = folder / f"sound{ending}"
    text = "\n".join(",".join(map(str, row)) for row in [NAMES, *table]) + "\n"
    if ending == ".csv":
        return text.encode()
    if ending == ".csv.gz":
        return gzip.compress(text.encode(), mtime=0)
    if ending == ".zip":
        with io.BytesIO() as out:
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("people.csv", text)
            return out.getvalue()
    if ending in (".xlsx", ".ods"):
        return _workbook(ending, table, path)
    if ending == ".duckdb":
        import duckdb

        with duckdb.connect(str(path)) as database:
            database.register("frame", _table(table))
            database.execute("CREATE TABLE people AS FROM frame")
        return path.read_bytes()
    return _typed(ending, table, path)


def _table(table: list[list[object]]) -> object:
    import pyarrow as pa

    return pa.table(dict(zip(NAMES, map(list, zip(*table, strict=True)), strict=True)))


def _typed(ending: str, table: list[list[object]], path: Path) -> bytes:
    from schleier.core import registry

    held = _table(table)
    words = {".parquet": "parquet", ".feather": "feather", ".sav": "spss", ".dta": "stata"}
    form = registry.get("format", words[ending])()
    form.write(held.to_batches(), held.schema, path)  # type: ignore[attr-defined]
    return path.read_bytes()


def _workbook(ending: str, table: list[list[object]], path: Path) -> bytes:
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from workbook_files import cell, opendocument

    if ending == ".ods":
        lines = ("".join(cell(str(value)) for value in row) for row in [NAMES, *table])
        opendocument(path, "".join(f"<table:table-row>{line}</table:table-row>" for line in lines))
    else:
        import openpyxl

        book = openpyxl.Workbook()
        for row in [NAMES, *table]:
            book.active.append(row)
        book.save(path)
    return path.read_bytes()


ENDINGS = (
    ".csv",
    ".csv",
    ".csv",
    ".csv.gz",
    ".zip",
    ".xlsx",
    ".ods",
    ".parquet",
    ".feather",
    ".sav",
    ".dta",
    ".duckdb",
)


def spoiled(seed: int, folder: Path) -> Path:
    """The file of a number, written into a folder."""
    draw = random.Random(seed)
    ending = draw.choice(ENDINGS)
    content = sound(ending, folder)
    if ending == ".csv" and draw.random() < 0.4:
        content = _recoded(content, draw)
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        content = draw.choice([_flipped, _flipped, _cut, _put, _moved, _numbers])(content, draw)
    path = folder / f"file{ending}"
    path.write_bytes(content)
    return path


def _recoded(content: bytes, draw: random.Random) -> bytes:
    """Another encoding, with one byte order mark or several."""
    encoding = draw.choice(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "cp1252", "utf-7"])
    return draw.choice(MARKS) * draw.randint(0, 3) + content.decode().encode(encoding)


def _flipped(content: bytes, draw: random.Random) -> bytes:
    spoiled = bytearray(content)
    for _ in range(draw.choice([1, 2, 8])):
        if spoiled:
            spoiled[draw.randrange(len(spoiled))] = draw.randrange(256)
    return bytes(spoiled)


def _cut(content: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(content) + 1)
    return content[:place] if draw.random() < 0.5 else content[:place] + content[place + draw.randint(1, 64) :]


def _put(content: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(content) + 1)
    odd = [b"\0", b'"', b"\n", b"\r", b"\xff\xfe", b"'", b",,,,", b";", bytes(draw.randrange(256) for _ in range(9))]
    return content[:place] + draw.choice(odd) * draw.choice([1, 2, 40]) + content[place:]


def _moved(content: bytes, draw: random.Random) -> bytes:
    one, two = draw.randrange(len(content) + 1), draw.randrange(len(content) + 1)
    return content[:one] + content[two : two + draw.randint(1, 200)] + content[one:]


def _numbers(content: bytes, draw: random.Random) -> bytes:
    """A length or an offset that is far too large."""
    place = draw.randrange(max(len(content) - 8, 1))
    return (
        content[:place] + draw.choice([b"\xff" * 4, b"\x7f\xff\xff\xff", b"\xff" * 8, b"\0" * 4]) + content[place + 4 :]
    )
