"""Pseudonyms of eight characters, two of which check the other six (Faldum and Pommerening 2005).

A word is a point of a code over the field of 32 elements whose parity columns, and the sums of neighbouring columns,
are all in different directions. So every two wrong characters are noticed, and one wrong character, or two neighbours
that changed places, can be put right.
"""

from __future__ import annotations

import secrets

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0, 1, I and O, which are read as one another."""
DIGITS = {letter: value for value, letter in enumerate(LETTERS)}
DATA, LENGTH, BITS = 6, 8, 30
MODULUS = 0b100101
"""x^5 + x^2 + 1: every element but zero is a power of two."""


def _powers() -> list[int]:
    found, value = [], 1
    for _ in range(31):
        found.append(value)
        value = value << 1 ^ (MODULUS if value & 16 else 0)
    return found


POWER = _powers()
LOG = {value: exponent for exponent, value in enumerate(POWER)}
COLUMNS = (*((POWER[i], POWER[2 * i]) for i in range(1, DATA + 1)), (1, 0), (0, 1))
"""What each place adds to the two sums that must be zero."""


def times(one: int, other: int) -> int:
    """The product in the field.

    >>> times(2, 16), times(0, 7)
    (5, 0)
    """
    return POWER[(LOG[one] + LOG[other]) % 31] if one and other else 0


def _sums(values: list[int]) -> tuple[int, int]:
    first = second = 0
    for value, (left, right) in zip(values, COLUMNS, strict=False):
        first ^= times(value, left)
        second ^= times(value, right)
    return first, second


PAIRS = [one + other for one in LETTERS for other in LETTERS]
CHECKS = [[times(value, left) << 5 | times(value, right) for value in range(32)] for left, right in COLUMNS[:DATA]]
"""Both check symbols, as far as one place decides them."""


def pid_of(number: int) -> str:
    """The pseudonym of a number of 30 bits.

    >>> pid_of(0), pid_of(1)
    ('22222222', '222223CG')
    """
    one, two, three, four, five, six = CHECKS
    check = one[number >> 25 & 31] ^ two[number >> 20 & 31] ^ three[number >> 15 & 31]
    check ^= four[number >> 10 & 31] ^ five[number >> 5 & 31] ^ six[number & 31]
    return PAIRS[number >> 20 & 1023] + PAIRS[number >> 10 & 1023] + PAIRS[number & 1023] + PAIRS[check]


def drawn() -> str:
    """A pseudonym that follows from nothing."""
    return pid_of(secrets.randbits(BITS))


def valid(text: str) -> bool:
    """Whether a word is a pseudonym, without a wrong character.

    >>> valid("22222222"), valid("22222223"), valid("2222")
    (True, False, False)
    """
    return len(text) == LENGTH and all(one in DIGITS for one in text) and _sums([DIGITS[one] for one in text]) == (0, 0)


def nearest(text: str) -> str | None:
    """The only pseudonym that is one wrong character, or one exchange of neighbours, away; nothing when there is none.

    >>> nearest("22222228"), nearest("222232CG")
    ('22222222', '222223CG')
    """
    if valid(text) or len(text) != LENGTH:
        return text if valid(text) else None
    swaps = (text[:i] + text[i + 1] + text[i] + text[i + 2 :] for i in range(LENGTH - 1))
    others = (text[:i] + letter + text[i + 1 :] for i in range(LENGTH) for letter in LETTERS)
    return next((one for one in (*swaps, *others) if valid(one)), None)
