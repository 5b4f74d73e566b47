"""A search believes what a criterion declares: every registered one is put to the test with many parameters.

Monotone: merging good classes, at random or up the levels of hierarchies, gives good classes.
Hereditary: every part of a bad class is bad.
Limits: a class beyond them is bad, and no other where they are the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schleier.core import registry
from schleier.core.classes import Classes
from schleier.core.classes.population import Population
from schleier.core.classes.request import Missing
from schleier.core.criterion import Criterion, Limits
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.hierarchy import parse
from schleier.core.schema import Schema
from schleier.criteria.data_age import DataAge
from schleier.criteria.delta_disclosure import DeltaDisclosure
from schleier.criteria.delta_presence import DeltaPresence
from schleier.criteria.k_anonymity import KAnonymity
from schleier.criteria.l_diversity import LDiversity
from schleier.criteria.p_percent import PPercent
from schleier.criteria.t_closeness import TCloseness
from schleier.kernels.classes.coding import number_rows as numbered
from schleier.testing import ROW_KEY, example_schema, example_table

ILLNESSES = {"ill": {"common": ["flu"], "uncommon": ["rare"]}, "well": {"well": ["none"]}}
NUMBERS = [0.05, 0.2, 0.5, 0.9, 1, 2, 3, 4, 8, 30, 60, 90]
"""Tried for every parameter that is a number; those its declaration refuses are left out."""
SENSITIVE = [(), ("disease",), ("income",), ("disease", "income")]
TABLES = 6


@cache
def schema(units: bool) -> Schema:
    """The schema of the example table, with a hierarchy of what is sensitive, with and without units."""
    found = example_schema().changed("disease", hierarchy="disease")
    found = found.model_copy(update={"hierarchies": {**found.hierarchies, "disease": parse({"tree": ILLNESSES})}})
    return found if units else found.changed("household", role="plain")


@cache
def data(number: int) -> Dataset:
    """A random table: with many classes of one record, or with few large ones; with and without units."""
    rng = np.random.default_rng(number)
    rows, dense = 160, number % 2 == 0
    table = example_table(rows)

    def draw(values: list[Any], gaps: float = 0.1) -> pa.Array:
        weights = rng.dirichlet(np.ones(len(values)))
        picked = [values[i] for i in rng.choice(len(values), rows, p=weights)]
        return pa.array(picked, mask=rng.random(rows) < gaps)

    drawn = {
        "age": draw([3, 33] if dense else list(range(60))),
        "sex": draw(["f", "m"]),
        "region": draw(["10000", "10023"] if dense else [f"10{i:03d}" for i in range(200)]),
        "disease": draw(["none", "flu", "rare"]),
        "income": draw([0.0, 1.5, 20.0, 300.25, 4000.0, -2.5]),
        "household": draw([f"h{i}" for i in range(12)]),
        "weight": draw([0.5, 1.0, 30.0], gaps=0.0),
    }
    for name, column in drawn.items():
        table = table.set_column(table.column_names.index(name), name, column)
    assert table.column_names[0] == ROW_KEY
    found = Dataset.from_frame(table, schema(units=number % 3 != 0))
    return replace(found, populations=populations(table, rng))


def populations(table: pa.Table, rng: np.random.Generator) -> dict[str, Dataset]:
    """The rows several times over and others, some with gaps; but a few of them are in no population."""
    described = schema(units=False)
    keys = tuple(column for column in described if column.role == "quasi")
    names = [column.name for column in keys]
    picked = rng.choice(len(table) - 20, 4 * len(table))
    own = table.select(names).take(pa.array(picked))
    shuffled = [own.column(name).take(pa.array(rng.permutation(len(own)))) for name in names]
    people = pa.concat_tables([own, pa.table(shuffled, names=names)])
    who = described.model_copy(update={"row_key": None, "columns": keys})
    where = {"region": table.column("region").unique(), "persons": None}
    where["persons"] = pa.array(rng.integers(0, 60, len(where["region"])))
    persons = described["weight"].model_copy(update={"name": "persons"})
    places = described.model_copy(update={"row_key": None, "columns": (described["region"], persons)})
    return {
        "population": Dataset.from_frame(people, who),
        "gazetteer": Dataset.from_frame(pa.table(where), places),
    }


@cache
def classes_of(number: int, request: Any) -> Classes:
    return data(number).classes(request)


def choices(name: str, field: Any) -> list[Any]:
    """What is tried for a parameter."""
    kind = field.annotation
    if name == "keys":
        return [()]
    if name == "sensitive":
        return SENSITIVE
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    if kind is bool:
        return [False, True]
    return NUMBERS if kind in (int, float) else []


@st.composite
def criteria(draw: st.DrawFn, declared: type[Criterion]) -> Criterion | None:
    """The criterion of the example with other parameters; none when they do not go together."""
    given_ = dict(declared.example)
    for name, allowed in parameters(declared).items():
        given_[name] = draw(st.sampled_from(allowed))
    try:
        return declared(**given_)
    except SchleierError:
        return None


@cache
def parameters(declared: type[Criterion]) -> dict[str, list[Any]]:
    """What each parameter may be."""

    def accepted(name: str, value: Any) -> bool:
        try:
            declared(**{**declared.example, name: value})
        except SchleierError:
            return False
        return True

    tried = {name: choices(name, field) for name, field in declared.model_fields.items()}
    allowed = {name: [value for value in values if accepted(name, value)] for name, values in tried.items()}
    return {name: values for name, values in allowed.items() if values}


def merge(classes: Classes, place: np.ndarray[Any, Any]) -> tuple[Classes, np.ndarray[Any, Any]]:
    """The classes merged by place, and the new place of each."""
    spot = np.unique(place, return_inverse=True)[1].reshape(-1)
    codes = np.zeros((len(spot), len(classes.keys)), dtype=np.int32)
    codes[:, 0] = spot
    values = tuple(pa.array(range(len(spot) + 1)) for _ in classes.keys)
    people = {name: gathered(one, classes.codes, codes) for name, one in classes.populations.items()}
    return classes._merged(values, codes, people)


def gathered(people: Population, before: np.ndarray[Any, Any], after: np.ndarray[Any, Any]) -> Population:
    """A population whose persons go where the class of their combination goes; the others go anywhere."""
    both = numbered(np.concatenate([before, people.codes]))
    spots = np.append(np.unique(after[:, 0]), [len(before)]).astype(np.int32)
    anywhere = spots[np.arange(int(both.max(initial=0)) + 1) * 7 % len(spots)]
    anywhere[both[: len(before)]] = after[:, 0]
    codes = np.zeros_like(people.codes)
    codes[:, 0] = anywhere[both[len(before) :]]
    return replace(people, codes=codes).summed()


def outside(limits: Limits, fine: Classes) -> np.ndarray[Any, Any]:
    """Which classes are beyond the limits a criterion declares."""
    beyond = fine.sizes < limits.least
    if limits.sensitive:
        h = fine.histograms[limits.sensitive] if limits.gaps else fine.histograms[limits.sensitive].without_gaps()
        for i in range(len(fine)):
            here = h.classes == i
            if not here.any():  # no value at all is far from none, and too few only where several are asked for
                beyond[i] |= limits.different > 1
                continue
            shares = np.zeros(len(h.totals))
            shares[h.codes[here]] = h.counts[here] / h.counts[here].sum()
            all_of_it = h.totals / h.totals.sum()
            beyond[i] |= here.sum() < limits.different or apart(shares, all_of_it) > limits.far
            beyond[i] |= uneven(limits, shares, all_of_it)
            if np.isfinite(limits.far_up):
                tree = [np.arange(len(shares)), *h.levels()]
                parts = [(np.bincount(up, shares), np.bincount(up, all_of_it)) for up in tree]
                beyond[i] |= np.mean([apart(*both) for both in parts]) > limits.far_up
    return beyond


def apart(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """Half the sum of absolute differences."""
    return float(np.abs(one - other).sum()) / 2


def uneven(limits: Limits, shares: np.ndarray[Any, Any], all_of_it: np.ndarray[Any, Any]) -> bool:
    """Whether a value is too frequent or too rare in a class."""
    there = all_of_it > 0
    times = shares[there] / all_of_it[there]
    most = np.full(len(times), limits.rise)
    if limits.damped:
        most = np.minimum(most, 1 - np.log(all_of_it[there]) + 1e-9)
    rare = (times < limits.fall) & ~(limits.lack & (times == 0))
    return bool((times > most).any() or rare.any())


def broken(one: Criterion, fine: Classes, place: np.ndarray[Any, Any], schema: Schema) -> str | None:
    """Which promise these classes and this way to merge them break."""
    bad = one.bad(fine)
    if one.limits(schema).sensitive in (None, *fine.histograms):
        beyond = outside(one.limits(schema), fine)
        if (beyond & ~bad).any() or (one.limits(schema).whole and (bad & ~beyond).any()):
            return "truthful about its limits"
    if one.monotone:
        good = fine.only(~bad)
        if len(good) and one.bad(merge(good, place[~bad])[0]).any():
            return "monotone"
    if one.hereditary:
        coarse, spot = merge(fine, place)
        if (one.bad(coarse)[spot] & ~bad).any():
            return "hereditary"
    return None


@st.composite
def partitions(draw: st.DrawFn, classes: Classes) -> tuple[Classes, np.ndarray[Any, Any]]:
    """Some of the classes, merged at random into larger ones, and a way to merge these again."""
    seed, fine, coarse = draw(st.integers(0, 2**32)), draw(st.integers(1, 40)), draw(st.integers(1, 4))
    rng = np.random.default_rng(seed)
    some = classes.only(rng.random(len(classes)) < draw(st.sampled_from([0.1, 0.5, 1.0])))
    if draw(st.booleans()):
        some = merge(some, rng.integers(0, fine, len(some)))[0]
    return some, rng.integers(0, coarse, len(some))


def checked(declared: type[Criterion], examples: int, **more: Any) -> Callable[[], None]:
    """The property test of one criterion."""

    @given(st.data())
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        **more,
    )
    def keeps(case: st.DataObject) -> None:
        one, number = case.draw(criteria(declared)), case.draw(st.integers(0, TABLES - 1))
        if one is None or list(one.problems(data(number).schema)):
            return
        for request in one.needs(data(number).schema):
            classes = classes_of(number, request)
            some, place = case.draw(partitions(classes))
            assert (found := broken(one, some, place, data(number).schema)) is None, f"{one!r} is not {found}"
            good = classes.only(~one.bad(classes))
            tops = [0 if h is None else h.depth for h in classes.hierarchies]
            levels = [case.draw(st.integers(0, top)) for top in tops]
            if one.monotone and len(good):
                assert not one.bad(good.at(levels)).any(), f"{one!r} is not monotone"

    return keeps


@pytest.mark.parametrize("name", registry.names("criterion"))
def test_promises_are_kept(name: str) -> None:
    checked(registry.get("criterion", name), 250)()


# The test must be able to fail.


class Liar:
    """Promises everything."""

    @property
    def monotone(self) -> bool:
        return True

    @property
    def hereditary(self) -> bool:
        return True


class Entropy(Liar, LDiversity):
    kind: Literal["entropy"] = "entropy"
    missing: Missing = "category"


class Recursive(Liar, LDiversity):
    kind: Literal["recursive"] = "recursive"


class Close(Liar, TCloseness):
    """Mixtures are nearer to the whole table, but parts may be, too."""


class Lacking(Liar, DeltaDisclosure):
    absent: Literal["ignore"] = "ignore"


class Margin(Liar, PPercent):
    """A part without the largest contributor may be safe."""


class Wild(Liar, KAnonymity):
    missing: Literal["wildcard"] = "wildcard"


class Present(Liar, DeltaPresence):
    """Parts of a class that is too well known may be mixed with persons who are not there."""

    delta_min: Literal[0.0] = 0.0
    missing: Missing = "category"


class Hidden(Liar, DeltaPresence):
    """Persons who are not there lower the share of a merged class."""

    missing: Missing = "category"


LIARS = [Entropy, Recursive, Close, Lacking, Margin, Wild, Present, Hidden]


@pytest.mark.parametrize("liar", LIARS)
def test_a_lie_is_found(liar: type[Criterion]) -> None:
    with pytest.raises(AssertionError, match=r"is not (monotone|hereditary)"):
        checked(liar, 400, phases=[Phase.generate])()


@pytest.mark.parametrize(
    ("promise", "one"),
    [
        ("monotone", Lacking(delta=0.5, sensitive=("disease",))),
        ("hereditary", Entropy(l=2, sensitive=("disease",))),
    ],
)
def test_each_promise_is_looked_at(promise: str, one: Criterion) -> None:
    rng, found = np.random.default_rng(5), set()
    for number in range(TABLES):
        classes = classes_of(number, one.needs(data(number).schema)[0])
        for groups in (5, 10, 20, 40) * 10:
            fine, _ = merge(classes, rng.integers(0, groups, len(classes)))
            found.add(broken(one, fine, rng.integers(0, 3, len(fine)), data(number).schema))
    assert promise in found


@pytest.mark.parametrize("name", registry.names("criterion"))
def test_there_are_good_and_bad_classes(name: str) -> None:
    """Else the tests above would look at nothing."""
    declared = registry.get("criterion", name)
    one = declared(**{**declared.example, **({"keys": ()} if "keys" in declared.model_fields else {})})
    seen = set[bool]()
    for number in range(TABLES):
        for request, groups in product(one.needs(data(number).schema), (2, 5, 15, 40, 100)):
            classes = classes_of(number, request)
            place = np.random.default_rng(groups).integers(0, groups, len(classes))
            seen |= set(one.bad(merge(classes, place)[0]).tolist())
    if isinstance(one, DataAge):  # the merged classes have numbers in place of dates, which tell no day
        assert seen == {True}
        return
    assert seen == ({False} if one.of_table else {True, False})
