"""Rules between columns: every record keeps them, and what is far from a limit is left alone."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.keep_rules import KeepRules

KEY, N = bytes(32), 2000
RNG = np.random.default_rng(6)
START = RNG.uniform(0, 10, N)
END = START + RNG.exponential(2, N)
NOISE: dict[str, Any] = {"method": "add_noise", "columns": ["start", "end"], "kind": "independent", "d": 0.1}
ORDER: dict[str, Any] = {"column": "end", "at_least": ["start"]}


def data(whole: tuple[str, ...] = (), decimals: int | None = None, **columns: Any) -> Dataset:
    described = [
        Column(name=n, scale="discrete" if n in whole else "continuous", decimals=None if n in whole else decimals)
        for n in columns
    ]
    return Dataset.from_frame(pa.table(columns), Schema(columns=described))


STAYS = data(start=START, end=END)


def ruled(of: Dataset, run: Run | None = None, **parameters: Any) -> dict[str, np.ndarray[Any, Any]]:
    step = KeepRules.model_validate({"first": NOISE, "rules": [ORDER], "invalid": "redraw"} | parameters)
    after = step.apply(of, run or Run(key=KEY)).to_arrow()
    return {name: after.column(name).to_numpy() for name in after.column_names}


def refusal(of: Dataset, **parameters: Any) -> str:
    with pytest.raises(InfeasibleError) as error:
        ruled(of, **parameters)
    return error.value.problems[0].code


@pytest.mark.parametrize("invalid", ["redraw", "clamp"])
def test_no_end_before_its_start(invalid: str) -> None:
    run = Run(key=KEY)
    free, found = ruled(STAYS, rules=[{"column": "end", "at_least": -1e9}]), ruled(STAYS, run, invalid=invalid)
    broken = free["end"] < free["start"]
    assert broken.mean() > 0.1 and (found["end"] >= found["start"]).all()
    assert (found["end"] == free["end"])[~broken].all()  # whoever kept the rule has the draw he had
    heaped = int((found["end"] == found["start"]).sum())
    assert heaped == broken.sum() if invalid == "clamp" else heaped < 0.1 * broken.sum()
    assert run.notes[-1].facts == {"kept_rules": 1, "ruled": ["end"], "moved_to_a_limit": heaped}
    assert sum("noise" in note.facts for note in run.notes) == 1  # what the noise says, it says once


def test_drawn_again_the_noise_is_what_it_would_be_among_possible_values() -> None:
    """A normal number above -1 has the mean φ(1)/Φ(1) = 0.2876; five standard errors."""
    noise = {"method": "add_noise", "columns": ["x"], "kind": "independent", "sd": {"x": 1.0}}
    found = ruled(data(x=np.ones(N)), first=noise, rules=[{"column": "x", "at_least": 0}])["x"]
    assert found.min() > 0
    assert found.mean() - 1 == pytest.approx(0.2876, abs=5 * found.std() / N**0.5)


def test_sums_are_set_and_follow_the_decimals() -> None:
    a, b = RNG.uniform(10, 20, N).round(2), RNG.uniform(10, 20, N).round(2)
    of = data(decimals=2, a=a, b=b, total=(a + b).round(2))
    noise = {"method": "add_noise", "columns": ["a", "b", "total"], "kind": "independent", "d": 0.2}
    rules = [{"column": "total", "equals": ["a", "b"]}, {"column": "total", "at_most": 38}]
    assert refusal(of, first=noise, rules=rules, invalid="clamp") == "rules-conflict"
    found = ruled(of, first=noise, rules=rules[:1], invalid="refuse")
    assert found["a"].round(2) + found["b"].round(2) == pytest.approx(found["total"].round(2), abs=1e-9)
    assert (found["a"] == found["a"].round(2)).all() and not (found["a"] == a).all()


def test_whole_numbers_and_exceptions() -> None:
    """The rule of the source: children = 0 or age >= 14."""
    age, children = RNG.integers(1, 40, N), RNG.integers(0, 2, N)
    of = data(whole=("age", "children"), age=age, children=children)
    noise = {"method": "add_noise", "columns": ["age"], "kind": "independent", "d": 0.3}
    rule = {"column": "age", "at_least": 13.5, "unless": {"column": "children", "equals": 0}}
    found = ruled(of, first=noise, rules=[rule], invalid="clamp")
    assert found["age"].dtype == np.int64 and found["age"][children == 1].min() == 14
    assert found["age"][children == 0].min() < 0


def test_gaps_break_no_rule_and_errors_of_the_original_do_not_stand_out() -> None:
    start, end = pa.array(START, mask=np.arange(N) % 5 == 0), END.copy()
    end[:50] = START[:50] - 3
    found = ruled(data(start=start, end=end))
    known = ~np.isnan(found["start"])
    assert (~known == (np.arange(N) % 5 == 0)).all()
    assert (found["end"] >= found["start"])[known].all()


FIRST_DAY = datetime.date(2020, 1, 1)
DAYS = RNG.integers(0, 300, N)
SWAP: dict[str, Any] = {"method": "swap", "columns": ["left"]}
KEPT: dict[str, Any] = {"column": "left", "at_least": ["came"]}


def hospital(*, moments: tuple[str, ...] = (), gaps: bool = False) -> Dataset:
    """Stays with the day or the moment somebody came and left."""
    found = {}
    for name, days in (("came", DAYS), ("left", DAYS + RNG.integers(0, 60, N))):
        values: list[Any] = [FIRST_DAY + datetime.timedelta(int(day)) for day in days]
        if name in moments:
            noon = datetime.time(12)
            values = [datetime.datetime.combine(day, noon) for day in values]
        if gaps:
            values = [None if i % 7 == (name == "came") else value for i, value in enumerate(values)]
        found[name] = pa.array(values, pa.timestamp("us") if name in moments else pa.date32())
    described = [Column(name=name, role="quasi", scale="time") for name in found]
    return Dataset.from_frame(pa.table(found), Schema(columns=described))


def stays(of: Dataset, **parameters: Any) -> list[tuple[Any, Any]]:
    step = KeepRules.model_validate({"first": SWAP, "rules": [KEPT], "invalid": "redraw"} | parameters)
    table = step.apply(of, Run(key=KEY)).to_arrow()
    assert table.schema.field("left").type == of.to_arrow().schema.field("left").type
    return list(zip(table["came"].to_pylist(), table["left"].to_pylist(), strict=True))


def day(value: Any) -> datetime.date:
    return value.date() if isinstance(value, datetime.datetime) else value


@pytest.mark.parametrize("invalid", ["redraw", "clamp"])
@pytest.mark.parametrize("moments", [(), ("came", "left"), ("came",), ("left",)], ids=str)
def test_nobody_leaves_before_he_came(moments: tuple[str, ...], invalid: str) -> None:
    of = hospital(moments=moments)
    free = stays(of, rules=[{"column": "left", "at_least": datetime.date(1900, 1, 1)}])
    found = stays(of, invalid=invalid)
    broken = [day(left) < day(came) for came, left in free]
    assert sum(broken) > 100
    assert all(day(left) >= day(came) for came, left in found)
    if len(moments) in (0, 2):
        assert all(left >= came for came, left in found)
    if invalid == "clamp":
        limits = [
            came if is_broken else left for is_broken, (came, _), (_, left) in zip(broken, free, free, strict=True)
        ]
        assert [day(left) for _, left in found] == [day(limit) for limit in limits]


def test_dates_are_compared_with_a_day_too_and_gaps_break_no_rule() -> None:
    of, last = hospital(gaps=True), datetime.date(2020, 6, 30)
    for written in (last, last.isoformat()):
        rules = [{"column": "left", "at_most": written}]
        found = stays(of, rules=rules, invalid="clamp")
        assert max(left for _, left in found if left is not None) == last
    before = [came is None for came, _ in stays(of)]
    assert before == [i % 7 == 1 for i in range(N)] and sum(left is None for _, left in found) == sum(
        i % 7 == 0 for i in range(N)
    )
    both = [{"column": "left", "equals": ["came"]}]
    assert all(left == came for came, left in stays(of, rules=both, invalid="clamp") if left and came)


def test_a_limit_is_no_answer() -> None:
    """True is no 1, and a text is a date or nothing."""
    for limit in (True, False, "soon", "start", "31.12.2020", "5"):
        for name in ("at_least", "at_most", "equals"):
            with pytest.raises(SchleierError, match="limit"):
                ruled(STAYS, rules=[{"column": "end", name: limit}])


def test_dates_and_numbers_are_not_compared_with_each_other() -> None:
    columns = [Column(name=n, scale="time") for n in ("came", "left", "born")] + [Column(name="age", scale="discrete")]
    schema = Schema(columns=columns)

    def codes(rule: dict[str, Any], first: dict[str, Any] = SWAP) -> set[str]:
        step = KeepRules.model_validate({"first": first, "rules": [rule], "invalid": "clamp"})
        return {problem.code for problem in step.problems(schema)}

    assert codes(KEPT) == codes({"column": "left", "at_least": "2020-01-01"}) == set()
    assert codes({"column": "left", "at_least": ["came", "born"]}) == {"bad-rule"}
    assert (
        codes({"column": "left", "at_least": ["age"]}) == codes({"column": "age", "at_least": ["left"]}) == {"bad-rule"}
    )
    assert (
        codes({"column": "left", "at_least": 3}) == codes({"column": "age", "at_least": "2020-01-01"}) == {"bad-rule"}
    )
    words = {"method": "recode", "column": "left", "map": {"2020-01-01": "x"}}
    assert "not-numeric" in codes(KEPT, words)


def test_refusals() -> None:
    assert refusal(STAYS, invalid="refuse") == "rules-broken"
    both = [ORDER, {"column": "end", "at_most": 5}]
    assert refusal(STAYS, rules=both, invalid="clamp") == "rules-conflict"
    for wrong in (
        {"rules": []},
        {"rules": [{"column": "end"}]},
        {"rules": [{"column": "end", "at_least": 0, "at_most": 9}]},
        {"rules": [{"column": "end", "at_least": ["end"]}]},
        {"rules": [{"column": "end", "at_least": []}]},
        {"rules": [{"column": "end", "at_least": 1e300}]},
        {"invalid": "other"},
    ):
        with pytest.raises(SchleierError):
            ruled(STAYS, **wrong)


def test_problems() -> None:
    schema = Schema(
        columns=[
            Column(name="x", scale="continuous"),
            Column(name="word", scale="nominal"),
            Column(name="w", role="weight", scale="continuous"),
        ]
    )
    rounding = {"method": "round_to", "column": "x", "base": 5}

    def codes(rule: dict[str, Any], first: dict[str, Any] = rounding, invalid: str = "clamp") -> set[str]:
        step = KeepRules.model_validate({"first": first, "rules": [rule], "invalid": invalid})
        return {problem.code for problem in step.problems(schema)}

    assert codes({"column": "x", "at_least": 0}) == set()
    assert codes({"column": "x", "at_least": ["word"]}) == {"bad-rule"}
    assert codes({"column": "x", "at_least": ["y"]}) == {"unknown-column"}
    assert codes({"column": "w", "at_least": 0}) == {"fixed-column"}
    assert codes({"column": "x", "at_least": 0}, invalid="redraw") == {"nothing-to-redraw"}
    assert "rows-change" in codes({"column": "x", "at_least": 0}, {"method": "sample", "fraction": 0.5})
    free = {"column": "x", "at_least": 0, "unless": {"column": "word", "above": 3}}
    assert codes(free) == {"bad-rule"}
    assert codes({"column": "x", "at_least": 0}, {"method": "drop", "columns": ["x"]}) == {"not-numeric"}
    free = {"column": "x", "at_least": 0, "unless": {"column": "word", "equals": "a"}}
    assert codes(free, {"method": "drop", "columns": ["word"]}) == {"not-numeric"}
