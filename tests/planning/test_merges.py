"""The cheapest merges against trying everything."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings

from planning.designs import correlated, design, designs, question
from schleier.planning import merges, pairs
from schleier.planning.design import Block, Design, Grouping, Question, entropy
from schleier.planning.estimators import orwell
from schleier.planning.merges import all_merges, cheapest, count_merges
from schleier.planning.pairs import bits_of, merge_groups, offers


def every(asked: Question) -> set[Grouping]:
    """All ways to put categories into groups, the slow way: labels of all kinds, brought into one form."""
    found = set()
    count = len(asked.shares)
    for labels in product(range(count), repeat=count):
        first = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        form = tuple(first[label] for label in labels)
        if not asked.ordered or list(form) == sorted(form):
            found.add(form)
    return found


def bits(planned: Design) -> float:
    return sum(entropy(block.shares) for block in planned.blocks)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_all_ways_are_gone_through(count: int, ordered: bool) -> None:
    asked = question(f"1/{count} " * count, ordered=ordered)
    found = list(all_merges(asked))
    assert set(found) == every(asked) and len(found) == len(set(found)) == count_merges(asked)


def test_no_answer_is_never_merged() -> None:
    for ordered in (True, False):
        asked = Question("q", (Fraction(1, 4),) * 4, ordered, gap=True)
        found = list(all_merges(asked))
        assert len(found) == count_merges(asked) == (4 if ordered else 5)
        assert all(one.count(one[-1]) == 1 and one[-1] == max(one) for one in found)


def check(planned: Design) -> None:
    found = cheapest(planned)
    if planned.most < 1:
        assert found is None
        return
    assert found is not None and found.exact
    after = planned.merged(found.groupings)
    assert orwell(after) <= float(planned.most) * (1 + 1e-8)
    assert found.lost == pytest.approx(bits(planned) - bits(after), abs=1e-8)
    losses = [
        bits(planned) - bits(planned.merged(tried))
        for tried in product(*(every(asked) for asked in planned.questions))
        if bits(planned.merged(tried)) <= math.log2(planned.most) + 1e-9
    ]
    assert found.lost == pytest.approx(min(losses), abs=1e-8)


@settings(max_examples=40)
@given(designs(most=3))
def test_no_merges_that_meet_the_target_are_cheaper(planned: Design) -> None:
    check(planned)


@pytest.mark.parametrize(("persons", "tolerated"), [(100, 5), (100, 2), (60, 7), (100, 1), (99, 1)])
def test_nor_are_they_where_answers_go_together(persons: int, tolerated: int) -> None:
    check(correlated(persons, tolerated))


def test_a_plan_that_is_met_loses_nothing() -> None:
    found = cheapest(design("1/2 1/2", "1/3 1/3 1/3", persons=120))
    assert found is not None and found.lost == 0 and found.groupings == ((0, 1), (0, 1, 2))


def test_equally_cheap_merges_keep_more_categories() -> None:
    """Answers that nobody gives cost nothing to merge, and are not merged without need."""
    found = cheapest(design("1/2 1/2 0", persons=100, tolerated=2))
    assert found is not None and found.groupings == ((0, 1, 2),)


@settings(max_examples=30)
@given(designs(most=4))
def test_step_by_step_meets_the_target_too(planned: Design) -> None:
    """Where there are too many ways; never cheaper than the exact answer."""
    exact = cheapest(planned)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merges, "MOST_TOGETHER", 0)
        refined = cheapest(planned)
        patch.setattr(merges, "MOST_GROUPINGS", 0)
        plain = cheapest(planned)
    assert (exact is None) == (plain is None) == (refined is None)
    if exact and plain and refined:
        assert not plain.exact and not refined.exact
        assert orwell(planned.merged(plain.groupings)) <= float(planned.most) * (1 + 1e-8)
        assert exact.lost - 1e-8 <= refined.lost <= plain.lost + 1e-8
        for asked, grouping in zip(planned.questions, plain.groupings, strict=True):
            assert not asked.ordered or list(grouping) == sorted(grouping)


@given(designs(most=6))
def test_what_a_pair_costs_is_what_its_entropy_falls_by(planned: Design) -> None:
    found: list[Grouping] = [tuple(range(len(asked.shares))) for asked in planned.questions]
    for block in planned.blocks:
        (i,) = block.questions
        every_pair = list(offers(planned, block, found))
        count = len(found[i])
        assert len(every_pair) == (count - 1 if planned.questions[i].ordered else count * (count - 1) // 2)
        for offer in every_pair:
            after = bits_of(block, [merge_groups(found[i], offer.low, offer.high)])
            assert offer.lost == pytest.approx(bits_of(block, [found[i]]) - after, abs=1e-9)


def test_questions_with_very_many_answers() -> None:
    shares = tuple(Fraction(1, 400) for _ in range(400))
    planned = Design(1000, Fraction(5), (Question("job", shares), Question("place", shares, ordered=True)))
    found = cheapest(planned)
    assert found is not None and not found.exact
    assert orwell(planned.merged(found.groupings)) <= 50 * (1 + 1e-9)
    assert count_merges(planned.questions[0]) > merges.COUNTED


def test_many_answers_that_go_together() -> None:
    count = 60
    cells = tuple((i, (i + j) % count) for i in range(count) for j in (0, 1))
    block = Block((0, 1), cells, tuple(Fraction(1, len(cells)) for _ in cells))
    shares = tuple(Fraction(1, count) for _ in range(count))
    planned = Design(200, Fraction(5), (Question("a", shares), Question("b", shares)), block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "TRIED", 100)
        patch.setattr(pairs, "SOME", 5)
        found = cheapest(planned)
    assert found is not None and orwell(planned.merged(found.groupings)) <= 10 * (1 + 1e-9)


def test_many_ways_are_merged_step_by_step() -> None:
    planned = design("1/16 " * 16, "1/2 1/2", ordered=False)
    found = cheapest(planned)
    assert count_merges(planned.questions[0]) == 10_480_142_147  # the Bell number of 16
    assert found is not None and not found.exact
    assert orwell(planned.merged(found.groupings)) <= 5
