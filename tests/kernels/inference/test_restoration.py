"""The arithmetic of attacks on values, against slow obvious ways."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.inference.candidates import within_share
from schleier.kernels.inference.restoration import (
    dominating,
    group_of,
    likeliest_code,
    likeliest_number,
    predicted_signs,
)

NUMBERS = st.lists(st.floats(-100, 100).map(lambda x: round(x, 1)), min_size=1, max_size=12)


@given(NUMBERS, st.sampled_from([0.05, 0.3]))
def test_no_other_number_is_near_to_more_values(values: list[float], within: float) -> None:
    held = np.array([*values, np.nan])
    guess = likeliest_number(held, within)
    ends = [end for x in values for end in (x - within * abs(x), x, x + within * abs(x))]
    # A little wider: the end of a range is the sum of two rounded numbers.
    reached = int(within_share(np.full(len(values), guess), held[:-1], within + 1e-9).sum())
    assert reached >= max(int(within_share(np.full(len(values), end), held[:-1], within - 1e-9).sum()) for end in ends)


def test_no_values_no_guess() -> None:
    assert np.isnan(likeliest_number(np.array([np.nan]), 0.1))
    assert likeliest_code(np.array([-1, -1])) == (-1, [])
    assert likeliest_code(np.array([3, 3])) == (3, [])


CELLS = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2)), max_size=20)


@given(CELLS, st.integers(1, 4), st.sampled_from([0.4, 0.5, 1.0]))
def test_dominating_equals_the_slow_way(cells: list[tuple[int, int]], smallest: int, sure: float) -> None:
    groups, codes = (np.array([cell[i] for cell in cells], dtype=np.int64) for i in range(2))
    slow = []
    for group, _ in cells:
        members = [code for other, code in cells if other == group]
        votes = Counter(code for code in members if code >= 0)
        best = min(votes, key=lambda code, votes=votes: (-votes[code], code), default=-1)
        sound = votes and len(members) >= smallest and votes[best] >= sure * len(members)
        slow.append(best if sound else -1)
    assert dominating(groups, codes, smallest, sure).tolist() == slow


@given(st.lists(st.tuples(st.integers(-1, 2), st.sampled_from([1.0, 2.0, np.nan])), min_size=1, max_size=20))
def test_equal_combinations_have_equal_numbers(rows: list[tuple[int, float]]) -> None:
    found = group_of(*(np.array([row[i] for row in rows]) for i in range(2)))
    texts = [str(row) for row in rows]
    pairs = {(a, b) for a, b in zip(texts, found.tolist(), strict=True)}
    assert len(pairs) == len(set(texts)) == len(set(found.tolist()))


@given(st.lists(st.floats(1, 1000), min_size=1, max_size=20).map(lambda x: sorted(x, reverse=True)))
def test_predicted_signs_are_those_of_controlled_noise(amounts: list[float]) -> None:
    """The method without any spread (N13b) gives exactly the signs that are predicted from what it releases."""
    f, balance, true = 0.1, 0.0, []
    for i, amount in enumerate(amounts):
        sign = -1 if i == 0 or balance > 1e-9 else 1
        true.append(sign)
        balance += f * sign * amount
    released = np.array([x * (1 + f * w) for x, w in zip(amounts, true, strict=True)])
    told = predicted_signs(released, f)
    upto = int(np.argmin(told != 0)) if (told == 0).any() else len(told)
    # The attacker goes by the order of the originals here; rounding may stop him one unit early or late.
    assert told[: max(upto - 1, 1)].tolist() == true[: max(upto - 1, 1)]
