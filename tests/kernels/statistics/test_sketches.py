"""Sketches against the sets they stand for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.statistics.sketches import SIZE, apart, sketch

CLAIMS = st.sets(st.tuples(st.integers(0, 40), st.integers(0, 5)), max_size=80)


def drawn(claims: set[tuple[int, int]]) -> np.ndarray:
    pairs = np.array(sorted(claims), dtype=np.float64).reshape(-1, 2)
    return sketch(pairs[:, 0], pairs[:, 1])


@given(CLAIMS, CLAIMS)
def test_sketches_are_never_farther_apart_than_their_sets(
    one: set[tuple[int, int]], other: set[tuple[int, int]]
) -> None:
    far = int(apart(drawn(one), drawn(other)[None])[0])
    more = max(len(one - other), len(other - one))
    assert abs(len(one) - len(other)) <= far <= more


def test_they_are_hardly_ever_nearer() -> None:
    rng = np.random.default_rng(1)
    claims = rng.random((20_000, 2))
    spread = sketch(claims[:, 0], claims[:, 1])
    assert spread.shape == (SIZE,) and spread.sum() == 20_000 and spread.max() < 60
    near = 0
    for start in range(0, 10_000, 10):  # five claims for five others
        one, other = claims[start : start + 5], claims[start + 5 : start + 10]
        near += apart(sketch(*one.T), sketch(*other.T)) < 5
    assert near < 50  # 25 pairs on 1,024 places: about 24 of 1,000
