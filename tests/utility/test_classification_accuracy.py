from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import EngineError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.utility._learners import learner_codes
from schleier.utility.classification_accuracy import ClassificationAccuracy

ROWS = 240
LETTERS = ["a", "b", "c", "d"]


def people(**changes: Any) -> Dataset:
    """The target follows the letter, except for every tenth record; the number says nothing."""
    rng = np.random.Generator(np.random.Philox(key=7))
    letters = [LETTERS[i] for i in rng.integers(4, size=ROWS)]
    ill = [("yes" if letter in "ab" else "no") if i % 10 else "perhaps" for i, letter in enumerate(letters)]
    table = {"id": list(range(ROWS)), "letter": letters, "number": rng.normal(size=ROWS), "ill": ill, **changes}
    rows = min(len(column) for column in table.values())
    columns = (
        Column(name="letter", role="quasi", scale="nominal"),
        Column(name="number", role="quasi", scale="continuous"),
        Column(name="ill", role="sensitive", scale="nominal"),
    )
    return Dataset.from_frame(pa.table({n: c[:rows] for n, c in table.items()}), Schema(row_key="id", columns=columns))


def measured(released: Dataset, **parameters: Any) -> Finding:
    measure = ClassificationAccuracy(target="ill", folds=3, **parameters)
    return measure.measure(Case(people(), released), Run(key=bytes(32)))


def test_what_is_kept_is_predicted_and_what_is_lost_is_not() -> None:
    kept = measured(people())
    assert kept.value == kept.detail["before"] == pytest.approx(0.9, abs=0.05)
    assert kept.low is not None and kept.low < kept.value
    gone = measured(people().drop("letter"))
    assert gone.value < 0.6
    assert gone.detail["baseline"] == pytest.approx(0.45, abs=0.12)


def test_the_truth_is_that_of_the_original() -> None:
    coarse = measured(people(ill=["*"] * ROWS))
    assert coarse.value == 0.0  # everything is predicted "*", which nobody had
    assert measured(people().drop("ill")).value == 0.0


def test_dropped_records_and_gaps() -> None:
    found = measured(people(ill=[None, *people().to_arrow()["ill"].to_pylist()[1:200]]))
    assert (found.detail["records"], found.detail["dropped"]) == (200, 40)


def test_a_large_file_is_sampled() -> None:
    assert 40 < measured(people(), most=80).detail["records"] < 130


def test_names_what_is_wrong() -> None:
    schema = people().schema
    wrong = ClassificationAccuracy(target="number", columns=("number", "letter"))
    assert [p.code for p in wrong.problems(schema)] == ["target-is-key", "target-continuous"]
    assert [p.code for p in ClassificationAccuracy(target="no").problems(schema)] == ["unknown-column"]


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(EngineError) as caught:
        measured(people(), learner="forest")
    assert [problem.code for problem in caught.value.problems] == ["not-installed"]


@pytest.mark.parametrize("learner", ["forest", "boosting"])
def test_trees_learn_it_too(learner: str) -> None:
    pytest.importorskip("sklearn")
    assert measured(people(), learner=learner).value > 0.8
    assert measured(people().drop("letter", "number"), learner=learner).value < 0.6


def test_codes_of_columns() -> None:
    numbers, width, ordered = learner_codes(pa.array([5, None, 1, 9]), np.array([1, 1, 1, 1]))
    assert (numbers[1], ordered) == (0, True)
    assert numbers.max() < width
    assert numbers[2] < numbers[0] < numbers[3]
    words, width, ordered = learner_codes(pa.array([f"w{i:03d}" for i in range(200)]), np.arange(200))
    assert (len(set(words[100:])), len(set(words[:100])), width, ordered) == (100, 1, 102, False)
