"""Formal, de facto, absolute: what makes the difference, and that nothing is claimed without a reason."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.criteria.k_anonymity import KAnonymity
from schleier.methods.drop import Drop
from schleier.methods.recode import Recode
from schleier.methods.renumber import Renumber
from schleier.risk.anonymity_level import AnonymityLevel

NAME = Column(name="person", role="identifier", scale="text")
AGE = Column(name="age", role="quasi", scale="discrete")
SEX = Column(name="sex", role="quasi", scale="nominal")
INCOME = Column(name="income", role="sensitive", scale="continuous")
ROWS: dict[str, list[Any]] = {
    "person": [f"Person {i}" for i in range(12)],
    "age": [20 + 5 * i for i in range(12)],
    "sex": ["f", "m"] * 6,
    "income": [1000.0 + 7 * i for i in range(12)],
    "house": [f"h{i // 2}" for i in range(12)],
    "note": ["nothing to say"] * 12,
}


def people(*columns: Column) -> Dataset:
    schema = Schema(row_key="id", columns=columns)
    return Dataset.from_frame(pa.table({"id": list(range(12)), **{c.name: ROWS[c.name] for c in columns}}), schema)


def told(case: Case, *criteria: Any, **parameters: Any) -> Finding:
    return AnonymityLevel(**parameters).measure(case, Run(key=bytes(32), criteria=criteria))


def coarse(original: Dataset, *more: Any) -> Case:
    """Two classes of age, and six records each by sex and age; no names."""
    steps: list[Any] = [Recode(column="age", breaks=[50]), *more]
    data, run = original, Run(key=bytes(32))
    for step in steps:
        data = step.apply(data, run)
    return Case(original, data, steps=tuple(steps))


def test_names_are_not_anonymous() -> None:
    file = people(NAME, AGE)
    finding = told(Case(file, file))
    assert (finding.value, finding.detail["level"]) == (0.0, "identified")
    assert finding.detail["cautions"] == ["identifiers"]
    assert finding.detail["identifiers"] == ["person"]


def test_names_left_out_are_formal_anonymity_and_no_more() -> None:
    file = people(NAME, AGE, SEX, INCOME)
    finding = told(Case(file, file.drop("person"), steps=(Drop(columns=["person"]),)))
    assert (finding.value, finding.detail["level"]) == (1.0, "formal")
    assert finding.detail["found"] == 1.0
    assert finding.detail["cautions"] == ["found"]


def test_nobody_found_for_certain_is_de_facto_anonymity() -> None:
    finding = told(coarse(people(AGE, SEX, INCOME)))
    assert finding.detail["level"] == "de_facto"
    assert finding.detail["found"] == 0.0
    assert finding.detail["cautions"] == ["few_found", "no_criteria", "not_all_alike", "as_declared"]
    assert finding.detail["smallest"] == 1  # incomes differ: whoever knows one finds the record


def test_what_was_demanded_is_a_reason_for_or_against() -> None:
    case = coarse(people(AGE, SEX, INCOME))
    holds = told(case, KAnonymity(k=3))
    assert holds.detail["level"] == "de_facto"
    assert holds.detail["criteria"] == ["k_anonymity"]
    assert "criteria" in holds.detail["cautions"]
    broken = told(case, KAnonymity(k=6))
    assert broken.detail["level"] == "formal"
    assert broken.detail["broken"] == ["k_anonymity"]
    assert broken.detail["cautions"] == ["broken_criteria", "few_found"]


def test_records_equal_in_everything_are_absolutely_anonymous() -> None:
    case = coarse(people(AGE, SEX, INCOME), Drop(columns=["income"]))
    finding = told(case)
    assert (finding.value, finding.detail["level"]) == (3.0, "absolute")
    assert finding.detail["smallest"] == 3
    assert told(case, k=4).detail["level"] == "de_facto"


@pytest.mark.parametrize(
    ("column", "code"),
    [
        (Column(name="note", role="plain", scale="text"), "texts"),
        (Column(name="house", role="unit", scale="nominal"), "units"),
    ],
)
def test_free_text_and_collected_numbers_keep_it_formal(column: Column, code: str) -> None:
    finding = told(coarse(people(AGE, SEX, column)))
    assert finding.detail["level"] == "formal"
    assert finding.detail["cautions"] == [code, "few_found"]


def test_new_numbers_are_no_pseudonyms() -> None:
    house = Column(name="house", role="unit", scale="nominal")
    finding = told(coarse(people(AGE, SEX, house), Renumber(column="house")))
    assert finding.detail["level"] == "de_facto"


def test_nobody_said_what_an_attacker_knows() -> None:
    file = people(INCOME)
    finding = told(Case(file, file))
    assert (finding.detail["level"], finding.detail["cautions"]) == ("formal", ["no_keys"])


def test_a_share_of_persons_may_be_tolerated() -> None:
    """The oldest woman stays as she was: one of twelve is found for certain."""
    original = people(AGE, SEX)
    data = coarse(original).released.to_arrow().to_pydict()
    data["sex"][10] = "x"
    case = coarse(original)
    schema = case.released.schema
    changed = Dataset.from_frame(pa.table({"id": list(range(12)), **data}), schema)
    rows = original.to_arrow().to_pydict()
    rows["sex"][10] = "x"
    before = Dataset.from_frame(pa.table({"id": list(range(12)), **rows}), original.schema)
    one = Case(before, changed, steps=case.steps)
    assert told(one).detail["found"] == pytest.approx(1 / 12)
    assert told(one).detail["level"] == "formal"
    assert told(one, tolerated=0.1).detail["level"] == "de_facto"


def test_a_few_targets_prove_little() -> None:
    """Nobody of six is found, but up to 39 % might be: the upper end of the interval decides."""
    finding = told(coarse(people(AGE, SEX, INCOME)), targets=6)
    assert finding.detail["found"] == 0.0
    assert finding.detail["found_at_most"] == pytest.approx(0.39, abs=0.005)
    assert finding.detail["level"] == "formal"
    assert finding.detail["cautions"] == ["found"]


@pytest.mark.parametrize(
    ("jobs", "released"),
    [
        ([f"job {i}" for i in range(12)], [f"job {i} or {i + 12}" for i in range(12)]),
        (["clerk"] * 11 + ["pilot"], ["clerk"] * 11 + [None]),
    ],
    ids=["coarser words", "one gap"],
)
def test_what_cannot_be_compared_protects_nobody(jobs: list[str], released: list[str | None]) -> None:
    """Words that no person is known by, and gaps, fit the person: a record that is alone with them is found."""
    schema = Schema(row_key="id", columns=[Column(name="job", role="quasi", scale="nominal")])
    before, after = (
        Dataset.from_frame(pa.table({"id": list(range(12)), "job": each}), schema) for each in (jobs, released)
    )
    finding = told(Case(before, after))
    assert finding.detail["found"] == len(set(released) - {"clerk"}) / 12
    assert finding.detail["level"] == "formal"


def test_a_suppressed_number_protects_nobody_if_it_is_the_only_one() -> None:
    schema = Schema(row_key="id", columns=[AGE])
    ages = [30] * 5 + [40] * 6 + [97]
    before, after = (
        Dataset.from_frame(pa.table({"id": list(range(12)), "age": each}), schema)
        for each in (ages, [*ages[:11], None])
    )
    assert told(Case(before, after)).detail["found"] == 1 / 12


def test_a_key_that_a_step_made_counts() -> None:
    """Whoever knows the age knows also what was made of it, under whatever name."""
    original = people(AGE, SEX)
    schema = Schema(row_key="id", columns=[SEX, AGE.model_copy(update={"name": "years"})])
    rows = {"id": list(range(12)), "sex": ROWS["sex"], "years": ROWS["age"]}
    finding = told(Case(original, Dataset.from_frame(pa.table(rows), schema)))
    assert (finding.detail["found"], finding.detail["level"]) == (1.0, "formal")
