"""What every component reports on its example, as a release would: steps, verdicts, findings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from schleier.core import registry
from schleier.core.component import Component
from schleier.core.criterion import Verdict
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.registry import Kind
from schleier.core.run import Run
from schleier.flow.recipe.recipe import DataSection, Recipe
from schleier.flow.release.documents import Report, ReportedStep
from schleier.report.component_words import with_defaults
from schleier.report.facts import finding_facts, verdict_facts
from schleier.report.steps import step_facts
from schleier.testing import example_populations, example_schema, example_table

from .conftest import KEY, made

KINDS: tuple[Kind, ...] = ("method", "criterion", "measure", "attack")


@cache
def _people() -> Dataset:
    data = Dataset.from_frame(example_table(), example_schema())
    return replace(data, populations=example_populations(data.engine))


@cache
def reported_step(word: str) -> tuple[ReportedStep, Report]:
    """A step of the method, and the report of a release that was made with it."""
    one, drop = made("method", word), registry.get("method", "drop")(columns=["person"])
    steps = (one,) if "person" in one.uses(example_schema()) else (one, drop)
    recipe = Recipe(data=DataSection(), schema=example_schema())
    report = replace(recipe, steps=steps).run(example_table(), key=KEY).report
    return report.steps[0], report


@cache
def verdict_of(word: str) -> Verdict:
    """What the criterion says about the example table."""
    verdict: Verdict = made("criterion", word).check(_people())
    return verdict


@cache
def finding_of(kind: Kind, word: str) -> Finding:
    """What the measure or attack tells of the example table as it is: everybody, or the holder where nobody else."""
    one, case, run = made(kind, word), Case(_people(), _people()), Run(key=KEY)
    exact = one.measure(case, run)
    finding: Finding = one.disclose(case, run, exact) or exact
    return finding


def seen_facts(kind: Kind, word: str) -> dict[str, Any]:
    """Everything the words of a component may name, as its example reports it."""
    if kind == "method":
        return step_facts(reported_step(word)[0])
    if kind == "criterion":
        verdict = verdict_of(word)
        return verdict_facts(verdict, with_defaults("criterion", word, verdict.parameters))
    return finding_facts(finding_of(kind, word))


def parameters_of(kind: Kind, word: str) -> set[str]:
    """Names of the parameters that a report may tell: those that are not secret, or that a recipe can publish."""
    declared: type[Component] = registry.get(kind, word)
    hidden = set() if "public" in declared.model_fields else declared.secrets()
    return {*declared.model_fields} - hidden - {"name"}
