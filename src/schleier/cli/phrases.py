"""Sentences with holes, recognised when they are filled in and said in another language with the same fillings.

English is written where it is said; the other languages stand in files, beside the English sentence they translate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

HOLE = re.compile(r"\{(\d)\}")
FILLED = re.compile(r"(„|`|::|= ?|\[|)\{(\d)(?:([:?])([^{}|]*)\|([^{}|]*))?\}")
"""A hole, with the sign before it that says that a name or a word of the recipe follows: they are never translated."""
Fill = Callable[[str], str]


class Phrases:
    """Sentences by their English text; ``{0}`` stands for what is filled in.

    In the other language ``{0}`` is what was filled in, ``{0:row|rows}`` a number with the noun it counts, and
    ``{0?is|are}`` only the word that fits the number.

    >>> said = Phrases({"{0} rows of '{1}' are empty": "In „{1}“ {0?ist|sind} {0:Zeile|Zeilen} leer"})
    >>> said.tell("1 rows of 'age' are empty"), said.tell("2 rows of 'age' are empty"), said.tell("none")
    ('In „age“ ist 1 Zeile leer', 'In „age“ sind 2 Zeilen leer', None)
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        # The one that says most by itself fits best: "there is no {0}" would also fit what others say more exactly.
        order = sorted(texts, key=lambda text: -len(HOLE.sub("", text)))
        self._open = [(_pattern(text), texts[text]) for text in order if HOLE.search(text)]

    def tell(self, text: str, fill: Fill = str) -> str | None:
        """The sentence in the other language, or nothing when it is not among them; ``fill`` translates fillings."""
        if text in self._texts:
            return self._texts[text]
        for pattern, other in self._open:
            if match := pattern.fullmatch(text):
                given = {hole.removeprefix("h"): found for hole, found in match.groupdict().items()}
                return FILLED.sub(lambda hole, given=given: _filled(hole, given, fill), other)  # type: ignore[misc]
        return None


def _pattern(text: str) -> re.Pattern[str]:
    """What a sentence looks like when its holes are filled; the same hole twice holds the same."""
    parts, seen, start = [], set[str](), 0
    for hole in HOLE.finditer(text):
        name = f"h{hole[1]}"
        parts += [re.escape(text[start : hole.start()]), f"(?P={name})" if name in seen else f"(?P<{name}>.*?)"]
        seen.add(name)
        start = hole.end()
    return re.compile("".join([*parts, re.escape(text[start:])]), re.DOTALL)


def _filled(hole: re.Match[str], given: Mapping[str, str], fill: Fill) -> str:
    before, place, sign, one, many = hole.groups()
    value = given[place]
    if not sign:
        return before + (value if before else fill(value))
    word = one if value.strip() == "1" else many
    return before + (word if sign == "?" else f"{fill(value)} {word}")
