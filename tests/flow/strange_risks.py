"""Measures of risk from somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any, ClassVar, Literal

import pytest

from schleier.core import registry
from schleier.core.classes.records import by_class
from schleier.core.classes.request import Request
from schleier.core.measure import Case, Finding, Measure
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.flow.inspect.inspect import Inspection, inspect
from schleier.risk._keys import KeysMeasure
from schleier.risk._sample import SampledMeasure
from schleier.testing import example_schema, example_table


class OtherRisk(Measure):
    """A measure of risk from somebody else."""

    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    inspected: ClassVar[int] = 9

    def measure(self, case: Case, run: Run) -> Finding:
        assert case.original is case.released
        return Finding(name=self.word(), value=0.5, better=self.better, text="Half of it.")


class NeedyRisk(OtherRisk):
    """A measure that asks for a parameter, so it has no place in a first look."""

    inspected: ClassVar[int] = 0

    share: float
    """Needed."""


class SampledRisk(SampledMeasure):
    """A measure that asks how large the population is."""

    def measure(self, case: Case, run: Run) -> Finding:
        persons = self.sample(case.released).persons
        return Finding(name=self.word(), value=persons, better=self.better, text="So many.")


class MapRisk(KeysMeasure):
    """A measure that asks for a table of the population."""

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        return (self.request(schema, populations=("population",)),)

    def measure(self, case: Case, run: Run) -> Finding:
        persons = case.released.classes(self.needs(case.released.schema)[0]).population("population")
        return Finding(name=self.word(), value=float(persons.persons.sum()), better=self.better, text="So many.")


class KnownRisk(KeysMeasure):
    """A measure that knows something about single records."""

    def measure(self, case: Case, run: Run) -> Finding:
        classes = case.released.classes(self.request(case.released.schema))
        run.keep_by_record(lambda: by_class(case.released, classes, {"twice": 2.0 * classes.sizes}))
        return Finding(name=self.word(), value=0.5, better=self.better, text="Half of it.")


STRANGERS = {"other_risk": OtherRisk, "needy_risk": NeedyRisk, "sampled_risk": SampledRisk}
STRANGERS |= {"map_risk": MapRisk, "known_risk": KnownRisk}


@contextmanager
def offered() -> Iterator[None]:
    """As long as it lasts, the package of a third party offers these measures."""

    def entry_points(group: str) -> list[EntryPoint]:
        found = STRANGERS if group == "schleier.measure" else {}
        return [EntryPoint(name, f"strange_measures:{one.__name__}", group) for name, one in found.items()]

    import sys

    module = ModuleType("strange_measures")
    module.__dict__.update({one.__name__: one for one in STRANGERS.values()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "strange_measures", module)
        patch.setattr("importlib.metadata.entry_points", entry_points)
        registry._places.cache_clear()
        yield
    registry._places.cache_clear()


def of(*measures: str, schema: Any = None, **more: Any) -> Inspection:
    """The example people inspected."""
    return inspect(example_table(), schema or example_schema(), measures=measures, **more)


def names(inspection: Inspection) -> list[str]:
    return [finding.name for finding in inspection.findings]


def codes(error: Any) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in error.value.problems]
