"""What Höhne (2010) printed, and what the surrogate experiment is known to give: the numbers to be reproduced."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """A row of tables 5 to 9 (L2376-L2475): original moments, then what 10,000 simulations of N11 gave, in per cent."""

    n: int
    mean: float
    sd: float
    skew: float
    excess: float
    sd_mean: float
    bias_sd: float
    sd_sd: float
    bias_skew: float
    bias_excess: float


TURNOVER = (
    Printed(16824, 120808541, 1289556816, 47.1, 2695, 0.94, 0.56, 4.54, 1.07, 2.93),
    Printed(16818, 100741670, 589648974, 28.1, 1031, 0.52, 0.64, 2.83, 1.42, 4.04),
    Printed(16812, 92650440, 400188934, 20.5, 655, 0.39, 0.66, 2.27, 1.42, 3.73),
    Printed(16806, 88001587, 308817559, 11.9, 198, 0.32, 0.69, 1.26, 1.82, 4.87),
    Printed(16800, 85478111, 278384670, 10.4, 150, 0.30, 0.70, 1.10, 1.92, 5.01),
    Printed(16750, 74431660, 183485937, 6.3, 52, 0.24, 0.75, 0.68, 2.06, 5.60),
    Printed(16700, 68724665, 150486176, 5.1, 33, 0.21, 0.79, 0.56, 1.96, 6.12),
    Printed(16656, 65088046, 132909643, 4.5, 25, 0.20, 0.80, 0.50, 2.26, 6.31),
    Printed(15983, 42704752, 60520762, 2.4, 6, 0.16, 0.97, 0.32, 3.12, 10.47),
    Printed(15142, 31560889, 37318131, 1.9, 3, 0.14, 1.11, 0.29, 3.85, 15.41),
)


class Known(NamedTuple):
    """A row of the surrogate experiment: averages and standard deviations of relative errors of the mean, the standard
    deviation, the skewness and the excess, in per cent; None where only an upper bound is known."""

    sigma: float
    kept: int
    variant: str
    runs: int
    average: tuple[float | None, ...]
    spread: tuple[float | None, ...]
    digits: tuple[tuple[int, ...], tuple[int, ...]]
    """Digits behind the point of each number: half a unit of the last one is not an error."""


def _row(sigma: float, kept: int, variant: str, runs: int, average: str, spread: str) -> Known:
    """Numbers as they are written, which says how many digits they have; ~ is not compared."""
    parts = [[None if word == "~" else float(word) for word in text.split()] for text in (average, spread)]
    digits = [tuple(len(word.partition(".")[2]) for word in text.split()) for text in (average, spread)]
    return Known(sigma, kept, variant, runs, tuple(parts[0]), tuple(parts[1]), (digits[0], digits[1]))


SURROGATE = (
    _row(2.5, 16824, "mixture", 2000, "-0.01 0.52 -0.05 0.11", "1.01 5.84 10.0 19.1"),
    _row(2.5, 16656, "mixture", 2000, "0.00 0.715 2.11 5.83", "0.28 0.60 0.91 2.29"),
    _row(2.5, 15142, "mixture", 2000, "0.00 0.880 3.08 10.55", "0.19 0.33 0.50 1.53"),
    _row(1.5, 16824, "mixture", 2000, "0.00 0.78 1.61 4.09", "0.26 1.96 9.7 23.4"),
    _row(1.5, 16656, "mixture", 2000, "0.00 0.892 2.51 7.23", "0.17 0.41 0.80 2.12"),
    _row(1.5, 15142, "mixture", 2000, "0.00 1.217 4.75 23.08", "0.14 0.26 0.56 2.45"),
    _row(2.5, 16824, "fixed sign", 200, "0.00 -2.51 -10.9 -22.1", "~ 0.86 2.7 4.9"),
    _row(2.5, 16824, "random sign", 200, "0.00 0.40 -0.1 -0.1", "~ 3.15 11.6 23.8"),
    _row(2.5, 16824, "alpha 0.5", 60, "0.00 0.1 -1 -2", "~ 2.5 13 26"),
    _row(1.5, 16824, "fixed sign", 200, "0.00 0.17 -4.8 -14.5", "~ 0.15 1.5 3.8"),
    _row(1.5, 16824, "random sign", 200, "0.00 0.74 1.8 4.8", "~ 0.59 6.7 19.4"),
    _row(1.5, 16824, "alpha 0.5", 60, "0.00 0.28 1 3", "~ 0.07 6 19"),
    _row(1.5, 16824, "alpha 0.1", 60, "0.22 0.04 2 7", "~ ~ 7 22"),
)
