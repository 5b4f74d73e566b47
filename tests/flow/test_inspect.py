"""The risk of a file as it is: what is measured, in which order, and what never leaves the file."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

import schleier as sl
from flow.making import SCHEMA, written
from schleier.core import registry
from schleier.core.by_record import by_class
from schleier.core.data import Dataset
from schleier.core.errors import DataError, RecipeError, SchemaError, WriteError
from schleier.core.measure import Case, Finding, Measure
from schleier.core.request import Request
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.flow.inspect import IDENTIFIERS, Inspection, inspect
from schleier.report.inspection_page import page
from schleier.report.inspection_text import text
from schleier.risk.keyed import KeyedMeasure
from schleier.risk.sampled import SampledMeasure
from schleier.testing import example_schema, example_table

FIRST = ("uniqueness", "combinations", "single_columns")
MARKER, NUMBER = "zzz-planted-marker", 987654321


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


class MapRisk(KeyedMeasure):
    """A measure that asks for a table of the population."""

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        return (self.request(schema, populations=("population",)),)

    def measure(self, case: Case, run: Run) -> Finding:
        persons = case.released.classes(self.needs(case.released.schema)[0]).population("population")
        return Finding(name=self.word(), value=float(persons.persons.sum()), better=self.better, text="So many.")


class KnownRisk(KeyedMeasure):
    """A measure that knows something about single records."""

    def measure(self, case: Case, run: Run) -> Finding:
        classes = case.released.classes(self.request(case.released.schema))
        run.keep_by_record(lambda: by_class(case.released, classes, {"twice": 2.0 * classes.sizes}))
        return Finding(name=self.word(), value=0.5, better=self.better, text="Half of it.")


STRANGERS = {"other_risk": OtherRisk, "needy_risk": NeedyRisk, "sampled_risk": SampledRisk}
STRANGERS |= {"map_risk": MapRisk, "known_risk": KnownRisk}


@pytest.fixture
def strangers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Measures of a third party."""

    def entry_points(group: str) -> list[EntryPoint]:
        offered = STRANGERS if group == "schleier.measure" else {}
        return [EntryPoint(name, f"strange_measures:{one.__name__}", group) for name, one in offered.items()]

    import sys
    from types import ModuleType

    module = ModuleType("strange_measures")
    module.__dict__.update({one.__name__: one for one in STRANGERS.values()})
    monkeypatch.setitem(sys.modules, "strange_measures", module)
    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    registry._places.cache_clear()
    yield
    registry._places.cache_clear()


def names(inspection: Inspection) -> list[str]:
    return [finding.name for finding in inspection.findings]


def test_a_file_with_its_recipe(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    found = sl.inspect(tmp_path / "people.parquet", recipe)
    assert (found.file, found.records, found.format) == ("people.parquet", 240, "schleier-inspection-1")
    assert found.having("identifier") == ["person"]
    assert {column.name: column.hierarchy for column in found.columns}["age"]
    assert tuple(names(found)[:4]) == (IDENTIFIERS, *FIRST)
    assert found.findings[0].text == "1 column names people directly: person."
    assert Inspection.model_validate_json(found.model_dump_json()) == found
    with pytest.raises(ValidationError):
        found.records = 1  # type: ignore[misc]


def test_file_and_frame_and_both_kinds_of_schema_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    recipe = written(tmp_path)
    by_recipe = inspect(str(tmp_path / "people.parquet"), recipe)
    by_schema = inspect(tmp_path / "people.parquet", tmp_path / "schema.toml")
    by_frame = inspect(example_table(), sl.Recipe.from_file(recipe).schema)
    assert by_recipe == by_schema == by_frame.model_copy(update={"file": "people.parquet"})


def test_every_measure_of_risk_without_parameters_appears_by_itself(strangers: None) -> None:
    found = inspect(example_table(), example_schema())
    looks = {name for name, one in registry.every("measure").items() if one.inspected}
    assert set(names(found)) == looks | {IDENTIFIERS}
    assert tuple(names(found)[1:4]) == FIRST and "other_risk" in names(found)[4:]
    assert "Half of it." in page(found, "de")


def test_rows_are_grouped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, real = list[Request](), Dataset.classes
    monkeypatch.setattr(Dataset, "classes", lambda self, request: asked.append(request) or real(self, request))
    inspect(example_table(), example_schema())
    assert len(asked) == len(set(asked))
    assert [request.keys for request in asked].count(("age", "sex", "region")) == 1


def test_what_is_remembered_does_not_follow_changed_rows() -> None:
    import narwhals as nw

    from schleier.flow.remembering import Remembering

    plain = Dataset.from_frame(example_table(), example_schema())
    data, request = Remembering(plain.frame, plain.schema, plain.engine), Request(keys=("sex",))
    assert data.classes(request).records == 240
    assert data.filter(nw.col("sex") == "f").classes(request).records < 240


def test_without_quasi_identifiers_the_columns_are_still_told() -> None:
    schema = example_schema()
    for name in schema.quasi:
        schema = schema.changed(name, role="plain")
    found = inspect(example_table(), schema)
    assert "uniqueness" not in names(found) and "combinations" not in names(found)
    assert names(found)[:2] == [IDENTIFIERS, "single_columns"]


def test_nobody_is_named() -> None:
    assert names(inspect(example_table(), example_schema().changed("person", role="plain")))[0] == "uniqueness"


def test_nothing_of_a_person_is_told(tmp_path: Path) -> None:
    table = example_table()
    for name, value in {"person": MARKER, "region": MARKER, "disease": MARKER, "household": MARKER}.items():
        column = [value, *table.column(name).to_pylist()[1:]]
        table = table.set_column(table.column_names.index(name), name, pa.array(column))
    for name in ("age", "income"):
        column = [NUMBER, *table.column(name).to_pylist()[1:]]
        table = table.set_column(table.column_names.index(name), name, pa.array(column, table.schema.field(name).type))
    pq.write_table(table, tmp_path / "people.parquet")
    found = inspect(tmp_path / "people.parquet", example_schema())
    assert found.findings[1].detail["after"]["unique"] > 0
    for lang in ("en", "de"):
        for said in (found.model_dump_json(), page(found, lang), repr(text(found, lang))):
            assert MARKER not in said and str(NUMBER) not in said
            assert "987,654,321" not in said and "987.654.321" not in said


def test_a_file_without_rows(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        inspect(example_table().slice(0, 0), example_schema())
    assert [problem.code for problem in error.value.problems] == ["no-rows"]


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="there is no hierarchy 'age'"):
        inspect(example_table(), example_schema().model_copy(update={"hierarchies": {}}))
    with pytest.raises(DataError, match="have no column 'age'"):
        inspect(example_table().drop_columns(["age"]), example_schema())
    with pytest.raises(RecipeError, match="there is no engine 'oracle'"):
        inspect(example_table(), example_schema(), engine="oracle")


def of(*measures: str, schema: Any = None, **more: Any) -> Inspection:
    return inspect(example_table(), schema or example_schema(), measures=measures, **more)


def codes(error: Any) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in error.value.problems]


def test_the_changes_that_would_help_most_are_measured() -> None:
    found = of()
    assert [change.columns for change in found.changes] == [("age",), ("region",), ("sex",)]
    unique = next(one.detail["after"]["unique"] for one in found.findings if one.name == "uniqueness")
    assert unique > found.changes[0].together.unique > found.changes[-1].together.unique
    assert Inspection.model_validate_json(found.model_dump_json()).changes == found.changes


def test_further_measures_by_name() -> None:
    found = of("rebuildable", "uniqueness", "rebuildable")
    assert names(found).count("rebuildable") == 1 and names(found).count("uniqueness") == 1
    assert names(found)[-1] == "rebuildable" and "rebuildable" not in names(of())


def test_the_measures_of_a_recipe_are_run_with_their_parameters(tmp_path: Path) -> None:
    own = '[[measures]]\nmeasure = "combinations"\nmost = 1\n\n[[measures]]\nmeasure = "changed_cells"\n'
    late = '[[measures]]\nmeasure = "uniqueness"\nname = "late"\nkeys = ["not_yet"]\n'
    recipe = written(tmp_path, f"{SCHEMA}\n{own}\n{late}")
    found = inspect(tmp_path / "people.parquet", recipe)
    assert [one.detail["most"] for one in found.findings if one.name == "combinations"] == [2, 1]
    assert "changed_cells" not in names(found) and found.skipped == ("late",)
    assert "left out" in repr(text(found)) and "late" in page(found, "de")


def test_everything_wrong_with_what_is_asked_for_is_said_at_once(strangers: None) -> None:
    with pytest.raises(RecipeError) as error:
        of("uniquenes", "changed_cells", "needy_risk", fraction=1.5, population=0)
    assert codes(error) == [
        ("bad-fraction", "fraction"),
        ("nobody-there", "population"),
        ("two-fractions", "fraction"),
        ("unknown-measure", "measure"),
        ("not-a-risk", "measure"),
        ("missing-parameter", "measure needy_risk.share"),
    ]
    assert "did you mean 'uniqueness'?" in str(error.value) and "[[measures]]" in error.value.problems[-1].hint


def test_a_fraction_goes_to_those_who_need_it(strangers: None) -> None:
    schema = example_schema().changed("weight", role="plain")
    with pytest.raises(RecipeError) as error:
        of("sampled_risk", schema=schema)
    assert codes(error) == [("no-fraction", "measure sampled_risk: fraction")]
    assert of("sampled_risk", schema=schema, fraction=0.1).findings[-1].value == 2400
    assert of("sampled_risk", schema=schema, population=480).findings[-1].value == 480
    with pytest.raises(RecipeError) as error:
        of("sampled_risk", schema=schema, fraction=-1.0)
    assert codes(error) == [("bad-fraction", "fraction")]
    with pytest.raises(DataError) as late:
        of("sampled_risk", schema=schema, population=239)
    assert codes(late) == [("few-persons", "population")]
    with pytest.raises(RecipeError) as error:
        of("other_risk", fraction=0.1)
    assert codes(error) == [("unused-fraction", "fraction")] and "sampled_risk" in str(error.value)


def test_a_population_that_nobody_named(strangers: None) -> None:
    with pytest.raises(RecipeError) as error:
        of("map_risk")
    assert codes(error) == [("no-population", "measure map_risk")]


def test_a_population_of_the_recipe(strangers: None, tmp_path: Path) -> None:
    pq.write_table(example_table(960).select(["age", "sex"]), tmp_path / "all.parquet")
    recipe = written(tmp_path, f'[data]\npopulation = "all.parquet"\n{SCHEMA}')
    found = inspect(tmp_path / "people.parquet", recipe, measures=["map_risk"])
    assert found.findings[-1].value == 960


def test_the_risk_of_each_record_is_written_for_its_owner(strangers: None, tmp_path: Path) -> None:
    out = tmp_path / "records.parquet"
    out.write_text("old", encoding="utf-8")
    found = of("known_risk", records=out)
    table = pq.read_table(out).to_pydict()
    assert list(table) == ["id", "alike", "chance", "known_risk_twice"]
    assert table["id"] == sorted(example_table()["id"].to_pylist())
    unique = next(one.detail["after"]["unique"] for one in found.findings if one.name == "uniqueness")
    assert sum(alike == 1 for alike in table["alike"]) == unique
    assert table["chance"] == [1 / alike for alike in table["alike"]]
    assert table["known_risk_twice"] == [2 * alike for alike in table["alike"]]
    assert out.stat().st_mode & 0o777 == 0o600 and [file.name for file in tmp_path.iterdir()] == ["records.parquet"]
    assert "r0" not in found.model_dump_json()


@pytest.mark.parametrize(("name", "code"), [("records.csv", "unknown-format"), ("none/r.parquet", "cannot-write")])
def test_records_that_cannot_be_written_are_refused_before_the_file_is_read(
    name: str, code: str, tmp_path: Path
) -> None:
    with pytest.raises(WriteError) as error:
        inspect(tmp_path / "none.parquet", example_schema(), records=tmp_path / name)
    assert codes(error) == [(code, str(tmp_path / name))]


def test_records_without_keys() -> None:
    schema = example_schema()
    for name in schema.quasi:
        schema = schema.changed(name, role="plain")
    with pytest.raises(SchemaError) as error:
        of(schema=schema, records="records.parquet")
    assert codes(error) == [("no-records", "records")]


def test_progress_is_told() -> None:
    heard: list[str] = []
    inspect(example_table(), example_schema(), listener=lambda what, done, total: heard.append(what) if done else None)
    assert heard[:2] == ["reading", "measuring: uniqueness"]


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    assert inspect(example_table(), example_schema(), engine="spark") == inspect(example_table(), example_schema())
