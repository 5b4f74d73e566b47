"""What real components report is told in words, in both languages, and nothing of it falls under the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.registry import Kind
from schleier.flow.recipe.recipe import DataSection, Recipe
from schleier.flow.release.documents import Report
from schleier.report.alike import alike, judged
from schleier.report.attacks import attacked
from schleier.report.criteria import LIMITS, SECRET
from schleier.report.language import Words
from schleier.report.shifts import shifts
from schleier.report.steps import TELLERS, told
from schleier.report.use import cells
from schleier.testing import example_schema, example_table

PLAIN = Recipe(data=DataSection(), schema=example_schema())
GERMAN = Words.of("de")
COMPARING = ("k_map", "delta_presence", "region_threshold")
"""Criteria that need a population table; their sentences are in the full report."""


def released(section: str, kind: Kind, word: str) -> Report:
    """The report of a release made with the example of one component."""
    declared, drop = registry.get(kind, word), registry.get("method", "drop")(columns=["person"])
    one = declared(**declared.example)
    steps = (one,) if one == drop else (one, drop) if section == "steps" else (drop,)
    recipe = replace(PLAIN, **{section: (one,), "steps": steps})
    return recipe.run(example_table(), key=bytes(32)).report


@pytest.mark.parametrize("word", TELLERS)
def test_a_step(word: str) -> None:
    step = released("steps", "method", word).steps[0]
    one = told(step, GERMAN)
    assert one.rest == []
    assert not any("Dieser Schritt" in sentence for sentence in one.sentences)


@pytest.mark.parametrize("word", ["k_anonymity", *(word for word in (*LIMITS, *SECRET) if word not in COMPARING)])
def test_a_criterion(word: str) -> None:
    declared = registry.get("criterion", word)
    verdict = declared(**declared.example).check(Dataset.from_frame(example_table(), example_schema()))
    assert 'lang="en"' not in " ".join(judged(verdict, GERMAN).sentences)


def test_uniqueness() -> None:
    [finding] = released("measures", "measure", "uniqueness").findings
    one = alike(finding, GERMAN)
    assert one and len(one.pictures_after) == 2
    sizes = finding.detail["sizes"]
    for when in ("before", "after"):
        assert sum(sizes[when]) == finding.detail[when]["records"]
        assert sizes[when][:2] == [finding.detail[when]["unique"], finding.detail[when]["in_pairs"]]


def test_changed_cells() -> None:
    [finding] = released("measures", "measure", "changed_cells").findings
    assert cells(finding, GERMAN)


@pytest.mark.parametrize("word", ["exact_match", "attribute_inference"])
def test_an_attack(word: str) -> None:
    [finding] = released("attacks", "attack", word).attacks
    assert attacked(finding, 1, GERMAN).estimate


def test_moments() -> None:
    declared = registry.get("method", "top_code")
    steps = (declared(**declared.example), registry.get("method", "drop")(columns=["person"]))
    recipe = replace(PLAIN, steps=steps, measures=(registry.get("measure", "moments")(),))
    [finding] = recipe.run(example_table(), key=bytes(32)).report.findings
    found = shifts(finding, GERMAN)
    assert found and [(one.column, one.picture is not None) for one in found.moved] == [("income", True)]
    assert any("age" in sentence for sentence in found.sentences)
