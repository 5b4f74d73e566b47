"""Text that a spreadsheet would run as a formula, and the mark before it that makes it text again."""

from __future__ import annotations

import re
from typing import Final, Literal

MARK: Final[Literal["'"]] = "'"
RISKY = "'*[=+\\-@\\t\\r\\n]"
"""How such text begins. Marks that are there already count, so that taking one off gives back what was there."""
GUARDED = "'+[=+\\-@\\t\\r\\n]"
"""How text begins that was marked."""
HARMLESS = "[+-](?:[0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?)?"
"""Numbers, and a sign alone, are what they look like and stay as they are."""


def unguarded(text: str, mark: str) -> str:
    """A text as it was before it was marked; unchanged where there is no mark.

    >>> unguarded("'=1+1", MARK), unguarded("''=1+1", MARK), unguarded("'tis", MARK), unguarded("'=1+1", "")
    ('=1+1', "'=1+1", "'tis", "'=1+1")
    """
    return text[1:] if mark and re.match(GUARDED, text) else text
