"""Which measures an inspection runs: those of a first look, those a recipe lists, and those asked for by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schleier.core import registry
from schleier.core.errors import Problem, Problems, RecipeError, SchleierError
from schleier.core.measure import Measure
from schleier.core.record import Frozen
from schleier.core.sampling import sampling_problems
from schleier.core.schema import Schema
from schleier.flow.recipe.entries import components, validated
from schleier.flow.recipe.parents import load, resolve
from schleier.flow.recipe.recipe import DataSection, Recipe
from schleier.flow.recipe.sections import section
from schleier.flow.run.populations import absent

SIZES = ("fraction", "population")
"""Parameters of measures that ask how a file relates to its population."""
HOUSE, ROOMS, TRAIT = Path(__file__).parents[2], ("risk", "utility"), "inspected"
"""Where measures live, and what those of a first look declare."""
WAY_OUT = "write it under [[measures]] of a recipe with its parameters, and name the recipe as the schema"


class Sampling(Frozen):
    """How the file was drawn from its population; a measure that needs to know is told, unless its entry says so."""

    fraction: float | None = None
    """Part of the population that the file holds."""
    population: int | None = None
    """Persons in the population."""

    @property
    def told(self) -> dict[str, float]:
        """What is known."""
        return self.model_dump(exclude_none=True)


@dataclass(frozen=True)
class Choice:
    """The measures to run, and a recipe that says where their population tables are."""

    recipe: Recipe
    skipped: tuple[str, ...] = ()
    """Measures of the recipe that look at columns which only its steps make."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """In the order in which they are told."""
        return self.recipe.measures


def choose(schema: Schema, file: Path | None, names: Sequence[str], sampling: Sampling) -> Choice:
    """Everything to be measured, or everything wrong with what was asked for; nothing is read before."""
    looking = _Looking(schema, sampling)
    looking.problems.extend(sampling_problems(sampling.fraction, sampling.population))
    data, listed = _listed(file, looking.problems) if file is not None else (DataSection(), {})
    first = list(_first_look(schema))
    named = [one for name in dict.fromkeys(names) if (one := looking.named(name, data)) is not None]
    chosen = [one for place, measure in listed.items() if (one := looking.entry(measure, place, data)) is not None]
    looking.check_used([*chosen, *named])
    looking.problems.raise_as(RecipeError)
    measures = list[Measure]()
    for one in (*first, *chosen, *named):
        if one not in measures:  # parameters may be tables, which have no hash
            measures.append(one)
    return Choice(Recipe(data=data, schema=schema, measures=tuple(measures)), tuple(looking.skipped))


def _first_look(schema: Schema) -> Iterator[Measure]:
    """The measures of a first look, those that find what they look at in this schema."""
    looks = [declared for word in registry.names("measure") if (declared := _looks(word)) is not None]
    for declared in sorted(looks, key=lambda each: each.inspected):
        measure: Measure = declared()
        if not any(measure.problems(schema)):
            yield measure


def _looks(word: str) -> type[Measure] | None:
    """A measure if it declares itself a part of the first look.

    Of the measures of the house most do not, and are not imported to find that out: a declaration is written in the
    file that is called like the measure. One from elsewhere is asked itself.
    """
    files = [file for room in ROOMS if (file := HOUSE / room / f"{word}.py").is_file()]
    if files and not any(TRAIT in file.read_text(encoding="utf-8") for file in files):
        return None
    declared: type[Measure] = registry.get("measure", word)
    return declared if vars(declared).get(TRAIT) else None


def _listed(file: Path, problems: Problems) -> tuple[DataSection, dict[int, Measure]]:
    """The sections [data] and [[measures]] of a recipe; a schema has neither."""
    table = resolve(load(file.read_text(encoding="utf-8"), file.name), file.parent).table
    found = components("measure", "measures", table.get("measures", []), problems)
    try:
        data = validated(DataSection, section(table, "data"), "data")
    except SchleierError as error:
        problems.extend(error.problems)
        data = DataSection()
    risks = {place: measure for place, measure in found.items() if measure.kind == "risk" and not measure.compares}
    return data, risks


@dataclass
class _Looking:
    schema: Schema
    sampling: Sampling
    problems: Problems = field(default_factory=Problems)
    skipped: list[str] = field(default_factory=list)

    def check_used(self, measures: Sequence[Measure]) -> None:
        """What is said about the population must be of use to somebody."""
        if self.sampling.told and not self.problems.found and not any(map(_sampled, measures)):
            known = [n for n, one in registry.every("measure").items() if one.kind == "risk" and _sampled(one)]
            message = "no measure that was asked for needs to know the size of the population"
            self.problems.add("unused-fraction", " ".join(self.sampling.told), message, f"these do: {', '.join(known)}")

    def named(self, name: str, data: DataSection) -> Measure | None:
        """A measure asked for by name, with its defaults."""
        where = f"measure {name}"
        try:
            declared = registry.get("measure", name, "measure")
            if declared.kind != "risk" or declared.compares:
                message = f"'{name}' compares a release with its original, but here is only a file as it is"
                raise RecipeError(Problem("not-a-risk", "measure", message, "ask for a measure of risk"))
            measure: Measure = validated(declared, {} if "population" in data.tables else declared.estimates, where)
        except SchleierError as error:
            need = {"missing-parameter", "bad-parameter"}
            self.problems.extend(
                Problem(p.code, p.where, p.message, WAY_OUT) if p.code in need else p for p in error.problems
            )
            return None
        return self._sound(measure, where, data)

    def entry(self, measure: Measure, place: int, data: DataSection) -> Measure | None:
        """A measure of the recipe, unless it looks at columns that are not there yet."""
        if any(problem.code == "unknown-column" for problem in measure.problems(self.schema)):
            self.skipped.append(measure.name or measure.word())
            return None
        return self._sound(measure, f"measures[{place}] ({measure.word()})", data)

    def _sound(self, measure: Measure, where: str, data: DataSection) -> Measure | None:
        if _sampled(measure) and not any(getattr(measure, name) is not None for name in SIZES):
            measure = measure.model_copy(update=self.sampling.told)
        said = {problem.code for problem in self.problems.found}
        wrong = [
            Problem(
                problem.code, f"{where}: {problem.where}" if problem.where else where, problem.message, problem.hint
            )
            for problem in (*measure.problems(self.schema), *absent(measure, self.schema, data, ""))
            if problem.code not in said & {"bad-fraction", "two-fractions", "nobody-there"}
        ]
        self.problems.extend(wrong)
        return None if wrong else measure


def _sampled(measure: Measure | type[Any]) -> bool:
    """Whether a measure (or its class) asks how large the population is; one that counts in a table need not ask."""
    declared = measure if isinstance(measure, type) else type(measure)
    counts = declared is not measure and any(getattr(measure, n) != told for n, told in declared.estimates.items())
    return not counts and all(name in declared.model_fields for name in SIZES)
