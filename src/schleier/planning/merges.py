"""The cheapest merges of categories that meet the target: least entropy lost, by the ORWELL coefficient."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from schleier.planning.design import Block, Design, Grouping, Question, entropy
from schleier.planning.pairs import Offer, bits_of, merge_groups, offers

MOST_GROUPINGS = 5_000
"""Ways to merge one question that are gone through."""
MOST_CELLS = 500_000
"""Combinations of answers that are added up for the ways to merge answers that go together."""
MOST_TOGETHER = 4_000_000
"""Ways to merge all questions that are gone through."""
COUNTED = 10**18
"""Beyond so many, ways to merge are not counted to the end."""
EQUAL = 1e-9
"""Entropies this close are equal: they are sums of floating numbers."""


@dataclass(frozen=True)
class Cheapest:
    """How to merge each question."""

    groupings: tuple[Grouping, ...]
    lost: float
    """In bits."""
    exact: bool


@dataclass(frozen=True)
class Choice:
    """One way to merge the questions of a block."""

    groupings: tuple[Grouping, ...]
    bits: float
    gone: int
    """Categories fewer."""


def cheapest(design: Design) -> Cheapest | None:
    """The merges that lose least entropy and meet the target; nothing when even one category each does not meet it.

    >>> from fractions import Fraction
    >>> age = Question("age", tuple(Fraction(part, 10) for part in (4, 3, 2, 1)), ordered=True)
    >>> cheapest(Design(50, Fraction(6), (age,))).groupings
    ((0, 1, 2, 2),)
    """
    if design.most < 1:
        return None
    limit = math.log2(design.most)
    before = sum(entropy(block.shares) for block in design.blocks)
    choices = [_choices(design, block, limit) for block in design.blocks]
    known = [each for each in choices if each is not None]
    exact = len(known) == len(choices) and math.prod(len(each) for each in known) <= MOST_TOGETHER
    found = _exact(design, known, limit) if exact else _refined(design, _greedy(design, limit), choices, limit)
    after = sum(bits_of(block, [found[i] for i in block.questions]) for block in design.blocks)
    return None if after > limit + EQUAL else Cheapest(found, max(before - after, 0.0), exact)


def count_merges(question: Question) -> int:
    """In how many ways the categories of a question can be merged: by neighbours, or in any way (Bell numbers).

    >>> from fractions import Fraction
    >>> four = (Fraction(1, 4),) * 4
    >>> count_merges(Question("x", four)), count_merges(Question("x", four, ordered=True))
    (15, 8)
    """
    count = len(question.shares) - question.gap
    if question.ordered:
        return int(2 ** max(count - 1, 0))
    row = [1]
    for _ in range(count):
        if row[0] > COUNTED:
            break  # Bell numbers soon have thousands of digits
        following = [row[-1]]
        for one in row:
            following.append(following[-1] + one)
        row = following
    return row[0]


def all_merges(question: Question) -> Iterator[Grouping]:
    """All ways to merge the categories of a question, none first for none merged."""
    count = len(question.shares) - question.gap
    last = (-1,) if question.gap else ()  # no answer stays a group of its own
    for found in _neighbours(count) if question.ordered else _any(count):
        yield found if not last else (*found, max(found, default=-1) + 1)


def _neighbours(count: int) -> Iterator[Grouping]:
    for cuts in product((1, 0), repeat=max(count - 1, 0)):
        yield tuple(sum(cuts[:i]) for i in range(count))


def _any(count: int) -> Iterator[Grouping]:
    """Restricted growth strings: each category joins a group that exists, or opens the next."""
    if not count:
        yield ()
        return
    for start in _any(count - 1):
        for group in range(max(start, default=-1) + 2):
            yield (*start, group)


def _exact(design: Design, choices: Sequence[Sequence[Choice]], limit: float) -> tuple[Grouping, ...]:
    """The best of all ways."""
    import numpy as np

    bits, gone = np.zeros(1), np.zeros(1, dtype=np.int64)
    for each in choices:
        bits = np.add.outer(bits, [choice.bits for choice in each]).ravel()
        gone = np.add.outer(gone, [choice.gone for choice in each]).ravel()
    highest = max(limit, float(bits.min()))  # no answer is never merged, so the limit may be out of reach
    meets = bits <= highest + EQUAL
    best = meets & (bits >= bits[meets].max() - EQUAL)  # of those equally good, the one with most categories left
    place = int(np.flatnonzero(best)[np.argmin(gone[best])])
    spots = np.unravel_index(place, [len(each) for each in choices])
    found: dict[int, Grouping] = {}
    for block, each, spot in zip(design.blocks, choices, spots, strict=True):
        found.update(zip(block.questions, each[int(spot)].groupings, strict=True))
    return tuple(found[i] for i in range(len(design.questions)))


def _choices(design: Design, block: Block, limit: float) -> list[Choice] | None:
    """The ways to merge a block that differ in entropy; nothing when they are too many."""
    asked = [design.questions[i] for i in block.questions]
    many = [count_merges(question) for question in asked]
    if max(many) > MOST_GROUPINGS or math.prod(many) * len(block.shares) > MOST_CELLS:
        return None
    found: dict[int, Choice] = {}
    for grouped in product(*(all_merges(question) for question in asked)):
        bits = bits_of(block, grouped)
        gone = sum(len(one) - max(one) - 1 for one in grouped)
        place = round(bits / EQUAL)
        if place not in found or gone < found[place].gone:
            found[place] = Choice(grouped, bits, gone)
    low = min(choice.bits for choice in found.values())
    return [choice for choice in found.values() if choice.bits <= max(limit, low) + EQUAL]


def _greedy(design: Design, limit: float) -> list[Grouping]:
    """Merge two groups at a time: the cheapest pair that meets the target, else the cheapest pair."""
    found = [tuple(range(len(question.shares))) for question in design.questions]
    bits = {block.questions: entropy(block.shares) for block in design.blocks}
    best: dict[tuple[int, ...], list[Offer]] = {}
    while (over := sum(bits.values()) - limit - EQUAL) > 0:
        for block in design.blocks:
            if block.questions not in best:  # it was changed
                best[block.questions] = list(offers(design, block, found))
        every = [(offer, block) for block in design.blocks for offer in best[block.questions]]
        if not every:
            break
        offer, block = min(every, key=lambda one: (one[0].lost < over, one[0]))
        found[offer.question] = merge_groups(found[offer.question], offer.low, offer.high)
        bits[block.questions] -= offer.lost
        del best[block.questions]
    return found


def _refined(
    design: Design, found: list[Grouping], choices: Sequence[Sequence[Choice] | None], limit: float
) -> tuple[Grouping, ...]:
    """Give back what was merged too much: for each block in turn the best of its ways while the others stay."""
    bits = [bits_of(block, [found[i] for i in block.questions]) for block in design.blocks]
    better = True
    while better:
        better = False
        for place, (block, each) in enumerate(zip(design.blocks, choices, strict=True)):
            room = limit - (sum(bits) - bits[place])
            fitting = [choice for choice in each or () if choice.bits <= room + EQUAL]
            best = max(fitting, key=lambda choice: (choice.bits, -choice.gone), default=None)
            if best and best.bits > bits[place] + EQUAL:
                bits[place], better = best.bits, True
                for i, grouping in zip(block.questions, best.groupings, strict=True):
                    found[i] = grouping
    return tuple(found)
