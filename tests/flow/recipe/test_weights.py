"""Weights of a sample tell the group a record was drawn in: said before the run, in it, and in its report."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.schema import Role
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import Report
from schleier.report.html import Html

ILLNESSES = ["none", "cold", "cancer"]
COLUMN = '[[schema.columns]]\nname = "{}"\nrole = "{}"\nscale = "nominal"\n'
OWN = '[[steps]]\nmethod = "sample"\nfraction = 0.1\nstrata = ["illness"]\nfractions = [{}]\n'
FEW, MANY = '{ of = { illness = "cancer" }, fraction = 0.5 }', '{ of = { illness = "cold" }, fraction = 0.2 }'
DROP = '[[steps]]\nmethod = "drop"\ncolumns = ["illness"]\n'
NO_WEIGHT = '[[steps]]\nmethod = "drop"\nname = "no weight"\ncolumns = ["weight"]\n'
SHARED = '[[steps]]\nmethod = "coarsen_weights"\ncolumn = "weight"\nk = 3\n'


def recipe(*steps: str, role: Role = "sensitive") -> str:
    return "".join((COLUMN.format("sex", "quasi"), COLUMN.format("illness", role), *steps))


def table(illnesses: list[str], each: int = 400) -> pa.Table:
    return pa.table({"sex": ["f", "m"] * (each * len(illnesses) // 2), "illness": illnesses * each})


def released(*steps: str, role: Role = "sensitive", illnesses: list[str] | None = None) -> Report:
    return Recipe.from_toml(recipe(*steps, role=role)).run(table(illnesses or ILLNESSES), key=bytes(32)).report


def told(report: Report) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(one.columns, one.sources) for one in report.cautions if one.code == "weights_tell"]


def test_a_run_says_that_weights_tell_a_stratum_that_was_dropped() -> None:
    made = released(OWN.format(f"{FEW}, {MANY}"), DROP)
    assert told(made) == [(("illness",), ("weight",))]
    for lang, said in (("en", "can tell which records are of the same group"), ("de", "zur selben Gruppe gehören")):
        page = Html().render(made, lang)
        assert said in page and 'class="verdict good"' not in page


def test_what_comes_back_names_the_weights_that_a_step_made() -> None:
    made = released(OWN.format(f"{FEW}, {MANY}"), DROP)
    (back,) = [one for one in made.cautions if one.code == "comes_back"]
    assert (back.columns, back.sources, back.share) == (("illness",), ("weight",), 1.0)
    assert back.command == "schleier methods sample", "weights that many share already are not mended by sharing"


def test_one_group_that_stands_out_is_said_though_the_column_does_not_come_back() -> None:
    """Of many illnesses the weight tells one: too little for the whole column, but enough for those who have it."""
    made = released(OWN.format(FEW), DROP, illnesses=[*(f"i{n}" for n in range(9)), "cancer"])
    assert [one for one in made.cautions if one.code == "comes_back"] == []
    assert told(made) == [(("illness",), ("weight",))]


def test_coarser_weights_are_not_trusted_blindly() -> None:
    assert told(released(OWN.format(FEW), DROP, SHARED)) == [(("illness",), ("weight",))]


@pytest.mark.parametrize(
    ("steps", "role"),
    [
        ((OWN.format(FEW),), "sensitive"),
        ((OWN.format(FEW), DROP), "plain"),
        ((OWN.format(FEW), DROP, NO_WEIGHT), "sensitive"),
        ((OWN.format(FEW).replace(f"fractions = [{FEW}]\n", ""), DROP), "sensitive"),
    ],
    ids=["the stratum is there", "the stratum needs no protection", "the weights are gone", "all weigh the same"],
)
def test_weights_that_tell_nothing_hidden_are_not_mentioned(steps: tuple[str, ...], role: Role) -> None:
    assert told(released(*steps, role=role)) == []


def test_check_says_it_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(recipe(OWN.format(FEW), DROP), encoding="utf-8")
    asked = ["check", str(tmp_path / "recipe.toml")]
    shown = " ".join(CliRunner().invoke(app, [*asked, "--lang", "de"]).stdout.split())
    assert "Gewichte in weight" in shown and "illness" in shown and "schleier methods sample" in shown
    (one,) = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["cautions"]
    assert (one["code"], one["columns"], one["sources"]) == ("weights_tell", ["illness"], ["weight"])
