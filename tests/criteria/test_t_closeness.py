"""t-closeness: the sensitive values of a class are distributed nearly as in the whole table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from criteria.plain import ILLNESS, LEAVES, PAY, SCHEMA, Row, agrees, cells, dataset, gaps, people, policies
from schleier.core.classes.request import Request
from schleier.core.errors import DataError, SchleierError
from schleier.core.hierarchy import parse
from schleier.core.schema import Column, Schema
from schleier.criteria.t_closeness import TCloseness
from schleier.report.criteria import tell_verdict
from schleier.report.language import Words, plain

Distance = Callable[[Any, Any], float]


def parts(values: list[Any], domain: list[Any]) -> list[float]:
    counts = Counter(values)
    return [counts[value] / len(values) for value in domain]


def moved(ground: Callable[[list[Any]], Distance]) -> Callable[[list[Any], list[Any]], float]:
    """Earth mover's distance as the transport problem it is."""

    def level(part: list[Any], everything: list[Any]) -> float:
        domain = sorted(set(everything), key=lambda value: (value is None, value))
        if not part or len(domain) == 1:
            return 0.0
        p, q = parts(part, domain), parts(everything, domain)
        n, distance = len(domain), ground(domain)
        cost = [distance(a, b) for a in domain for b in domain]
        rows = np.kron(np.eye(n), np.ones(n))
        columns = np.kron(np.ones(n), np.eye(n))
        found = linprog(cost, A_eq=np.vstack([rows, columns]), b_eq=[*p, *q], method="highs")
        return float(found.fun)

    return level


def equal(domain: list[Any]) -> Distance:
    return lambda a, b: float(a != b)


def along(missing: str) -> Callable[[list[Any]], Distance]:
    """Steps along the order, a missing value first or last."""

    def ground(domain: list[Any]) -> Distance:
        known = [value for value in domain if value is not None]
        order = known if len(known) == len(domain) else [None, *known] if missing == "first" else [*known, None]
        place = {value: i for i, value in enumerate(order)}
        return lambda a, b: abs(place[a] - place[b]) / (len(order) - 1)

    return ground


def up_and_down(domain: list[Any]) -> Distance:
    """The height of the lowest common label, out of three; a missing value meets the others at the root."""

    def distance(a: Any, b: Any) -> float:
        if a == b:
            return 0.0
        if a is None or b is None:
            return 1.0
        return next((i + 1 for i in range(2) if LEAVES[a][i] == LEAVES[b][i]), 3) / 3

    return distance


def kullback_leibler(part: list[Any], everything: list[Any]) -> float:
    domain = list(set(everything))
    if not part:
        return 0.0
    pairs = zip(parts(part, domain), parts(everything, domain), strict=True)
    return sum(p * math.log2(p / q) for p, q in pairs if p)


def jensen_shannon(part: list[Any], everything: list[Any]) -> float:
    domain = list(set(everything))
    if not part:
        return 0.0
    p, q = parts(part, domain), parts(everything, domain)
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return sum(x * math.log2(x / m) / 2 for side in (p, q) for x, m in zip(side, middle, strict=True) if x)


def ordered(part: list[Any], everything: list[Any]) -> float:
    return max(moved(along(end))(part, everything) for end in ("first", "last"))


@given(rows=people, missing=policies, gap=gaps, t=st.sampled_from([0.1, 0.3, 0.5]))
@settings(max_examples=25, deadline=None)
def test_every_distance_is_its_definition(rows: list[Row], missing: str, gap: str, t: float) -> None:
    for distance, column, name, level in (
        ("equal", ILLNESS, "illness", moved(equal)),
        ("hierarchical", ILLNESS, "illness", moved(up_and_down)),
        ("ordered", PAY, "pay", ordered),
        ("kullback_leibler", ILLNESS, "illness", kullback_leibler),
        ("jensen_shannon", ILLNESS, "illness", jensen_shannon),
    ):
        one = TCloseness(t=t, distance=distance, sensitive=[name], missing=missing, gaps=gap)
        agrees(one, rows, column, level, lambda part, every, level=level: level(part, every) > t + 1e-9)


ROWS: list[Row] = [("x", 1, "flu", 10), ("x", 1, "cough", 20), ("y", 1, "flu", 30), ("y", 1, "flu", 40)]


def test_the_class_that_differs_most_decides() -> None:
    verdict = TCloseness(t=0.2).check(dataset(ROWS))
    assert (verdict.level, verdict.holds, verdict.bad_classes) == (0.25, False, 2)
    assert verdict.text == (
        "In the class that differs most the values of 'illness' are 0.25 away from those of the whole table; "
        "at most 0.2 is allowed, and 2 classes fail."
    )
    assert TCloseness(t=0.25).check(dataset(ROWS)).holds


def test_the_whole_table_stays_the_reference() -> None:
    """Classes left out and classes rolled up are compared with the table before suppression."""
    classes = dataset(ROWS).classes(Request(("place",), ("illness",)))
    kept = classes.only(np.array([cell == ("y",) for cell in cells(classes)]))
    assert TCloseness(t=0.2).judge([kept]).level == 0.25
    schema = SCHEMA.changed("place", hierarchy="place").model_copy(
        update={"hierarchies": {**SCHEMA.hierarchies, "place": parse({"rows": [["x", "*"], ["y", "*"]]})}}
    )
    classes = dataset(ROWS, schema).classes(Request(("place",), ("illness",)))
    assert TCloseness(t=0.2).judge([classes.at((1,))]).level == 0
    rolled = classes.only(np.array([cell == ("y",) for cell in cells(classes)])).at((1,))
    assert TCloseness(t=0.2).judge([rolled]).level == 0.25


def test_rows_left_out_for_a_missing_key_are_part_of_the_whole_table() -> None:
    rows: list[Row] = [("x", 1, "flu", 1), (None, 1, "cough", 1)]
    assert TCloseness(t=0.2, missing="exclude").check(dataset(rows)).level == 0.5


SALARIES = ["low", "middle", "high"]


@pytest.mark.parametrize(("labels", "level"), [({}, 0.5), ({name: name.title() for name in SALARIES}, 0.25)])
def test_text_is_in_the_order_of_its_labels_else_of_the_alphabet(labels: dict[str, str], level: float) -> None:
    """A class of two middle salaries in a table with one of each and the two: moving 1/4 to each neighbour."""
    import pyarrow as pa

    from schleier.core.data import Dataset

    column = Column(name="pay", role="sensitive", scale="ordinal", labels=labels)
    schema = Schema(columns=[Column(name="key", role="quasi", scale="nominal"), column])
    table = pa.table({"key": ["a", "a", "b", "c"], "pay": ["middle", "middle", "low", "high"]})
    one = TCloseness(t=0.9, distance="ordered", keys=[["key"]])
    classes = Dataset.from_frame(table, schema).classes(one.needs(schema)[0])
    assert one.scores(classes.histograms["pay"], 3)[0] == level * (1 if labels else 0.75)


def test_a_value_outside_the_hierarchy_is_an_error_or_meets_the_others_at_the_root() -> None:
    one = TCloseness(t=0.9, distance="hierarchical")
    rows: list[Row] = [("x", 1, "flu", 1), ("x", 1, "zzz-planted", 1), ("y", 1, "flu", 1), ("y", 1, "other", 1)]
    with pytest.raises(DataError, match="2 values of column 'illness'") as caught:
        one.check(dataset(rows))
    assert "zzz" not in str(caught.value)
    lenient = SCHEMA.hierarchies["illness"].model_copy(update={"outside": "root"})
    schema = SCHEMA.model_copy(update={"hierarchies": {"illness": lenient}})
    assert one.check(dataset(rows, schema)).level == 0.25


def test_a_hierarchy_that_learns_learns_from_the_whole_table() -> None:
    schema = SCHEMA.changed("pay", role="sensitive", hierarchy="pay").model_copy(
        update={"hierarchies": {**SCHEMA.hierarchies, "pay": parse({"balanced": [2]})}}
    )
    one = TCloseness(t=0.9, distance="hierarchical", sensitive=["pay"])
    # bins 10-20 and 30-40; x is at half of the height below the root in one bin: 1/2 up to the bins, all to the root
    assert one.check(dataset(ROWS, schema)).level == 0.5


def test_what_is_wrong_with_it_is_said_before_any_row_is_read() -> None:
    def codes(**parameters: Any) -> list[str]:
        return [p.code for p in TCloseness(t=0.2, **parameters).problems(SCHEMA)]

    assert codes(distance="ordered") == ["not-ordered"]
    assert codes(distance="hierarchical", sensitive=["pay"]) == ["no-hierarchy"]
    assert codes(distance="ordered", sensitive=["illness", "pay"], joint=True) == ["joint-distance", "not-ordered"]
    assert codes(distance="equal", sensitive=["illness", "pay"], joint=True) == []
    assert codes(sensitive=["illnes"]) == ["unknown-column"]
    assert codes(sensitive=["age"]) == []
    assert codes(sensitive=["age"], keys=[["age", "place"]]) == ["sensitive-key"]


@pytest.mark.parametrize("t", [0, -0.1, 1.01])
def test_t_is_above_0_and_at_most_1(t: float) -> None:
    with pytest.raises(SchleierError):
        TCloseness(t=t)


def test_promises_and_strictness() -> None:
    assert TCloseness(t=0.2).monotone and not TCloseness(t=0.2).hereditary
    assert not TCloseness(t=0.2, missing="exclude").monotone
    assert not TCloseness(t=0.1).weaker_than(TCloseness(t=0.2))
    assert TCloseness(t=0.3).weaker_than(TCloseness(t=0.2))


def test_in_german_the_demand_comes_first_and_the_groups_that_fail_follow_the_level() -> None:
    """What is demanded is told as a demand, also where it is not met."""
    rows: list[Row] = [("a", 1, ill, 1) for ill in ("flu", "flu", "flu", "cold")] + [("b", 1, "cold", 1)] * 4
    criterion = TCloseness(t=0.1, keys=[["place"]], sensitive=["illness"], baseline="original")
    said = tell_verdict(criterion.check(dataset(rows)), Words.of("de")).sentences
    assert "Der Abstand darf höchstens 0,1 betragen" in plain(said[0])
    assert plain(said[1]).startswith("Verglichen wird mit der Tabelle, wie sie war")
    assert plain(said[2]).startswith("Bei der Gruppe, die am stärksten abweicht, beträgt der Abstand 0,")
    assert plain(said[3]).startswith("2 Gruppen verfehlen das")
