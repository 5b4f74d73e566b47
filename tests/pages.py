"""What tests of pages share: their prose, their links, the examples of modules."""

from __future__ import annotations

import doctest
import re
from typing import Any

from fenced import FENCE

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
"""How examples are compared."""
LINK = re.compile(r"!?\[[^]]*\]\((?P<target>[^)\s]+)[^)]*\)")


def prose(text: str) -> str:
    """A page without its blocks and its inline code."""
    kept, fence = [], ""
    for line in text.splitlines():
        found = FENCE.match(line)
        if found and not fence:
            fence = found["fence"]
        elif found and found["fence"].startswith(fence) and not found["info"].strip():
            fence = ""
        elif not fence:
            kept.append(re.sub(r"`[^`]*`", "", line) if not line.startswith("#") else line)
    return "\n".join(kept)


def examine(module: Any) -> doctest.TestResults:
    return doctest.testmod(module, optionflags=FLAGS)
