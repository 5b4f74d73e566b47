"""Words of one shape, enciphered so that digits stay digits and letters letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from schleier.core.errors import InfeasibleError, stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.uint8]

LARGEST = 2**63
"""Words of digits and letters in turn are numbers below this."""
MOST_WALKS = 3000
"""Steps of a walk: of numbers of which one in thirty is allowed, none needs as many."""


def enciphered(
    words: Rows,
    radixes: tuple[int, ...],
    tweaks: list[bytes],
    which: NDArray[np.int64],
    cipher: Callable[[bytes], bytes],
    rule: Callable[[Rows], NDArray[np.bool_]] | None = None,
    *,
    back: bool = False,
) -> Rows:
    """Numerals in place of numerals; each place has its own radix. Where a ``rule`` is given, words obey it before and
    afterwards: what comes out is enciphered again until it does (cycle walking).

    >>> import numpy as np
    >>> nothing = lambda blocks: bytes(len(blocks))
    >>> word, one = np.array([[25, 0, 1, 2, 3, 4]], np.uint8), np.zeros(1, np.int64)
    >>> there = enciphered(word, (26, 10, 10, 10, 10, 10), [b""], one, nothing)
    >>> enciphered(there, (26, 10, 10, 10, 10, 10), [b""], one, nothing, back=True).tolist()
    [[25, 0, 1, 2, 3, 4]]
    """
    import numpy as np

    from schleier.kernels.pseudonyms.ff1 import LEAST_WORDS, permute

    many = 1
    for radix in radixes:
        many *= radix
    if many < LEAST_WORDS:
        message = f"there are only {many:,} words of this form, so that all could be tried: it takes {LEAST_WORDS:,}"
        stop(InfeasibleError, "few-words", "kind", message, "use give_token, or join it with another column first")
    if many > LARGEST and len(set(radixes)) > 1:
        message = "words of so many digits and letters in turn are too long"
        stop(InfeasibleError, "long-words", "kind", message, "use give_token")
    if len(set(radixes)) == 1:
        radix, given = radixes[0], words
    else:
        radix, given = 2, _bits(words, radixes, (many - 1).bit_length())

    def allowed(rows: Rows) -> NDArray[np.bool_]:
        if radix != radixes[0] or len(set(radixes)) > 1:
            fits = _number(rows) < many
            return fits if rule is None else fits & rule(_places(rows, radixes))
        return np.ones(len(rows), np.bool_) if rule is None else rule(rows)

    found = permute(given, radix, tweaks, which, cipher, back=back)
    walking = np.flatnonzero(~allowed(found))
    for _ in range(MOST_WALKS):
        if not len(walking):
            break
        further = permute(found[walking], radix, tweaks, which[walking], cipher, back=back)
        found[walking] = further
        walking = walking[~allowed(further)]
    return found if len(set(radixes)) == 1 else _places(found, radixes)


def _bits(words: Rows, radixes: tuple[int, ...], many: int) -> Rows:
    """Words of places with different radixes as rows of bits."""
    import numpy as np

    number = np.zeros(len(words), np.uint64)
    for place, radix in enumerate(radixes):
        number = number * np.uint64(radix) + words[:, place].astype(np.uint64)
    shifts = np.arange(many - 1, -1, -1, dtype=np.uint64)
    return ((number[:, None] >> shifts) & np.uint64(1)).astype(np.uint8)


def _number(bits: Rows) -> NDArray[np.uint64]:
    import numpy as np

    number = np.zeros(len(bits), np.uint64)
    for place in bits.T:
        number = (number << np.uint64(1)) | place.astype(np.uint64)
    return number


def _places(bits: Rows, radixes: tuple[int, ...]) -> Rows:
    import numpy as np

    number = _number(bits)
    found = np.empty((len(bits), len(radixes)), np.uint8)
    for place in range(len(radixes) - 1, -1, -1):
        found[:, place] = number % np.uint64(radixes[place])
        number //= np.uint64(radixes[place])
    return found
