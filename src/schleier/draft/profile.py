"""What a release profile proposes beyond its demands: rules for kinds of columns, and the reasons."""

from __future__ import annotations

import tomllib
from typing import Any, Literal, get_args

from pydantic import Field

from schleier.core.errors import RecipeError, stop
from schleier.core.pieces import purpose_of
from schleier.core.record import Frozen
from schleier.core.schema import Scale
from schleier.core.validation import nearest
from schleier.draft.steps import Access
from schleier.flow.recipe.parents import PROFILES

Text = dict[str, str]
"""A text by its language."""
UNSAID: Text = {"en": "", "de": ""}
"""For a step that belongs to the one before."""


def filled(text: Text, **values: Any) -> Text:
    """A text with what belongs into it, in all its languages.

    >>> filled({"en": "Dropped: {columns}."}, columns="a, b")
    {'en': 'Dropped: a, b.'}
    """
    return {lang: said.format(**values) for lang, said in text.items()}


class Rule(Frozen):
    """What is done with columns of some kind; a profile knows no names of columns."""

    meanings: tuple[str, ...] = ()
    """What such a column means; see ``meanings.toml``."""
    scales: tuple[Scale, ...] = ()
    """Or its scale."""
    forms: tuple[str, ...] = ()
    """Or the form of its values; see ``formats``."""
    upper: int | None = None
    """Larger numbers become this one."""
    oldest: int | None = None
    """Years and dates that tell this age, or a higher one, become one class; also dates of any other meaning."""
    staff: int | None = None
    """In a file of staff the highest age told, in place of the other: with the oldest, and the youngest, k people at
    least are one class."""
    hierarchy: dict[str, Any] | None = None
    """How it becomes coarser; the first level is the finest that is allowed."""
    then: dict[str, Any] | None = None
    """How the values of that level become coarser still."""
    inhabitants: int | None = None
    """With a table of inhabitants: finest areas that have so many, in place of the hierarchy."""
    drop: bool = False
    """Whether it is left out, unless a table of inhabitants says more."""
    reason: Text
    """Why, above the step; of births with the ``year`` ages are counted in, and the ``limit``."""
    claim: Text
    """What the proposal promises where the rule was followed; ``columns`` are those it was followed for."""
    staff_reason: Text = UNSAID
    """Why, in a file of staff, with the limits ``low`` and ``high``."""
    staff_claim: Text = UNSAID
    """What is promised in a file of staff."""
    absent: Text = UNSAID
    """What it says where the rule would be for numbers, but ``columns`` hold words."""


class Addition(Frozen):
    """An entry of the recipe that a profile proposes."""

    entry: dict[str, Any]
    when: Literal["always", "sensitive", "weight"] = "always"
    """Only for files with a sensitive column, or with a weight."""
    columns: Literal["", "quasi", "sensitive"] = ""
    """Which columns the entry is about."""
    reason: Text
    claim: Text
    """What the proposal promises where it was added; ``columns`` are those it is about."""
    numbers: Text = UNSAID
    """What is to be said on top where some of the columns hold numbers."""
    absent: Text = UNSAID
    """What the proposal says where it could not be added."""
    scaled: Text = UNSAID
    """What it says where there are weights, but they do not add up to a population."""


class Profile(Frozen):
    """A release profile: its demands stand in the file itself, which a recipe extends.

    >>> Profile.of("public_use").k
    5
    """

    name: str
    k: int
    """Smallest class it allows."""
    access: str = ""
    """Who gets a release of this profile; empty where it does not say."""
    max_suppressed: float = Field(default=0.0, ge=0, le=1)
    """Share of the records that it proposes to leave out at most."""
    reason: Text
    """Whom the file is for; what is promised depends on the file, and is said by the claims."""
    rules: tuple[Rule, ...] = ()
    steps: tuple[Addition, ...] = ()
    criteria: tuple[Addition, ...] = ()

    @staticmethod
    def names() -> list[str]:
        """The profiles there are."""
        return sorted(file.stem for file in PROFILES.glob("*.toml"))

    @staticmethod
    def for_access() -> dict[str, str]:
        """The profiles that say who gets a release, with what a recipe then has under ``access``.

        >>> Profile.for_access()
        {'public_use': 'public', 'scientific_use': 'contract', 'internal': 'on-site'}
        """
        told = {name: Profile.of(name).access for name in Profile.names()}
        return {name: access for wanted in get_args(Access) for name, access in told.items() if access == wanted}

    @staticmethod
    def of(name: str) -> Profile:
        """A profile that comes with Schleier."""
        if name not in Profile.names():
            hint = f"{nearest(name, Profile.names())} there are: {', '.join(Profile.names())}".strip()
            stop(RecipeError, "unknown-profile", "profile", f"there is no profile '{name}'", hint)
        table = tomllib.loads((PROFILES / f"{name}.toml").read_text(encoding="utf-8"))
        smallest = next(entry["k"] for entry in table["criteria"] if purpose_of(entry) == "records_alike")
        access = table.get("release", {}).get("access", "")
        return Profile(name=name, k=smallest, access=access, **table["profile"])
