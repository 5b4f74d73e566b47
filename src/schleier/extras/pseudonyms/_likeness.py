"""How alike two identities are, field by field, as levels; what a level is worth says the model."""

from __future__ import annotations

from functools import lru_cache

from schleier.extras.pseudonyms._identity import Identity
from schleier.extras.pseudonyms._phonetics import cologne

CLOSE, NEAR = 0.84, 0.65
"""How much of the longer word stays when the fewest letters are changed."""


@lru_cache(maxsize=200_000)
def changes(one: str, other: str) -> int:
    """The fewest letters to change, add, drop or exchange with their neighbour.

    >>> changes("liam", "ilam"), changes("elki", "elk"), changes("", "ab")
    (1, 1, 2)
    """
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]


def of_words(one: str, other: str) -> str:
    """The level of two names or towns.

    >>> of_words("meyer", "maier"), of_words("anna", "anna"), of_words("anna", "")
    ('sounds', 'equal', 'missing')
    """
    if not one or not other:
        return "missing"
    if one == other:
        return "equal"
    longer = max(len(one), len(other))
    rest = 1 - changes(one, other) / longer if abs(len(one) - len(other)) <= (1 - NEAR) * longer else 0.0
    if rest >= CLOSE or (longer - rest * longer <= 1.001 and longer > 3):
        return "close"
    if cologne(one) == cologne(other):
        return "sounds"
    shorter, long = sorted((one, other), key=len)
    begins = len(shorter) > 3 and long.startswith(shorter)
    return "near" if rest >= NEAR or begins else "different"


def of_digits(one: str, other: str) -> str:
    """The level of two dates or postcodes.

    >>> of_digits("19900103", "19900301"), of_digits("55116", "55161"), of_digits("55116", "10115")
    ('near', 'close', 'different')
    """
    if not one or not other:
        return "missing"
    if one == other:
        return "equal"
    if len(one) == 8 == len(other) and one[:4] == other[:4] and one[4:6] == other[6:] and one[6:] == other[4:6]:
        return "near"
    many = changes(one, other)
    return "close" if many == 1 else "near" if many == 2 and len(one) > 5 else "different"


def names(one: Identity, other: Identity) -> tuple[str, str]:
    """The levels of given name and surname; names that were exchanged, or changed by a marriage, are found."""
    given, surname = of_words(one.given_name, other.given_name), of_words(one.surname, other.surname)
    if surname in ("different", "near"):
        born = (one.birth_name, one.surname), (other.birth_name, other.surname)
        if any(left and left == right for left in born[0] for right in born[1] if one.birth_name or other.birth_name):
            surname = "birth"
    if surname == "different" and given != "equal":
        crossed = of_words(one.given_name, other.surname), of_words(one.surname, other.given_name)
        if all(level in ("equal", "close", "sounds") for level in crossed):
            return "missing", "crossed"  # one thing that happened, weighed once
        if "equal" in crossed and given == "different":
            return "missing", "half"
    return given, surname


def levels(one: Identity, other: Identity) -> dict[str, str]:
    """The level of each field; postcode and town say much the same, so they are one.

    >>> levels(Identity("anna", "berg", "", "19900103"), Identity("berg", "anna", "", "19900103"))["surname"]
    'crossed'
    """
    given, surname = names(one, other)
    return {
        "given_name": given,
        "surname": surname,
        "birth_date": of_digits(one.birth_date, other.birth_date),
        "place": f"{of_digits(one.postcode, other.postcode)}-{of_words(one.town, other.town)}",
    }


def other_name(one: Identity, other: Identity) -> bool:
    """Whether the given names are clearly two, and were not exchanged with surnames.

    >>> berit = Identity("berit", "berg", "", "19900103")
    >>> other_name(berit, Identity("anna", "berg", "", "19900103")), other_name(berit, Identity("berg", "berit"))
    (True, False)
    """
    return names(one, other)[0] == "different"
