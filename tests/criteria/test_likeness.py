"""What classes are compared with: the release, or the table before records were left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pytest
from markupsafe import Markup

from schleier.core.classes.judgement import judge_all
from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.criteria.beta_likeness import BetaLikeness
from schleier.criteria.delta_disclosure import DeltaDisclosure
from schleier.criteria.t_closeness import TCloseness
from schleier.flow.recipe.recipe import Recipe
from schleier.report.criteria import tell_verdict
from schleier.report.language import Words

SCHEMA = Schema(
    columns=[
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="ill", role="sensitive", scale="nominal"),
    ]
)
BEFORE = [("f", "flu")] * 6 + [("f", "gout")] * 4 + [("m", "flu")] * 4 + [("m", "gout")] * 6 + [("x", "gout")] * 4
AFTER = [row for row in BEFORE if row[0] != "x"]


def dataset(rows: list[Any]) -> Dataset:
    return Dataset.from_frame(pa.table({"sex": [row[0] for row in rows], "ill": [row[1] for row in rows]}), SCHEMA)


@pytest.mark.parametrize(
    ("one", "is_met"),
    [
        # Of all 14 of 24 have gout, of those left half: 0.4 among women is 0.183 or 0.1 away.
        (TCloseness(t=0.15, baseline="original"), False),
        (TCloseness(t=0.19, baseline="original"), True),
        (BetaLikeness(beta=0.3, baseline="original"), False),
        (BetaLikeness(beta=0.45, baseline="original"), True),
        (DeltaDisclosure(delta=0.3, baseline="original"), False),
        (DeltaDisclosure(delta=0.45, baseline="original"), True),
    ],
    ids=repr,
)
def test_the_verdict_is_of_the_original_and_its_level_of_the_release(one: Any, is_met: bool) -> None:
    (found,) = judge_all(dataset(AFTER), [one], dataset(BEFORE))
    (shown,) = judge_all(dataset(AFTER), [one.model_copy(update={"baseline": "released"})])
    assert found.holds is is_met
    assert found.level == shown.level  # nothing about those who are gone
    assert "before records were left out" in found.text


def test_values_that_nobody_has_any_more_count() -> None:
    after = [row for row in BEFORE if row[1] != "gout"]
    one = TCloseness(t=0.5, baseline="original")
    assert not judge_all(dataset(after), [one], dataset(BEFORE))[0].holds
    shown = judge_all(dataset(after), [one])[0]
    assert shown.holds and "before records were left out" not in shown.text  # the release has no other value


def test_a_column_that_was_changed_is_compared_with_the_release() -> None:
    changed = [(sex, "cold" if ill == "flu" else ill) for sex, ill in AFTER]
    (found,) = judge_all(dataset(changed), [TCloseness(t=0.15, baseline="original")], dataset(BEFORE))
    assert found.holds
    assert found.by_release == ("ill",)
    assert found.text.endswith("What is released is what was compared with in 'ill': a step changed it.")
    more = [*AFTER, *[("f", "flu")] * 9]  # more often than before: these are others
    assert judge_all(dataset(more), [TCloseness(t=0.01, baseline="original")], dataset(BEFORE))[0].bad_classes == 2


def test_who_asks_for_the_original_is_told_where_it_was_not_compared_with() -> None:
    one, plain = TCloseness(t=0.19, baseline="original"), TCloseness(t=0.19)
    assert judge_all(dataset(AFTER), [one], dataset(BEFORE))[0].by_release == ()
    assert judge_all(dataset(AFTER), [plain], dataset(BEFORE))[0].by_release == ()
    assert judge_all(dataset(AFTER), [plain])[0].by_release == ()
    (alone,) = judge_all(dataset(AFTER), [one])
    assert alone.by_release == ("ill",) and "the original is not at hand" in alone.text


@pytest.mark.parametrize(
    ("language", "said"), [("en", "but not for ill: a step changed"), ("de", "nicht aber bei ill: Ein Schritt hat")]
)
@pytest.mark.parametrize("criterion", [TCloseness(t=0.5), BetaLikeness(beta=9), DeltaDisclosure(delta=3)], ids=repr)
def test_the_report_says_so_in_words(criterion: Any, language: str, said: str) -> None:
    one = criterion.model_copy(update={"baseline": "original"})
    changed = [(sex, "cold" if ill == "flu" else ill) for sex, ill in AFTER]
    for rows, is_changed in ((changed, True), (AFTER, False)):
        (verdict,) = judge_all(dataset(rows), [one], dataset(BEFORE))
        told = Markup(" ").join(tell_verdict(verdict, Words.of(language)).sentences).striptags()
        assert (said in told) is is_changed


def test_the_original_is_weaker() -> None:
    released, original = TCloseness(t=0.2), TCloseness(t=0.2, baseline="original")
    assert original.weaker_than(released) and not released.weaker_than(original)


def test_combinations_are_compared_with_the_release() -> None:
    one = TCloseness(t=0.2, sensitive=["ill", "sex"], joint=True, keys=[["age"]], baseline="original")
    assert "joint-baseline" in [problem.code for problem in one.problems(SCHEMA)]


def test_a_run_compares_with_the_rows_it_read(tmp_path: Path) -> None:
    csv.write_csv(dataset(BEFORE * 5).to_arrow().select(["sex", "ill"]), tmp_path / "people.csv")
    text = """
[data]
file = "people.csv"
[[schema.columns]]
name = "sex"
role = "quasi"
hierarchy = "sex"
scale = "nominal"
[[schema.columns]]
name = "ill"
role = "sensitive"
scale = "nominal"
[hierarchies.sex]
rows = [["f", "*"], ["m", "*"], ["x", "*"]]
[[steps]]
method = "coarsen"
max_suppressed = 0.2
[[criteria]]
criterion = "t_closeness"
t = 0.19
baseline = "original"
"""
    (tmp_path / "recipe.toml").write_text(text)
    release = Recipe.from_file(tmp_path / "recipe.toml").run()
    (verdict,) = release.report.criteria
    assert (verdict.holds, verdict.level) == (True, 0.1)
    assert release.report.records_released == 100
