"""A risk composed of its conditions: every component visible, settable, and put together as the overview says."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from risk.known import case
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.composed_risk import ComposedRisk

SCHEMA = Schema(
    columns=(
        Column(name="x", role="quasi", scale="nominal"),
        Column(name="w", role="weight", scale="continuous"),
        Column(name="illness", role="sensitive", scale="nominal"),
        Column(name="income", role="sensitive", scale="continuous"),
    )
)


def file(sizes: list[int], weights: list[float] | None = None) -> Dataset:
    """Classes of these sizes."""
    keys = [f"class {i}" for i, size in enumerate(sizes) for _ in range(size)]
    given_weights = weights or [10.0] * len(keys)
    filler = {"illness": ["none"] * len(keys), "income": [1.0] * len(keys)}
    return Dataset.from_frame(pa.table({"x": keys, "w": given_weights, **filler}), SCHEMA)


def look(sizes: list[int], weights: list[float] | None = None, **parameters: Any) -> Finding:
    data = file(sizes, weights)
    asked = ComposedRisk(**({"model": "poisson_gamma"} | parameters))  # what can be worked out by hand
    return asked.measure(Case(data, data), Run(key=bytes(32)))


def codes(**parameters: Any) -> list[str]:
    return sorted(problem.code for problem in ComposedRisk(**parameters).problems(SCHEMA))


def test_worked_out_by_hand() -> None:
    """Two of six records are unique, the file is a tenth: (5) gives 1 / (1 + 10 x 2) = 1/21."""
    one = look([1, 1, 4], compatibility=0.5)
    parts = one.detail["components"]
    assert one.detail["row"] == 1
    assert parts["represented"] == {"value": pytest.approx(0.1), "how": "counted", "low": None, "high": None}
    assert (parts["unique"]["value"], parts["unique"]["how"]) == (pytest.approx(1 / 21), "estimated")
    assert parts["certain"]["value"] == pytest.approx(3 / 21)
    assert (parts["compatible"]["value"], parts["compatible"]["how"]) == (0.5, "given")
    assert one.value == pytest.approx(0.1 * 0.5 * (1 / 21) * (3 / 21))
    assert one.low is not None and one.high is not None and one.low < one.value < one.high
    assert one.detail["tries"] == pytest.approx(1 / one.value)


def test_the_text_names_a_more_dangerous_attacker_only_where_there_is_one() -> None:
    """Who knows that his target took part, and counts: row 7. Nobody reaches more."""
    assert look([1, 1, 4], compatibility=0.5).text.endswith("; the most dangerous attacker (row 7) reaches 0.167.")
    worst = look([1, 1, 4], compatibility=0.5, participation=True)
    assert (worst.detail["row"], worst.detail["worst_risk"]) == (7, worst.value)
    assert "most dangerous" not in worst.text and worst.text.endswith("1 (certain, follows).")


def test_all_seven_attackers_are_listed() -> None:
    rows = look([1, 1, 4], in_knowledge=0.2).detail["rows"]
    assert [row["row"] for row in rows] == list(range(1, 8))
    assert [row["row"] for row in rows if row["applies"]] == [1, 3, 4, 6, 7]
    u, s = 1 / 21, 3 / 21
    wanted = [0.1 * u * s, u, 0.1 * u, 0.2 * u * s, 0.2 * u, u, 1 / 3]
    assert [row["risk"] for row in rows] == pytest.approx(wanted)
    assert look([1, 1, 4]).detail["worst"] == 7


def test_a_full_enumeration() -> None:
    """Everything is counted, nothing estimated: unique in the file is unique in the population."""
    one = look([1, 1, 4], fraction=1.0, compatibility=1.0)
    assert one.detail["row"] == 2 and one.value == pytest.approx(1 / 3)
    assert one.detail["components"]["represented"] == {"value": 1.0, "how": "follows", "low": None, "high": None}
    assert one.detail["components"]["unique"]["how"] == "counted"
    assert (one.low, one.high) == (None, None)
    assert [row["row"] for row in one.detail["rows"] if row["applies"]] == [2, 5, 6, 7]


@pytest.mark.parametrize(
    ("row", "attacker"),
    [
        (1, {}),
        (3, {"knowledge": "total"}),
        (4, {"strategy": "fishing"}),
        (6, {"strategy": "fishing", "knowledge": "total"}),
        (7, {"participation": True}),
        (7, {"participation": True, "knowledge": "total"}),
        (2, {"fraction": 1.0}),
        (5, {"fraction": 1.0, "strategy": "fishing"}),
        (6, {"fraction": 1.0, "strategy": "fishing", "knowledge": "total"}),
    ],
)
def test_the_row_follows_from_the_attacker(row: int, attacker: dict[str, Any]) -> None:
    assert look([1, 2], **attacker).detail["row"] == row


def test_every_component_can_be_set() -> None:
    set_ = {"in_release": 0.5, "compatibility": 0.4, "uniqueness": 0.3, "certainty": 0.2}
    one = look([1, 2], **set_)
    assert one.value == pytest.approx(0.5 * 0.4 * 0.3 * 0.2)
    assert {part["how"] for part in one.detail["components"].values()} == {"given"}
    fishing = look([1, 2], strategy="fishing", in_knowledge=0.0)
    assert fishing.value == 0.0 and fishing.detail["tries"] is None
    assert look([1, 1, 4], uniqueness=0.1).detail["components"]["certain"]["value"] == pytest.approx(0.3)


def test_what_nobody_said_is_assumed_the_worst_and_said_so() -> None:
    one = look([1, 2], strategy="fishing")
    parts = one.detail["components"]
    assert (parts["represented"]["value"], parts["represented"]["how"]) == (1.0, "assumed")
    assert (parts["compatible"]["value"], parts["compatible"]["how"]) == (1.0, "assumed")
    assert one.detail["cautions"] == ["attacker_4", "doubtful", "compatible", "knowledge", "worst"]


def test_doubts_matter_only_where_the_estimate_counts() -> None:
    """One unique record is too few to tell anything; who knows that a person took part does not care."""
    assert "few" in look([1, 2], compatibility=1.0).detail["doubts"]
    assert look([1, 2], compatibility=1.0).detail["cautions"] == ["attacker_1", "doubtful", "worst"]
    assert look([1, 2], compatibility=1.0, participation=True).detail["cautions"] == ["attacker_7"]


def test_a_model_that_fails_is_no_excuse() -> None:
    """All records unique: the Pitman model has no maximum. Every one of them counts as unique in the population."""
    one = look([1, 1, 1], model="pitman", compatibility=1.0)
    parts = one.detail["components"]
    assert (parts["unique"]["value"], parts["unique"]["how"]) == (1.0, "failed")
    assert (parts["certain"]["value"], parts["certain"]["how"]) == (1.0, "failed")
    assert one.detail["cautions"] == ["attacker_1", "model", "worst"]


def test_rates_taken_for_independent_understate_the_risk_and_say_so() -> None:
    def cautions(**more: Any) -> list[str]:
        measure = ComposedRisk(fraction=0.1, keys=["age", "sex"], **more)
        found: list[str] = measure.measure(case(), Run(key=bytes(32))).detail["cautions"]
        return found

    assert "independent" in cautions(rates={"age": 0.1, "sex": 0.2})
    assert "independent" not in cautions(rates={"age": 0.1, "sex": 0.2}, correlation=0.3)
    assert "independent" not in cautions()  # counted in true pairs


def test_rates_and_true_pairs_tell_the_compatibility() -> None:
    by_pairs = ComposedRisk(fraction=0.1).measure(case(), Run(key=bytes(32)))
    part = by_pairs.detail["components"]["compatible"]
    assert (part["value"], part["how"]) == (0.4, "pairs") and part["low"] < 0.4 < part["high"]
    rated = ComposedRisk(fraction=0.1, rates={"age": 0.1, "sex": 0.0, "town": 0.2}).measure(case(), Run(key=bytes(32)))
    assert rated.detail["components"]["compatible"]["value"] == pytest.approx(0.72)
    assert rated.detail["components"]["compatible"]["how"] == "rates"


def test_persons_are_not_records() -> None:
    """The unique record stands for 40 of 100 persons, but is one of four records."""
    one = look([1, 3], [40.0, 20.0, 20.0, 20.0], participation=True)
    assert one.value == pytest.approx(1 / 4)
    assert one.detail["weighted"]["risk"] == pytest.approx(0.4)
    assert look([1, 3], participation=True).detail["weighted"]["risk"] == pytest.approx(1 / 4)


@settings(max_examples=20)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.floats(0.01, 1.0))
def test_more_knowledge_is_never_less_dangerous(sizes: list[int], fraction: float) -> None:
    one = look(sizes, fraction=fraction)
    risk = {row["row"]: row["risk"] for row in one.detail["rows"]}
    slack = 1e-9
    assert risk[1] <= risk[3] + slack <= risk[6] + 2 * slack <= risk[7] + 3 * slack <= 1 + 4 * slack
    assert all(0 <= each <= 1 for each in risk.values())
    assert (one.low or 0.0) <= one.value <= (one.high or 1.0)


def test_as_published() -> None:
    right, printed = (
        look([1, 1, 4], published=each).detail["components"]["certain"]["value"] for each in (False, True)
    )
    assert right == pytest.approx(3 / 21) and printed == pytest.approx(1 / 63)


def test_tolerance_depends_on_how_sensitive_a_column_is() -> None:
    more = {"participation": True, "tolerance": {"high": 0.01, "low": 0.5}}
    one = look([1, 1, 4], sensitivity={"income": "low"}, **more)  # the illness counts as the strictest
    assert one.detail["tolerance"] == {
        "illness": {"class": "high", "tolerated": 0.01, "within": False},
        "income": {"class": "low", "tolerated": 0.5, "within": True},
    }
    assert one.detail["beyond"] == ["illness"] and "beyond" in one.detail["cautions"]
    calm = look([2, 2], **more)
    assert calm.detail["beyond"] == [] and "beyond" not in calm.detail["cautions"]


def test_a_tolerance_for_no_column_is_no_tolerance() -> None:
    plain = SCHEMA.model_copy(update={"columns": SCHEMA.columns[:2]})
    found = [problem.code for problem in ComposedRisk(tolerance={"all": 0.1}).problems(plain)]
    assert found == ["no-sensitive"]


def test_what_is_computed_as_printed_says_so() -> None:
    assert "published" in look([1, 1, 4], published=True).detail["cautions"]
    assert "published" not in look([1, 1, 4], published=True, knowledge="total").detail["cautions"]  # he is sure anyway
    assert "published" not in look([1, 1, 4], published=True, certainty=0.5).detail["cautions"]


def test_the_upper_end_of_the_interval_must_be_tolerated() -> None:
    one = look([1, 1, 4], compatibility=1.0)
    assert one.high is not None
    between = (one.value + one.high) / 2
    assert look([1, 1, 4], compatibility=1.0, tolerance={"all": between}).detail["beyond"] == ["illness", "income"]


def test_everything_wrong_is_said_at_once() -> None:
    wrong = dict.fromkeys(("in_release", "in_knowledge", "compatibility", "uniqueness", "certainty"), 1.5)
    found = codes(
        **wrong,
        rates={"x": -1},
        participation=True,
        strategy="fishing",
        fraction=2,
        population=0,
        tolerance={"high": 7},
        sensitivity={"nobody": "low"},
    )
    assert found.count("bad-probability") == 6
    assert set(found) >= {
        "bad-rate",
        "participation-fishing",
        "two-compatibilities",
        "bad-fraction",
        "two-fractions",
        "unknown-column",
        "no-tolerated-risk",
    }


def test_weights_that_cannot_be() -> None:
    with pytest.raises(DataError, match="weight of zero or less"):
        look([1, 1], [1.0, 0.0])
    with pytest.raises(DataError, match="fewer than the 3 records"):
        look([3], population=2)


def test_an_empty_file_has_no_risk() -> None:
    assert look([]).value == 0.0
    assert look([], population=100).value == 0.0
