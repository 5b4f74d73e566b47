"""Advice on a file: what it costs, the recipe it writes, and where the answers go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import schleier as sl
from schleier.core.errors import RecipeError
from schleier.draft.advise import Advice, answers_from, commands, look_at

ANSWERS: dict[str, Any] = {
    "collected": "yes",
    "purpose": "zzz-my-own-words",
    "needed": "yes",
    "basis": "yes",
    "alternatives": "nothing",
    "benefit": "clear",
    "kind": "one_row",
    "special": "no",
    "protection": "normal",
    "membership": "no",
    "scenario": "data",
    "access": "public",
    "list": "no",
    "attackers": ["acquaintance"],
    "repeated": "no",
}


def people(rows: int = 240) -> pd.DataFrame:
    table = {"name": [f"Person {n}" for n in range(rows)], "age": [20 + n * 7 % 40 for n in range(rows)]}
    return pd.DataFrame(
        table | {"sex": ["fm"[n % 2] for n in range(rows)], "income": [1000 + n % 9 for n in range(rows)]}
    )


@pytest.fixture(scope="module")
def advice() -> Advice:
    return sl.advise(people(), ANSWERS)


def test_three_settings_of_every_parameter_with_the_advised_one_among_them(advice: Advice) -> None:
    assert (advice.outcome, advice.profile) == ("file", "public_use")
    assert advice.criteria == {"k": 5, "l": 2, "max_suppressed": 0.05}
    for parameter in advice.parameters:
        assert len(parameter.settings) == 3 and sum(one.advised for one in parameter.settings) == 1
        assert parameter.sources and set(parameter.about.text) == set(parameter.about.range) == {"en", "de"}
    lost = [one.loss for one in advice.parameters[0].settings]
    assert lost == sorted(lost)  # a larger class never keeps more


def test_the_recipe_runs_and_keeps_the_answers_to_itself(advice: Advice, tmp_path: Path) -> None:
    recipe = advice.recipe
    assert recipe is not None and recipe.problems() == []
    assert recipe.advice is not None and recipe.advice.answers == ANSWERS
    assert (recipe.release.access, recipe.release.protection, recipe.release.purpose) == ("public", "normal", "")
    release = recipe.run(people(), out=tmp_path / "release", key=bytes(32))
    assert release.audit.advice is not None and release.audit.advice["answers"] == ANSWERS
    public = [file.read_bytes() for file in (tmp_path / "release" / "public").iterdir()]
    assert not any(b"zzz" in text for text in public)
    assert "zzz" not in repr(recipe) + repr(advice) + repr(release.report) + repr(release.audit)
    kept = sl.Recipe.from_file(tmp_path / "release" / "restricted" / "recipe.toml")
    assert kept.advice == recipe.advice


def test_it_is_written_beside_its_hierarchies_and_read_again(advice: Advice, tmp_path: Path) -> None:
    assert advice.write(tmp_path / "recipe.toml")[0] == tmp_path / "recipe.toml"
    assert answers_from(tmp_path / "recipe.toml") == ANSWERS
    child = tmp_path / "child.toml"
    child.write_text('extends = "recipe.toml"\n[advice.answers]\npurpose = "another"\n', encoding="utf-8")
    merged = sl.Recipe.from_file(child).advice
    assert merged is not None and merged.answers == {"purpose": "another"}  # answers are never mixed


def test_where_nothing_is_released_there_is_no_recipe(tmp_path: Path) -> None:
    for more, outcome in (({"needed": "no"}, "delete"), ({"scenario": "answers"}, "answers")):
        advice = sl.advise(people(), ANSWERS | more)
        assert (advice.outcome, advice.recipe, advice.parameters) == (outcome, None, ())
        assert advice.write(tmp_path / "recipe.toml") == [] and not (tmp_path / "recipe.toml").exists()
        assert advice.reasons and "2020" in advice.reasons[0]


def test_without_a_file_the_advice_waits_for_one() -> None:
    advice = sl.advise(None, ANSWERS)
    assert (advice.outcome, advice.recipe) == ("file", None)
    assert advice.commands == ("schleier advise FILE --answers answers.toml -o recipe.toml",)


def test_a_file_that_is_too_small_gets_no_weaker_recipe() -> None:
    advice = sl.advise(people(4), ANSWERS)
    assert not advice.reached and advice.recipe is None
    assert advice.commands == ("schleier inspect FILE",)


def test_too_few_values_to_be_in_doubt_about_are_named() -> None:
    frame = people().assign(income=["low", "high"] * 120)
    advice = sl.advise(frame, ANSWERS | {"attackers": "unknown"})
    assert not advice.reached and advice.too_few_values == ("income",) and advice.recipe is None
    assert sl.advise(frame, ANSWERS | {"protection": "high"}).reached


def test_columns_are_held_against_the_answers() -> None:
    frame = people().assign(diagnosis=["flu", "cold", "none"] * 80)
    assert look_at(frame).special == ("diagnosis",)
    others = ["party", "Gewerkschaft", "genome", "ethnicity", "Konfession", "Vorstrafe"]
    assert look_at(people().assign(**{name: ["a", "b", "c"] * 80 for name in others})).special == tuple(others)
    with pytest.raises(RecipeError) as error:
        sl.advise(frame, ANSWERS | {"kind": "several_rows"})
    assert [problem.code for problem in error.value.problems] == ["contradiction", "contradiction"]


def test_the_strictest_profile_brings_what_the_others_propose() -> None:
    more = {"access": "contract", "list": "yes", "protection": "high", "repeated": "yes"}
    advice = sl.advise(people(), ANSWERS | more, language="de")
    assert advice.decision.profiles == ("safe_harbor", "scientific_use")
    assert list(advice.criteria) == ["k", "l", "max_suppressed", "fraction"]
    recipe = advice.recipe
    assert recipe is not None and recipe.release.access == "contract" and recipe.release.language == "de"
    assert [one.k for one in recipe.criteria if hasattr(one, "k")] == [5]
    assert commands(advice, "a b.toml")[-1] == "schleier run 'a b.toml' --out release --after EARLIER_RELEASE"


def test_on_site_is_written_into_the_recipe() -> None:
    advice = sl.advise(people(), ANSWERS | {"access": "unknown", "kind": "text"})
    recipe = advice.recipe
    assert advice.outcome == "on_site" and advice.profile == "internal"
    assert recipe is not None and recipe.release.access == "on-site"


@pytest.mark.parametrize("answers", [None, 5, "zzz-words", [("purpose", "zzz-words")]])
def test_answers_that_are_no_table_are_refused_unquoted(answers: Any) -> None:
    with pytest.raises(RecipeError) as error:
        sl.advise(None, answers)
    assert error.value.problems[0].code == "bad-answers" and "zzz" not in str(error.value)


def test_a_recipe_with_answers_is_for_its_owner_alone(advice: Advice, tmp_path: Path) -> None:
    advice.write(tmp_path / "recipe.toml")
    assert (tmp_path / "recipe.toml").stat().st_mode & 0o077 == 0
