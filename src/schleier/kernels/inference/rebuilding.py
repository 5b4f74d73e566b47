"""Whether an amount can be computed from others: as their sum, product or ratio. Some records may deviate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
LARGEST = 1e150
PARTS, FEWEST, AGAIN = 10, 100, 3
"""So many small parts of the records are fitted, of so many records at least; the best fit is refitted so often."""
TRUSTED = 0.8
"""Share of the records that a refit looks at: those it fits best."""
SCREENED, SLACK = 200, 0.15
"""Products are tried on so many records first, and on all where they come so close to what is wanted."""


@dataclass(frozen=True)
class Formula:
    """How a column is computed from others."""

    share: float = 0.0
    """Share of the values that are met."""
    how: str = ""
    """Linear, product or ratio."""
    places: tuple[int, ...] = ()
    """The columns."""
    text: str = ""
    """The formula but for its constants, with a number in braces for each column."""


def hits(wanted: Floats, found: Floats, within: float) -> float:
    """The share of values that are found to within a share of themselves (of a typical one, where they are zero).

    >>> hits(np.array([100.0, 50.0, 0.0]), np.array([100.5, 60.0, 0.0]), 0.01)
    0.6666666666666666
    """
    return float(met(wanted, found, within).mean()) if len(wanted) else 0.0


def met(wanted: Floats, found: Floats, within: float) -> Mask:
    """Which values are found to within a share of themselves."""
    size = np.abs(wanted)
    typical = float(np.median(size[size > 0])) if (size > 0).any() else 0.0
    with np.errstate(all="ignore"):
        near: Mask = np.abs(found - wanted) <= within * np.where(size > 0, size, typical)
    return near


def best_linear(wanted: Floats, given: Floats, within: float, share: float) -> Formula:
    """The best linear combination with a constant that meets such a share of the values, if any; only what matters.

    One deviating record spoils least squares, but not the fit of a part of the records it is not among: the part
    whose fit meets most of all values is refined on the records it meets.
    """
    with np.errstate(over="ignore"):  # a column of numbers without end explains nothing
        scale = given.std(axis=0)
    usable = np.flatnonzero(scale > 1e-12 * np.maximum(np.abs(given).max(axis=0, initial=0.0), 1e-300))
    if not len(usable) or len(wanted) < 2:
        return Formula()
    x = np.column_stack(
        [np.ones(len(wanted)), (given[:, usable] - np.median(given[:, usable], axis=0)) / scale[usable]]
    )
    good = _agreeing(wanted, x, within)
    whole = hits(wanted, x @ _fit(wanted[good], x[good]), within)
    if whole < share:
        return Formula()
    chosen = _needed(wanted, x, good, within, whole)
    fitted = x[:, chosen] @ _fit(wanted[good], x[good][:, chosen])
    places = tuple(int(usable[i - 1]) for i in chosen if i)
    text = " + ".join(f"{{{n}}}" for n in range(len(places)))
    return Formula(hits(wanted, fitted, within), "linear", places, text) if places else Formula()


def _fit(wanted: Floats, x: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(x, wanted, rcond=None)[0], dtype=np.float64)


def _agreeing(wanted: Floats, x: Floats, within: float) -> Mask:
    """Records that one linear combination of all columns fits, as many as can be found."""
    size = max(FEWEST, 4 * x.shape[1])
    starts = range(0, len(wanted), max(size, len(wanted) // PARTS))
    parts = [slice(start, start + size) for start in starts][:PARTS]
    fits = [_fit(wanted, x), *(_fit(wanted[part], x[part]) for part in parts if len(wanted) > size)]
    best = max(fits, key=lambda fit: hits(wanted, x @ fit, within))
    good = np.ones(len(wanted), dtype=np.bool_)
    for _ in range(AGAIN):
        miss = np.abs(wanted - x @ best)
        good = miss <= np.quantile(miss, TRUSTED)
        again = _fit(wanted[good], x[good])
        if hits(wanted, x @ again, within) < hits(wanted, x @ best, within):
            break
        best = again
    near = met(wanted, x @ best, within)
    return near if near.sum() > 2 * x.shape[1] else good


def _needed(wanted: Floats, x: Floats, good: Mask, within: float, whole: float) -> list[int]:
    """Columns that meet as many values as all do: added one by one, what explains most first, without idle ones."""
    y, z = wanted[good], x[good]
    chosen = [0]
    for _ in range(1, x.shape[1]):
        rest = y - z[:, chosen] @ _fit(y, z[:, chosen])
        gain = np.abs(z.T @ rest) / np.maximum(np.sqrt((z * z).sum(axis=0)), 1e-300)
        gain[chosen] = -1.0
        chosen.append(int(gain.argmax()))
        if _met_by(wanted, x, good, chosen, within) >= whole - 0.001:
            break
    for one in chosen[1:]:
        left = [i for i in chosen if i != one]
        if len(left) > 1 and _met_by(wanted, x, good, left, within) >= whole - 0.001:
            chosen = left
    return chosen


def _met_by(wanted: Floats, x: Floats, good: Mask, chosen: list[int], within: float) -> float:
    return hits(wanted, x[:, chosen] @ _fit(wanted[good], x[good][:, chosen]), within)


def best_product(wanted: Floats, given: Floats, within: float, share: float) -> Formula:
    """The best product or ratio of two columns (times a constant) that meets such a share of the values, if any.

    A column of shares also stands for what is left of the whole, and for the ratio of both: with home and the share
    of what is sold abroad, abroad = share / (1 - share) * home.
    """
    factors = [factor for i in range(given.shape[1]) for factor in _factors(given[:, i], i)]
    few = slice(None, None, max(1, len(wanted) // SCREENED))
    tried = np.stack([values[few] for _, _, values in factors], axis=1) if factors else np.zeros((0, 0))
    best = Formula()
    for i, (place, text, values) in enumerate(factors):
        for how in ("product", "ratio"):
            with np.errstate(all="ignore"):
                made = tried[:, [i]] * tried if how == "product" else tried[:, [i]] / tried
            for j in np.flatnonzero(_scaled_hits(wanted[few], made, within) >= share - SLACK).tolist():
                other, theirs, more = factors[j]
                if other == place or (how == "product" and j < i):
                    continue
                with np.errstate(all="ignore"):
                    whole = values * more if how == "product" else values / more
                found = float(_scaled_hits(wanted, whole[:, None], within)[0])
                if found > best.share and found >= share:
                    sign = "*" if how == "product" else "/"
                    said = f"{text.format('{0}')} {sign} {theirs.format('{1}')}"
                    best = Formula(found, how, (place, other), said)
    return best


def _factors(values: Floats, place: int) -> list[tuple[int, str, Floats]]:
    """A column, and for shares (also in per cent) what is left of the whole, and the ratio of both."""
    found = [(place, "{}", values)]
    for whole in (1.0, 100.0):
        if len(values) and values.min() >= 0 and values.max() <= whole and len(np.unique(values[:SCREENED])) > 2:
            rest, said = whole - values, f"({whole:g} - {{}})"
            with np.errstate(all="ignore"):
                return [*found, (place, said, rest), (place, f"({{0}} / {said.format('{0}')})", values / rest)]
    return found


def _scaled_hits(wanted: Floats, made: Floats, within: float) -> Floats:
    """The share of hits of each column, times the constant that fits it in the middle."""
    with np.errstate(all="ignore"):
        times = wanted[:, None] / made
        sure = np.isfinite(times) & (np.abs(times) < LARGEST)
        times[~sure] = np.nan
        size = np.abs(wanted)
        typical = float(np.median(size[size > 0])) if (size > 0).any() else 0.0
        reach = (within * np.where(size > 0, size, typical))[:, None]
        middle = _nan_medians(times)
        near = np.abs(np.where(np.isfinite(made), made, np.inf) * middle - wanted[:, None]) <= reach
    share: Floats = np.where(sure.sum(axis=0) >= 2, near.mean(axis=0), 0.0) if len(wanted) else np.zeros(made.shape[1])
    return share


def _nan_medians(values: Floats) -> Floats:
    """The median of what is known of each column; gaps are sorted to the end."""
    known = (~np.isnan(values)).sum(axis=0)
    ordered = np.sort(values, axis=0)
    at = np.arange(values.shape[1])
    low, high = np.maximum((known - 1) // 2, 0), np.minimum(known // 2, len(values) - 1)
    middle: Floats = (ordered[low, at] + ordered[high, at]) / 2 if len(values) else np.zeros(values.shape[1])
    return middle
