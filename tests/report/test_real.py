"""What real components report is shown by the sections of the page, with its pictures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schleier.core import registry
from schleier.core.registry import Kind
from schleier.flow.recipe.recipe import DataSection, Recipe
from schleier.flow.release.documents import Report
from schleier.report.attacks import tell_attack
from schleier.report.bars import tell_cells
from schleier.report.language import Words
from schleier.report.shifts import tell_shifts
from schleier.report.twins import tell_twins
from schleier.testing import example_schema, example_table

PLAIN = Recipe(data=DataSection(), schema=example_schema())
GERMAN = Words.of("de")


def released(section: str, kind: Kind, word: str) -> Report:
    """The report of a release made with the example of one component."""
    declared, drop = registry.get(kind, word), registry.get("method", "drop")(columns=["person"])
    recipe = replace(PLAIN, **{section: (declared(**declared.example),), "steps": (drop,)})
    return recipe.run(example_table(), key=bytes(32)).report


def test_uniqueness() -> None:
    [finding] = released("measures", "measure", "uniqueness").findings
    one = tell_twins(finding, GERMAN)
    assert one and len(one.pictures_after) == 2
    sizes = finding.detail["sizes"]
    for when in ("before", "after"):
        assert sizes[when][:2] == [finding.detail[when]["unique"], finding.detail[when]["in_pairs"]]
    records = finding.detail["after"]["records"]
    for told in (sizes["before"], sizes["after"]):  # in tens, as the file is not public
        assert records <= sum(told) < records + 10 * len(told)


def test_changed_cells() -> None:
    [finding] = released("measures", "measure", "changed_cells").findings
    assert tell_cells(finding, GERMAN)


@pytest.mark.parametrize("word", ["exact_match", "attribute_inference"])
def test_an_attack(word: str) -> None:
    [finding] = released("attacks", "attack", word).attacks
    assert tell_attack(finding, 1, GERMAN).estimate


def test_moments() -> None:
    coarse = registry.get("method", "round_to")(column="income", base=3000)
    steps = (coarse, registry.get("method", "drop")(columns=["person"]))
    recipe = replace(PLAIN, steps=steps, measures=(registry.get("measure", "moments")(),))
    for access in ("public", "contract"):
        release = recipe.release.model_copy(update={"access": access})
        [finding] = replace(recipe, release=release).run(example_table(), key=bytes(32)).report.findings
        found = tell_shifts(finding, GERMAN)
        shown = access == "public"  # what the file holds is told to those who hold it
        assert found and [(one.column, one.picture is not None) for one in found.moved] == [("income", shown)]
        assert any("age" in sentence for sentence in found.sentences)
