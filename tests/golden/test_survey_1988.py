"""The survey of 1988 and what measures changed: Müller, Blien, Knoche and Wirth (1991), 9.3 and 11.

Specification, part C, T4 to T6, T8, T15 to T17, and P2 to P6. L is the line of the scanned text.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.trust.answer import Answer
from schleier.kernels.population.compatibility import all_compatible, expected_deviations

PERSONS = (1, 2, 3, 2, 1, 1, 4, 4, 4, 1)
"""Of how many of 13 keys each of the ten persons in both files is recorded otherwise (Übersicht 9.5, L15820-15870)."""
OWN = (0, 0, 0, 0, 0, 2, 6, 2, 2, 2, 2, 1, 6)
"""In how many of them each of the 13 keys is."""
EVERY = {0: 12, 1: 7, 2: 11, 4: 1, 6: 3, 7: 1}
"""Persons recorded otherwise: how many of all 35 keys (Übersicht 9.6, L15909-15935; one of them is not printed)."""
KEYS = (12, 11, 10, 11, 12, 12, 9, 9, 9, 12)
"""Compatible keys of each person, in brackets in Übersicht 9.7 (L16309-16337)."""
BACKSTAIRS = (
    (100, 1, 0, 0), (193, 55, 2, 0), (382, 22, 0, 0), (393, 137, 0, 0), (395, 53, 12, 0),
    (521, 235, 159, 1), (522, 192, 0, 0), (592, 25, 0, 0), (678, 588, 0, 0), (881, 27, 5, 0),
)  # fmt: skip
"""Records left with 5 keys, with the compatible ones, with 13 and with 21 (Table 9.14, L16175-16200)."""


def test_the_margins_agree() -> None:
    assert sum(PERSONS) == sum(OWN) == 23
    assert [PERSONS.count(many) for many in (1, 2, 3, 4)] == [4, 2, 1, 3]  # L15809-15812
    assert (sum(EVERY.values()), EVERY[0], sum(EVERY.values()) - EVERY[0]) == (35, 12, 23)  # Table 9.12
    assert sum(persons * keys for persons, keys in EVERY.items()) == 58


def test_nobody_is_recorded_alike() -> None:
    """Independent errors of these sizes leave one of twenty persons alike in 13 keys, and nobody in 35 (derived)."""
    rates = np.array(OWN) / 10
    assert all_compatible(rates) == pytest.approx(0.0472, abs=5e-5)
    assert expected_deviations(rates) == pytest.approx(sum(PERSONS) / 10)
    every = np.repeat(list(EVERY), list(EVERY.values())) / 10
    assert all_compatible(every) == pytest.approx(0.000473, abs=5e-7)


def test_by_the_back_stairs() -> None:
    """T8: brackets are 13 less what differs; candidates never rise (P5); with every key only strangers are left."""
    assert tuple(13 - many for many in PERSONS) == KEYS
    assert all(first >= kept and first >= all_13 >= all_21 for first, kept, all_13, all_21 in BACKSTAIRS)
    assert sum(kept == 1 for _, kept, _, _ in BACKSTAIRS) == 1
    assert sum(all_13 > 0 for _, _, all_13, _ in BACKSTAIRS) == 4  # all of them false: everybody differs somewhere
    assert sum(all_21 for *_, all_21 in BACKSTAIRS) == 1
    assert sum(first < 16_000_000 / 100_000 for first, *_ in BACKSTAIRS) == 1  # thinned by region, L16217-16226


TABLES = [
    ("as it was", 14, 4, 71, 29), ("without municipality size", 20, 2, 90, 10), ("state only", 24, 0, 100, 0),
    ("degree in 10 groups", 18, 3, 83, 17), ("birth in 5 years", 22, 3, 86, 14),
    ("75 %", 9, 2, 78, 22), ("50 %", 6, 1, 83, 17),
]  # fmt: skip
"""Measure, one-to-one links, right ones, per cent false and right (Tables 11.1 to 11.3, L19615-19757)."""


@pytest.mark.parametrize(("measure", "links", "right", "false", "correct"), TABLES, ids=[row[0] for row in TABLES])
def test_tables_11_1_to_11_3(measure: str, links: int, right: int, false: int, correct: int) -> None:
    told = Answer(targets=7983, contained=53, claims=links, correct=right, records=169_368)
    assert round(100 * told.right.share) == correct
    assert round(100 * (1 - told.right.share)) == false


PEOPLE = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=20)


def unique(rows: list[tuple[int, ...]]) -> float:
    return sum(rows.count(row) == 1 for row in rows) / len(rows)


@given(PEOPLE, st.integers(1, 3))
def test_coarser_is_less_unique_and_more_keys_are_not(rows: list[tuple[int, ...]], keys: int) -> None:
    """P2."""
    assert unique([row[:keys] for row in rows]) <= unique(rows)
    assert unique([(row[0] // 2, *row[1:]) for row in rows]) <= unique(rows)


@given(PEOPLE, st.tuples(*[st.integers(0, 2)] * 4), st.integers(0, 19))
def test_who_is_lost_on_the_stairs_stays_lost(rows: list[tuple[int, ...]], sought: tuple[int, ...], own: int) -> None:
    """P5 and P6: key by key fewer candidates; a person who differs once is never among them again."""
    left, counts = set(range(len(rows))), list[int]()
    lost = False
    for key in range(4):
        left = {place for place in left if rows[place][key] == sought[key]}
        counts.append(len(left))
        lost = lost or rows[own % len(rows)][key] != sought[key]
        assert not (lost and own % len(rows) in left)
    assert counts == sorted(counts, reverse=True)
