"""Propensity: the expectation of Snoke holds for files of the same kind, other files are told apart."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.core.errors import EngineError
from schleier.utility.propensity import Propensity
from utility.tables import data, found, noisy, sample


def test_the_same_file_cannot_be_told_apart() -> None:
    table = data(sample())
    finding = found(Propensity(), table, table)
    assert (finding.value, finding.detail["pmse"]) == (0.0, 0.0)


def test_records_drawn_from_the_original_are_expected_to_give_one() -> None:
    """Mean of 40 ratios with 2 degrees of freedom: standard error 1 / √40, four of them allowed."""
    old, ratios = sample(150, gaps=False), []
    for k in range(1, 41):
        rng = np.random.Generator(np.random.Philox(key=k))
        drawn = old.iloc[rng.integers(0, len(old), len(old))]
        ratios.append(found(Propensity(columns=["x", "y"]), data(old), data(drawn)).value)
    assert abs(np.mean(ratios) - 1) < 4 / np.sqrt(40)


def test_shifted_files_are_told_apart_completely() -> None:
    old = sample(gaps=False)
    new = old.copy()
    new["x"] += 100
    finding = found(Propensity(columns=["x"]), data(old), data(new))
    assert finding.detail["pmse"] == pytest.approx(0.25, abs=0.01)
    assert finding.value == pytest.approx(0.25 / (0.125 / 400), rel=0.05)


def test_gaps_and_words_give_files_away() -> None:
    old = sample(gaps=False)
    gone, other = old.copy(), old.copy()
    gone.loc[:100, "x"] = np.nan
    other["g"] = "a"
    assert found(Propensity(columns=["x"]), data(old), data(gone)).value > 20
    assert found(Propensity(columns=["g"]), data(old), data(other)).value > 20


def test_a_sampled_file_has_an_interval() -> None:
    old = sample(400, gaps=False)
    finding = found(Propensity(columns=["x", "y"], most=150), data(old), data(noisy(old, strength=2)))
    assert finding.detail["records"] == 300
    assert finding.low is not None and finding.high is not None and finding.low <= finding.value <= finding.high


def test_nothing_to_look_at() -> None:
    table = data(x=[1.0, 1.0, 1.0])
    assert found(Propensity(), table, table).detail["compared"] == 0


def test_trees() -> None:
    pytest.importorskip("sklearn")
    old = sample(gaps=False)
    new = old.copy()
    new["x"] = (new["x"] - new["x"].mean()).abs() + new["x"].mean()
    tree = Propensity(columns=["x"], learner="tree")
    assert found(tree, data(old), data(new)).value > 2
    assert found(tree, data(old), data(old)).value < 1.5


def test_trees_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("schleier.utility.propensity.import_module", missing)
    table = data(sample(50))
    with pytest.raises(EngineError) as error:
        found(Propensity(columns=["x"], learner="tree"), table, table)
    assert [p.code for p in error.value.problems] == ["not-installed"]
