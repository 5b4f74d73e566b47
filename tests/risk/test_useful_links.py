"""The two stages of Höhne 6.2: worked out by hand, and with a file of what an attacker knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.engine import Source
from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding
from schleier.core.registry import default_engine
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.useful_links import UsefulLinks

COLUMNS = (
    Column(name="staff", role="quasi", scale="discrete"),
    Column(name="branch", role="quasi", scale="nominal"),
    Column(name="turnover", role="sensitive", scale="continuous"),
    Column(name="profit", role="sensitive", scale="continuous"),
)
SCHEMA = Schema(row_key="id", columns=COLUMNS)
FIRMS: dict[str, list[Any]] = {
    "id": list("abcd"),
    "staff": [10, 20, 30, 40],
    "branch": ["x", "x", "x", "x"],
    "turnover": [100.0, 200.0, 300.0, 400.0],
    "profit": [10.0, 20.0, -30.0, 0.0],
}
KEY = bytes(range(32))


def data(**columns: list[Any]) -> Dataset:
    return Dataset.from_frame(pa.table(FIRMS | columns), SCHEMA)


def told(case: Case, **parameters: Any) -> Finding:
    return UsefulLinks(**({"targets": "all"} | parameters)).measure(case, Run(key=KEY))


def test_the_defaults_are_those_of_the_source() -> None:
    """f = 5 % and p = 90 % (L2169)."""
    assert (UsefulLinks().within, UsefulLinks().share) == (0.05, 0.9)


def test_four_firms_worked_out_by_hand() -> None:
    """Staff 10, 20, 30 and 40 became 10, 31, 20 and 40: the first and last link rightly, the others cross.
    Of the four values of these two links, turnover 104 (of 100) and profit 0 (of 0) are useful; 440 (of 400) and 9 (of
    10) are not. The two wrong links yield turnover 290 for 200, 205 for 300, profit -31 for 20 and 20 for -30."""
    released = data(staff=[10, 31, 20, 40], turnover=[104.0, 205.0, 290.0, 440.0], profit=[9.0, 20.0, -31.0, 0.0])
    finding = told(Case(data(), released))
    found = finding.detail
    assert (found["found"], found["correct"], found["claims"]) == (0.5, 2, 4)
    assert found["useful"] == 0.5
    assert finding.value == 0.25
    assert found["accidental"] == 0.0
    assert found["usable"] == 0.25
    # by their own records: 104, 205, 290 and 0, 20, -31 (3.3 % off) are near, 440 and 9 are not
    assert found["near"] == 6 / 8
    assert found["by_column"]["turnover"] == {"useful": 0.5, "near": 0.75}
    assert (found["attractive"], found["values_protect"]) == (False, True)
    assert found["guess"] == 0.25
    assert (finding.low, finding.high) == (None, None)


def test_the_border_of_useful_and_of_zero() -> None:
    """Exactly 5 % off is useful; off a true zero only zero is."""
    released = data(turnover=[105.0, 190.0, 315.1, 400.0], profit=[10.0, 20.0, -30.0, 1e-9])
    found = told(Case(data(), released)).detail
    assert found["found"] == 1.0
    assert found["by_column"]["turnover"]["useful"] == 0.75
    assert found["by_column"]["profit"]["useful"] == 0.75


def test_a_file_as_it_is_is_attractive() -> None:
    finding = told(Case(data(), data()))
    assert finding.value == 1.0
    assert finding.detail["cautions"] == ["attractive"]
    assert not finding.detail["values_protect"]


def test_a_wrong_link_may_be_useful_by_accident() -> None:
    """Everybody has the same turnover: wrong links yield it as well, and the attacker is content."""
    released = data(staff=[40, 30, 20, 10], turnover=[100.0] * 4)
    case = Case(data(turnover=[100.0] * 4), released)
    found = told(case, columns=["turnover"]).detail
    assert (found["found"], found["accidental"], found["usable"]) == (0.0, 1.0, 1.0)
    assert found["attractive"]


def test_words_must_agree() -> None:
    """Firm b is said to be of another branch: nobody there is compared, and nothing claimed."""
    found = told(Case(data(branch=["x", "y", "x", "x"]), data())).detail
    assert (found["claims"], found["correct"]) == (3, 3)
    assert found["found"] == 0.75


def test_ties_are_broken_by_lot_and_have_an_interval() -> None:
    """With 300 firms of the same size somebody finds one in 300 of them."""
    many: dict[str, list[Any]] = {
        "id": [f"f{i:03d}" for i in range(300)],
        "staff": [10] * 300,
        "branch": ["x"] * 300,
        "turnover": [float(i + 1) for i in range(300)],
        "profit": [1.0] * 300,
    }
    one = Dataset.from_frame(pa.table(many), SCHEMA)
    finding = told(Case(one, one))
    assert finding.detail["correct"] <= 6  # Poisson with mean 1: seven or more in one of ten thousand
    assert finding.detail["guess"] == pytest.approx(1 / 300)
    assert finding.high is not None
    assert finding.value <= finding.high


def test_gaps_do_not_count_as_values_to_be_learned() -> None:
    original = data(turnover=[100.0, None, 300.0, 400.0], profit=[1.0, None, 3.0, 4.0])
    released = data(turnover=[100.0, 5.0, None, 400.0], profit=[1.0, 6.0, None, 4.0])
    found = told(Case(original, released)).detail
    assert found["found"] == 1.0
    assert found["useful"] == 4 / 6


def test_a_file_of_the_attacker_comes_before_exact_knowledge() -> None:
    """The file knows three persons, one of them a stranger and one with a wrong number of staff."""
    engine = default_engine()
    people = Schema(row_key="who", columns=COLUMNS[:2])
    file = pa.table({"who": ["p1", "p2", "p3"], "staff": [10, 29, 40], "branch": ["x"] * 3})
    known = Dataset.from_frame(file, people, engine)
    truth = engine.read(Source(pa.table({"id": ["a", "b"], "who": ["p1", "p2"]})))
    finding = told(Case(data(), data(), known=known, truth=truth))
    found = finding.detail
    assert found["knowledge"] == "file"
    assert (found["targets"], found["claims"], found["correct"]) == (3, 3, 1)
    assert finding.value == pytest.approx(1 / 3)
    narrow = Case(data(), data(), known=known.drop("branch"), truth=truth)
    assert told(narrow).detail["known"] == ["staff"]
    with pytest.raises(DataError, match="no column 'branch'"):
        told(narrow, known=["staff", "branch"])


def test_single_records_are_kept_for_the_audit_only() -> None:
    run = Run(key=KEY)
    UsefulLinks(targets="all").measure(Case(data(), data(profit=[10.0, 99.0, -30.0, 0.0])), run)
    (make,) = run.by_record.values()
    table = default_engine().arrays(make().sort("id"))
    assert table.to_pydict() == {"id": list("abcd"), "found": [1.0] * 4, "useful": [1.0, 0.5, 1.0, 1.0]}


def test_a_sample_of_targets_agrees_with_all_of_them() -> None:
    rng = np.random.default_rng(0)
    n = 1500
    staff = rng.permutation(n * 10)[:n]
    rows: dict[str, Any] = {"id": [f"f{i:04d}" for i in range(n)], "staff": staff, "branch": ["x"] * n}
    rows |= {"turnover": rng.lognormal(5, 1, n), "profit": rng.normal(0, 1, n)}
    noisy = rows | {"staff": staff + rng.integers(-6, 7, n), "turnover": rows["turnover"] * rng.normal(1, 0.05, n)}
    case = Case(Dataset.from_frame(pa.table(rows), SCHEMA), Dataset.from_frame(pa.table(noisy), SCHEMA))
    every, some = told(case, targets="all"), told(case, targets=300)
    assert some.low is not None
    assert some.high is not None
    assert some.low < every.value < some.high  # fixed key; the interval is wider than 95 %


@pytest.mark.parametrize(
    ("parameters", "codes"),
    [
        ({"columns": ["branch"]}, {"not-numeric", "named-twice"}),
        ({"known": ["staff", "turnover", "profit"]}, {"no-numbers"}),
        ({"known": ["nothing"]}, {"unknown-column"}),
        ({"columns": ["staff"]}, {"named-twice"}),
    ],
)
def test_what_cannot_be_is_said_before_any_row_is_read(parameters: dict[str, Any], codes: set[str]) -> None:
    assert {problem.code for problem in UsefulLinks(**parameters).problems(SCHEMA)} == codes


def test_somebody_who_knows_nothing() -> None:
    plain = Schema(columns=(Column(name="turnover", role="sensitive", scale="continuous"),))
    assert {problem.code for problem in UsefulLinks().problems(plain)} == {"no-keys"}


def test_a_suppressed_word_contradicts_nobody() -> None:
    """The branch of firm d is left out: it is the only such record, so that it is linked all the same."""
    branches = ["x", "x", "y", "z"]
    found = told(Case(data(branch=branches), data(branch=[*branches[:3], None]))).detail
    assert (found["claims"], found["correct"]) == (4, 4)


def test_a_word_that_others_have_contradicts_although_the_file_does_not_know_it() -> None:
    """The file says "x" of firm b, which is of branch "y" in truth: an error, not a coarser word."""
    engine = default_engine()
    people = Schema(row_key="who", columns=COLUMNS[:2])
    known = Dataset.from_frame(pa.table({"who": ["p1"], "staff": [20], "branch": ["x"]}), people, engine)
    truth = engine.read(Source(pa.table({"id": ["b"], "who": ["p1"]})))
    firms = data(branch=["x", "y", "x", "x"])
    assert told(Case(firms, firms, known=known, truth=truth)).detail["correct"] == 0
    coarser = data(branch=["x or z", "y or v", "x or z", "x or z"])
    assert told(Case(firms, coarser, known=known, truth=truth)).detail["correct"] == 1
