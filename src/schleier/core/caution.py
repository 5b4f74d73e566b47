"""Why a release that meets its criteria is still not to be called safe without reservation: amber, not green."""

from __future__ import annotations

from schleier.core.record import Frozen


class Caution(Frozen):
    """One reservation; the report tells its sentence from its code (words ``caution.CODE``) and is amber for it.

    >>> Caution(code="wildcard", where="criteria[0]").columns
    ()
    """

    code: str
    """What it is about, in a word the report has a sentence for."""
    where: str = ""
    """The entry of the recipe it comes from."""
    columns: tuple[str, ...] = ()
    """The columns it is about."""
    sources: tuple[str, ...] = ()
    """Released columns that give them back, where it is about that."""
    share: float | None = None
    """The share of records it is about, where it is about a part of them."""
    command: str = ""
    """What to type to mend it, where a command does."""
