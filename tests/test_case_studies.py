"""The case studies: their pages say what comes out, the advice was followed, and the reports are green."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest

import schleier as sl
from schleier.draft.advice.rules import decide
from schleier.draft.advise import advise, answers_from, look_at
from schleier.report.html import Html

EXAMPLES = Path(__file__).parent.parent / "examples"
KEY = bytes(32)
FILES = {"staff": "staff.csv", "web_log": "requests.csv", "orders": "orders.csv", "exam": "results.csv"}
ADVISED = {
    "staff": ("scientific_use", 5, 2, "high"),
    "web_log": ("scientific_use", 3, 0, "normal"),
    "orders": ("scientific_use", 5, 2, "high"),
    "exam": ("public_use", 5, 3, "normal"),
    "hospital": ("scientific_use", 5, 3, "high"),
}
LARGEST = 100_000


def page(name: str) -> str:
    return " ".join((EXAMPLES / name / "README.md").read_text(encoding="utf-8").split())


def colour(release: sl.Release, lang: str = "en") -> str:
    return re.findall(r'<section class="verdict (\w+)"', Html().render(release.report, lang))[0]


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, sl.Release]:
    out = tmp_path_factory.mktemp("cases")
    recipes = {name: sl.Recipe.from_file(EXAMPLES / name / "recipe.toml") for name in FILES}
    return {name: recipe.run(key=KEY, out=out / name) for name, recipe in recipes.items()}


def test_the_data_are_always_the_same_and_small(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "make_cases.py", tmp_path)
    runpy.run_path(str(tmp_path / "make_cases.py"), run_name="__main__")
    for name, file in FILES.items():
        made = (tmp_path / name / file).read_bytes()
        assert made == (EXAMPLES / name / file).read_bytes() and len(made) < LARGEST


@pytest.mark.parametrize("name", ADVISED)
def test_the_advice_is_the_one_that_is_followed(name: str) -> None:
    folder = EXAMPLES / name
    described = folder / ("k.toml" if name == "hospital" else "schema.toml")
    answers = answers_from(folder / "answers.toml")
    decision = decide(answers, look_at(None, described).found)
    profile, k, values, protection = ADVISED[name]
    assert (decision.outcome, decision.profiles, decision.k, decision.l) == ("file", (profile,), k, values)
    assert decision.protection == protection
    if name == "hospital":
        assert f"`{profile}` with k = {k} and l = {values}" in page(name)
        return
    recipe = sl.Recipe.from_file(folder / "recipe.toml")
    assert recipe.advice is not None and recipe.advice.answers == answers
    demanded = [getattr(one, "k", None) or getattr(one, "l", None) for one in recipe.criteria]
    assert demanded == [value for value in (k, values) if value]
    assert f"Profile: {profile}. Need for protection: {protection}." in page(name)


@pytest.mark.parametrize("name", FILES)
def test_the_release_is_green_and_as_the_page_says(name: str, releases: dict[str, sl.Release]) -> None:
    report = releases[name].report
    assert all(verdict.holds for verdict in report.criteria) and not report.cautions
    assert colour(releases[name]) == colour(releases[name], "de") == "good" and "**green**" in page(name)
    assert f"**{report.records_released}** of {report.records_read:,} " in page(name)
    assert all(attack.detail["claims"] == 0 for attack in releases[name].audit.attacks)


def test_the_answers_are_in_the_audit_and_nowhere_public(releases: dict[str, sl.Release]) -> None:
    for release in releases.values():
        assert release.audit.advice is not None and release.path is not None
        purpose = release.audit.advice["answers"]["purpose"]
        texts = [file.read_text(encoding="utf-8") for file in (release.path / "public").iterdir()]
        assert not any(purpose in text or "advised_on" in text for text in texts)
        assert purpose in (release.path / "restricted" / "audit.json").read_text(encoding="utf-8")


def test_the_chair_of_the_board_is_not_in_the_staff_list(releases: dict[str, sl.Release]) -> None:
    rows = releases["staff"].data.to_pandas()
    assert "Chair of the board" in (EXAMPLES / "staff" / "staff.csv").read_text(encoding="utf-8")
    assert set(rows["position"]) == {"Clerk", "Specialist", "Team lead"} and rows["salary"].max() < 14_200
    assert set(rows["born"]) == set(rows["since"]) == {"*"}


def test_no_moment_and_no_address_is_left_of_the_log(releases: dict[str, sl.Release]) -> None:
    rows = releases["web_log"].data.to_pandas()
    assert "visitor" not in rows and all(re.fullmatch(r"2024-W\d\d", time) for time in rows["time"])
    assert all(address.endswith("/18") for address in rows["ip"])


def test_the_orders_are_amber_until_amounts_are_rounded(releases: dict[str, sl.Release]) -> None:
    advised = sl.Recipe.from_file(EXAMPLES / "orders" / "advised.toml").run(key=KEY)
    assert [caution.code for caution in advised.report.cautions] == ["unique_column"] and colour(advised) == "mind"
    rows = releases["orders"].data.to_pandas()
    assert "customer" not in rows and (rows["amount"] % 5 == 0).all()


def test_the_results_are_advised_and_cost_as_the_page_says(releases: dict[str, sl.Release]) -> None:
    folder = EXAMPLES / "exam"
    advice = advise(folder / "results.csv", answers_from(folder / "answers.toml"), schema=folder / "schema.toml")
    text = (folder / "README.md").read_text(encoding="utf-8")
    for parameter in advice.parameters[:2]:
        for one in parameter.settings:
            assert one.loss is not None
            assert re.search(rf"(?m)^{one.value:g} +{one.left_out} +{one.loss:.0%}".replace("%", " %"), text)
    rows = releases["exam"].data.to_pandas()
    keys = ["class", "sex", "programme", "attempt"]
    assert rows.groupby(keys).size().min() >= 5 and rows.groupby(keys)["grade"].nunique().min() >= 3
    assert not {"points", "birth_year", "name", "matriculation"} & set(rows)
