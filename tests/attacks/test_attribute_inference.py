"""Attribute inference learns what classes give away, nothing more, and says so in counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.attribute_inference import AttributeInference
from schleier.attacks.exact_match import ExactMatch
from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.statistics.trials import Paired
from schleier.methods.recode import Recode

SCHEMA = Schema(
    row_key="id",
    columns=(
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="area", role="quasi", scale="place"),
        Column(name="illness", role="sensitive", scale="nominal"),
        Column(name="pay", role="sensitive", scale="continuous"),
    ),
)
ALL = AttributeInference(sensitive="illness", targets="all", without=0)
OWN = AttributeInference(sensitive="illness", targets="all")
"""The same, and what own records add."""
KEY = bytes(32)


def loaded(ages: Any, areas: Any, illness: Any, pay: Any = None) -> Dataset:
    rows = len(illness)
    columns = {
        "id": np.arange(rows),
        "age": pa.array(ages, pa.int64()),
        "area": pa.array(areas, pa.string()),
        "illness": pa.array(illness, pa.string()),
        "pay": pa.array(pay if pay is not None else [1000.0] * rows, pa.float64()),
    }
    return Dataset.from_frame(pa.table(columns), SCHEMA)


def tried(attack: AttributeInference, original: Dataset, released: Dataset | None = None, **more: Any) -> Finding:
    return attack.measure(Case(original, released or original, **more), Run(key=KEY))


def test_who_stands_alone_is_told_rightly() -> None:
    rng = np.random.default_rng(1)
    data = loaded(range(300), ["a"] * 300, [f"i{k}" for k in rng.integers(0, 5, 300)])
    found = tried(ALL, data)
    assert found.value == 1.0 and found.detail["claims"] == found.detail["correct"] == 300
    assert found.detail["difference_low"] > 0.5
    assert found.detail["rare_correct"] == found.detail["rare"] > 0 == found.detail["rare_guessed"]


def test_a_homogeneous_class_is_told_although_nobody_is_singled_out() -> None:
    data = loaded([30] * 50 + [40] * 50 + [50] * 50, ["a"] * 150, ["flu"] * 50 + ["gout"] * 50 + ["gout"] * 50)
    assert ExactMatch(targets="all").measure(Case(data, data), Run(key=KEY)).detail["correct"] == 0
    found = tried(ALL, data).detail
    assert (found["correct"], found["baseline"], found["lift"]) == (150, pytest.approx(2 / 3), pytest.approx(1.5))
    assert (found["difference"], found["rare"], found["rare_correct"]) == (pytest.approx(1 / 3), 50, 50)


def test_where_classes_are_like_the_whole_it_is_not_better_than_the_guess() -> None:
    rng = np.random.default_rng(2)
    for seed in range(5):
        illness = rng.choice(["a", "b", "c"], 2000, p=[0.6, 0.3, 0.1])
        data = loaded(rng.integers(0, 4, 2000), ["a"] * 2000, illness)  # classes of 500, drawn from one distribution
        found = tried(AttributeInference(sensitive="illness", targets=500, without=0), data)
        assert found.detail["difference_low"] <= 0 <= found.detail["difference_high"], seed
        assert found.detail["rare_correct"] == 0


def test_999_of_1000() -> None:
    data = loaded([30] * 1000 + [40] * 1000, ["a"] * 2000, ["x"] * 999 + ["y"] + ["y"] * 999 + ["x"])
    found = tried(ALL, data).detail
    assert (found["correct"], found["claims"]) == (1998, 2000)
    assert found["baseline"] == 0.5 and (found["rare"], found["rare_correct"]) == (1000, 999)
    one = loaded([30] * 1000, ["a"] * 1000, ["x"] * 999 + ["y"])
    found = tried(ALL, one).detail  # nothing to compare with: the class is the whole, and the one is not told
    assert (found["correct"], found["difference"], found["rare"], found["rare_correct"]) == (999, 0.0, 1, 0)


def test_what_is_missing_matches_everything() -> None:
    original = loaded([30, 30, 40, 40, None], ["a"] * 5, ["x", "x", "y", "y", "y"])
    released = loaded([30, None, 40, None, 40], ["a"] * 5, ["x", "x", "y", "y", "y"])
    # 30 could be x, x, y; 40 could be x, y, y, y; who is known by the area alone could be all five: y
    found = tried(ALL, original, released).detail
    assert (found["claims"], found["correct"]) == (5, 5)
    blank = loaded([None] * 5, [None] * 5, ["x", "x", "y", "y", "y"])
    found = tried(ALL, original, blank).detail
    assert (found["correct"], found["difference"], found["rare_correct"]) == (3, 0.0, 0)


def test_no_claim_where_nobody_matches_or_nothing_is_known() -> None:
    original = loaded([30, 40, 50], ["a"] * 3, ["x", "y", None])
    other = loaded([31, 41, 51], ["a"] * 3, ["x", "y", "x"])
    found = tried(ALL, original, other)
    assert (found.value, found.low, found.high, found.detail["claims"]) == (0.0, 0.0, 1.0, 0)
    assert found.detail["lift"] is None and found.detail["difference"] == 0.0
    assert (found.detail["targets"], found.detail["without_value"]) == (2, 1)
    hidden = loaded([30, 40, 50], ["a"] * 3, [None, None, None])
    assert tried(ALL, original, hidden).detail["claims"] == 0
    nothing = loaded([], [], [])
    assert tried(ALL, nothing, nothing).detail["targets"] == 0


def test_he_claims_only_what_he_is_sure_of() -> None:
    data = loaded([30] * 10 + [40] * 10, ["a"] * 20, ["x"] * 9 + ["y"] + ["x"] * 4 + ["y"] * 6)
    open_, sure = tried(ALL, data), tried(ALL.model_copy(update={"sure": 0.9}), data)
    assert (open_.detail["claims"], open_.detail["correct"]) == (20, 15)
    assert (sure.detail["claims"], sure.detail["correct"], sure.value) == (10, 9, 0.9)
    assert sure.detail["baseline"] == 0.9 and sure.detail["difference"] == 0.0  # of the same ten persons
    assert tried(ALL.model_copy(update={"sure": 0.91}), data).detail["claims"] == 0


def test_a_gap_among_the_matching_records_makes_him_less_sure() -> None:
    data = loaded([30] * 4, ["a"] * 4, ["x", "x", None, None])
    assert tried(ALL.model_copy(update={"sure": 0.5}), data).detail["claims"] == 2
    assert tried(ALL.model_copy(update={"sure": 0.51}), data).detail["claims"] == 0


def test_numbers_are_right_when_near() -> None:
    data = loaded([30, 30, 40, 40], ["a"] * 4, ["x"] * 4, [900.0, 1100.0, 5000.0, 9000.0])
    attack = AttributeInference(sensitive="pay", within=0.12, targets="all", without=0)
    found = tried(attack, data).detail
    assert (found["claims"], found["correct"], found["rare"]) == (4, 2, 0)  # 1000 is near 900 and 1100
    assert found["baseline"] == 0.0 and found["lift"] is None
    assert tried(attack.model_copy(update={"sure": 1.0}), data).detail["claims"] == 2
    gaps = loaded([30, 30, 40, 40], ["a"] * 4, ["x"] * 4, [None, 1100.0, None, None])
    assert tried(attack, gaps).detail["targets"] == 1


def test_he_recodes_what_he_knows_and_is_judged_by_the_recoded_truth() -> None:
    rng = np.random.default_rng(5)
    ages = rng.integers(20, 60, 400)
    data, run = loaded(ages, ["a"] * 400, [f"i{a // 10}{a % 3}" for a in ages]), Run(key=KEY)
    steps = (
        Recode(column="age", breaks=[30, 40, 50]),
        Recode(column="illness", map={f"i{d}{r}": f"group {d}" for d in range(2, 6) for r in range(3)}),
    )
    released = data
    for step in steps:
        released = step.apply(released, run)
    assert tried(ALL, data, released, steps=steps).value == 1.0
    assert tried(ALL, data, released).detail["claims"] == 0


def test_knowing_some_of_the_columns_of_a_step_is_enough_to_repeat_it() -> None:
    """A search coarsens many columns in one step; he repeats it for those he knows."""
    from schleier.core.hierarchy import parse
    from schleier.search.coarsen import Coarsen

    schema = SCHEMA.changed("age", hierarchy="age").model_copy(
        update={"hierarchies": {"age": parse({"intervals": [10]})}}
    )
    data = loaded(list(range(30, 50)) * 2, ["a", "b"] * 20, ["x"] * 10 + ["y"] * 10 + ["x"] * 10 + ["y"] * 10)
    data, run = data.described(schema), Run(key=KEY)
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 5}]).fit(data, run)
    released = step.apply(data, run)
    attack = AttributeInference(sensitive="illness", known=["age"], targets="all", without=0)
    found = tried(attack, data, released, steps=(step,)).detail
    assert (found["claims"], found["correct"]) == (40, 40)


def test_people_who_are_not_in_the_release() -> None:
    """What holds of everybody is told of outsiders too; what only the records tell is not."""
    rng = np.random.default_rng(3)
    inside = loaded(range(200), ["a"] * 200, [f"i{k}" for k in rng.integers(0, 4, 200)])
    outside = loaded(range(200), ["a"] * 200, [f"i{k}" for k in rng.integers(0, 4, 200)])
    found = tried(ALL, inside, control=outside)
    assert found.value == 1.0
    assert found.detail["control_claims"] == 1.0 and found.detail["control_right"] < 0.4
    assert "not-a-value" not in found.model_dump_json()


def test_with_a_file_he_holds() -> None:
    data = loaded([30, 40, 50], ["a"] * 3, ["x", "y", "z"])
    entries = pa.table({"entry": [70, 80, 90], "age": [30, 41, 50], "area": ["a"] * 3})
    known = Dataset.from_frame(
        entries, SCHEMA.without(["illness", "pay"]).model_copy(update={"row_key": "entry"}), data.engine
    )
    pairs = pa.table({"id": [0, 1], "entry": [70, 80]})
    plain = Schema(columns=[Column(name=name, scale="discrete") for name in ("id", "entry")])
    truth = Dataset.from_frame(pairs, plain, data.engine).frame.select("id", "entry")
    attack = ALL.model_copy(update={"knowledge": "file"})
    found = tried(attack, data, known=known, truth=truth).detail
    # one entry is wrong about the age, one is of somebody nobody knows
    assert (found["targets"], found["claims"], found["correct"], found["contained"]) == (2, 1, 1, 2)
    with pytest.raises(DataError, match="nobody in common"):
        tried(attack, data, known=known, truth=truth.head(0))


def test_wrong_parameters_are_named() -> None:
    def codes(**parameters: Any) -> list[str]:
        return [problem.code for problem in AttributeInference(**parameters).problems(SCHEMA)]

    assert codes(sensitive="illness") == []
    assert codes(sensitive="illnes") == ["unknown-column"]
    assert codes(sensitive="illness", known=["age", "illness"]) == ["sensitive-key"]
    assert codes(sensitive="illness", within=0.1) == ["not-numeric"]
    assert codes(sensitive="pay") == ["no-tolerance"]
    assert codes(sensitive="pay", within=0.1) == []
    assert codes(sensitive="age", known=[]) == []  # the other keys are known


def test_no_value_is_told() -> None:
    secret = [f"MARKER-{i % 3}" for i in range(60)]
    data = loaded([30 + i // 20 for i in range(60)], ["PLACE-7"] * 60, secret, [4242.25] * 60)
    run = Run(key=KEY)
    for attack in (OWN, AttributeInference(sensitive="pay", within=0.1, targets="all")):
        said = attack.measure(Case(data, data, control=data), run).model_dump_json() + repr(run.notes)
        assert not [word for word in ("MARKER", "PLACE", "4242") if word in said]
    with pytest.raises(SchleierError) as error:
        tried(AttributeInference(sensitive="illness", targets=61), data)
    assert "MARKER" not in str(error.value)


CELL = st.tuples(
    st.sampled_from([1, 2, None]), st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y", "z", None])
)


@settings(max_examples=25, deadline=None)
@given(st.lists(CELL, min_size=1, max_size=12), st.sampled_from([0.0, 0.5, 0.8]))
def test_equals_the_slow_way(rows: list[tuple[Any, Any, Any]], sure: float) -> None:
    data = loaded(*zip(*rows, strict=True))
    totals = Counter(value for *_, value in rows if value is not None)
    common = min(totals, key=lambda v: (-totals[v], v), default=None)
    claims = correct = gained = lost = 0
    for *known, truth in rows:
        if truth is None:
            continue
        like = [r[2] for r in rows if all(a is None or b is None or a == b for a, b in zip(known, r[:2], strict=True))]
        counts = Counter(value for value in like if value is not None)
        best = min(counts, key=lambda v: (-counts[v], -totals[v], v))
        if counts[best] / len(like) < sure:
            continue
        claims, correct = claims + 1, correct + (best == truth)
        gained += best == truth != common
        lost += best != truth == common
    found = tried(ALL.model_copy(update={"sure": sure}), data).detail
    assert (found["claims"], found["correct"]) == (claims, correct)
    assert found["difference"] == pytest.approx(Paired(gained, lost, claims).difference)


def test_the_interval_of_a_paired_difference_covers() -> None:
    """Of 400 samples with a true difference of 0.1, about 95 % of the intervals hold it (four standard errors less)."""
    rng = np.random.default_rng(8)
    hits = 0
    for _ in range(400):
        first, second, _ = rng.multinomial(80, [0.2, 0.1, 0.7])
        low, high = Paired(int(first), int(second), 80).interval()
        hits += low <= 0.1 <= high
    assert hits / 400 > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)
    assert Paired(0, 0, 0).interval() == (-1.0, 1.0) and Paired(0, 0, 0).difference == 0.0


def test_thirty_before_and_ninety_five_after() -> None:
    """Bitkom (2020), 2.1, the vector of the gain: 0.65 points, skill, odds ratio and bits."""
    ages = [*range(13), *[99] * 7]  # thirteen stand alone, and seven look alike
    illness = ["b"] * 6 + [f"i{n}" for n in range(7)] + ["a"] * 6 + ["c"]
    found = tried(ALL, loaded(ages, ["a"] * 20, illness)).detail
    assert (found["correct"], found["baseline"]) == (19, 0.3)
    assert found["difference"] == pytest.approx(0.65)
    assert found["skill"] == pytest.approx(0.92857, abs=1e-5)
    assert found["odds_ratio"] == pytest.approx(44.33, abs=1e-2)
    assert found["bits"] == pytest.approx(1.66297, abs=1e-5)
    for name in ("skill", "odds_ratio", "bits"):
        assert found[f"{name}_low"] < found[name] < found[f"{name}_high"]


def test_own_records_tell_nothing_in_large_classes_and_everything_alone() -> None:
    rng = np.random.default_rng(4)
    illness = rng.choice(["a", "b", "c"], 1200, p=[0.5, 0.3, 0.2])
    alone = tried(OWN, loaded(range(1200), ["a"] * 1200, illness)).detail
    assert (alone["left_out"], alone["right_with"]) == (200, 1.0)
    assert alone["own_low"] > 0.3 and abs(alone["right_without"] - alone["baseline"]) < 0.15  # what is left is a guess
    crowd = tried(OWN, loaded(rng.integers(0, 2, 1200), ["a"] * 1200, illness)).detail
    assert crowd["own_low"] <= 0 <= crowd["own_high"]
    assert tried(ALL, loaded([1] * 40, ["a"] * 40, ["x"] * 40)).detail["own"] is None


def test_others_whose_values_depend_on_them_change_too() -> None:
    """Groups of three get their mean: the release is made once more, so that nobody's own value is left in it."""
    from schleier.core.registry import get

    rng = np.random.default_rng(5)
    pay = rng.lognormal(8, 1.5, 900).round(2)
    data, run = loaded(range(900), ["a"] * 900, ["x"] * 900, pay), Run(key=KEY)
    step = get("method", "microaggregate")(columns=["pay"], k=3).fit(data, run)
    attack = AttributeInference(sensitive="pay", within=0.01, known=["age"], targets="all")
    found = tried(attack, data, step.apply(data, run), steps=(step,)).detail
    assert found["left_out"] > 150 and found["right_with"] > 0.5 > 0.05 > found["right_without"]


def test_what_everybody_reads_of_the_gain() -> None:
    rng = np.random.default_rng(6)
    data = loaded(range(1200), ["a"] * 1200, rng.choice(["a", "b", "c"], 1200))
    case, run = Case(data, data), Run(key=KEY)
    public = OWN.disclose(case, run, OWN.measure(case, run))
    assert public is not None
    assert public.detail["skill"] == round(round(public.detail["skill"] / 0.05) * 0.05, 2)
    assert all(public.detail[name] is None for name in ("odds_ratio", "bits", "own", "own_low", "guessed_wrong"))
    # How it is for those who were left out is a number about some of the claims.
    assert public.detail["left_out"] is public.detail["right_with"] is public.detail["right_without"] is None


def test_the_nearest_record_is_looked_for_without_them_too() -> None:
    from schleier.attacks.inference import Inference

    rng = np.random.default_rng(7)
    data = loaded(range(0, 1200, 2), ["a"] * 600, rng.choice(["a", "b", "c"], 600))
    found = tried(Inference(sensitive="illness", targets="all", without=60), data).detail
    assert (found["left_out"], found["right_with"]) == (60, 1.0) and found["own_low"] > 0.3
