"""Höhne's experiment on microaggregation that keeps variances (9.4 of the specification; figures 9 to 11).

``python -m bench.hoehne_microaggregation`` compares with what is known, writes the tables into
docs/guide/microaggregation-compared.md and the pictures beside it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.change.restoration import restored, restored_in_blocks
from schleier.kernels.grouping.two_values import preserved

Floats = NDArray[np.float64]
PAGE = Path(__file__).parent.parent / "docs" / "guide" / "microaggregation-compared.md"
SIZES, SETS, TRUE, K = (12, 120, 1200), 250, 0.7, 4
KNOWN = {
    12: (0.173, 0.102, -0.042, 0.874),
    120: (0.048, 0.0063, -0.0023, 0.9942),
    1200: (0.0144, 0.00045, -0.00013, 0.9997),
}
"""Known from 2,000 sets: root mean square of r^o - 0.7 and of r^a - r^o, mean of r^a - r^o, variance of plain means."""
KNOWN_SETS, ERRORS = 2000, 4.0
FIRMS, SIGMA = 16824, 2.5
METHODS = ("group means", "variance kept", "means, then restored")


class Trial(NamedTuple):
    """One size: correlations of the original, and by method correlations and variances (as a share)."""

    original: Floats
    released: dict[str, Floats]
    variance: dict[str, Floats]
    moore: Floats
    """What is left of the correlation of the variance-keeping release after Moore's prediction."""
    threes: Floats
    """Variance of means of three, as a share of the original."""


def group_means(values: Floats, k: int) -> Floats:
    """Each value becomes the mean of k neighbours; the group of the smallest takes the remainder."""
    order = np.argsort(-values, kind="stable")
    starts = np.arange(len(values) // k) * k
    sizes = np.diff(np.append(starts, len(values)))
    result = np.empty(len(values))
    result[order] = np.repeat(np.add.reduceat(values[order], starts) / sizes, sizes)
    return result


def treated(column: Floats) -> dict[str, Floats]:
    """A column after each method."""
    means = group_means(column, K)
    kept = preserved(column, K, floor=False)[0]
    return dict(zip(METHODS, (means, kept, restored(column, means)), strict=True))


def trial(n: int, sets: int = SETS) -> Trial:
    """Pairs of normal variables with correlation 0.7, each column treated by itself."""
    rng = np.random.Generator(np.random.Philox(key=n))
    found: dict[str, list[float]] = {name: [] for name in ("original", "moore", "threes")}
    after: dict[str, list[float]] = {name: [] for name in METHODS}
    spread: dict[str, list[float]] = {name: [] for name in METHODS}
    for _ in range(sets):
        x = rng.standard_normal(n)
        pair = (x, TRUE * x + np.sqrt(1 - TRUE**2) * rng.standard_normal(n))
        one, other = (treated(column) for column in pair)
        before = np.corrcoef(*pair)[0, 1]
        found["original"].append(before)
        found["threes"].append(group_means(x, 3).var() / x.var())
        for name in METHODS:
            after[name].append(np.corrcoef(one[name], other[name])[0, 1])
            spread[name].append(one[name].var() / x.var())
        kept = "variance kept"
        own = np.corrcoef(pair[0], one[kept])[0, 1] * np.corrcoef(pair[1], other[kept])[0, 1]
        found["moore"].append(after[kept][-1] - own * before)
    arrays = {name: np.array(values) for name, values in found.items()}
    return Trial(
        arrays["original"],
        {name: np.array(values) for name, values in after.items()},
        {name: np.array(values) for name, values in spread.items()},
        arrays["moore"],
        arrays["threes"],
    )


def root(errors: Floats) -> tuple[float, float]:
    """Root mean square, and the standard error of one set's share in it (to be divided by the root of their number)."""
    square = errors**2
    value = float(np.sqrt(square.mean()))
    return value, float(square.std() / (2 * value))


def apart(n: int, found: Trial) -> list[float]:
    """How far known numbers and ours are apart, in combined standard errors."""
    off = found.released["variance kept"] - found.original
    ours = [root(found.original - TRUE), root(off)]
    ours += [(float(part.mean()), float(part.std())) for part in (off, found.threes)]
    share = np.sqrt(1 / len(off) + 1 / KNOWN_SETS)
    return [abs(value - known) / (sd * share) for (value, sd), known in zip(ours, KNOWN[n], strict=True)]


def firms() -> tuple[Floats, dict[str, Floats]]:
    """A file of firms with a long tail, and what becomes of it: everything in groups of three, or four and six."""
    from scipy.special import ndtri

    values = np.exp(SIGMA * ndtri((np.arange(FIRMS) + 0.5) / FIRMS))
    means = group_means(values, 3)
    return values, {
        "group means, k = 3": means,
        "then restored": restored(values, means),
        "then restored in blocks of 100": restored_in_blocks(values, means, 100),
        "variance kept, k = 4": preserved(values, 4, floor=True)[0],
        "variance kept, k = 6": preserved(values, 6, floor=True)[0],
    }


def _correlations(trials: dict[int, Trial]) -> str:
    head = ["records", "sampling error", *METHODS, "left after Moore's prediction"]
    rows = []
    for n, found in trials.items():
        errors = [root(found.released[name] - found.original)[0] for name in METHODS]
        cells = [f"{value:.5f}" for value in (root(found.original - TRUE)[0], *errors)]
        rows.append([f"{n:,}", *cells, f"{found.moore.mean():.5f}".replace("-0.00000", "0.00000")])
    return _table(head, rows)


def _variances(trials: dict[int, Trial]) -> str:
    head = ["records", *METHODS, "group means, k = 3"]
    rows = [
        [
            f"{n:,}",
            *(f"{100 * found.variance[name].mean():.2f} %" for name in METHODS),
            f"{100 * found.threes.mean():.2f} %",
        ]
        for n, found in trials.items()
    ]
    return _table(head, rows)


def _firms(values: Floats, released: dict[str, Floats]) -> str:
    head = [
        "release",
        "mean",
        "standard deviation",
        "negative values",
        "within 5 % of the truth",
        "smallest tenth within 5 %",
    ]
    tenth, rows = FIRMS // 10, []
    for name, new in released.items():
        near = np.abs(new / values - 1) <= 0.05
        moments = [
            f"{100 * (of(new) / of(values) - 1) + 0:.3f} %".replace("-0.000", "0.000") for of in (np.mean, np.std)
        ]
        shares = [f"{100 * part.mean():.1f} %" for part in (near, near[:tenth])]
        rows.append([name, *moments, f"{int((new < 0).sum()):,}", *shares])
    return _table(head, rows)


def _table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def main() -> int:
    from bench.hoehne_microaggregation_pictures import write_pictures

    trials = {n: trial(n) for n in SIZES}
    values, released = firms()
    text = PAGE.read_text(encoding="utf-8")
    tables = {
        "correlations": _correlations(trials),
        "variances": _variances(trials),
        "firms": _firms(values, released),
    }
    for mark, table in tables.items():
        text = re.sub(
            f"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda at, t=table: at[1] + t + at[2], text, flags=re.S
        )
    PAGE.write_text(text, encoding="utf-8")
    write_pictures(PAGE.parent.parent / "pictures", trials, values, released)
    far = [one for n, found in trials.items() for one in apart(n, found)]
    sys.stdout.write(f"known against simulated: {sum(one <= ERRORS for one in far)} of {len(far)} numbers within ")
    sys.stdout.write(f"{ERRORS:g} standard errors; the farthest is {max(far):.1f}\n")
    return 1 if max(far) > ERRORS else 0


if __name__ == "__main__":
    sys.exit(main())
