"""Grouping as it is defined, one record after the other, with a count of the records that were compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Slow:
    """Records in groups of k; ``kind`` is mdav, centroid or max_distance."""

    x: Any
    k: int
    kind: str
    compared: int = 0
    groups: list[int] = field(default_factory=list)

    def apart(self, a: Any, b: Any) -> float:
        """Squared distance, column after column."""
        total = 0.0
        for j in range(len(a)):
            total += (a[j] - b[j]) * (a[j] - b[j])
        return total

    def run(self) -> list[int]:
        """The number of each record's group."""
        left, number = list(range(len(self.x))), 0
        self.groups = [-1] * len(left)
        total = [0.0] * len(self.x[0])
        for row in self.x:
            total = [t + v for t, v in zip(total, row, strict=True)]

        def gather(row: int) -> None:
            nonlocal number, total
            left.remove(row)
            near = sorted(left, key=lambda i: (self.apart(self.x[i], self.x[row]), i))[: self.k - 1]
            for i in (row, *near):
                self.groups[i] = number
                total = [t - v for t, v in zip(total, self.x[i], strict=True)]
            left[:] = [i for i in left if i not in near]
            number += 1

        while len(left) >= 2 * self.k:
            many = len(left)
            if self.kind == "max_distance":
                row = -max((self.apart(self.x[a], self.x[b]), -a) for a in left for b in left if a < b)[1]
                self.compared += many * (many - 1) + 2 * (many - 2)  # all pairs, then both from all others (3.1-1)
            else:
                centre = [t / many for t in total]
                row = max(left, key=lambda i: (self.apart(self.x[i], centre), -i))
                self.compared += many + many - 1  # all with the centre, then all others with the farthest (3.1-2)
            gather(row)
            if self.kind != "centroid" and (len(left) >= 2 * self.k):
                other = max(left, key=lambda i: (self.apart(self.x[i], self.x[row]), -i))
                gather(other)
        for i in left:
            self.groups[i] = number
        return self.groups
