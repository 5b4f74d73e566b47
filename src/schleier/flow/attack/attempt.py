"""What came of attacks on a release: exactly, for the holder, and as everybody may read it."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.measure import Finding
from schleier.core.record import Frozen
from schleier.core.shown import Shown

ATTEMPT_FORMAT = "schleier-attempt-1"
Judge = Literal["original", "pairs", "nobody"]


class Tried(Frozen):
    """One technique, and what came of it."""

    attack: str
    """Its word."""
    parameters: dict[str, Any] = Field(default_factory=dict, repr=False)
    """Those that are not the usual ones, as it was tried."""
    exact: Finding | None = None
    """What the trustee counted: for the holder alone. Nothing where nobody could judge."""
    public: Finding | None = None
    """The same as everybody may read it: intervals in coarse steps. Nothing where that would still give somebody away,
    or where nobody could judge."""
    targets: int | None = None
    """Where nobody could judge: persons looked for."""
    claims: int | None = None
    """Where nobody could judge: claims made, right or wrong."""

    @property
    def judged(self) -> bool:
        """Whether the trustee could tell right from wrong."""
        return self.claims is None


class LeftOut(Frozen):
    """A technique that was not asked for by name, and could not be tried."""

    attack: str
    """Its word."""
    problems: tuple[Problem, ...] = ()
    """Why: for the holder alone."""


class Attempt(Shown, Frozen):
    """What attackers made of a release: counts and names of columns, never a value, a person or a record."""

    format: str = ATTEMPT_FORMAT
    """Version of this document's form."""
    schleier: str
    """Version of Schleier that tried."""
    release: str
    """The last part of the name of what was attacked."""
    records: int
    """Released records."""
    persons: int | None = None
    """Persons in the attacker's file; nothing where he knew true values of persons who took part."""
    columns: tuple[str, ...] = ()
    """What that file has in common with the release."""
    alike: dict[str, str] = Field(default_factory=dict)
    """Columns of that file that were not read, and those of the release that they may be by their names."""
    judged_by: Judge
    """How the trustee knew who is who: by making the release once more, by a table, or not at all."""
    whole: bool
    """Whether the restricted part of the release was at hand."""
    tried: tuple[Tried, ...]
    """The techniques, in order."""
    left_out: tuple[LeftOut, ...] = ()
    """Techniques that would be tried without being asked for, and cannot be here."""
    automatic: bool = False
    """Whether all techniques were tried that fit, as far as they can be without the original."""
    untold: tuple[str, ...] = ()
    """Steps the attacker could not repeat on his file, because the report does not say enough."""
    unused_pairs: int | None = None
    """Rows of the table of who is who that name nobody in these files: for the holder alone."""
    restricted: bool = True
    """Whether it has exact counts, which are for the holder alone."""

    def public(self) -> Attempt:
        """The same without what only the holder may read."""
        told = tuple(one.model_copy(update={"exact": None}) for one in self.tried)
        left = tuple(one.model_copy(update={"problems": ()}) for one in self.left_out)
        changed = {"tried": told, "left_out": left, "unused_pairs": None, "restricted": False}
        return self.model_copy(update=changed)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was judged: exactly where that may be read here, else as everybody reads it."""
        found = (one.exact if self.restricted else one.public for one in self.tried)
        return tuple(one for one in found if one is not None)

    def to_json(self) -> str:
        """The document as JSON."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"

    def __str__(self) -> str:
        """Every technique in a sentence."""
        return "\n".join(f"{one.attack}: {_sentence(one, restricted=self.restricted)}" for one in self.tried)


def _sentence(one: Tried, *, restricted: bool) -> str:
    found = one.exact if restricted else one.public
    if not one.judged:
        return f"{one.targets} persons looked for, {one.claims} claims made; nobody judged them."
    return found.text if found is not None else "Only the holder may read what came of it."
