"""Designs for tests."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from schleier.planning.design import Block, Design, Question


def question(text: str, name: str = "q", ordered: bool = False) -> Question:
    return Question(name, tuple(map(Fraction, text.split())), ordered)


def design(*texts: str, persons: int = 100, tolerated: int | Fraction = 5, ordered: bool = True) -> Design:
    asked = (question(text, f"q{i}", ordered) for i, text in enumerate(texts))
    return Design(persons, Fraction(tolerated), tuple(asked))


def correlated(persons: int = 100, tolerated: int = 5) -> Design:
    """Two questions of three answers that nearly determine each other, and an independent one."""
    parts = {(0, 0): 30, (0, 1): 2, (1, 1): 28, (1, 2): 3, (2, 2): 35, (2, 0): 2}
    shares = {cell: Fraction(part, 100) for cell, part in parts.items()}
    block = Block((0, 1), tuple(shares), tuple(shares.values()))
    sums = [tuple(sum((s for c, s in shares.items() if c[k] == j), Fraction(0)) for j in range(3)) for k in (0, 1)]
    asked = (Question("a", sums[0], True), Question("b", sums[1], True), question("1/2 1/2", "c"))
    return Design(persons, Fraction(tolerated), asked, block)


@st.composite
def designs(draw: st.DrawFn, most: int = 4, questions: int = 3) -> Design:
    def one(i: int) -> Question:
        parts = draw(st.lists(st.integers(0, 9), min_size=1, max_size=most).filter(any))
        return Question(f"q{i}", tuple(Fraction(part, sum(parts)) for part in parts), draw(st.booleans()))

    count = draw(st.integers(1, questions))
    persons, tolerated = draw(st.integers(1, 300)), Fraction(draw(st.integers(1, 1000)), 10)
    return Design(persons, tolerated, tuple(one(i) for i in range(count)))
