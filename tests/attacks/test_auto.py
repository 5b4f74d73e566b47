"""Auto runs what fits the steps, tells what does not, and stands in a recipe like any other attack."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from attacks.worlds import table
from schleier.attacks.auto import Auto
from schleier.core.errors import InfeasibleError, RecipeError
from schleier.core.measure import Case
from schleier.core.method import Method
from schleier.core.registry import every, names
from schleier.core.run import Run
from schleier.core.traces import EVERYTHING, Trace
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import Report
from schleier.flow.replay import replay
from schleier.report.html import Html
from schleier.testing import example_table

SCHEMA = """
[schema]
row_key = "id"
others = "drop"
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
  { name = "disease", role = "sensitive", scale = "nominal" },
  { name = "weight", role = "weight", scale = "continuous" },
]
"""
ALWAYS = {"exact_match", "attribute_inference"}
AUTO = '[[attacks]]\nattack = "auto"\ntargets = 50\n'
"""What is tried does not hang on how many persons are looked for."""


def following(*steps: Method) -> set[str]:
    """The attacks that are tried whatever was done, and those that follow what the steps declare to leave."""
    left = frozenset[Trace]().union(*(step.leaves() or EVERYTHING for step in steps))
    return {word for word, attack in every("attack").items() if not attack.against or attack.against & left}


@cache
def released(step: str = "", attacks: str = AUTO) -> Report:
    return Recipe.from_toml(attacks + SCHEMA + step).run(example_table(), key=bytes(32)).report


def step(method: str, **parameters: Any) -> str:
    lines = [f"{name} = {_toml(value)}" for name, value in {"method": method, **parameters}.items()]
    return "\n".join(["[[steps]]", *lines, ""])


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


NOISE = step("multiply_noise", columns=["income", "age"], kind="mixture", f=0.11, s=0.03)


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ("", set()),
        (step("round_to", column="income", base=100), {"closeness"}),
        (
            step("replace_extremes", column="income", upper=3000),
            {"closeness", "outlier_difference", "replacement_dominance", "total_deficit"},
        ),
        (step("top_code", column="income", upper=3000), {"outlier_difference", "total_deficit"}),
        (step("sample", fraction=0.5, strata=["sex"]), {"certain_stratum", "total_deficit"}),
        (step("pram", columns=["disease"], alpha=0.3), {"majority_vote", "equal_weights"}),
        (
            NOISE,
            {
                "closeness",
                "correlated_columns",
                "impossible_values",
                "predictable_sign",
                "repeated_release",
                "rescale",
                "zero_pattern",
            },
        ),
        (
            step("combine_segments", segments=[["income"], ["disease"]], by=["age"]),
            {"closeness", "majority_vote", "repeated_release"},
        ),
        (step("rank_swap", columns=["income"], window=10), {"closeness", "repeated_release"}),
    ],
)
def test_what_fits_is_tried(done: str, expected: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fitting, chosen = Auto.parts, list[str]()

    def parts(one: Auto, case: Case, run: Run) -> Any:
        found = fitting(one, case, run)
        chosen.extend(part.word() for part in found)
        return [part for part in found if part.word() == "exact_match"]  # one is enough: which are chosen is asked

    monkeypatch.setattr(Auto, "parts", parts)
    Recipe.from_toml(AUTO + SCHEMA + done).run(example_table(), key=bytes(32))
    assert ALWAYS | expected <= set(chosen) <= following(*Recipe.from_toml(SCHEMA + done).steps)


@pytest.mark.parametrize("done", ["", NOISE])
def test_what_was_chosen_is_told_and_the_rest_is_named(done: str) -> None:
    report = released(done)
    tried = {finding.name for finding in report.attacks} | set(report.attacks_withheld)
    assert ALWAYS <= tried <= following(*Recipe.from_toml(SCHEMA + done).steps)
    assert set(report.attacks_left_out) == set(names("attack")) - tried - {"auto"}
    for language in ("en", "de"):
        page = Html().render(report, language)
        assert ("Not tried, because " if language == "en" else "Nicht versucht, weil ") in page


def test_mixture_noise_is_told_to_be_open_to_the_sign_leak() -> None:
    signs = [one for one in released(NOISE).attacks if one.name == "predictable_sign"]
    assert len(signs) == 2 and all(one.value > 0.7 for one in signs)


def test_without_it_nothing_is_left_out() -> None:
    report = released(attacks="")
    assert report.attacks == report.attacks_left_out == ()


def test_it_stands_among_others_with_its_parameters() -> None:
    entries = '[[attacks]]\nattack = "auto"\ntargets = 50\n[[attacks]]\nattack = "exact_match"\ntargets = 20\n'
    report = released(step("round_to", column="income", base=100) + entries, attacks="")
    targets = [(one.name, one.detail["targets"] + (one.detail.get("without_value") or 0)) for one in report.attacks]
    assert targets[-1] == ("exact_match", 20)
    assert {n for _, n in targets[:-1]} == {50}


def test_it_is_written_back_as_itself() -> None:
    recipe = Recipe.from_toml('attacks = "auto"\n' + SCHEMA)
    assert [one.word() for one in recipe.attacks] == ["auto"]
    assert Recipe.from_toml(recipe.to_toml()).attacks == recipe.attacks


def test_a_child_adds_to_it_and_does_not_run_it_twice(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('attacks = "auto"\n' + SCHEMA)
    twice = Recipe.from_toml('extends = "house.toml"\nattacks = "auto"', tmp_path)
    more = Recipe.from_toml('extends = "house.toml"\n[[attacks]]\nattack = "exact_match"', tmp_path)
    assert [one.word() for one in twice.attacks] == ["auto"]
    assert [one.word() for one in more.attacks] == ["auto", "exact_match"]


def test_what_a_parent_names_is_not_run_twice(tmp_path: Path) -> None:
    parent = '[[attacks]]\nattack = "exact_match"\ntargets = 50\n'
    (tmp_path / "parent.toml").write_text(SCHEMA + parent, encoding="utf-8")
    child = Recipe.from_toml('extends = "parent.toml"\nattacks = "auto"\n', folder=tmp_path)
    attacks = child.run(example_table(), key=bytes(32)).report.attacks
    (found,) = [one for one in attacks if one.name == "exact_match"]
    assert found.detail["targets"] == 50  # as it was named


def test_any_other_word_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"\[\[attacks\]\]"):
        Recipe.from_toml('attacks = "all"\n' + SCHEMA)


def test_a_file_in_which_nothing_can_be_attacked() -> None:
    data = table(weight=[1.0, 2.0])
    case, run = Case(data, data), Run(key=bytes(32))
    assert Auto().parts(case, run) == []
    with pytest.raises(InfeasibleError, match="no attack fits"):
        Auto().measure(case, run)


def test_further_releases_are_files_beside_the_recipe(tmp_path: Path) -> None:
    rows = example_table()
    pq.write_table(rows, tmp_path / "data.parquet")
    wrong = ["flu" if i % 3 else word for i, word in enumerate(rows["disease"].to_pylist())]
    turned = rows.set_column(rows.column_names.index("disease"), "disease", [wrong])
    for name in ("two", "three"):
        pq.write_table(turned.select(["id", "disease"]), tmp_path / f"{name}.parquet")
    attack = '[[attacks]]\nattack = "majority_vote"\nsensitive = "disease"\ntargets = "all"\n'
    files = 'releases = ["two.parquet", "three.parquet"]\n'
    recipe = Recipe.from_toml('[data]\nfile = "data.parquet"\n' + SCHEMA + attack + files, tmp_path)
    release = recipe.run(out=tmp_path / "out")
    assert release.report.attacks[0].value < 0.6  # two wrong ones outvote the right one
    again = replay(tmp_path / "out", rows)
    assert again.report.attacks == ()


def test_further_releases_need_a_row_key() -> None:
    attack = '[[attacks]]\nattack = "majority_vote"\nsensitive = "disease"\nreleases = ["two.parquet"]\n'
    recipe = Recipe.from_toml(SCHEMA.replace('row_key = "id"\n', "") + attack)
    with pytest.raises(RecipeError, match="row_key"):
        recipe.run(example_table())
