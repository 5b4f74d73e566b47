"""Which columns a method changed, and under which names they are in the release."""

from __future__ import annotations

from typing import Any

import pytest

from schleier.attacks.majority_vote import MajorityVote
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.method import Method
from schleier.core.registry import every, names
from schleier.core.run import Run
from schleier.core.trust.aim import changed_columns, copies
from schleier.testing import example_schema, example_table


def made(*steps: Method) -> Case:
    original, run = Dataset.from_frame(example_table(), example_schema()), Run(key=bytes(32))
    data, fitted = original, []
    for step in steps:
        with run.within(step.label(data.schema)):
            fitted.append(step.fit(data, run))
            data = fitted[-1].apply(data, run)
    return Case(original, data, steps=tuple(fitted))


def step(word: str, **parameters: Any) -> Method:
    found: Method = every("method")[word](**parameters)
    return found


@pytest.mark.parametrize(
    ("word", "parameters", "changed"),
    [
        ("swap_households", {}, {"region"}),
        ("combine_segments", {}, {"income", "disease", "schooling"}),
        ("slice_columns", {}, {"income", "schooling", "disease", "children"}),
        ("restrict", {}, set()),
        ("sample", {}, {"weight"}),
        ("multiply_noise", {"columns": ["income", "sex"], "categories": "within"}, {"income"}),
        ("rank_swap", {"columns": ["income"], "window": 10, "strata": ["sex"]}, {"income"}),
        ("triple_records", {"columns": ["income"], "strata": ["sex"]}, {"income"}),
    ],
)
def test_what_a_method_may_change(word: str, parameters: dict[str, Any], changed: set[str]) -> None:
    method: Any = every("method")[word]
    one = method(**method.example | parameters)
    assert set(one.changes(example_schema())) == changed


@pytest.mark.parametrize("word", names("method"))
def test_nothing_is_changed_that_is_not_said_to_be(word: str) -> None:
    """By its example: values of all other columns stay, row by row."""
    method: Any = every("method")[word]
    case = made(method(**method.example))
    before, after = case.original, case.released
    key = before.schema.key
    old, new = ({row[key]: row for row in data.engine.arrays(data.frame).to_pylist()} for data in (before, after))
    for name in set(before.schema.names) & set(after.schema.names) - set(case.steps[0].changes(before.schema)):
        assert all(old[who][name] == row[name] for who, row in new.items() if who in old), name


def test_the_vote_is_on_the_areas_that_households_exchange() -> None:
    method = every("method")["swap_households"]
    assert [one.sensitive for one in MajorityVote.fitting(made(method(**method.example)))] == ["region"]


def test_names_are_followed_through_the_steps() -> None:
    several = step("impute", columns=["income"], given=["age"], imputations=2)
    case = made(several, step("round_to", column="income_2", base=10))
    assert copies(case, "income") == ("income_1", "income_2")
    assert copies(case, "age") == ()
    assert changed_columns(case, frozenset({"rounding"}), numbers=True) == []
    assert changed_columns(case, frozenset({"rounding"}), numbers=True, renamed=True) == ["income"]
    gone = made(several, step("drop", columns=["income_1", "income_2"]))
    assert changed_columns(gone, frozenset({"model"}), numbers=True, renamed=True) == []
