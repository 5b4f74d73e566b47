"""Names of text encodings."""

from __future__ import annotations

import codecs

from schleier.core.errors import SchemaError, stop


def codec_name(encoding: str) -> str:
    """The standard name of an encoding; stops when there is none.

    >>> codec_name("UTF8"), codec_name("Windows-1252")
    ('utf-8', 'cp1252')
    """
    try:
        "".encode(encoding)  # refuses what is known but not text, such as "hex"
        return codecs.lookup(encoding).name
    except LookupError:
        stop(SchemaError, "unknown-encoding", "schema.layout", f"there is no encoding '{encoding}'")
