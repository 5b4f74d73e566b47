"""The recipe: everything a release is made from, written down in TOML or put together in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from pydantic import Field, field_validator, model_validator

from schleier.core.address import Address, spelled
from schleier.core.classes.population import NAMES
from schleier.core.criterion import Criterion
from schleier.core.errors import Problem, Problems, RecipeError, SchleierError
from schleier.core.failures import public
from schleier.core.keys import KeySource
from schleier.core.limits import small_text
from schleier.core.measure import Measure
from schleier.core.method import Method
from schleier.core.record import Declared
from schleier.core.registry import Kind
from schleier.core.run import Listener, silence
from schleier.core.schema import Schema
from schleier.core.shown import Shown
from schleier.flow.recipe.advice import AdviceSection
from schleier.flow.recipe.check import Outlook, check, look_ahead
from schleier.flow.recipe.entries import components, validated
from schleier.flow.recipe.parents import Override, Table, load, resolve
from schleier.flow.recipe.parts import components_of, schema_of, section_of
from schleier.flow.recipe.sections import SECTIONS, keys_section, schema_section, section, sources_of

if TYPE_CHECKING:
    from schleier.flow.release.release import Release
    from schleier.flow.run.sequence import After

COMPONENTS: dict[str, Kind] = {"steps": "method", "criteria": "criterion", "measures": "measure", "attacks": "attack"}
T = TypeVar("T")


class DataSection(Declared):
    """Where the rows are."""

    file: str | None = None
    """The file, relative to the recipe, with ``::PART`` for a sheet, member or table; ``env:NAME::TABLE`` for a
    database. May be left out when the rows are given in Python."""
    control: str | None = None
    """A file of rows that take no part in the release, to compare attacks against."""
    known: str | None = None
    """A file an attacker may hold: columns of the data, of other or the same persons, with errors of its own."""
    truth: str | None = None
    """Who is who: a table of two columns, the row key of the data and the row key of the known file."""
    population: str | None = None
    """A table of the persons the data could be about, with columns of the data as they are before the steps."""
    population_count: str | None = None
    """Its column with the number of persons a row stands for; one row per person without it."""
    gazetteer: str | None = None
    """A table of places with the regional columns of the data as they are before the steps."""
    gazetteer_count: str | None = None
    """Its column with the inhabitants of a place; one row per inhabitant without it."""

    @model_validator(mode="after")
    def _counts_of_tables(self) -> Self:
        for name in NAMES:
            if getattr(self, f"{name}_count") is not None and getattr(self, name) is None:
                raise ValueError(f"{name}_count goes with {name}")
        return self

    @property
    def tables(self) -> tuple[str, ...]:
        """Which tables to compare with it names."""
        return tuple(name for name in NAMES if getattr(self, name) is not None)

    @property
    def files(self) -> dict[str, str]:
        """The files it names."""
        named = self.model_dump(exclude_none=True)
        return {name: file for name, file in named.items() if not name.endswith("_count")}


class ReleaseSection(Declared):
    """How the release is written."""

    format: str = ""
    """Format of the released file: parquet, csv, feather, spss or stata. That of the input when left out, or parquet
    where a release cannot be written in that one."""
    language: Literal["en", "de"] = "en"
    """Language of the report."""
    title: str = ""
    """What the release is called."""
    purpose: str = ""
    """What the release is for."""
    access: Literal["", "public", "contract", "on-site"] = ""
    """Who gets it: everyone, those who signed a contract, or guests on site."""
    protection: Literal["", "normal", "high", "very high"] = ""
    """How much harm a disclosure could do."""
    table: str | None = None
    """A new table of a database that also gets the rows: ``env:NAME::TABLE``, or ``FILE.duckdb::TABLE``."""
    listed_in: str | None = Field(default=None, min_length=1)
    """A register, a file of the holder that lists releases by their source: they are attacked together."""

    @field_validator("table")
    @classmethod
    def _names_a_table(cls, table: str | None) -> str | None:
        if table is not None and not Address.of(table).part:
            raise ValueError("say which table: env:NAME::TABLE, or FILE.duckdb::TABLE")
        if table is not None and "\0" in table:
            raise ValueError("no file can have a name with a null character")
        return table


class EngineSection(Declared):
    """What moves the rows."""

    name: str = "duckdb"
    """duckdb (this machine) or spark (a cluster)."""
    memory_limit: str | None = Field(default=None, pattern=r"^\d{1,9}(\.\d{1,9})? ?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$")
    """Memory the engine may take, with what it needs beside its own, for example "1.5GB"."""
    threads: int | None = Field(default=None, ge=1)
    """Number of threads; all cores when absent."""


@dataclass(frozen=True, init=False)
class Recipe(Shown):
    """A recipe: read from TOML, which tells every problem at once, or put together from its parts.

    >>> import schleier as sl
    >>> recipe = Recipe(
    ...     schema=sl.Schema(columns=[sl.Column(name="age", role="quasi", scale="discrete")]),
    ...     criteria=[sl.criteria.KAnonymity(k=5)],
    ... )
    >>> recipe.problems(), Recipe.from_toml(recipe.to_toml()) == recipe
    ([], True)
    """

    data: DataSection
    schema: Schema
    steps: tuple[Method, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    measures: tuple[Measure, ...] = ()
    attacks: tuple[Measure, ...] = ()
    release: ReleaseSection = ReleaseSection()  # noqa: RUF009  # frozen
    engine: EngineSection = EngineSection()  # noqa: RUF009  # frozen
    advice: AdviceSection | None = None
    keys: Mapping[str, KeySource] = field(default_factory=dict)
    overrides: tuple[Override, ...] = ()
    declared: Mapping[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """The file that describes a column, by its name."""

    @public
    def __init__(
        self,
        data: DataSection | Mapping[str, Any] | Path | str | None = None,
        schema: Schema | Path | str | None = None,
        steps: Iterable[Method | Mapping[str, Any]] = (),
        criteria: Iterable[Criterion | Mapping[str, Any]] = (),
        measures: Iterable[Measure | Mapping[str, Any]] = (),
        attacks: Iterable[Measure | Mapping[str, Any]] = (),
        release: ReleaseSection | Mapping[str, Any] | None = None,
        engine: EngineSection | Mapping[str, Any] | str | None = None,
        advice: AdviceSection | Mapping[str, Any] | None = None,
        overrides: tuple[Override, ...] = (),
        declared: Mapping[str, Path] | None = None,
        keys: Mapping[str, KeySource | Mapping[str, Any]] | None = None,
    ) -> None:
        """From its parts: ``data`` is the name of a file or the section, files are relative to the current folder.

        What is no part of a recipe is refused here; how the parts fit together, ``problems`` and ``run`` tell.
        """
        found, given = Problems(), {"steps": steps, "criteria": criteria, "measures": measures, "attacks": attacks}
        parts: dict[str, Any] = {
            "data": section_of(DataSection, data, "data", "file", found),
            "schema": schema_of(schema, found),
            **{name: components_of(kind, name, given[name], found) for name, kind in COMPONENTS.items()},
            "release": section_of(ReleaseSection, release, "release", "", found),
            "engine": section_of(EngineSection, engine, "engine", "name", found),
            "advice": None if advice is None else section_of(AdviceSection, advice, "advice", "", found),
            "keys": sources_of(keys or {}, found),
            "overrides": overrides,
            "declared": declared or {},
        }
        found.raise_as(RecipeError)
        vars(self).update(parts)  # frozen

    @staticmethod
    @public
    def from_toml(text: str, folder: Path | str = ".") -> Recipe:
        """A recipe from TOML text; files are relative to ``folder``."""
        return _build(load(text), Path(folder), None)

    @staticmethod
    @public
    def from_file(path: Path | str) -> Recipe:
        """A recipe from a TOML file."""
        path = Path(spelled(path))
        try:
            text = small_text(path, RecipeError, str(path))
        except FileNotFoundError:
            raise RecipeError(Problem("no-recipe", str(path), "there is no such recipe")) from None
        except (OSError, ValueError):
            raise RecipeError(Problem("unreadable", str(path), "the recipe cannot be read as UTF-8 text")) from None
        return _build(load(text), path.parent, path)

    def problems(self, *, header: bool = True) -> list[Problem]:
        """Everything wrong with it, seen ahead through all steps; ``header`` also looks at the file's columns."""
        return list(check(self, header=header).problems)

    @cached_property
    def outlook(self) -> Outlook:
        """What it tells of a run before any file is looked at."""
        return look_ahead(self)

    def after(self) -> Schema:
        """The schema of the release."""
        return self.outlook.released

    def on(self, engine: str | None) -> Recipe:
        """The recipe for an engine that is named elsewhere (on the command line); unchanged without one."""
        if engine is None or engine == self.engine.name:
            return self
        return replace(self, engine=self.engine.model_copy(update={"name": engine}))

    @public
    def run(
        self,
        source: Any = None,
        *,
        out: Path | str | None = None,
        key: bytes | None = None,
        force: bool = False,
        engine: str | None = None,
        listener: Listener = silence,
        after: After = (),
        after_k: int | None = None,
    ) -> Release:
        """Anonymise a file or frame; written to ``out`` when given, else kept in memory.

        ``after`` are folders of earlier releases about the same persons: the new one is refused unless at least
        ``after_k`` persons (by default the k of the criteria) look alike in all of them together.
        """
        from schleier.flow.run.runner import run

        return run(
            self,
            source,
            out=out,
            key=key,
            force=force,
            engine=engine,
            listener=listener,
            after=after,
            after_k=after_k,
        )

    def to_toml(self) -> str:
        """The resolved recipe as TOML: no parent, no file for hierarchies."""
        from schleier.flow.recipe.writing import recipe_toml

        return recipe_toml(self)


def _build(table: Table, folder: Path, file: Path | None) -> Recipe:
    resolved = resolve(table, folder, file)
    problems = resolved.problems
    raw = resolved.table
    for name in raw:
        if name not in SECTIONS:
            problems.add("unknown-section", name, "there is no such section", f"there are: {', '.join(SECTIONS)}")
    schema = _part(problems, lambda: schema_section(raw, problems))
    data = _part(problems, lambda: validated(DataSection, section(raw, "data"), "data"))
    release = _part(problems, lambda: validated(ReleaseSection, section(raw, "release"), "release"))
    engine = _part(problems, lambda: validated(EngineSection, section(raw, "engine"), "engine"))
    advice = _part(problems, lambda: validated(AdviceSection, section(raw, "advice"), "advice"))
    parts = {name: components(kind, name, raw.get(name, []), problems) for name, kind in COMPONENTS.items()}
    recipe = Recipe(
        data=data or DataSection(),
        schema=schema or Schema.model_construct(columns=()),
        **{name: tuple(found.values()) for name, found in parts.items()},
        release=release or ReleaseSection(),
        engine=engine or EngineSection(),
        advice=advice if "advice" in raw else None,
        keys=_part(problems, lambda: keys_section(raw, problems)),
        overrides=tuple(resolved.overrides),
        declared=resolved.declared,
    )
    if schema is not None:
        broken = any(list(found) != list(range(len(found))) for found in parts.values())
        places = {name: list(found) for name, found in parts.items()}
        problems.extend((look_ahead(recipe, places) if broken else recipe.outlook).problems)
    problems.raise_as(RecipeError)
    return recipe


def _part(problems: Problems, make: Callable[[], T]) -> T | None:
    try:
        return make()
    except SchleierError as error:
        problems.extend(error.problems)
        return None
