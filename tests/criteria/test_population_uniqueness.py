"""The share of population uniques as a criterion: where the fraction comes from, what decides, failing closed."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.classes import Classes
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.hierarchy import parse
from schleier.core.schema import Column, Schema
from schleier.criteria.population_uniqueness import DOUBTS, PopulationUniqueness
from schleier.kernels.population import models as population_models
from schleier.kernels.population.models import MODELS, Model, UniqueCount, count_population_uniques
from schleier.report.component_words import words_of
from schleier.search._goals import demands_of, request_of
from schleier.search._optimum import Search
from schleier.utility.generalised_loss import GeneralisedLoss

SCHEMA = Schema(
    columns=[
        Column(name="x", role="quasi", scale="discrete"),
        Column(name="y", role="quasi", scale="discrete"),
        Column(name="w", role="weight", scale="continuous"),
    ]
)
BARE = Schema(columns=[Column(name="x", role="quasi", scale="discrete")])
SIZES = [1] * 60 + [2] * 20 + [5] * 10


def rows(sizes: list[int], weight: float | None = 20.0) -> pa.Table:
    """Every class has values that other classes have as well, and no two the same ones."""
    x = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
    columns = {"x": x % 13, "y": x // 13 * 3 + x % 3, "w": pa.array([weight] * len(x), pa.float64())}
    return pa.table(columns)


def data(sizes: list[int], weight: float | None = 20.0) -> Dataset:
    return Dataset.from_frame(rows(sizes, weight), SCHEMA)


def test_the_models_are_those_of_the_kernel() -> None:
    assert get_args(PopulationUniqueness.model_fields["model"].annotation) == MODELS
    assert PopulationUniqueness(threshold=0.1).model == MODELS[0] == "margins"


@pytest.mark.parametrize("fraction", [0.01, 0.25])
@pytest.mark.parametrize("model", MODELS)
def test_it_reports_the_estimate(model: Model, fraction: float) -> None:
    one = PopulationUniqueness(threshold=0.05, fraction=fraction, model=model, confident=False)
    classes = data(SIZES).classes(one.needs(SCHEMA)[0])
    assert sorted(classes.sizes) == SIZES
    wanted = count_population_uniques(classes.codes, classes.sizes, fraction, model)
    verdict = one.judge([classes])
    assert verdict.estimate and verdict.records == 150
    assert verdict.level == pytest.approx(wanted.expected / 150, abs=1e-8)
    assert (verdict.low, verdict.high) == pytest.approx((wanted.low / 150, wanted.high / 150), abs=1e-8)
    assert verdict.holds == (wanted.expected / 150 <= 0.05) == (verdict.bad_classes == 0)
    assert verdict.doubts == wanted.doubts and verdict.text.count("Mind that") == len(wanted.doubts)
    assert model in verdict.text


def test_weights_tell_the_fraction() -> None:
    one = PopulationUniqueness(threshold=0.2)
    assert one.check(data(SIZES)).level == PopulationUniqueness(threshold=0.2, fraction=0.05).check(data(SIZES)).level
    assert "sampling fraction about 1 in 20," in one.check(data(SIZES)).text


@pytest.mark.parametrize("weight", [0.5, 1.0, None])
def test_weights_that_stand_for_too_few_are_read_strictly(weight: float | None) -> None:
    verdict = PopulationUniqueness(threshold=0.2).check(data(SIZES, weight))
    assert (verdict.level, verdict.estimate, verdict.holds) == (0.4, False, False)


def test_a_full_enumeration_is_counted() -> None:
    verdict = PopulationUniqueness(threshold=0.4, fraction=1).check(data(SIZES))
    assert (verdict.level, verdict.low, verdict.high, verdict.holds) == (0.4, None, None, True)
    assert verdict.text == "40 % of the records are unique in the population; at most 40 % is allowed."
    among = PopulationUniqueness(threshold=0.4, fraction=1, among="uniques").check(data(SIZES))
    assert (among.level, among.holds) == (1, False)


@pytest.mark.parametrize("model", ["margins", "poisson_gamma"])
def test_among_uniques(model: Model) -> None:
    of_all = PopulationUniqueness(threshold=0.2, fraction=0.05, model=model).check(data(SIZES))
    verdict = PopulationUniqueness(threshold=0.2, fraction=0.05, model=model, among="uniques").check(data(SIZES))
    for among, records in ((verdict.level, of_all.level), (verdict.low, of_all.low), (verdict.high, of_all.high)):
        assert records is not None and among == pytest.approx(records * 150 / 60, abs=1e-8)
    assert "unique in the file" in verdict.text


@pytest.mark.parametrize(("model", "threshold"), [("margins", 0.04), ("poisson_gamma", 0.09)])
def test_the_upper_end_decides_unless_the_estimate_is_asked_for(model: Model, threshold: float) -> None:
    strict = PopulationUniqueness(threshold=threshold, fraction=0.05, model=model)
    relaxed = strict.model_copy(update={"confident": False})
    verdict = relaxed.check(data(SIZES))
    assert verdict.holds and verdict.high is not None and verdict.high > threshold
    failed = strict.check(data(SIZES))
    assert not failed.holds and (failed.bad_classes, failed.bad_records) == (60, 60)
    assert "by the upper end of the interval" in failed.text
    assert relaxed.weaker_than(strict) and not strict.weaker_than(relaxed)
    assert strict.model_copy(update={"threshold": verdict.high + 1e-9}).check(data(SIZES)).holds


def test_what_cannot_be_estimated_fails() -> None:
    one = PopulationUniqueness(threshold=0.99, fraction=0.3, model="slide_negative_binomial")
    verdict = one.check(data([1] * 40))
    assert (verdict.holds, verdict.level, verdict.low, verdict.high) == (False, 1, 0, 1)
    assert verdict.bad_classes == 40 and verdict.doubts == ("not_fitted",) and DOUBTS["not_fitted"] in verdict.text
    few = one.model_copy(update={"threshold": 0.14}).check(data([1, 3, 3]))
    assert not few.holds and few.bad_classes == 1 and few.level == pytest.approx(1 / 7, abs=1e-8)
    among = one.model_copy(update={"among": "uniques"}).check(data([1, 3, 3]))
    assert not among.holds and among.level == 1


def test_what_is_not_a_number_is_not_small(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = UniqueCount("margins", float("nan"), float("nan"), float("nan"))
    monkeypatch.setattr(population_models, "count_by_models", lambda *given: {"margins": odd})
    for confident in (False, True):
        one = PopulationUniqueness(threshold=0.1, fraction=0.05, confident=confident)
        assert not one.met([data(SIZES).classes(one.needs(SCHEMA)[0])]) and not one.check(data(SIZES)).holds


def test_no_model_is_needed_where_few_enough_are_unique_in_the_file() -> None:
    """Who is unique in the population is unique in the file: this is certain, whatever cannot be fitted."""
    one = PopulationUniqueness(threshold=0.15, fraction=0.3, model="slide_negative_binomial", confident=True)
    verdict = one.check(data([1, 3, 3]))
    assert verdict.holds and verdict.level == pytest.approx(1 / 7, abs=1e-8)


def test_a_doubt_is_said_and_does_not_fail() -> None:
    few = PopulationUniqueness(threshold=0.3, fraction=0.001).check(data([1] * 3 + [4] * 2))
    assert few.holds and few.doubts == ("few", "small_fraction") and DOUBTS["few"] in few.text
    rough = PopulationUniqueness(threshold=0.99, fraction=0.05, model="zayatz").check(data(SIZES))
    assert rough.holds and rough.doubts == ("off",)
    single = PopulationUniqueness(threshold=0.99, fraction=0.05, keys=[["y"], ["x", "y"]])
    verdict = single.check(data([1] * 30))
    assert verdict.doubts == ("few", "one_key"), "also where another combination decides"


def test_every_doubt_is_put_into_words() -> None:
    told = {condition for one in words_of("criterion", "population_uniqueness").sentences for condition in one.when}
    assert {f"doubts={doubt}" for doubt in DOUBTS} <= told


def test_the_rule_of_dankar_says_which_model_it_takes() -> None:
    one = PopulationUniqueness(threshold=0.99, fraction=0.05, model="dankar")
    assert "model dankar, which takes pitman here)" in one.check(data(SIZES)).text
    assert "model dankar, which takes zayatz here)" in one.check(data([1] * 40)).text, "without pairs"


@pytest.mark.parametrize("among", ["records", "uniques"])
def test_nobody_alone(among: str) -> None:
    one = PopulationUniqueness(threshold=0.001, fraction=0.01, among=among, confident=True)
    verdict = one.check(data([2, 3, 4]))
    assert verdict.holds and verdict.level == 0 and not verdict.estimate
    assert verdict.text.startswith("No record is unique in the file")


def test_the_worst_combination_decides_and_an_empty_table_holds() -> None:
    schema = Schema(columns=[Column(name=name, role="quasi", scale="discrete") for name in "ab"])
    table = pa.table({"a": list(range(20)), "b": [1] * 20})
    one = PopulationUniqueness(threshold=0.5, fraction=1, keys=[["b"], ["a"]])
    verdict = one.check(Dataset.from_frame(table, schema))
    assert (verdict.level, verdict.bad_classes) == (1, 20)
    empty = one.check(Dataset.from_frame(table.slice(0, 0), schema))
    assert empty.holds and empty.level is None and empty.text == "The table is empty."
    assert one.met([Dataset.from_frame(table.slice(0, 0), schema).classes(r) for r in one.needs(schema)])


def test_records_of_one_unit_do_not_hide_each_other() -> None:
    """Twelve classes of two records: in ten of them both are of one unit, which is alone there."""
    schema = Schema(columns=[*BARE.columns, Column(name="home", role="unit", scale="discrete")])
    homes = [0, 0, *range(1, 3)] + [n for i in range(10) for n in ((100 + i, 100 + i) if i < 9 else (200, 201))]
    table = pa.table({"x": [n // 2 for n in range(len(homes))], "home": homes})
    held = Dataset.from_frame(table, schema)
    everybody = {"threshold": 0.1, "fraction": 1.0}
    verdict = PopulationUniqueness(**everybody).check(held)
    assert (verdict.holds, verdict.units) == (False, True)
    assert verdict.level == pytest.approx(10 / 14) and verdict.bad_records == 20
    assert verdict.text.startswith("71.4 % of the units are unique in the population")
    records = PopulationUniqueness(count="records", **everybody).check(held)
    assert (records.holds, records.units, records.level) == (True, False, 0.0)
    assert records.text.startswith("No record is unique in the file")
    nobody = Dataset.from_frame(table.set_column(1, "home", pa.nulls(len(homes), pa.int64())), schema)
    assert PopulationUniqueness(**everybody).check(nobody).level == 1.0  # nobody is said to stand behind any
    units = PopulationUniqueness(threshold=0.9, fraction=0.1, model="pitman").check(held)
    assert units.estimate and units.level is not None and units.level > 0


def test_problems_and_refusals() -> None:
    assert [p.code for p in PopulationUniqueness(threshold=0.1).problems(BARE)] == ["no-fraction"]
    assert not list(PopulationUniqueness(threshold=0.1).problems(SCHEMA))
    assert not list(PopulationUniqueness(threshold=0.1, fraction=0.2).problems(BARE))
    for wrong in ({"threshold": 0}, {"fraction": 0}, {"fraction": 1.1}, {"missing": "wildcard"}, {"model": "x"}):
        with pytest.raises(SchleierError):
            PopulationUniqueness(**{"threshold": 0.1, **wrong})
    with pytest.raises(SchleierError, match="threshold"):
        PopulationUniqueness(fraction=0.1)


def test_it_promises_nothing_to_a_search() -> None:
    one = PopulationUniqueness(threshold=0.1, fraction=0.2)
    assert not one.monotone and not one.hereditary
    classes = data(SIZES).classes(one.needs(SCHEMA)[0])
    assert not one.bad(classes).any()


@given(
    sizes=st.lists(st.sampled_from([1, 1, 1, 2, 2, 3, 8]), max_size=40),
    order=st.randoms(use_true_random=False),
    parameters=st.fixed_dictionaries(
        {
            "threshold": st.sampled_from([0.01, 0.1, 0.3, 0.6]),
            "fraction": st.sampled_from([0.001, 0.05, 0.5, 1.0]),
            "among": st.sampled_from(["records", "uniques"]),
            "model": st.sampled_from(MODELS),
            "confident": st.booleans(),
        }
    ),
)
@settings(max_examples=15, deadline=None, derandomize=True)
def test_a_search_gets_the_same_answer_in_any_order(sizes: list[int], order: Any, parameters: dict[str, Any]) -> None:
    one = PopulationUniqueness(**parameters)
    table = rows(sizes)
    shuffled = table.take(pa.array(order.sample(range(len(table)), len(table)), pa.int64()))
    here, there = (
        [Dataset.from_frame(some, SCHEMA).classes(request) for request in one.needs(SCHEMA)]
        for some in (table, shuffled)
    )
    assert one.met(here) == one.judge(here).holds
    assert one.judge(here) == one.judge(there)


@pytest.mark.parametrize("fraction", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("model", ["margins", "dankar", "zayatz"])
def test_a_search_is_certain_with_few_models(fraction: float, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the limit, and wherever a lower end decides: the answer is that of all models together."""
    drawn = np.random.default_rng(5).geometric(0.25, 700)
    classes = data(drawn.tolist()).classes(PopulationUniqueness(threshold=0.5).needs(SCHEMA)[0])
    every = population_models.count_by_models(classes.codes, classes.sizes, fraction)
    asked: list[Model] = []

    def remembered(codes: Any, sizes: Any, fraction: float, models: Any) -> dict[Model, UniqueCount]:
        asked.extend(models)
        return {one: every[one] for one in models}

    monkeypatch.setattr(population_models, "count_by_models", remembered)
    spared = 0
    for confident in (True, False):
        for threshold in np.geomspace(2e-4, 0.5, 60):
            one = PopulationUniqueness(threshold=threshold, fraction=fraction, model=model, confident=confident)
            asked.clear()
            met = one.met([classes])
            spared += len(set(asked)) < len(MODELS)
            assert met == one.judge([classes]).holds
    assert spared > 10


def test_a_search_asks_the_model_only_where_it_may_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise AssertionError("the model was asked")

    monkeypatch.setattr(population_models, "count_by_models", refuse)

    def classes(sizes: list[int]) -> list[Classes]:
        return [data(sizes).classes(one.needs(SCHEMA)[0])]

    one = PopulationUniqueness(threshold=0.4, fraction=0.05, confident=True)
    assert one.met(classes(SIZES)) and one.met(classes([2, 3]))
    with pytest.raises(AssertionError, match="asked"):
        one.met(classes([*SIZES, 1]))
    with pytest.raises(AssertionError, match="asked"):
        one.model_copy(update={"among": "uniques"}).met(classes(SIZES))


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([3.0, 6.0, 12.0]),
    parameters=st.fixed_dictionaries(
        {
            "threshold": st.sampled_from([0.005, 0.03, 0.1]),
            "fraction": st.sampled_from([0.05, 0.3]),
            "model": st.sampled_from(["margins", "dankar"]),
            "confident": st.booleans(),
        }
    ),
)
def test_a_search_finds_the_cheapest_choice_that_holds(seed: int, scale: float, parameters: dict[str, Any]) -> None:
    """Against looking at every choice of levels, each recoded by hand and with its verdict."""
    one = PopulationUniqueness(**parameters)
    widths = {"x": (1, 5, 20), "y": (1, 4, 8)}
    hierarchies = {name: parse({"intervals": list(found[1:])}) for name, found in widths.items()}
    columns = [Column(name=name, role="quasi", scale="discrete", hierarchy=name) for name in "xy"]
    schema = Schema(columns=columns, hierarchies=hierarchies)
    drawn = np.random.default_rng(seed).gamma(1.0, scale, (300, 2)).astype(int)
    raw = {"x": drawn[:, 0], "y": drawn[:, 1]}
    demands = demands_of([one], (), schema, "xy")
    table = Dataset.from_frame(pa.table(raw), schema).classes(request_of("xy", demands))
    search = Search(table, demands, GeneralisedLoss(), 0, "xy")
    best = search.best()
    plain = Schema(columns=[Column(name=name, role="quasi", scale="discrete") for name in "xy"])
    costs = []
    for levels in np.ndindex(4, 4):
        wide = {name: raw[name] // (*widths[name], 10**9)[level] for name, level in zip("xy", levels, strict=True)}
        if one.check(Dataset.from_frame(pa.table(wide), plain)).holds:
            costs.append(search.judged(levels).cost)
    assert (best is None) == (not costs)
    assert best is None or (best.cost == pytest.approx(min(costs)) and one.judge([best.table]).holds)


def test_a_search_that_may_leave_out_records_finds_the_cheapest_choice() -> None:
    """Against every choice of levels, each judged by itself; and the verdict on what is released."""
    one = PopulationUniqueness(threshold=0.03, fraction=0.3)
    hierarchies = {"x": parse({"intervals": [5, 20]}), "y": parse({"intervals": [4, 8]})}
    columns = [Column(name=name, role="quasi", scale="discrete", hierarchy=name) for name in "xy"]
    schema = Schema(columns=columns, hierarchies=hierarchies)
    drawn = np.random.default_rng(9).gamma(1.0, 6.0, (400, 2)).astype(int)
    found = Dataset.from_frame(pa.table({"x": drawn[:, 0], "y": drawn[:, 1]}), schema)
    demands = demands_of([one], (), schema, "xy")
    search = Search(found.classes(request_of("xy", demands)), demands, GeneralisedLoss(), 20, "xy")
    best = search.best()
    nodes = [search.judged(levels) for levels in np.ndindex(4, 4)]
    assert [node.holds for node in nodes] == [
        node.suppressed <= 20 and one.judge([node.released]).holds for node in nodes
    ]
    assert any(node.holds and node.suppressed for node in nodes)
    assert best is not None and search.bound == best.cost
    assert best.cost == pytest.approx(min(node.cost for node in nodes if node.holds))
    assert search.looked_at < len(nodes), "nothing is asked of a class by itself: the cheapest come first"
