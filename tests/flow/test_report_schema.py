"""The published JSON schema of the report is current, and real reports keep it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import REPORT_FORMAT
from schleier.testing import example_table
from tools import docs

RECIPE = """
[schema]
row_key = "id"
others = "drop"
columns = [
  { name = "person", role = "identifier", scale = "text" },
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age", title = "Age in years" },
  { name = "sex", role = "quasi", scale = "nominal", labels = { f = "female", m = "male" } },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
  { name = "weight", role = "weight", scale = "continuous" },
]

[hierarchies]
age = { intervals = [45] }

[[steps]]
method = "drop"
columns = ["person"]

[[steps]]
method = "recode"
column = "age"
level = 1

[[steps]]
method = "top_code"
column = "income"
upper = 3000

[[criteria]]
criterion = "k_anonymity"
k = 2
missing = "wildcard"

[[criteria]]
criterion = "k_anonymity"
k = 20
count = "weights"

[[measures]]
measure = "uniqueness"

[[measures]]
measure = "changed_cells"
"""


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads((docs.ROOT / docs.REPORT_SCHEMA).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("report") / "release"
    Recipe.from_toml(RECIPE).run(example_table(), out=out, key=bytes(range(32)))
    return json.loads((out / "public" / "report.json").read_text(encoding="utf-8"))


def test_the_published_schema_is_current() -> None:
    assert list(docs.schema_problems()) == []


def test_it_is_a_schema(schema: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def test_a_real_report_keeps_it(schema: Any, report: Any) -> None:
    assert report["format"] == REPORT_FORMAT
    assert len(report["steps"]) == 3
    assert len(report["criteria"]) == len(report["findings"]) == 2
    jsonschema.validate(report, schema, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "change",
    [{"digest": None}, {"records_read": "many"}, {"run_key": "00"}, {"columns": [{"name": "age"}]}],
    ids=lambda change: next(iter(change)),
)
def test_a_broken_report_does_not(schema: Any, report: Any, change: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report | change, schema, cls=jsonschema.Draft202012Validator)


def test_a_schema_that_is_not_current_is_found_and_rewritten(tmp_path: Path) -> None:
    assert list(docs.schema_problems(tmp_path)) == ["docs/reference/report.schema.json: not current, run make docs"]
    assert list(docs.schema_problems(tmp_path, write=True)) == []
    assert list(docs.schema_problems(tmp_path)) == []
