"""Drafts and suggestions as recipes that run as they are, without a file in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schleier.core.errors import InfeasibleError, stop
from schleier.core.schema import Schema
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.recipe.writing import schema_table, toml


class ReadyDraft:
    """What ``describe`` found out, for whoever goes on in Python."""

    def to_recipe(self: Any) -> Recipe:
        """The drafted recipe; rows that were given in Python are given to ``run`` again."""
        return _recipe(self.file, self.schema, self.recipe)


class ReadySuggestion:
    """What ``suggest`` proposes, for whoever goes on in Python."""

    def to_recipe(self: Any) -> Recipe:
        """The proposed recipe; an error where no alternative is as strict as the profile."""
        from schleier.draft.suggest_text import entries_by_section

        if self.chosen is None:
            message, hint = "no alternative is as strict as the profile", "look through the alternatives"
            stop(InfeasibleError, "nothing-proposed", "profile", message, hint)
        entries = {name: [one.entry for one in part] for name, part in entries_by_section(self, self.chosen).items()}
        return _recipe(self.draft.file, self.draft.schema, {"extends": f"profile:{self.profile.name}", **entries})


def _recipe(file: str, schema: Schema, sections: Mapping[str, Any]) -> Recipe:
    data = {"data": {"file": file}} if file else {}
    return Recipe.from_toml(toml({**data, **schema_table(schema), **sections}))
