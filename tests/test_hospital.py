"""The example of the hospital: what its page says is what comes out."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

import schleier as sl
from schleier.core.measure import Case
from schleier.report.html import Html

HOSPITAL = Path(__file__).parent.parent / "examples" / "hospital"
PAGE = (HOSPITAL / "README.md").read_text(encoding="utf-8")
KEY = bytes(32)
TRIES = {"k": "k = 5", "k_l": "k = 5, l = 3", "recipe": "k = 5, l = 3, t = 0.3"}
DIAGNOSIS = {"sensitive": ["diagnosis"]}


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, sl.Release]:
    out = tmp_path_factory.mktemp("hospital") / "release"
    return {
        name: sl.Recipe.from_file(HOSPITAL / f"{name}.toml").run(key=KEY, out=out if name == "recipe" else None)
        for name in TRIES
    }


def row(first: str, table: int) -> list[str]:
    """The cells of a line of the page's tables that begins with a word."""
    rows = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in rows[table][1:]]


def shown(released: int, lost: float, alone: int, open_: dict[str, Any], sure: dict[str, Any]) -> list[str]:
    right, guess = open_["correct"] / open_["claims"], open_["baseline"]
    shares = [re.sub(r"\.0$", "", f"{100 * share:.1f}") + " %" for share in (lost, right, guess)]
    return [f"{released:,}", shares[0], f"{alone:,}", shares[1], shares[2], f"{sure['claims']:,}"]


def with_one_diagnosis(data: sl.Dataset) -> int:
    return sl.criteria.LDiversity(l=2, **DIAGNOSIS).check(data).bad_records


def test_the_data_are_always_the_same(tmp_path: Path) -> None:
    shutil.copy(HOSPITAL / "make_data.py", tmp_path)
    runpy.run_path(str(tmp_path / "make_data.py"), run_name="__main__")
    assert (tmp_path / "patients.csv").read_bytes() == (HOSPITAL / "patients.csv").read_bytes()
    assert "\n".join(PAGE.split("```text\n")[1].splitlines()[:2]) in (tmp_path / "patients.csv").read_text()


@pytest.mark.parametrize("name", TRIES)
def test_the_table_of_costs(name: str, releases: dict[str, sl.Release]) -> None:
    report = releases[name].report
    assert all(verdict.holds for verdict in report.criteria)
    assert [verdict.criterion for verdict in report.criteria] == ["k_anonymity", "l_diversity", "t_closeness"][
        : len(report.criteria)
    ]
    loss = next(finding.value for finding in releases[name].audit.findings if finding.name == "generalised_loss")
    found, open_, sure = releases[name].audit.attacks
    assert not [one.detail["correct"] for one in report.attacks if one.detail["correct"]]  # not told to everybody
    assert found.detail["claims"] == 0  # nobody stands alone
    alone = with_one_diagnosis(releases[name].data)
    assert row(TRIES[name], 0) == shown(report.records_released, loss, alone, open_.detail, sure.detail)
    levels = next(step.parameters["levels"] for step in report.steps if step.method == "coarsen")
    words = {
        "postcode": ["all", "three digits", "two digits", "nothing"],
        "born": ["all", "year", "decade", "nothing"],
        "sex": ["all", "nothing"],
        "admitted": ["all", "month", "quarter", "year", "nothing"],
        "ward": ["all", "department", "field", "nothing"],
    }
    assert row(TRIES[name], 1) == [words[column][level] for column, level in levels.items()]


def test_the_line_of_the_original() -> None:
    recipe = sl.Recipe.from_file(HOSPITAL / "k.toml")
    data = sl.read(HOSPITAL / "patients.csv", recipe.schema)
    open_, sure = (attack.measure(Case(data, data), sl.Run(key=KEY)).detail for attack in recipe.attacks[1:])
    assert row("names removed, nothing else", 0) == shown(data.rows, 0, with_one_diagnosis(data), open_, sure)


def test_the_words_of_the_page(releases: dict[str, sl.Release]) -> None:
    gains = {name: 100 * one.audit.attacks[1].detail["difference"] for name, one in releases.items()}
    assert f"**{gains['k_l']:.1f} percentage points**" in PAGE
    assert f"**{gains['recipe']:.1f} percentage points**" in PAGE
    sure = releases["k"].audit.attacks[2]
    assert f"of **{sure.detail['claims']}** patients" in PAGE and f"{sure.value:.1%}".replace("%", " %") in PAGE
    assert (
        releases["recipe"].report.attacks[2].detail["claims"] == releases["k_l"].report.attacks[2].detail["claims"] == 0
    )
    uniqueness = releases["k"].report.findings[0]
    assert uniqueness.detail["before"]["share"] == 1 and uniqueness.detail["after"]["unique"] == 0


def test_the_colour_of_the_box_and_both_languages(releases: dict[str, sl.Release]) -> None:
    for name, colour in {"k": "bad", "k_l": "bad", "recipe": "good"}.items():
        report = releases[name].report
        assert f'<section class="verdict {colour}"' in Html().render(report)
        german = Html().render(report, "de")
        assert '<span lang="en">' not in german
        assert german.count("Gröbere Werte als im Original") == 2  # in the box and in step 5


def test_the_file_holds_what_the_report_says(releases: dict[str, sl.Release]) -> None:
    recipe, path = sl.Recipe.from_file(HOSPITAL / "recipe.toml"), releases["recipe"].path
    assert path is not None
    written = path / "public" / "data.csv"
    assert all(verdict.holds for verdict in sl.verify(written, recipe))
    text = written.read_text(encoding="utf-8")
    assert text.startswith("postcode;born;sex;admitted;ward;diagnosis;days;cost\n")
    patients = (HOSPITAL / "patients.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert not [name for name in {line.split(";")[1] for line in patients} if name in text]
