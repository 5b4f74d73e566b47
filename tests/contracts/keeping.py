"""What a promise of a method means, in numbers: slow and obvious, from the rows before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.stats import rankdata

from schleier.core.data import Dataset
from schleier.core.method import Method
from schleier.core.promises import Keeps, Kept, Statistic
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.testing import example_table

TINY = 1e-9
ERRORS = 5
"""Standard errors by which a mean over draws may be off."""
CLOSE = 0.8
"""Correlations from which on a relation is called close."""
CATEGORIES = ("sex", "region", "disease", "schooling", "household")


def random_table(seed: int, rows: int, gaps: float, zeros: float) -> pa.Table:
    """A table like the example, with other values: long tails, a close relation, gaps and zeros."""
    rng, table = np.random.default_rng(seed), example_table(rows)
    age = np.minimum(rng.poisson(35, rows), 89)
    income = np.round(80 * age + rng.lognormal(5, 0.7, rows), 2)
    income[rng.random(rows) < zeros] = 0.0
    some = {name: table.column(name).to_pylist() for name in CATEGORIES}
    new: dict[str, Any] = {name: [values[i] for i in rng.permutation(rows)] for name, values in some.items()}
    new |= {"household": some["household"], "children": rng.integers(0, 4, rows)}
    new |= {
        "age": pa.array(age, mask=rng.random(rows) < gaps),
        "income": pa.array(income, mask=rng.random(rows) < gaps),
    }
    new["weight"] = np.round(rng.uniform(1, 50, rows), 1)
    for name, values in new.items():
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(values).cast(table.schema.field(name).type))
    return table


@dataclass(frozen=True)
class Rows:
    """A table by column, in the order of the row key."""

    schema: Schema
    values: dict[str, list[Any]]

    @staticmethod
    def of(data: Dataset) -> Rows:
        table = data.engine.arrays(data.frame.select(data.schema.key, *data.schema.names).sort(data.schema.key))
        return Rows(data.schema, table.to_pydict())

    @property
    def keys(self) -> list[Any]:
        return self.values[self.schema.key]

    def numbers(self, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([np.nan if value is None else float(value) for value in self.values[name]])

    def at(self, keys: Sequence[Any], name: str) -> list[Any]:
        place = dict(zip(self.keys, self.values[name], strict=True))
        return [place[key] for key in keys]


def released(step: Method, data: Dataset, key: bytes) -> Rows:
    """What a step makes of a table."""
    run = Run(key=key)
    with run.within(step.label(data.schema)):
        return Rows.of(step.apply(data, run))


def numeric(before: Rows, after: Rows) -> list[str]:
    """Columns whose numbers somebody adds up."""
    names = [c.name for c in before.schema if c.numeric and c.role not in ("weight", "unit", "identifier")]
    return [name for name in names if name in after.schema and after.schema[name].numeric]


def _spread(values: np.ndarray[Any, Any]) -> float:
    held = values[~np.isnan(values)]
    return float(held.std()) if len(held) else 0.0


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return combinations(names, 2)


def _both(rows: Rows, one: str, other: str) -> tuple[Any, Any]:
    a, b = rows.numbers(one), rows.numbers(other)
    held = ~np.isnan(a) & ~np.isnan(b)
    return a[held], b[held]


def _correlation(rows: Rows, one: str, other: str, *, ranks: bool = False) -> float:
    a, b = _both(rows, one, other)
    if ranks:
        a, b = rankdata(a), rankdata(b)
    return float(np.corrcoef(a, b)[0, 1]) if len(a) > 2 and a.std() and b.std() else 0.0


def _weights(rows: Rows) -> np.ndarray[Any, Any]:
    return rows.numbers(next(iter(rows.schema.having("weight"))))


ESTIMATES: dict[Statistic, Callable[[Rows, Sequence[str]], list[float]]] = {
    "mean": lambda rows, names: [float(np.nanmean(rows.numbers(n))) for n in names],
    "total": lambda rows, names: [float(np.nansum(rows.numbers(n))) for n in names],
    "variance": lambda rows, names: [float(np.nanvar(rows.numbers(n), ddof=1)) for n in names],
    "covariance": lambda rows, names: [float(np.cov(*_both(rows, a, b))[0, 1]) for a, b in _pairs(names)],
    "correlation": lambda rows, names: [_correlation(rows, a, b) for a, b in _pairs(names)],
    "rank correlation": lambda rows, names: [_correlation(rows, a, b, ranks=True) for a, b in _pairs(names)],
    "weighted total": lambda rows, names: [float(np.nansum(rows.numbers(n) * _weights(rows))) for n in names],
    "total weight": lambda rows, names: [float(np.nansum(_weights(rows)))],
}
"""Statistics that are numbers, of each column or pair of columns."""


def counts_of(rows: Rows, columns: Sequence[str], words: Sequence[tuple[str, Any]]) -> list[float]:
    """How often each category occurs in each column."""
    found = {name: Counter(rows.values[name]) for name in columns}
    return [float(found[name][word]) for name, word in words]


def check_exact(statistic: Statistic, step: Method, before: Rows, after: Rows) -> None:
    """Nothing changed."""
    changed = [name for name in step.changes(before.schema) if name in before.schema and name in after.schema]
    match statistic:
        case "rows":
            assert after.keys == before.keys
        case "other columns":
            same = [name for name in before.schema.names if name in after.schema and name not in changed]
            for name in same:
                assert after.values[name] == before.at(after.keys, name), name
        case "missing":
            for name in changed:
                assert [v is None for v in after.values[name]] == [v is None for v in before.values[name]], name
        case "groups":
            for name in changed:
                together = set(zip(before.values[name], after.values[name], strict=True))
                assert len(together) == len(set(before.values[name])) == len(set(after.values[name])), name
        case "distribution" | "counts":
            for name in changed:
                assert Counter(after.values[name]) == Counter(before.values[name]), name
        case "order" | "zeros" | "signs":
            check_weak(statistic, step, before, after)
            check_weak(statistic, step, after, before)
        case _:
            names = numeric(before, after)
            old, new = (np.array(ESTIMATES[statistic](rows, names)) for rows in (before, after))
            off, allowed = np.abs(new - old), rounding(statistic, names, step, before)
            assert (off <= allowed + TINY * (1 + np.abs(old))).all(), (statistic, off.tolist())


def rounding(statistic: Statistic, names: Sequence[str], step: Method, before: Rows) -> Any:
    """By how much a statistic may be off because whole numbers stay whole."""
    changed, rows = step.changes(before.schema), len(before.keys)
    half = [0.5 if n in changed and before.schema[n].scale == "discrete" else 0.0 for n in names]
    match statistic:
        case "mean":
            return np.array(half)
        case "total":
            return rows * np.array(half)
        case "variance":
            return np.array([2 * h * (_spread(before.numbers(n)) + h) for n, h in zip(names, half, strict=True)])
        case _:
            return 0.0


def check_weak(statistic: Statistic, step: Method, before: Rows, after: Rows) -> None:
    """Something of it is left, as ``core.promises`` says."""
    names = numeric(before, after)
    match statistic:
        case "order" | "zeros" | "signs":
            for name in names:
                old, new = np.array(before.at(after.keys, name), dtype=float), after.numbers(name)
                held = ~np.isnan(old) & ~np.isnan(new)
                old, new = old[held], new[held]
                if statistic == "order":
                    order = np.lexsort((new, old))
                    assert (np.diff(new[order])[np.diff(old[order]) > 0] >= 0).all(), name
                elif statistic == "zeros":
                    assert (new[old == 0] == 0).all(), name
                else:
                    assert (np.sign(old) * np.sign(new) >= 0).all(), name
        case "mean" | "total":
            limit = np.array([_spread(before.numbers(n)) for n in names]) * (
                1 if statistic == "mean" else len(before.keys)
            )
            old, new = (np.array(ESTIMATES[statistic](rows, names)) for rows in (before, after))
            assert (np.abs(new - old) <= limit + TINY).all(), (statistic, names)
        case "variance":
            old, new = (np.array(ESTIMATES[statistic](rows, names)) for rows in (before, after))
            assert ((new <= 3 * old + TINY) & (old <= 3 * new + TINY)).all(), (names, old.tolist(), new.tolist())
        case "correlation" | "covariance" | "rank correlation":
            ranks = statistic == "rank correlation"
            for one, other in _pairs(names):
                old = _correlation(before, one, other, ranks=ranks)
                assert abs(old) < CLOSE or old * _correlation(after, one, other, ranks=ranks) > 0, (one, other)
        case _:
            raise AssertionError(f"nobody has said yet what is left of {statistic} when it is kept weakly")


def check_expected(statistic: Statistic, step: Method, before: Rows, draws: Sequence[Rows]) -> None:
    """Right on average over the draws."""
    if statistic == "counts":
        columns = [name for name in step.changes(before.schema) if not before.schema[name].numeric]
        words = [(name, word) for name in columns for word in sorted({*before.values[name]} - {None})]
        true = np.array(counts_of(before, columns, words))
        found = np.array([counts_of(rows, columns, words) for rows in draws])
        half = np.zeros(1)
    else:
        names = numeric(before, draws[0])
        true = np.array(ESTIMATES[statistic](before, names))
        found = np.array([ESTIMATES[statistic](rows, names) for rows in draws])
        half = rounding(statistic, names, step, before) / 10  # what rounding does to a mean goes up and down
    error = found.std(axis=0, ddof=1) / len(draws) ** 0.5
    off = np.abs(found.mean(axis=0) - true)
    assert (off <= ERRORS * error + half + TINY * (1 + np.abs(true))).all(), (
        statistic,
        (off / np.maximum(error, TINY)),
    )


def check(step: Method, data: Dataset, keys: Sequence[bytes], keeps: Keeps | None = None) -> None:
    """Whether a step keeps on a table what it promises: an assertion says what it does not."""
    promised = step.promises() if keeps is None else keeps
    before = Rows.of(data)
    draws = [released(step, data, key) for key in keys]
    ways: dict[Kept, Callable[[Statistic], None]] = {
        "exact": lambda statistic: check_exact(statistic, step, before, draws[0]),
        "weak": lambda statistic: check_weak(statistic, step, before, draws[0]),
        "expected": lambda statistic: check_expected(statistic, step, before, draws),
    }
    for statistic, how in promised.items():
        if how != "expected" or len(draws) > 1:
            ways[how](statistic)
