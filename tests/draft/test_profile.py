"""The profiles that come with Schleier: complete, sound and in two languages."""

from __future__ import annotations

import re
import tomllib

import pytest

from schleier.core.errors import RecipeError
from schleier.core.hierarchy import parse
from schleier.draft.formats import FORMS
from schleier.draft.names import _patterns
from schleier.draft.profile import Profile
from schleier.flow.recipe.entries import component
from schleier.flow.recipe.parents import PROFILES
from schleier.flow.recipe.recipe import Recipe

every_profile = pytest.mark.parametrize("name", Profile.names())


def test_these_four() -> None:
    assert Profile.names() == ["internal", "public_use", "safe_harbor", "scientific_use"]
    assert {name: Profile.of(name).k for name in Profile.names()} == {
        "internal": 2,
        "public_use": 5,
        "safe_harbor": 3,
        "scientific_use": 3,
    }


@every_profile
def test_a_recipe_can_extend_it(name: str) -> None:
    text = f'extends = "profile:{name}"\n[schema]\ncolumns = [{{ name = "age", role = "quasi", scale = "discrete" }}]\n'
    recipe = Recipe.from_toml(text)
    assert [(c.name, c.word()) for c in recipe.criteria] == [("classes", "k_anonymity")]
    assert len(recipe.measures) == 2


@every_profile
def test_what_it_proposes_exists_and_has_reasons(name: str) -> None:
    profile = Profile.of(name)
    known = {meaning.name for meaning, _ in _patterns()}
    for one in (profile, *profile.rules, *profile.steps, *profile.criteria):
        assert set(one.reason) == {"en", "de"} and all(one.reason.values())
    for one in (*profile.rules, *profile.steps, *profile.criteria):
        assert set(one.claim) == set(one.absent) == {"en", "de"} and all(one.claim.values())
    for rule in profile.rules:
        assert set(rule.meanings) <= known
        assert set(rule.forms) <= {form.name for form in FORMS} | {"long_number"}
        assert rule.meanings or rule.scales or rule.forms
        assert sum((rule.upper is not None, rule.oldest is not None, rule.hierarchy is not None, rule.drop)) == 1
        for definition in filter(None, (rule.hierarchy, rule.then)):
            assert not list(parse(definition).problems(""))
    for addition in (*profile.steps, *profile.criteria):
        assert addition.when == "always" or all(addition.absent.values())
    for addition in profile.steps:
        component("method", addition.entry, "steps")
    for addition in profile.criteria:
        about = {"": {}, "quasi": {"columns": ["x"]}, "sensitive": {"sensitive": ["x"]}}[addition.columns]
        component("criterion", {**addition.entry, **about}, "criteria")


@every_profile
def test_whom_a_file_is_for_promises_nothing(name: str) -> None:
    """What is promised depends on the columns of the file: the claims say it."""
    said = " ".join(Profile.of(name).reason.values())
    assert not re.search(r"nobody (may|stands|can be sure)|names anybody|no (age|place|date|group)|\d", said)


@every_profile
def test_what_a_profile_proposes_is_no_part_of_a_recipe(name: str) -> None:
    assert "profile" in tomllib.loads((PROFILES / f"{name}.toml").read_text(encoding="utf-8"))
    with pytest.raises(RecipeError) as caught:
        Recipe.from_toml('[profile]\nreason.en = "none"\n[schema]\ncolumns = [{ name = "a" }]\n')
    assert "unknown-section" in {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize("name", ["", "safe harbour", "../flow/x", "public_use.toml"])
def test_an_unknown_profile_names_those_there_are(name: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Profile.of(name)
    assert [problem.code for problem in caught.value.problems] == ["unknown-profile"]
    assert "scientific_use" in caught.value.problems[0].hint
