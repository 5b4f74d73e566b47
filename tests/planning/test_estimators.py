"""The estimators against the plain definition."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.designs import correlated, design, designs
from schleier.planning.design import Design, Question, entropy
from schleier.planning.estimators import Cells, fewest_persons, fg, independent_orwell, orwell, rate


def shares_of(planned: Design) -> list[Fraction]:
    """The share of every combination, one by one."""
    return [math.prod(parts, start=Fraction(1)) for parts in product(*(block.shares for block in planned.blocks))]


@given(designs(), st.integers(1, 400))
def test_counts_are_those_of_going_through_every_combination(planned: Design, persons: int) -> None:
    cells = Cells.of(planned)
    assert cells is not None
    expected = [persons * share for share in shares_of(planned)]
    assert cells.rt(persons) == sum(math.floor(e) == 1 for e in expected)
    assert cells.rr(persons) == sum(math.floor(e + Fraction(1, 2)) == 1 for e in expected)


def test_answers_that_go_together_are_counted_together() -> None:
    planned = correlated()
    cells = Cells.of(planned)
    assert cells is not None
    expected = [100 * share for share in shares_of(planned)]
    assert len(expected) == 12  # six combinations of two questions, times two
    assert cells.rt(100) == sum(math.floor(e) == 1 for e in expected) == 6
    assert orwell(planned) == pytest.approx(2 ** entropy(shares_of(planned)))
    assert orwell(planned) < 0.7 * independent_orwell(planned)


@given(designs())
def test_the_coefficient_lies_between_one_and_all_combinations(planned: Design) -> None:
    found = orwell(planned)
    assert 1 <= found <= planned.combinations * (1 + 1e-12)
    assert found == pytest.approx(2 ** entropy(shares_of(planned)), rel=1e-9)
    assert all((q.used == len(q.shares)) == (len(set(q.shares)) == 1) for q in planned.questions)


@given(designs(), st.booleans())
def test_the_smallest_number_of_persons_is_the_smallest(planned: Design, by_freedom: bool) -> None:
    unique = float(fg([len(q.shares) for q in planned.questions])) if by_freedom else orwell(planned)
    least = fewest_persons(unique, planned.tolerated)
    slack = 1 + 1e-11
    assert float(rate(unique, least)) <= float(planned.tolerated) * slack
    assert least == 1 or float(rate(unique, least - 1)) * slack > float(planned.tolerated)


@pytest.mark.parametrize(("categories", "freedom"), [([2, 3, 4], 12), ([4, 2, 3], 12), ([5], 4), ([1], 0), ([1, 5], 0)])
def test_degrees_of_freedom(categories: list[int], freedom: int) -> None:
    assert fg(categories) == freedom


def test_a_million_million_equal_combinations_are_one_product() -> None:
    planned = design(*(["1/10 " * 10] * 12))
    cells = Cells.of(planned)
    assert planned.combinations == 10**12 and cells is not None
    assert (cells.rt(10**12), cells.rt(10**12 - 1), cells.rr(10**12 // 2)) == (10**12, 0, 10**12)
    assert orwell(planned) == 10**12


def test_too_many_different_combinations_are_refused() -> None:
    def odd(i: int) -> Question:
        parts = [3 + (7 * j + i * j * j) % 89 for j in range(10)]
        return Question(f"q{i}", tuple(Fraction(part, sum(parts)) for part in parts))

    assert Cells.of(Design(1000, Fraction(5), tuple(odd(i) for i in range(12)))) is None


def test_curves_of_counts_are_not_monotone() -> None:
    """Why no smallest number of persons is told for RT and RR (table 5 of Rauterberg)."""
    cells = Cells.of(design(".8 .2", ".5 .3 .2", ".4 .3 .2 .1"))
    assert cells is not None
    rates = [rate(cells.rr(n), n) for n in range(1, 60)]
    assert any(later > earlier for earlier, later in pairwise(rates))
