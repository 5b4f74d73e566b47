"""The language in which the reader is spoken to."""

from __future__ import annotations

import os


def language_of(lang: str | None = None) -> str:
    """The language to speak: as asked for, else SCHLEIER_LANG, else that of the terminal where it is German.

    >>> language_of("de")
    'de'
    """
    if lang or os.environ.get("SCHLEIER_LANG"):
        return lang or os.environ["SCHLEIER_LANG"]
    spoken = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "de" if spoken.lower().startswith("de") else "en"
