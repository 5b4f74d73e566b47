"""Answers that go together: a joint table or a pilot in place of independent shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from schleier.core.errors import Problems
from schleier.planning.counts import Row, read_counts
from schleier.planning.design import Block, Question

MOST_CELLS = 100_000
"""Combinations a table may hold."""


@dataclass(frozen=True)
class PlacedQuestion:
    """A question of a design and where it stands there."""

    question: Question
    where: str


def with_shares(
    asked: Sequence[PlacedQuestion], file: Path, count: str | None, where: str, problems: Problems
) -> tuple[tuple[Question, ...], Block | None]:
    """The questions with the shares that the table gives to those without, and the table itself."""
    questions = [one.question for one in asked]
    open_ = [i for i, question in enumerate(questions) if not question.shares]
    if not open_:
        message = "every question has shares of its own, so the file has nothing to say"
        problems.add("no-joint", where, message, "leave out the shares of the questions that the file is about")
        return tuple(questions), None
    rows = read_counts(file, [questions[i].name for i in open_], count, where)
    _check(rows, where, problems)
    orders = []
    for place, i in enumerate(open_):
        values = {row[0][place] for row in rows}
        order = _order(asked[i], values, problems)
        orders.append({value: j for j, value in enumerate(order)})
    if problems.found:
        return tuple(questions), None
    cells: dict[tuple[int, ...], Fraction] = {}
    for values_, weight in rows:
        cell = tuple(order[value] for order, value in zip(orders, values_, strict=True))
        cells[cell] = cells.get(cell, Fraction(0)) + (weight or 0)
    total = sum(cells.values(), Fraction(0))
    held = {cell: weight / total for cell, weight in sorted(cells.items()) if weight}
    for place, i in enumerate(open_):
        shares = [Fraction(0)] * len(orders[place])
        for cell, share in held.items():
            shares[cell[place]] += share
        questions[i] = replace(questions[i], shares=tuple(shares), gap=None in orders[place])
    singles = None if count else Fraction(sum(weight == 1 for weight in cells.values())) / total
    return tuple(questions), Block(tuple(open_), tuple(held), tuple(held.values()), singles)


def _check(rows: Sequence[Row], where: str, problems: Problems) -> None:
    wrong = sum(weight is None or weight < 0 for _, weight in rows)
    if wrong:
        problems.add("bad-joint", where, f"{wrong} rows have no count from 0 on", "correct the file")
    elif not any(weight for _, weight in rows):
        problems.add("bad-joint", where, "the table counts nobody", "is it the right file and column?")
    if len(rows) > MOST_CELLS:
        message = f"the table has more than {MOST_CELLS} combinations of answers"
        problems.add("bad-joint", where, message, "coarsen it first, or take fewer questions from it")


def _order(asked: PlacedQuestion, values: set[str | None], problems: Problems) -> list[str | None]:
    """The categories: as labelled, else numbers by size and words by alphabet; no answer comes last."""
    told = [value for value in values if value is not None]
    labels = asked.question.labels
    gap: list[str | None] = [None] if None in values else []
    if labels:
        unknown = len(set(told) - set(labels))
        if unknown:
            message = f"{unknown} different answers of the file are not among the labels of '{asked.question.name}'"
            problems.add("unknown-label", f"{asked.where}.labels", message, "list all answers as the file writes them")
        return [*labels, *gap]
    try:
        return [*sorted(told, key=float), *gap]
    except ValueError:
        return [*sorted(told), *gap]
