"""Sampling: sizes, weights, strata, units, refusals."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.flow.recipe.recipe import Recipe
from schleier.kernels.change.allocation import border, by_fraction, by_total
from schleier.methods.sample import Sample
from schleier.report.html import Html
from schleier.testing import example_schema

KEY = bytes(range(32))


def data(table: dict[str, Any], engine: Any = None, **roles: str) -> Dataset:
    columns = [
        Column(
            name=name, role=roles.get(name, "plain"), scale="continuous" if roles.get(name) == "weight" else "nominal"
        )
        for name in table
    ]
    return Dataset.from_frame(pa.table(table), Schema(columns=columns), engine)


def sampled(of: Dataset, key: bytes = KEY, run: Run | None = None, **parameters: Any) -> dict[str, list[Any]]:
    run = run or Run(key=key)
    result: dict[str, list[Any]] = Sample(**parameters).apply(of, run).to_arrow().to_pydict()
    return result


def refusal(of: Dataset, **parameters: Any) -> str:
    with pytest.raises(InfeasibleError) as error:
        sampled(of, **parameters)
    return error.value.problems[0].code


PEOPLE = {"who": [f"p{i}" for i in range(1000)], "region": ["n"] * 600 + ["s"] * 300 + [None] * 100}


def test_every_stratum_has_its_share_and_its_weight() -> None:
    run = Run(key=KEY)
    after = sampled(data(PEOPLE), run=run, fraction=0.1, strata=["region"])
    assert Counter(after["region"]) == {"n": 60, "s": 30, None: 10}
    assert set(after["weight"]) == {10.0}
    assert run.notes[0].visibility == "public"
    assert run.notes[0].facts == {
        "sampled": "records",
        "taken": 100,
        "of": 1000,
        "strata": 3,
        "strata_taken_in_full": 0,
    }


def test_a_size_is_spread_over_the_strata() -> None:
    after = sampled(data(PEOPLE), size=7, strata=["region"])
    assert Counter(after["region"]) == {"n": 4, "s": 2, None: 1}
    weights = dict(zip(after["region"], after["weight"], strict=True))
    assert weights == {"n": 150.0, "s": 150.0, None: 100.0}
    assert len(sampled(data(PEOPLE), size=1)["who"]) == 1


NORTH = {"of": {"region": "n"}, "fraction": 0.5}


def test_strata_may_have_fractions_of_their_own() -> None:
    run = Run(key=KEY)
    after = sampled(data(PEOPLE), run=run, fraction=0.1, strata=["region"], fractions=[NORTH])
    assert Counter(after["region"]) == {"n": 300, "s": 30, None: 10}
    weights = set(zip(after["region"], after["weight"], strict=True))
    assert weights == {("n", 2.0), ("s", 10.0), (None, 10.0)}  # N_h / n_h
    assert run.notes[0].facts["taken"] == 340 and run.notes[1].facts == {"own_fractions": 1}


def test_the_first_entry_that_fits_counts() -> None:
    table = {"region": ["n"] * 200 + ["s"] * 200, "size": [1, 2] * 200}
    entries = [{"of": {"region": "n", "size": 1}, "fraction": 0.3}, NORTH, {"of": {"size": 1}, "fraction": 0.2}]
    after = sampled(data(table), fraction=0.1, strata=["region", "size"], fractions=entries)
    found = Counter(zip(after["region"], after["size"], strict=True))
    assert found == {("n", 1): 30, ("n", 2): 50, ("s", 1): 20, ("s", 2): 10}


def test_weights_make_up_for_different_fractions() -> None:
    """The weighted mean is that of all, over many keys; the plain one is not. Five standard errors."""
    income = np.where(np.arange(1000) < 600, 10.0, 20.0) + np.arange(1000) % 7
    table = {**PEOPLE, "income": income}
    parameters: dict[str, Any] = {"fraction": 0.1, "strata": ["region"], "fractions": [NORTH]}
    plain, weighted = [], []
    for i in range(30):
        after = sampled(data(table), i.to_bytes(32, "big"), **parameters)
        plain.append(np.mean(after["income"]))
        weighted.append(np.average(after["income"], weights=after["weight"]))
    error = 5 * np.std(weighted) / math.sqrt(30)
    assert abs(np.mean(weighted) - income.mean()) < error
    assert income.mean() - np.mean(plain) > 2


def test_fractions_that_fit_nothing_or_not_all() -> None:
    of = data(PEOPLE)
    assert refusal(of, strata=["region"], fractions=[NORTH]) == "strata-left-over"
    assert refusal(of, strata=["region"], fraction=0.1, fractions=[{"of": {"region": "w"}, "fraction": 1}]) == (
        "no-such-stratum"
    )
    whole = [{"of": {"region": "s"}, "fraction": 1}]
    assert refusal(of, strata=["region"], fraction=0.1, fractions=whole) == "full-stratum"
    run = Run(key=KEY)
    after = sampled(of, run=run, strata=["region"], fraction=0.1, fractions=whole, allow_full_strata=True)
    assert after["region"].count("s") == 300 and run.notes[0].facts["strata_taken_in_full"] == 1


@pytest.mark.parametrize("parameters", [{"fraction": 1}, {"size": 1000}])
def test_everything_may_be_asked_for(parameters: dict[str, Any]) -> None:
    after = sampled(data(PEOPLE), strata=["region"], **parameters)
    assert after["who"] == PEOPLE["who"]
    assert set(after["weight"]) == {1.0}


def test_an_existing_weight_is_multiplied() -> None:
    table = {**PEOPLE, "w": [2.5] * 999 + [None]}
    of = data(table, w="weight")
    after = sampled(of, fraction=0.5)
    assert set(after) == {"who", "region", "w"}
    assert {w for w in after["w"] if w is not None} == {5.0}


def test_a_whole_number_weight_becomes_a_broken_one() -> None:
    schema = Schema(columns=[Column(name="w", role="weight", scale="discrete", decimals=0)])
    of = Dataset.from_frame(pa.table({"w": [1] * 10}), schema)
    step = Sample(size=4)
    after = step.apply(of, Run())
    assert after.to_arrow()["w"].to_pylist() == [2.5] * 4
    assert after.schema == step.after(schema)
    assert (after.schema["w"].scale, after.schema["w"].decimals) == ("continuous", None)


def test_the_new_weight_has_its_role() -> None:
    after = Sample(size=4, weight="factor").apply(data(PEOPLE), Run())
    assert after.schema.having("weight") == ("factor",)


def test_whole_households() -> None:
    table = {"home": [f"h{i // 3}" for i in range(300)] + [None] * 100, "region": ["n"] * 150 + ["s"] * 250}
    of = data(table, home="unit")
    after = sampled(of, fraction=0.2, strata=["region"])
    assert set(Counter(h for h in after["home"] if h is not None).values()) == {3}
    # 50 households in the north; 50 households and 100 persons without one in the south
    assert after["region"].count("n") == 30
    together = len({h for h, r in zip(after["home"], after["region"], strict=True) if r == "s" and h is not None})
    alone = after["home"].count(None)
    assert together + alone == 30
    assert alone > 0
    apart = sampled(of, fraction=0.2, whole_units=False)
    assert len(apart["home"]) == 80


def test_a_unit_in_several_strata_is_refused() -> None:
    of = data({"home": ["a", "a", "b", "b"], "sex": ["f", "m", "f", "f"]}, home="unit")
    assert refusal(of, fraction=0.5, strata=["sex"]) == "unit-crosses-strata"


def test_a_smaller_sample_is_part_of_a_larger_one() -> None:
    of = data(PEOPLE)
    small, large = (set(sampled(of, fraction=q, strata=["region"])["who"]) for q in (0.1, 0.3))
    assert small < large
    assert set(sampled(of, bytes(32), fraction=0.1, strata=["region"])["who"]) != small


def test_inclusion_is_even() -> None:
    """Over many keys everybody is taken equally often; five standard errors."""
    of, keys = data({"who": list(map(str, range(10)))}), 120
    hits = Counter(who for i in range(keys) for who in sampled(of, i.to_bytes(32, "big"), size=3)["who"])
    assert max(abs(hits[str(i)] - keys * 0.3) for i in range(10)) < 5 * math.sqrt(keys * 0.3 * 0.7)


def test_strata_taken_in_full() -> None:
    of = data({"region": ["n"] * 9 + ["s"]})
    assert refusal(of, fraction=0.5, strata=["region"]) == "full-stratum"
    run = Run()
    after = sampled(of, run=run, fraction=0.5, strata=["region"], allow_full_strata=True)
    assert Counter(after["region"]) == {"n": 5, "s": 1}
    assert run.notes[0].facts["strata_taken_in_full"] == 1
    assert refusal(data({"region": ["n"] * 3 + ["s"] * 3}), size=5, strata=["region"]) == "full-stratum"
    both = sampled(data({"region": ["n"] * 3 + ["s"] * 3}), size=5, strata=["region"], allow_full_strata=True)
    assert sorted(Counter(both["region"]).values()) == [2, 3]
    assert refusal(data({"region": ["n"]}), fraction=0.5) == "full-stratum"


def test_sizes_that_cannot_be_met() -> None:
    assert refusal(data(PEOPLE), size=1001) == "size-too-large"
    assert refusal(data(PEOPLE), size=2, strata=["region"]) == "size-too-small"


def test_a_stratum_column_without_any_value() -> None:
    of = data({"who": ["a", "b", "c", "d"], "region": pa.nulls(4, pa.string())})
    after = sampled(of, fraction=0.5, strata=["region"])
    assert len(after["who"]) == 2
    assert set(after["weight"]) == {2.0}


def test_no_rows() -> None:
    of = data({"region": pa.array([], pa.string())})
    assert sampled(of, fraction=0.5, strata=["region"]) == {"region": [], "weight": []}
    assert sampled(of, fraction=0.5) == {"region": [], "weight": []}
    assert refusal(of, size=1) == "size-too-large"


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(1, 200))
def test_a_total_is_met_and_stays_near_proportion(sizes: list[int], total: int) -> None:
    held = np.array(sizes)
    most = np.maximum(held - 1, 1)
    if not len(sizes) <= total <= most.sum():
        return
    taken = by_total(held, total, most)
    assert taken.sum() == total
    assert (taken >= 1).all()
    assert (taken <= most).all()
    share = held * total / held.sum()
    if (share >= 1).all() and (share <= most).all():
        assert (abs(taken - share) < 1).all()


@given(st.lists(st.lists(st.floats(0, 0.99), min_size=1, max_size=30), min_size=1, max_size=4), st.floats(0.1, 0.9))
def test_the_border_is_where_the_sorted_draws_say(strata: list[list[float]], fraction: float) -> None:
    sizes = np.array([len(draws) for draws in strata])
    taken = by_fraction(sizes, fraction)
    groups = Counter((h, int(d * 8)) for h, draws in enumerate(strata) for d in draws)
    stratum, bucket = (np.array(part) for part in zip(*groups, strict=True))
    found, within = border(stratum, bucket, np.array(list(groups.values())), taken)
    for h, draws in enumerate(strata):
        last = sorted(draws)[taken[h] - 1]
        assert found[h] == int(last * 8)
        assert within[h] == taken[h] - sum(int(d * 8) < found[h] for d in draws)


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    table = {"home": [None if i % 7 == 0 else f"h{i // 3}" for i in range(300)], "x": list(range(300))}
    engine = get("engine", "spark")()
    for parameters in ({"fraction": 0.2}, {"size": 17, "strata": ["x"], "whole_units": False}):
        of = {**table, "x": [i % 5 for i in range(300)]} if "strata" in parameters else table
        here, there = data(of, home="unit"), data(of, engine, home="unit")
        assert sampled(there, **parameters) == sampled(here, **parameters)
    engine.close()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"fraction": 0},
        {"fraction": 1.1},
        {"fraction": -0.5},
        {"fraction": float("nan")},
        {"size": 0},
        {"fraction": 0.5, "size": 3},
        {"size": 3, "fractions": [NORTH]},
        {"fraction": 0.5, "fractions": [{"of": {"region": "n"}, "fraction": 0}]},
        {"fraction": 0.5, "fractions": [{"of": {}, "fraction": 0.1}]},
        {"fraction": 0.5, "weight": "_w_"},
        {"fraction": 0.5, "weight": ""},
    ],
)
def test_bad_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        Sample(**parameters)


def test_problems() -> None:
    schema = example_schema()
    assert [p.code for p in Sample(fraction=0.5, strata=["regionn"]).problems(schema)] == ["unknown-column"]
    odd = Sample(fraction=0.5, strata=["sex"], fractions=[{"of": {"region": "n"}, "fraction": 0.1}])
    assert [p.code for p in odd.problems(schema)] == ["not-a-stratum"]
    without = schema.without(["weight"])
    assert [p.code for p in Sample(fraction=0.5).problems(without)] == []
    assert [p.code for p in Sample(fraction=0.5, weight="Income").problems(without)] == ["name-taken"]
    assert [p.code for p in Sample(fraction=0.5, weight="id").problems(without)] == ["name-taken"]


SAMPLED = """
[[schema.columns]]
name = "size"
role = "plain"
scale = "nominal"

[[steps]]
method = "sample"
fraction = 0.1
strata = ["size"]
{}
"""
LARGE = 'fractions = [{ of = { size = "large" }, fraction = 0.5 }]'
WEIGHTLESS = '[[steps]]\nmethod = "drop"\ncolumns = ["weight"]\n'


@pytest.mark.parametrize(
    ("more", "right", "wrong"),
    [
        ("", ("weight results with", "Gewichten Sie"), ("cannot correct", "nicht korrigieren", "nicht um das")),
        (LARGE, ("without the weights", "Ohne die Gewichte"), ("cannot correct", "nicht korrigieren", "nicht um das")),
        (
            LARGE + "\n" + WEIGHTLESS,
            ("users cannot correct", "können es nicht korrigieren"),
            ("parameters are secret",),
        ),
    ],
    ids=["one fraction", "own fractions", "own fractions without weights"],
)
def test_the_report_says_whether_users_can_correct(more: str, right: tuple[str, str], wrong: tuple[str, ...]) -> None:
    """With the weights they can, though the fractions are secret; without them they cannot."""
    firms = pa.table({"size": ["large"] * 20 + ["small"] * 980})
    report = Recipe.from_toml(SAMPLED.format(more)).run(firms, key=bytes(32)).report
    pages = [Html().render(report, lang) for lang in ("en", "de")]
    assert all(said in page for said, page in zip(right, pages, strict=True))
    assert not any(said in page for said in wrong for page in pages)
