"""Which words of a German text are English: words that German does not have, outside of names and commands."""

from __future__ import annotations

import re

WORDS = frozenset(
    "the of and is are was were to for not with that which this these those it its has have had but or be been from by "
    "on at as no all any each every more fewer less than there here who whom whose what when where while how many much "
    "column columns row rows value values file files record records must should may might can cannot could would will "
    "name names table tables set say give leave out use take choose write written read found error usage show missing "
    "known unknown one two three does do did you your their they them only also too other others between into above "
    "below before after until without release recipe schema folder key keys step steps weight weights unit units "
    "number numbers needs need holds hold having exit message default required option argument".split()
) - {"was", "die", "so", "in", "an", "also", "name", "will", "gab", "table", "schema", "option", "argument", "release"}
QUOTED = re.compile(
    r"„[^“]*“|'[^']*'|`[^`]*`|\"[^\"]*\"|\[\[?[\w ]+\]?\]|<[^>]*>|--?[\w-]+|\w+ = \S+|[\w./-]+\.\w+|\w+::\w+|"
    r"schleier [^.]*|\b[a-z]+_[a-z_]+\b"
)
"""What is a name, a command or a word of the recipe."""
RECIPE_WORDS = {"identifier", "quasi", "sensitive", "weight", "unit", "plain"}
"""Words of the recipe that are English in every language."""


def english_words(text: str) -> set[str]:
    """English words of a text, without what stands in quotation marks and what is typed.

    >>> sorted(english_words("Es gibt keine Spalte „the age“, there are 3 columns."))
    ['are', 'columns', 'there']
    """
    words = re.findall(r"[A-Za-zÄÖÜäöüß]+", QUOTED.sub(" ", text))
    return {word.lower() for word in words} & WORDS - RECIPE_WORDS
