"""Strict Mondrian as one would explain it: a recursion over lists of records."""

from __future__ import annotations

from collections import Counter
from typing import Any

from search.parts import TOWNS, Row


class Slow:
    """Divides rows of age (numbers), job (a list) and town (a tree); tells the box of each row."""

    def __init__(self, rows: list[Row], k: int) -> None:
        self.k, self.boxes = k, [()] * len(rows)
        self.rows = rows
        self.ages = sorted({row[0] for row in rows if row[0] is not None})
        jobs = Counter(row[1] for row in rows if row[1] is not None)
        self.jobs = sorted(jobs, key=lambda job: (-jobs[job], job))
        self.towns = sorted({row[2] for row in rows if row[2] is not None})
        self.divide(list(range(len(rows))))

    def divide(self, part: list[int]) -> None:
        axes = sorted((j for j in range(3)), key=lambda j: -self.width(part, j))
        for j in axes:
            for sides in self.cuts(part, j) if self.width(part, j) > 0 else ():
                if len(sides) > 1 and all(len(side) >= self.k for side in sides):
                    for side in sides:
                        self.divide(side)
                    return
        box = tuple(self.box(part, j) for j in range(3))
        for i in part:
            self.boxes[i] = box

    def box(self, part: list[int], j: int) -> Any:
        """What the part has in common; a star for nothing, None for missing values only."""
        values = {self.rows[i][j] for i in part}
        if values == {None}:
            return None
        if len(values) == 1:
            return next(iter(values))
        if j == 2:
            areas = {TOWNS.get(town) for town in values}
            return areas.pop() if len(areas) == 1 else "*"
        order = self.ages if j == 0 else self.jobs
        places = sorted(order.index(value) for value in values if value is not None)
        if None in values or (places[0], places[-1]) == (0, len(order) - 1):
            return "*"
        return places[0], places[-1]

    def width(self, part: list[int], j: int) -> float:
        values = {self.rows[i][j] for i in part}
        if len(values) == 1:
            return 0.0
        if None in values:
            return 1.0
        if j == 2:
            areas = {TOWNS[town] for town in values}
            below = [town for town in self.towns if TOWNS[town] in areas]
            return 1.0 if len(areas) > 1 else (len(below) - 1) / (len(self.towns) - 1)
        return max(self.place(v, j) for v in values) - min(self.place(v, j) for v in values)

    def place(self, value: Any, j: int) -> float:
        order = self.ages if j == 0 else list(range(len(self.jobs)))
        number = value if j == 0 else self.jobs.index(value)
        return float((number / 2 - order[0] / 2) / (order[-1] / 2 - order[0] / 2))

    def cuts(self, part: list[int], j: int) -> list[list[list[int]]]:
        """The cuts to be tried on an axis, each as its sides."""
        if j == 2:
            return [self.branches(part)]
        order: list[Any] = [None, *(self.ages if j == 0 else self.jobs)]
        rank = {i: order.index(self.rows[i][j]) for i in part}
        found = []
        if 0 in rank.values():
            found.append([[i for i in part if not rank[i]], [i for i in part if rank[i]]])
        halves = [
            [[i for i in part if rank[i] <= at], [i for i in part if rank[i] > at]] for at in sorted(set(rank.values()))
        ]
        return [*found, min(halves, key=lambda sides: abs(len(sides[0]) - len(sides[1])))]

    def branches(self, part: list[int]) -> list[list[int]]:
        towns = {self.rows[i][2] for i in part}
        areas = {TOWNS.get(town) for town in towns}

        def branch(i: int) -> Any:
            town = self.rows[i][2]
            return town if town is None or len(areas) == 1 else TOWNS[town]

        sides: dict[Any, list[int]] = {}
        for i in part:
            sides.setdefault(branch(i), []).append(i)
        large = sorted((side for side in sides.values() if len(side) >= self.k), key=len)
        rest = [i for side in sides.values() if len(side) < self.k for i in side]
        if rest and len(rest) < self.k and large:
            # of equally small branches the one that comes first in the order of the axis
            small = min(large, key=lambda side: (len(side), self.spot(side[0], len(areas) == 1)))
            large.remove(small)
            rest += small
        return [*large, *([rest] if rest else [])]

    def spot(self, i: int, leaves: bool) -> tuple[bool, Any, Any]:
        town = self.rows[i][2]
        if town is None:
            return True, "", ""
        return False, TOWNS[town], town if leaves else ""
