"""File formats in and out. A format is one file with one class; the registry finds it by name.

What other rooms may ask of this one beside the formats themselves: how texts write dates, and what an Arrow type means.
"""

from __future__ import annotations

from schleier.formats._evidence import date_format, is_date
from schleier.formats._kinds import kind_of

__all__ = ["date_format", "is_date", "kind_of"]
