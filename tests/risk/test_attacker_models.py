"""Prosecutor, journalist, marketer and the persons who look alike, against counting row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from risk.small_tables import SCHEMA, alike, dataset, kept, letters, many, sizes
from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding, Measure
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.kernels.population.individual_risk import class_risk
from schleier.methods.drop import Drop
from schleier.risk._attacker_models import ENDS
from schleier.risk.individual_risk import IndividualRisk
from schleier.risk.journalist import Journalist
from schleier.risk.k_map_risk import KMapRisk
from schleier.risk.marketer import Marketer
from schleier.risk.prosecutor import Prosecutor

TWO = Schema(columns=SCHEMA.columns[:2])
policies = st.sampled_from(["category", "wildcard", "exclude"])
crowds = st.lists(st.tuples(letters, letters), min_size=1, max_size=20)
THREE = [("a", "a", "x", 1.0, "h1", 1.0), ("a", "a", "x", 1.0, "h1", 1.0), ("b", "a", "x", 1.0, "h2", 8.0)]


def measured(one: Measure, people: list[tuple[Any, ...]], crowd: list[tuple[Any, ...]] | None = None) -> Finding:
    data = dataset(people)
    if crowd is not None:
        data = replace(data, populations={"population": dataset(crowd, TWO)})
    return one.measure(Case(data, data), Run())


def codes(one: Measure, schema: Schema = SCHEMA) -> list[str]:
    return [problem.code for problem in one.problems(schema)]


@settings(max_examples=25)
@given(many, policies)
def test_prosecutor_row_by_row(people: list[tuple[Any, ...]], missing: str) -> None:
    found = measured(Prosecutor(missing=missing, threshold=0.4), people).detail["after"]
    chances, weights = [1 / n for n in sizes(people, missing)], [row[5] for row in kept(people, missing)]
    n, total = len(chances), sum(weights)
    assert (found["records"], found["at_risk"]) == (n, sum(c > 0.4 for c in chances))
    assert found["highest"] == max(chances, default=0.0)
    assert found["average"] == pytest.approx(sum(chances) / n if n else 0)
    both = list(zip(chances, weights, strict=True))
    assert found["weighted_average"] == pytest.approx(sum(c * w for c, w in both) / total if total else 0)
    assert found["weighted_share"] == pytest.approx(sum(w for c, w in both if c > 0.4) / total if total else 0)


@settings(max_examples=25)
@given(many, st.sampled_from(["category", "exclude"]))
def test_prosecutor_counts_units(people: list[tuple[Any, ...]], missing: str) -> None:
    found = measured(Prosecutor(missing=missing, count="units"), people).detail["after"]
    seen = kept(people, missing)
    homes = [len({other[4] for other in seen if alike(one, other, missing)}) for one in seen]
    assert found["average"] == pytest.approx(sum(1 / n for n in homes) / len(homes) if homes else 0)


def test_the_threshold_itself_is_no_risk() -> None:
    """A class of two is found with 0.5, which is not above 0.5; the bins end at their ends."""
    found = measured(Prosecutor(threshold=0.5), THREE)
    assert found.detail["at_risk"] == 1 and found.value == pytest.approx(1 / 3)
    assert found.detail["chances"] == {"up_to": list(ENDS), "before": [0, 0, 0, 0, 0, 2, 1], "after": [0] * 5 + [2, 1]}


def test_prosecutor_before_and_after() -> None:
    old = dataset(THREE)
    new = Drop(columns=["sex"]).apply(old, Run())
    found = Prosecutor().measure(Case(old, new), Run()).detail
    # In the release only the age is known, which the original has too.
    assert found["keys"] == ["age"]
    assert found["before"]["highest"] == found["after"]["highest"] == pytest.approx(1 / 3)
    grouped = Prosecutor(keys=["sex", "age"]).measure(Case(old, old), Run()).detail
    assert grouped["before"] == grouped["after"] and grouped["after"]["highest"] == 1


def test_prosecutor_bad_input() -> None:
    bare = SCHEMA.without(["home"])
    assert codes(Prosecutor()) == []
    assert codes(Prosecutor(count="units"), bare) == ["no-unit"]
    assert codes(Prosecutor(count="units", missing="wildcard")) == ["units-and-wildcard"]
    assert codes(Prosecutor(), SCHEMA.without(["sex", "age"])) == ["no-keys"]


@settings(max_examples=12)
@given(many, crowds, policies)
def test_against_a_population_row_by_row(
    people: list[tuple[Any, ...]], crowd: list[tuple[Any, ...]], missing: str
) -> None:
    seen, own = kept(people, missing), sizes(people, missing)
    found = [sum(alike(one, other, missing) for other in crowd) for one in seen]
    there = [max(pair) for pair in zip(found, own, strict=True)]
    n, chances = len(seen), [1 / each for each in there]
    average = sum(chances) / n if n else 0.0
    marketer = measured(Marketer(missing=missing), people, crowd)
    assert marketer.value == pytest.approx(average)
    assert marketer.detail["expected"] == pytest.approx(sum(chances))
    journalist = measured(Journalist(missing=missing, threshold=0.3), people, crowd).detail["after"]
    assert journalist["highest"] == max(chances, default=0.0)
    assert journalist["at_risk"] == sum(c > 0.3 for c in chances)
    if missing != "wildcard":
        classes = {row[:2]: each for row, each in zip(seen, there, strict=True)}
        start = len(classes) / sum(classes.values()) if classes else 0.0
        assert journalist["from_persons"] == pytest.approx(start)
        assert journalist["average"] == pytest.approx(max(average, start))
    told = measured(KMapRisk(k=3, missing=missing), people, crowd).detail
    assert (told["few"], told["unique"], told["not_found"]) == tuple(
        sum(test(each) for each in found) for test in (lambda F: F < 3, lambda F: F == 1, lambda F: F == 0)
    )
    lacking = [0 < each < mine for each, mine in zip(found, own, strict=True)]
    assert told["more_records_than_persons"] == sum(lacking)
    assert told["smallest"] == min(found, default=None)
    assert ("not_found" in told.get("cautions", [])) == bool(told["not_found"])
    assert ("few_persons" in told.get("cautions", [])) == any(lacking)


def test_a_population_that_lacks_persons_is_said() -> None:
    crowd = [("a", "a")] * 9
    found = measured(Journalist(), THREE, crowd).detail
    assert found["cautions"] == ["few_persons"] and found["records_lacking"] == 1
    assert measured(Marketer(), THREE, crowd).detail["cautions"] == ["few_persons"]
    told = measured(KMapRisk(k=2), THREE, crowd)
    assert told.detail["cautions"] == ["not_found"] and told.value == pytest.approx(1 / 3)
    assert told.text == (
        "1 of 3 records (33.33%) look like fewer than 2 persons; 1 look like nobody, so the population table lacks "
        "persons."
    )
    assert measured(KMapRisk(k=2), [("a", "a", "x", 1.0, "h", 1.0)] * 2, [("a", "a")]).detail["cautions"] == [
        "few_persons"
    ]


def test_who_starts_from_the_persons_may_do_better() -> None:
    """Two classes: of 2 in 8 persons and 1 in 1, the records tell more; of 99 in 100 and 1 in 2, the persons do."""
    told = measured(Journalist(), THREE, [("a", "a")] * 8 + [("b", "a")]).detail
    assert told["average"] == pytest.approx((2 / 8 + 1) / 3) and told["from_persons"] == pytest.approx(2 / 9)
    people = [("a", "a", "x", 1.0, "h", 1.0)] * 99 + [("b", "a", "x", 1.0, "h", 1.0)]
    told = measured(Journalist(), people, [("a", "a")] * 100 + [("b", "a")] * 2).detail
    assert (99 / 100 + 1 / 2) / 100 < 2 / 102
    assert told["from_persons"] == told["average"] == told["after"]["average"] == pytest.approx(2 / 102)


def test_as_many_persons_as_records_lack_nobody() -> None:
    """A table with exactly the persons of the file lacks none; with one fewer it does."""
    whole = [("a", "a")] * 2 + [("b", "a")]
    for one in (Journalist(), Marketer()):
        found = measured(one, THREE, whole).detail
        assert (found["records_lacking"], found.get("cautions")) == (0, None)
        found = measured(one, THREE, whole[1:]).detail
        assert (found["records_lacking"], found["cautions"]) == (2, ["few_persons"])
        assert found["persons"] == 3


def test_no_population_table() -> None:
    for one in (Journalist(), Marketer(), KMapRisk(k=2)):
        with pytest.raises(DataError) as caught:
            measured(one, THREE)
        assert [problem.code for problem in caught.value.problems] == ["no-population"]
        assert one.needs(SCHEMA)[0].populations == ("population",)


def test_before_needs_the_population_of_the_original() -> None:
    old, crowd = dataset(THREE), dataset([("a", "a")] * 9 + [("b", "a")] * 3, TWO)
    new = replace(dataset(THREE), populations={"population": crowd})
    assert Journalist().measure(Case(old, new), Run()).detail["before"] is None
    assert Marketer().measure(Case(old, new), Run()).detail["before"] is None
    both = replace(old, populations={"population": crowd})
    assert Marketer().measure(Case(both, new), Run()).detail["before"] == pytest.approx((2 / 9 + 1 / 3) / 3)


def test_estimate_by_fraction_and_by_weights() -> None:
    """With weights the class of two stands for two persons and the single record for eight.

    No key is missing: wildcards only mean that every class is judged by itself, which can be worked out.
    """
    lone: dict[str, Any] = {"against": "estimate", "missing": "wildcard"}
    half = measured(Journalist(against="estimate", fraction=0.3), THREE).detail
    assert half["persons"] == pytest.approx(10)
    own = pa.array([2, 1]).to_numpy()
    weighted = class_risk("negative_binomial", own, pa.array([2.0, 8.0]).to_numpy())
    evenly = class_risk("negative_binomial", own, own / 0.3)
    found = measured(Marketer(**lone), THREE)
    assert found.detail["estimate"] and found.detail["persons"] is None
    assert found.detail["model"] == "negative_binomial"
    assert found.value == pytest.approx((2 * weighted[0] + weighted[1]) / 3)
    assert found.detail["unweighted_average"] == pytest.approx((2 * evenly[0] + evenly[1]) / 3)
    assert found.detail["weighted_share"] == pytest.approx((2 * weighted[0] + 8 * weighted[1]) / 10)
    told = measured(Journalist(**lone, threshold=0.4), THREE).detail
    assert told["highest"] == pytest.approx(0.5) and told["at_risk"] == 2
    # A population of its own size tells the scale of the weights: twice as many persons in every class.
    twice = measured(Marketer(**lone, population=20), THREE)
    doubled = class_risk("negative_binomial", own, pa.array([4.0, 16.0]).to_numpy())
    assert twice.value == pytest.approx((2 * doubled[0] + doubled[1]) / 3)


@pytest.mark.parametrize("missing", ["category", "exclude"])
def test_estimates_are_those_of_individual_risk(missing: Any) -> None:
    people = [(age, sex, "x", 1.0, "h", 2.5) for age in "abcdefg" for sex in "ab" for _ in range(ord(age) - 96)]
    found = measured(Marketer(against="estimate", missing=missing), people)
    assert found.detail["model"] == "margins"
    same = measured(IndividualRisk(missing=missing), people)
    assert (found.value, found.low, found.high) == (same.value, same.low, same.high)
    told = measured(Journalist(against="estimate", missing=missing), people).detail
    assert (told["average_low"], told["average_high"]) == (same.low, same.high) != (None, None)


def test_an_interval_may_begin_at_zero() -> None:
    """One record in a thousand: nothing is certain, but that does not make the other end zero."""
    told = measured(Journalist(against="estimate", fraction=0.001), THREE[2:]).detail
    assert told["average_low"] == 0.0 < told["average"] < told["average_high"] < 0.1


def test_all_of_the_population_makes_a_journalist_a_prosecutor() -> None:
    schema = SCHEMA.without(["w"])
    data = dataset([row[:5] for row in THREE], schema)
    found = Journalist(against="estimate", fraction=1.0).measure(Case(data, data), Run())
    there = Prosecutor().measure(Case(data, data), Run())
    assert found.value == there.value
    assert found.detail["average"] == pytest.approx(there.detail["average"])


def test_population_measures_bad_input() -> None:
    bare = SCHEMA.without(["w"])
    assert codes(Journalist(fraction=0.1, population=7)) == ["table-tells"]
    assert codes(Marketer(against="estimate"), bare) == ["no-fraction"]
    assert codes(Marketer(against="estimate", fraction=1.2), bare) == ["bad-fraction"]
    assert codes(Journalist(against="estimate", fraction=0.5, population=9)) == ["two-fractions"]
    assert codes(Journalist(), SCHEMA.without(["sex", "age"])) == ["no-keys"]
    for weight, code in ((None, "missing-weights"), (0.0, "bad-weights"), (0.5, "few-persons")):
        with pytest.raises(DataError) as caught:
            measured(Journalist(against="estimate"), [("a", "a", "x", 1.0, "h", weight)])
        assert [problem.code for problem in caught.value.problems] == [code]
    with pytest.raises(DataError) as caught:
        measured(Marketer(against="estimate", population=2), THREE)
    assert [problem.code for problem in caught.value.problems] == ["few-persons"]


@pytest.mark.parametrize(
    "one",
    [Prosecutor(), Journalist(), Marketer(), KMapRisk(k=2), Journalist(against="estimate", population=9)],
    ids=lambda one: type(one).__name__,
)
def test_empty_table(one: Measure) -> None:
    found = measured(one, [], [("a", "a")])
    assert found.value == 0 and found.detail["records"] == 0


@pytest.mark.parametrize("kind", [Prosecutor, Journalist, Marketer])
def test_the_keys_are_told(kind: Any) -> None:
    assert measured(kind(), THREE, [("a", "a")]).detail["keys"] == ["sex", "age"]
    assert measured(kind(keys=["age"]), THREE, [("a", "a")]).detail["keys"] == ["age"]


@pytest.mark.parametrize("one", [Prosecutor(), Journalist(), KMapRisk(k=2)], ids=lambda one: type(one).__name__)
def test_chances_of_records_go_to_the_audit_only(one: Measure) -> None:
    run = Run()
    data = replace(dataset(THREE), populations={"population": dataset([("a", "a")] * 4 + [("b", "a")] * 2, TWO)})
    one.measure(Case(data, data), run)
    (make,) = run.by_record.values()
    told = data.engine.arrays(make().sort(data.schema.key)).column("risk").to_pylist()
    assert told == ([0.5, 0.5, 1.0] if isinstance(one, Prosecutor) else [0.25, 0.25, 0.5])


def test_records_left_out_do_not_make_the_others_safer() -> None:
    people = [*THREE, (None, "a", "x", 1.0, "h3", 90.0)]
    for one in (Journalist, Marketer):
        found = measured(one(against="estimate", missing="exclude"), people).detail
        alone = measured(one(against="estimate"), THREE).detail
        for told in ("persons", "expected") if one is Marketer else ("persons", "average"):
            assert found[told] == pytest.approx(alone[told])


def test_weights_tell_nothing_where_everybody_is_in_the_file() -> None:
    found = measured(Journalist(against="estimate", fraction=1), THREE).detail
    assert (found["highest"], found["average"]) == (1.0, pytest.approx(2 / 3))


@pytest.mark.parametrize("one", [Prosecutor(), Journalist(against="estimate"), Marketer(against="estimate")])
def test_an_original_that_cannot_be_compared_is_left_out(one: Measure) -> None:
    released = dataset(THREE)
    lacking = dataset([row[1:] for row in THREE], Schema(columns=SCHEMA.columns[1:]))
    assert one.measure(Case(lacking, released), Run()).detail["before"] is None
    unweighted = dataset([row[:5] for row in THREE], Schema(columns=SCHEMA.columns[:5]))
    before = one.measure(Case(unweighted, released), Run()).detail["before"]
    assert before is not None if isinstance(one, Prosecutor) else before is None


def test_a_key_named_twice_is_known_once() -> None:
    assert measured(Prosecutor(keys=["sex", "sex"]), THREE) == measured(Prosecutor(keys=["sex"]), THREE)
