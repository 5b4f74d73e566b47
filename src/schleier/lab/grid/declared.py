"""What a grid is made of, as people write it in TOML."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from schleier.core.record import Declared
from schleier.lab.mistakes import Mistakes


def visible(name: str) -> str:
    """A name whose characters can all be seen: others would change how a page or a terminal shows what follows."""
    if any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") for one in name):
        raise ValueError("a name or title has characters that cannot be seen, such as control characters")
    return name


Share = Annotated[float, Field(gt=0, lt=1)]
Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(visible)]
Method = Literal["full", "none"]
Columns = Annotated[tuple[str, ...], Field(min_length=1)]


class Called(Declared):
    """What is told apart on the page."""

    name: Name


class ReleaseEntry(Declared):
    """A release to be attacked: made from a recipe in memory, or a folder that stands."""

    name: Name
    """What it is called on the page."""
    recipe: str = ""
    """The recipe it is made from, relative to the grid."""
    folder: str = ""
    """The folder of a release that was made before, with its restricted part."""
    original: str = ""
    """The rows it is made from, where that is another file than the recipe or the release says."""
    change: dict[str, dict[str, Any]] = Field(default_factory=dict, repr=False)
    """Changed parameters: for the name, or the word, of a step or criterion of the recipe the parameters it gets."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.recipe) == bool(self.folder):
            raise ValueError("a release is a recipe or a folder: say one of them")
        if self.folder and self.change:
            raise ValueError("a release that stands cannot be changed: name its recipe")
        return self


class KnowledgeEntry(Declared):
    """What an attacker knows of his targets: their true values, a file, or true values with mistakes in them."""

    name: Name
    """What it is called on the page."""
    known: str = ""
    """A file he holds; without it he knows rows of the original."""
    truth: str = ""
    """Who is who: a file with two columns, the row keys of both."""
    mistakes: Mistakes | None = Field(default=None, repr=False)
    """What goes wrong in his file, column by column."""
    preset: str = ""
    """A published error process in place of that: process_1 to process_4, or measured rates."""
    columns: dict[str, str] = Field(default_factory=dict)
    """For a preset: columns of the data, each with the variable of the source that it is."""
    seconds: dict[str, str] = Field(default_factory=dict)
    """For a preset: the column with the second code of a column."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if bool(self.known) != bool(self.truth):
            raise ValueError("known and truth go together: a file, and who is who in it")
        if self.preset and self.mistakes is not None:
            raise ValueError("say mistakes or a preset, not both")
        if bool(self.preset) != bool(self.columns):
            raise ValueError("preset and columns go together: which column is which variable")
        return self

    @property
    def exact(self) -> bool:
        """Whether he knows the true values of persons who took part."""
        return not (self.known or self.mistakes or self.preset)


class Declaration(Declared):
    """A whole grid. Every list is an axis; every combination is one experiment."""

    title: Annotated[str, AfterValidator(visible)] = ""
    """What the page is called."""
    releases: Annotated[tuple[ReleaseEntry, ...], Field(min_length=1)]
    """What is attacked."""
    techniques: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
    """How: entries like ``[[attacks]]`` of a recipe."""
    thresholds: tuple[Share, ...] = ()
    """From which probability on a technique claims, for those that ask; their own when empty."""
    keys: dict[Name, Columns] = Field(default_factory=dict)
    """Sets of columns the attacker knows, by name; those of the technique when empty."""
    knowledge: tuple[KnowledgeEntry, ...] = (KnowledgeEntry(name="exact"),)
    """What he knows of his targets; true values when left out."""
    method: Annotated[tuple[Method, ...], Field(min_length=1)] = ("full",)
    """Whether he knows the published steps and recodes his knowledge by them (full), or not (none)."""
    runs: int = Field(default=1, ge=1, le=20, strict=True)
    """How often each experiment is done, with mistakes drawn anew."""
