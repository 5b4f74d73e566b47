"""What a method promises to leave right: a statistic, and how well it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Statistic = Literal[
    "rows", "other columns", "missing", "groups", "distribution", "counts", "order", "zeros", "signs", "mean", "total",
    "variance", "covariance", "correlation", "rank correlation", "weighted total", "total weight",
]  # fmt: skip
Kept = Literal["exact", "expected", "weak"]
Keeps = Mapping[Statistic, Kept]

MEANINGS: Mapping[Statistic, str] = {
    "rows": "The records: none is left out, none is added.",
    "other columns": "Values of columns the method does not name in ``changes``, record by record.",
    "missing": "Which values are missing.",
    "groups": "Which records share a value of a column.",
    "distribution": "How often each value occurs in a column.",
    "counts": "How often each category occurs in a column. Weak: the most frequent one stays among the frequent ones.",
    "order": "The order of numbers. Weak: of two values the larger never becomes the smaller; they may become equal.",
    "zeros": "Which numbers are zero. Weak: a zero stays a zero, others may become one.",
    "signs": "Which numbers are negative. Weak: no sign turns, but a small number may become zero.",
    "mean": "Means of numbers. Weak: off by less than the standard deviation of the column.",
    "total": "Totals of numbers. Weak: off by less than a standard deviation for each record.",
    "variance": "Variances of numbers. Weak: less than three times as large, or small.",
    "covariance": "Covariances of pairs of numbers. Weak: as for correlations.",
    "correlation": "Correlations of pairs of numbers. Weak: a close relation does not turn round.",
    "rank correlation": "Correlations of ranks. Weak: a close relation does not turn round.",
    "weighted total": "Totals of numbers, computed with the weights of the file.",
    "total weight": "The sum of the weights.",
}
"""What each statistic is, and what is left of it where it is kept weakly."""

HOW: Mapping[Kept, str] = {
    "exact": "The same, but for the last digit a column has: whole numbers stay whole numbers.",
    "expected": "Right on average over the draws.",
    "weak": "Something of it is left: what, is said for each statistic.",
}
STATISTICS: frozenset[str] = frozenset(get_args(Statistic))
WAYS: frozenset[str] = frozenset(get_args(Kept))
