"""The groupings of a method, compared on a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.method import Method
from schleier.core.run import Run
from schleier.flow.compare import MOST, compared
from schleier.testing import example_schema, example_table


class Thirds(Method):
    """A stand-in: keeps the values, replaces them by their mean, or cannot do it."""

    columns: tuple[str, ...]
    k: int
    grouping: Literal["nothing", "everything", "refused"] = "nothing"

    def apply(self, data: Dataset, run: Run) -> Dataset:
        import narwhals as nw

        if self.grouping == "nothing":
            return data
        means = data.totals(**{name: nw.col(name).mean() for name in self.columns})
        given = {n: nw.when(~nw.col(n).is_null()).then(nw.lit(float(m))) for n, m in means.items()}
        return data.mutate(**given)

    def problems(self, schema: Any) -> Any:
        if self.grouping == "refused":
            yield schema.unknown("surely_none")


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHLEIER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    found = registry.get

    def get(kind: Any, word: str, where: str = "") -> type[Any]:
        return Thirds if word == "thirds" else found(kind, word, where)

    monkeypatch.setattr(registry, "get", get)


def schleier(*arguments: object) -> Any:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert "Traceback" not in result.stdout + result.stderr
    return result


def firms(folder: Path, rows: int = 60) -> Path:
    rng = np.random.default_rng(4)
    turnover = np.rint(rng.lognormal(8, 1, rows)).astype(int)
    table = pa.table(
        {"turnover": turnover, "wages": np.rint(turnover * 0.3 + 1000).astype(int), "town": ["A", "B"] * (rows // 2)}
    )
    csv.write_csv(table, folder / "firms.csv")
    return folder / "firms.csv"


def test_losses_and_what_cannot_be_done() -> None:
    found = compared(example_table(), example_schema(), "thirds", (3, 4))
    assert found.columns == ("age", "income", "children") and found.records == 240
    whole = [row for row in example_table().select(found.columns).to_pylist() if None not in row.values()]
    assert found.compared == len(whole) < 240
    assert found.losses["nothing"] == (0.0, 0.0) and found.losses["refused"] == (None, None)
    assert found.losses["everything"] == pytest.approx((100, 100))


def test_large_files_are_sampled() -> None:
    found = compared(example_table(MOST + 500), example_schema(), "thirds", (3,))
    assert (found.records, found.compared) == (MOST + 500, MOST)


def test_the_table_tells_no_value(tmp_path: Path) -> None:
    file = firms(tmp_path)
    for lang, head in (("en", "Grouping"), ("de", "Gruppierung")):
        result = schleier("methods", "thirds", "--compare", file, "--lang", lang, "--quiet")
        assert result.exit_code == 0, result.stderr
        lines = result.stdout.splitlines()
        assert lines[0].split() == [head, "k", "=", "3", "k", "=", "5", "k", "=", "10"]
        assert [line.split() for line in lines[1:4]] == [
            ["nothing", "0", "0", "0"],
            ["everything", "100", "100", "100"],
            ["refused", "–", "–", "–"],
        ]
        assert (
            "turnover" in result.stdout
            and "<" not in result.stdout
            and str(max(np.loadtxt(file, delimiter=",", skiprows=1, usecols=0))) not in result.stdout
        )
    told = json.loads(schleier("methods", "thirds", "--compare", file, "--json").stdout)
    assert told["ok"] and set(told["losses"]) == {"nothing", "everything", "refused"}


def test_the_schema_beside_the_file_is_used(tmp_path: Path) -> None:
    file = firms(tmp_path)
    (tmp_path / "schema.toml").write_text(
        '[schema]\nothers = "drop"\n[[schema.columns]]\nname = "turnover"\nscale = "discrete"\nrole = "sensitive"\n',
        encoding="utf-8",
    )
    told = json.loads(schleier("methods", "thirds", "--compare", file, "--json").stdout)
    assert told.get("columns") == ["turnover"], told


def test_what_goes_wrong(tmp_path: Path) -> None:
    file = firms(tmp_path)
    assert schleier("methods", "--compare", file).exit_code == 2
    result = schleier("methods", "top_code", "--compare", file, "--quiet")
    assert result.exit_code == 2 and "no groupings" in result.stderr
    words = tmp_path / "words.csv"
    words.write_text("town\n" + "A\nB\n" * 20, encoding="utf-8")
    result = schleier("methods", "thirds", "--compare", words, "--quiet")
    assert result.exit_code == 4 and "no numbers" in result.stderr
    assert schleier("methods", "thirds", "--compare", tmp_path / "none.csv", "--quiet").exit_code != 0


def test_every_grouping_of_microaggregation(tmp_path: Path) -> None:
    told = json.loads(schleier("methods", "microaggregate", "--compare", firms(tmp_path), "--json").stdout)
    losses = told["losses"]
    assert {"individual", "optimal", "mdav", "best"} <= set(losses)
    for i in range(3):
        assert losses["best"][i] <= losses["mdav"][i] + 1e-9
        assert losses["optimal"][i] <= losses["individual"][i] + 1e-9
    # the mean of k records drawn with replacement has nothing to do with the record it takes the place of
    assert all(0 <= loss <= 100 for name, row in losses.items() for loss in row if name != "bootstrap")
