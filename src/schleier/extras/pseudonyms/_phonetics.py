"""Cologne phonetics: how a German name sounds, as digits (Postel 1969)."""

from __future__ import annotations

from functools import lru_cache

SOUNDS = (
    dict.fromkeys("AEIJOUY", "0") | dict.fromkeys("FVW", "3") | dict.fromkeys("GKQ", "4") | dict.fromkeys("MN", "6")
)
SOUNDS |= dict.fromkeys("SZ", "8") | {"B": "1", "L": "5", "R": "7", "H": ""}
HARD = set("AHKOQUX")


@lru_cache(maxsize=100_000)
def cologne(name: str) -> str:
    """The digits of a name of the letters a to z.

    >>> cologne("wikipedia"), cologne("muellerluedenscheidt"), cologne("meyer") == cologne("maier")
    ('3412', '65752682', True)
    """
    letters = [one for one in name.upper() if "A" <= one <= "Z"]
    digits = []
    for place, letter in enumerate(letters):
        before = letters[place - 1] if place else ""
        after = letters[place + 1] if place + 1 < len(letters) else ""
        digits.append(_sound(letter, before, after, first=place == 0))
    runs = "".join(digits)
    single = "".join(one for place, one in enumerate(runs) if not place or runs[place - 1] != one)
    return single[:1] + single[1:].replace("0", "")


def _sound(letter: str, before: str, after: str, *, first: bool) -> str:
    if letter == "P":
        return "3" if after == "H" else "1"
    if letter in "DT":
        return "8" if after in set("CSZ") else "2"
    if letter == "C":
        if first:
            return "4" if after in HARD | set("LR") else "8"
        return "4" if before not in set("SZ") and after in HARD else "8"
    if letter == "X":
        return "8" if before in set("CKQ") else "48"
    return SOUNDS[letter]
