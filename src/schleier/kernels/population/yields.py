"""What an attack yields before it is tried: who is in both files, whom to look for, and whether asking is easier.

Müller, Blien, Knoche and Wirth (1991), 5.1.4, 7.3 and 9.3. L is the line of the scanned text.
"""

from __future__ import annotations

import math


def expected_overlap(persons: float, *fractions: float) -> float:
    """Persons expected in all files when each is a random sample: m f (L15637), and N f1 f2 of a population (L19278).

    >>> expected_overlap(2685, 0.01), expected_overlap(1, 0.5, 0.01)
    (26.85, 0.005)
    """
    _check([("persons", persons)], fractions)
    return persons * math.prod(fractions)


def persons_needed(wanted: float, fraction: float, success: float, share: float = 1.0) -> float:
    """How many persons an attacker's file must hold for so many right links: k / (f q s) (L8776-8791).

    A person is in the release with the chance ``fraction``, is then found with the chance ``success``, and only a
    ``share`` of them is of any use to him.

    >>> round(persons_needed(100, 0.01, 0.1)), round(persons_needed(100, 0.01, 0.1, 0.1))
    (100000, 1000000)
    """
    _check([("wanted", wanted)], (fraction, success, share))
    each = fraction * success * share
    return wanted / each if each else math.inf if wanted else 0.0


def advantage(asking: float, linking: float, persons: int = 1) -> float:
    """Decimal logarithm of (P_A / P_D)^n: how much likelier it is to learn all of n persons by asking (L11246-11294).

    >>> advantage(0.1, 0.001, 100), round(10 ** advantage(0.75, 0.5, 10), 2)
    (200.0, 57.67)
    """
    _check([("persons", persons)], (asking, linking))
    if not persons or asking == linking:
        return 0.0
    if not asking or not linking:
        return math.inf if asking else -math.inf
    return persons * (math.log10(asking) - math.log10(linking))


def _check(counts: list[tuple[str, float]], shares: tuple[float, ...]) -> None:
    """Everything wrong at once."""
    wrong = [f"{name} is negative" for name, count in counts if not count >= 0]
    if outside := sum(not 0 <= one <= 1 for one in shares):
        wrong.append(f"{outside} of {len(shares)} chances are not between 0 and 1")
    if wrong:
        raise ValueError("; ".join(wrong))
