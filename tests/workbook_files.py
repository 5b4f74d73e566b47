"""Workbooks that no library writes for us: with a password, and of LibreOffice."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

NAMES = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
SECTOR, END, FREE = 512, 0xFFFFFFFE, 0xFFFFFFFF


def encrypted(path: Path, secret: bytes) -> Path:
    """What Office writes for a workbook with a password: a compound file with a stream EncryptedPackage."""
    data = secret.ljust(9 * SECTOR, b"x")
    chain = [0xFFFFFFFD, END, *range(3, 11), END]
    table = chain + [FREE] * (SECTOR // 4 - len(chain))
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<10I", 0, 1, 1, 0, 4096, END, 0, END, 0, 0) + struct.pack("<I", FREE) * 108
    directory = _entry("Root Entry", 5, 1, END, 0) + _entry("EncryptedPackage", 2, FREE, 2, len(data))
    path.write_bytes(head + struct.pack("<128I", *table) + directory + _entry("", 0, FREE, 0, 0) * 2 + data)
    return path


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    word = (name + "\0").encode("utf-16-le") if name else b""
    links = struct.pack("<HBB3I", len(word), kind, 1, FREE, FREE, child)
    return word.ljust(64, b"\0") + links + bytes(36) + struct.pack("<IQ", start, size)


def opendocument(path: Path, rows: str, sheet: str = "People") -> Path:
    """A sheet of LibreOffice from the XML of its rows."""
    names = " ".join(f'xmlns:{word}="{NAMES.format(word)}"' for word in ("office", "table", "text"))
    table = f'<table:table table:name="{sheet}">{rows}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        out.writestr("META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{NAMES.format("manifest")}"/>')
        out.writestr("content.xml", f"<office:document-content {names}>{body}</office:document-content>")
    return path


def cell(text: str, more: str = "") -> str:
    """A cell with a text, with further attributes."""
    return f'<table:table-cell office:value-type="string"{more}><text:p>{text}</text:p></table:table-cell>'
