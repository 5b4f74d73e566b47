"""The loops of ``densities``: coarse categories of distances, the probabilities of their cells, and sums over these."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import unheld

SWEEPS = 50
STILL = 1e-4
"""Fitting ends after so many turns, or when no margin is off by a larger share of all."""
FAR = 0.9
"""Share of the neighbours below the last of three categories, which is open to the far ones."""


@unheld
def coarse_cells(
    parts: Any, ranked: Any, steps: Any, damping: Any, least: int, bound: int, fine: Any, cells: Any, sizes: Any
) -> None:
    """For each asked point: how many categories components have, fine steps within them, and the coarse cells."""
    targets, records, components = parts.shape
    kind = np.zeros((records, components), dtype=np.int64)
    for t in range(targets):
        _categories(parts[t], ranked[t], fine.shape[2], kind, sizes[t])
        while _merge(kind, sizes[t], least):
            pass
        _fit(kind, sizes[t], cells[t])
        for c in range(components):
            for g in range(sizes[t, c]):
                many = 0
                for r in range(records):
                    if kind[r, c] == g:
                        many += 1
                for r in range(records):
                    if kind[r, c] == g and steps[t, r, c] < bound:
                        fine[t, c, g, steps[t, r, c]] += damping[steps[t, r, c]] / many


@unheld
def _categories(parts: Any, ranked: Any, coarse: int, kind: Any, sizes: Any) -> None:
    """Half of the neighbours are near in a component; of three categories the last one is open to the far ones."""
    records, components = parts.shape
    for c in range(components):
        most, spot = ranked[records - 1, c], (records - 1) // 2
        while spot >= 0 and ranked[spot, c] >= most:  # most are far: those are near that are not
            spot -= 1
        first, second = ranked[max(spot, 0), c], ranked[int(FAR * (records - 1)), c]
        three = coarse > 2 and first < second < most
        sizes[c] = 1 if spot < 0 else 3 if three else 2
        for r in range(records):
            kind[r, c] = 0 if spot < 0 or parts[r, c] <= first else 2 if three and parts[r, c] > second else 1


@unheld
def _merge(kind: Any, sizes: Any, least: int) -> bool:
    """Put the rarest category of a component together with its neighbour when a cell of a pair is too rare (fn. 24)."""
    records, components = kind.shape
    for a in range(components):
        for b in range(a + 1, components):
            if sizes[a] < 2 or sizes[b] < 2:
                continue
            table = np.zeros((3, 3), dtype=np.int64)
            sums = np.zeros((2, 3), dtype=np.int64)
            for r in range(records):
                table[kind[r, a], kind[r, b]] += 1
                sums[0, kind[r, a]] += 1
                sums[1, kind[r, b]] += 1
            rare = False
            for x in range(sizes[a]):
                for y in range(sizes[b]):
                    rare = rare or table[x, y] < least
            if not rare:
                continue
            fewest, c, category = records + 1, a, 0
            for side in range(2):
                for x in range(sizes[a] if side == 0 else sizes[b]):
                    if sums[side, x] < fewest:
                        fewest, c, category = sums[side, x], a if side == 0 else b, x
            for r in range(records):
                if kind[r, c] >= max(category, 1):
                    kind[r, c] -= 1
            sizes[c] -= 1
            return True
    return False


@unheld
def _fit(kind: Any, sizes: Any, cells: Any) -> None:
    """Probabilities of all cells with the margins of every pair of components and nothing else (fn. 25)."""
    records, components = kind.shape
    many = 1
    for c in range(components):
        many *= sizes[c]
    cells[:many] = 1.0 / many
    digits = np.zeros((components, many), dtype=np.int64)
    for i in range(many):
        rest = i
        for c in range(components - 1, -1, -1):
            digits[c, i] = rest % sizes[c]
            rest //= sizes[c]
    active = 0
    for c in range(components):
        active += sizes[c] > 1
    most = 3
    wanted = np.zeros((components, components, most, most))
    for a in range(components):
        for b in range(a, components):
            for r in range(records):
                wanted[a, b, kind[r, a], kind[r, b]] += 1.0 / records
    for _ in range(SWEEPS):
        missed = 0.0
        for a in range(components):
            for b in range(a, components):
                # A component alone is a margin only where there is no pair.
                if sizes[a] < 2 or (b == a) != (active < 2) or (b > a and sizes[b] < 2):
                    continue
                held = np.zeros((most, most))
                for i in range(many):
                    held[digits[a, i], digits[b, i]] += cells[i]
                for x in range(sizes[a]):
                    for y in range(sizes[b]):
                        missed = max(missed, abs(wanted[a, b, x, y] - held[x, y]))
                        held[x, y] = wanted[a, b, x, y] / held[x, y] if held[x, y] > 0 else 0.0
                for i in range(many):
                    cells[i] *= held[digits[a, i], digits[b, i]]
        if missed <= STILL:
            break


@unheld
def sum_over_cells(waves: Any, cells: Any, sizes: Any, found: Any) -> None:
    """The transform of the sum of all components: within a cell they are independent, so transforms are multiplied."""
    targets, components, _, length = waves.shape
    work = np.zeros(cells.shape[1], dtype=np.complex128)
    for t in range(targets):
        many = 1
        for c in range(components):
            many *= sizes[t, c]
        for f in range(length):
            left = many
            for i in range(many):
                work[i] = cells[t, i]
            for c in range(components - 1, -1, -1):
                size = sizes[t, c]
                left //= size
                for i in range(left):
                    total = work[i * size] * waves[t, c, 0, f]
                    for g in range(1, size):
                        total += work[i * size + g] * waves[t, c, g, f]
                    work[i] = total
            found[t, f] = work[0]
