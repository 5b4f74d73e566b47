"""Check digits in rows of letters: how far they are off, and how they are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schleier.methods._shapes import numerals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.methods._forms import Form

    Rows = NDArray[np.uint8]

ZERO = 48


def places_of(form: Form, length: int) -> list[int]:
    """Where the check digits of a number of this length are."""
    return [place % length for place in form.place]


def free_part(letters: Rows, form: Form) -> Rows:
    """A number without its check digits, as numerals."""
    length = letters.shape[1]
    checks = places_of(form, length)
    return numerals(letters.take([place for place in range(length) if place not in checks], axis=1))


def off(letters: Rows, form: Form) -> NDArray[np.int64]:
    """By how much check digits differ from those that are right; zero where they are."""
    import numpy as np

    assert form.right is not None  # asked for kinds with check digits alone
    given = np.zeros(len(letters), np.int64)
    for place in places_of(form, letters.shape[1]):
        given = given * 10 + (letters[:, place].astype(np.int64) - ZERO)
    found: NDArray[np.int64] = (given - form.right(free_part(letters, form))) % form.modulus
    return found


def with_check(letters: Rows, form: Form, away: NDArray[np.int64] | int = 0) -> Rows:
    """The same numbers with check digits that are so much off."""
    assert form.right is not None  # asked for kinds with check digits alone
    found = letters.copy()
    number = form.least + (form.right(free_part(letters, form)) - form.least + away) % form.modulus
    for place in reversed(places_of(form, letters.shape[1])):
        found[:, place] = number % 10 + ZERO
        number = number // 10
    return found
