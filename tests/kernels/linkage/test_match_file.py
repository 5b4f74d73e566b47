"""Files side by side, against plain loops."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.linkage.match_file import NOBODY, match_file, relations, sub_keys

KEYS = st.lists(st.integers(0, 6), max_size=12)
ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4), max_size=10)


def whole(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@given(KEYS, KEYS)
def test_the_match_file_is_that_of_a_loop(records: list[int], targets: list[int]) -> None:
    wanted = []
    for key in sorted({*records, *targets}):
        here = [i for i, value in enumerate(records) if value == key]
        there = [i for i, value in enumerate(targets) if value == key]
        for turn in range(max(len(here), len(there))):
            wanted.append(
                (key, here[turn] if turn < len(here) else NOBODY, there[turn] if turn < len(there) else NOBODY)
            )
    found = match_file(whole(records), whole(targets))
    assert list(zip(*(part.tolist() for part in found), strict=True)) == wanted


@given(KEYS, KEYS)
def test_relations_are_those_of_a_loop(records: list[int], targets: list[int]) -> None:
    here, there = Counter(records), Counter(targets)
    kinds = Counter((here[key] > 1, there[key] > 1) for key in here.keys() & there.keys())
    found = relations(whole(records), whole(targets))
    assert found[:4] == tuple(kinds[kind] for kind in ((False, False), (False, True), (True, False), (True, True)))
    assert found.unmatched == sum(n for key, n in there.items() if key not in here)
    assert found.common == len(here.keys() & there.keys())


@given(ROWS, ROWS, st.integers(1, 4))
def test_sub_keys_are_those_of_a_loop(
    records: list[tuple[int, ...]], targets: list[tuple[int, ...]], most: int
) -> None:
    """P-01: with a column more no pair is added. P-03: whoever is alike in all columns stays so in fewer."""
    here, there = Counter(records), Counter(targets)
    codes = [np.array(list(side), dtype=np.int64).reshape(-1, 4) for side in (here, there)]
    sizes = [whole(list(side.values())) for side in (here, there)]
    found = {one.columns: one for one in sub_keys(codes[0], sizes[0], codes[1], sizes[1], most)}
    assert set(found) == {chosen for size in range(1, most + 1) for chosen in combinations(range(4), size)}
    for chosen, one in found.items():
        mine = [tuple(row[j] for j in chosen) for row in records]
        theirs = [tuple(row[j] for j in chosen) for row in targets]
        assert one.pairs == sum(mine.count(key) for key in theirs)
        alone = [key for key in set(theirs) if mine.count(key) == theirs.count(key) == 1]
        claimed = {tuple(codes[1][place, list(chosen)].tolist()) for place in one.target}
        assert claimed == set(alone) and len(one.target) == len(alone)
        assert np.array_equal(codes[0][one.record][:, chosen], codes[1][one.target][:, chosen])
        assert all(one.pairs >= found[more].pairs for more in found if set(chosen) < set(more))


def unique_pairs(records: list[tuple[int, ...]], targets: list[tuple[int, ...]], keys: tuple[int, ...]) -> set[int]:
    """Targets that are assigned uniquely by some columns, rightly: target i and record i are the same person."""
    sides = [np.array(side, dtype=np.int64).reshape(-1, 4)[:, list(keys)] for side in (records, targets)]
    ones = [np.ones(len(side), np.int64) for side in sides]
    every = sub_keys(sides[0], ones[0], sides[1], ones[1], len(keys))
    found = next(one for one in every if len(one.columns) == len(keys))
    return {int(t) for t, r in zip(found.target, found.record, strict=True) if t == r}


@given(ROWS, st.data())
def test_a_coarser_key_without_errors_finds_nobody_new(people: list[tuple[int, ...]], data: st.DataObject) -> None:
    """P1: where nobody is recorded otherwise, coarsening takes uniqueness away and gives none."""
    merged = data.draw(st.integers(1, 2))
    coarse = [(row[0] // merged if row[0] else 0, *row[1:]) for row in people] if merged > 1 else people
    assert unique_pairs(coarse, coarse, (0, 1, 2)) <= unique_pairs(people, people, (0, 1, 2))


@given(ROWS, ROWS, st.integers(0, 10))
def test_who_took_part_is_found_at_least_as_often(
    records: list[tuple[int, ...]], strangers: list[tuple[int, ...]], many: int
) -> None:
    """P3: a file of persons who took part finds whom a larger file with strangers finds."""
    part = records[:many]
    with_strangers = unique_pairs(records, part + strangers, (0, 1)) & set(range(len(part)))
    assert with_strangers <= unique_pairs(records, part, (0, 1))


@given(ROWS, ROWS)
def test_a_key_more_never_brings_back_a_record(records: list[tuple[int, ...]], targets: list[tuple[int, ...]]) -> None:
    """P4 to P6: who has a record alike in more columns has one in fewer; what differs once differs for good."""
    for size in range(1, 4):
        fewer = {row[:size] for row in records}
        more = {row[: size + 1] for row in records}
        had = [sum(t[: size + more_] in rows for t in targets) for more_, rows in ((0, fewer), (1, more))]
        assert had[1] <= had[0]
        counts = []
        for width in (size, size + 1):
            chosen = [
                np.array([row[:width] for row in side], np.int64).reshape(-1, width) for side in (records, targets)
            ]
            ones = [np.ones(len(side), np.int64) for side in chosen]
            every = list(sub_keys(chosen[0], ones[0], chosen[1], ones[1], width))
            counts.append(next(one.pairs for one in every if len(one.columns) == width))
        assert counts[1] <= counts[0]
