"""Höhne's tables of noise and moments, from theory and from our own kernels: ``python -m bench.hoehne_tables``.

Compares with what is printed, writes the tables into docs/guide/noise-and-moments.md and the pictures beside it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.hoehne_source import SURROGATE, TURNOVER, Known, Printed

Floats = NDArray[np.float64]
F, S, N = 0.11, 0.03, 16824
KEY = bytes(range(32))
PAGE = Path(__file__).parent.parent / "docs" / "guide" / "noise-and-moments.md"
RUNS = {"mixture": 2000, "fixed sign": 200, "random sign": 200, "alpha 0.5": 60, "alpha 0.1": 60}
POINTS, ERRORS = 0.02, 4.0
"""How far theory may be from print (points), and simulation from what is known (combined standard errors)."""


class Theory(NamedTuple):
    """Closed forms for the errors that mixture noise makes (in per cent)."""

    sd_mean: float
    bias_sd: float
    sd_sd: float
    bias_skew: float
    bias_excess: float


def theory(n: int, mean: float, sd: float, skew: float, excess: float) -> Theory:
    """From the moments of a column alone: no simulation is needed for mean and standard deviation."""
    variance = sd * sd
    r2 = variance + mean**2
    r3 = skew * sd**3 + 3 * mean * variance + mean**3
    r4 = (excess + 3) * variance**2 + 4 * mean * skew * sd**3 + 6 * mean**2 * variance + mean**4
    v, m4 = F**2 + S**2, F**4 + 6 * F**2 * S**2 + 3 * S**4
    rho = v * (1 + mean**2 / variance)
    tau = math.sqrt((r4 * (4 * v + m4 - v * v) - 8 * mean * v * r3 + 4 * mean**2 * v * r2) / n)
    tau /= 2 * variance * (1 + rho)
    new = (r2 * (1 + v), r3 * (1 + 3 * v), r4 * (1 + 6 * v + m4))
    wide = new[0] - mean**2
    third = new[1] - 3 * mean * new[0] + 2 * mean**3
    fourth = new[2] - 4 * mean * new[1] + 6 * mean**2 * new[0] - 3 * mean**4
    return Theory(
        100 * math.sqrt(v * r2 / n) / mean,
        100 * (math.sqrt(1 + rho) * (1 - tau**2 / 2) - 1),
        100 * tau * math.sqrt(1 + rho),
        100 * (third / wide**1.5 / skew - 1),
        100 * ((fourth / wide**2 - 3) / excess - 1),
    )


def surrogate(sigma: float, kept: int = N) -> Floats:
    """Quantiles of a lognormal distribution, the largest left out: long-tailed as turnovers are, and reproducible."""
    from scipy.special import ndtri

    return np.asarray(np.exp(sigma * ndtri((np.arange(N) + 0.5) / N))[:kept])


def moments(values: Floats) -> Floats:
    """Mean, standard deviation, skewness and excess."""
    mean = values.mean()
    centred = values - mean
    square = centred * centred
    variance = square.mean()
    return np.array([mean, variance**0.5, (square * centred).mean() / variance**1.5,
                     (square * square).mean() / variance**2 - 3])  # fmt: skip


def simulated(sigma: float, variant: str, sizes: tuple[int, ...], runs: int) -> dict[int, Floats]:
    """Relative errors of the moments (per cent) by run, for files without their largest records."""
    from schleier.kernels.change import controlled, factors
    from schleier.kernels.change.keyed import KeyedDraws

    values = surrogate(sigma)
    original = {size: moments(values[:size]) for size in sizes}
    found: dict[int, list[Floats]] = {size: [] for size in sizes}
    order = controlled.descending(values)
    draws = KeyedDraws(KEY, np.arange(N))
    first = KeyedDraws(KEY, np.arange(runs)).signs(f"{sigma} first")
    for run in range(runs):
        small = factors.small(draws, 1, S, f"{sigma} {variant} {run}")
        if variant == "mixture":
            signs = draws.signs(f"{sigma} sign {run}")
        elif variant.startswith("alpha"):
            alpha = float(variant.split()[1])
            signs = controlled.by_all(values[:, None], small, order, F, float(first[run]), alpha)
        else:
            start = -1.0 if variant == "fixed sign" else float(first[run])
            signs = controlled.by_one(values, small[:, 0], order, F, start)
        after = values * factors.moved(small, signs, F)[:, 0]
        for size in sizes:
            found[size].append(100 * (moments(after[:size]) / original[size] - 1))
    return {size: np.array(errors) for size, errors in found.items()}


class Comparison(NamedTuple):
    """A known number beside ours, and how far apart they are in combined standard errors."""

    known: float
    ours: float
    apart: float


def compared(row: Known, errors: Floats) -> Iterator[Comparison]:
    """Averages, then standard deviations; rounding of the known number is no error."""
    ours, share = len(errors), math.sqrt(1 / len(errors) + 1 / row.runs)
    sd = errors.std(axis=0, ddof=1)
    centred = errors - errors.mean(axis=0)
    kurtosis = (centred**4).mean(axis=0) / np.maximum((centred**2).mean(axis=0) ** 2, 1e-300)
    of_sd = sd * np.sqrt(np.maximum(kurtosis - 1, 0.1)) / 2
    for part, digits, values, spread in ((row.average, row.digits[0], errors.mean(axis=0), sd),
                                         (row.spread, row.digits[1], sd, of_sd)):  # fmt: skip
        for i, known in enumerate(part):
            if known is not None:
                off = max(abs(float(values[i]) - known) - 0.5 * 10.0 ** -digits[i], 0.0)
                yield Comparison(known, float(values[i]), off / max(float(spread[i]) * share, 1e-9) if ours else 0.0)


def against_print() -> list[tuple[Printed, Theory]]:
    """Every printed row with what theory says."""
    return [(row, theory(row.n, row.mean, row.sd, row.skew, row.excess)) for row in TURNOVER]


def off_by(row: Printed, found: Theory) -> float:
    """The largest difference in the three numbers theory gives for any file."""
    return max(abs(row.sd_mean - found.sd_mean), abs(row.bias_sd - found.bias_sd), abs(row.sd_sd - found.sd_sd))


def experiment(runs: dict[str, int]) -> list[tuple[Known, Floats]]:
    """The surrogate experiment with our kernels."""
    found = []
    for sigma, variant in dict.fromkeys((row.sigma, row.variant) for row in SURROGATE):
        rows = [row for row in SURROGATE if (row.sigma, row.variant) == (sigma, variant)]
        errors = simulated(sigma, variant, tuple(row.kept for row in rows), runs[variant])
        found += [(row, errors[row.kept]) for row in rows]
    return found


def main() -> int:
    from bench.hoehne_pictures import write_pictures
    from bench.hoehne_text import write_tables

    printed, found = against_print(), experiment(RUNS)
    far = [row for row in printed if off_by(*row) > POINTS]
    odd = [(row, one) for row, errors in found for one in compared(row, errors) if one.apart > ERRORS]
    write_tables(PAGE, printed, found)
    write_pictures(PAGE.parent.parent / "pictures", found)
    say = sys.stdout.write
    say(f"print against theory: {len(printed) - len(far)} of {len(printed)} rows within {POINTS} points\n")
    total = sum(len(list(compared(row, errors))) for row, errors in found)
    say(f"known against simulated: {total - len(odd)} of {total} numbers within {ERRORS:g} standard errors\n")
    for row, one in odd:
        say(f"  {row.sigma} {row.kept} {row.variant}: {one.known} known, {one.ours:.3f} found, {one.apart:.1f} apart\n")
    return 1 if far or odd else 0


if __name__ == "__main__":
    sys.exit(main())
