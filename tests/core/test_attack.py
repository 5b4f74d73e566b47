"""An attack that is tried out, counted by hand: six persons, a release of five, four outsiders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from schleier.attacks.exact_match import ExactMatch
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.engine.duckdb import Duckdb
from schleier.kernels.statistics.trials import Trials

SCHEMA = Schema(
    row_key="id",
    columns=(Column(name="age", role="quasi", scale="discrete"), Column(name="job", role="quasi", scale="nominal")),
)
PERSONS = [(1, 30, "a"), (2, 30, "b"), (3, 40, "a"), (4, 40, "a"), (5, 50, "c"), (6, 60, "c")]
RELEASED = [(1, 30, "a"), (2, 30, "b"), (3, 40, "a"), (4, 40, "a"), (5, 60, "c")]
"""Number 5 comes out with the age of number 6, who is left out."""
OUTSIDERS = [(7, 30, "b"), (8, 40, "a"), (9, 60, "c"), (10, 99, "z"), (11, 99, "z")]
"""Two of them look like the only record of their kind."""


def loaded(rows: list[tuple[int, int, str]], engine: Duckdb, schema: Schema = SCHEMA) -> Dataset:
    names = (schema.key, *schema.names)
    return Dataset.from_frame(
        pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}), schema, engine
    )


@pytest.fixture
def case(engine: Duckdb) -> Case:
    return Case(loaded(PERSONS, engine), loaded(RELEASED, engine), control=loaded(OUTSIDERS, engine))


def found(attack: ExactMatch, case: Case) -> Any:
    return attack.measure(case, Run(key=bytes(32)))


def test_counts_of_an_attack_worked_out_by_hand(case: Case) -> None:
    """1 and 2 are found, 6 is taken for the record of 5: three claims, two of them right, of five who are there."""
    one = found(ExactMatch(targets=6), case)
    low, high = Trials(2, 6).interval()
    assert (one.value, one.low, one.high) == (2 / 6, low, high)
    assert one.detail == {
        "known": ["age", "job"],
        "knowledge": "exact",
        "targets": 6,
        "contained": 5,
        "claims": 3,
        "correct": 2,
        "false_share": pytest.approx(1 / 3),
        "baseline": pytest.approx(5 / 6 / 5),
        "records": 5,
        "tries_needed": 3.0,
        "wrong_on_the_way": 0.5,
        "control_claims": 2 / 5,
        "control_targets": 5,
        "one_to_one": 3,
        "one_to_many": 0,
        "many_to_one": 0,
        "many_to_many": 1,
        "ambiguous_records": 2,
        "ambiguous_targets": 2,
        "unmatched": 1,
        "identical": 4,
        "false_recorded_otherwise": 0,
        "false_not_released": 1,
    }
    assert one.text == (
        f"Of 6 persons looked for, 2 were found (33.33%, 95 % interval {low:.2%} to {high:.2%}) by 3 claims; "
        "blind guessing finds 16.6667%."
    )


def test_by_one_column_he_knows(case: Case) -> None:
    """Nobody is the only one with a job but number 2, who is the only "b" on both sides."""
    detail = found(ExactMatch(known=["job"], targets="all"), case).detail
    assert (detail["known"], detail["targets"], detail["claims"], detail["correct"]) == (["job"], 6, 1, 1)
    assert detail["false_share"] == 0.0
    assert detail["control_claims"] == 2 / 5  # of the outsiders "b" and "c", of whom there is one on each side


def test_nothing_claimed_is_nothing_wrong(case: Case) -> None:
    strange = loaded([(row[0], row[1] + 100, row[2]) for row in RELEASED], case.released.engine)
    one = found(ExactMatch(targets=6), replace(case, released=strange, control=None))
    assert one.value == one.detail["claims"] == one.detail["false_share"] == 0
    assert one.detail["control_claims"] is None and one.detail["tries_needed"] is None


def test_as_many_outsiders_as_there_are(case: Case) -> None:
    """Six targets are asked for and five outsiders there: all of them; and of many, no more than asked for."""
    assert case.control is not None
    assert found(ExactMatch(targets=6), case).detail["control_claims"] == 2 / 5
    others = loaded([(i, 30, "b") for i in range(20, 40)], case.released.engine)
    trial = ExactMatch(targets=3).control(replace(case, control=others))
    assert trial is not None and trial[0].targets == 3
    assert (trial[1].original, trial[1].released) == (others, case.released)
    every = ExactMatch(targets="all").control(replace(case, control=others))
    assert every is not None and every[0].targets == "all"


def test_the_same_recoding_for_those_who_are_not_in_the_release(case: Case) -> None:
    assert case.control is not None
    from schleier.methods.recode import Recode

    step = Recode(column="age", breaks=[45])
    coarse = replace(case, released=step.apply(case.released, Run()), steps=(step,))
    # young: 30 a, 30 b, 40 a, 40 a; old: 60 c. Among the outsiders only b, and c (with z's apart), match one record.
    assert found(ExactMatch(targets=6), coarse).detail["control_claims"] == 2 / 5


def filed(
    case: Case, rows: list[tuple[int, int, str]], names: tuple[str, ...] = ("age", "job"), off: int = 100
) -> Case:
    """The attacker holds a file of these persons; the table of who is who says that entry 101 is person 1."""
    engine = case.released.engine
    schema = Schema(row_key="entry", columns=tuple(SCHEMA[name] for name in names))
    table = pa.table(
        {"entry": [row[0] + 100 for row in rows], "age": [r[1] for r in rows], "job": [r[2] for r in rows]}
    )
    known = Dataset.from_frame(table.select(["entry", *names]), schema, engine)
    numbers = [Column(name=name, scale="discrete") for name in ("id", "entry")]
    pairs = pa.table({"id": [row[0] for row in rows], "entry": [row[0] + off for row in rows]})
    truth = Dataset.from_frame(pairs, Schema(columns=numbers), engine).frame.select("id", "entry")
    return replace(case, known=known, truth=truth)


def test_a_file_of_persons(case: Case) -> None:
    one = found(ExactMatch(targets="all", knowledge="file"), filed(case, PERSONS[:2] + PERSONS[4:]))
    detail = one.detail
    assert [detail[name] for name in ("targets", "contained", "claims", "correct")] == [4, 3, 3, 2]
    assert detail["control_claims"] is None  # a file says nothing of people who are in no file
    assert detail["knowledge"] == "file"


def test_of_a_file_only_the_columns_it_has(case: Case) -> None:
    """By age alone: 30 is one of two records, 60 is the record of number 5."""
    ages = filed(case, PERSONS, ("age",))
    attack = ExactMatch(targets="all", knowledge="file")
    assert attack.columns(ages) == ("age",)
    detail = found(attack, ages).detail
    assert (detail["known"], detail["claims"], detail["correct"]) == (["age"], 1, 0)
    assert ExactMatch(targets="all").columns(ages) == ("age", "job")
    with pytest.raises(DataError, match="no column 'job'"):
        ExactMatch(known=["age", "job"], knowledge="file").columns(ages)


def test_a_file_of_strangers_is_no_knowledge(case: Case) -> None:
    with pytest.raises(DataError, match="nobody in common") as caught:
        found(ExactMatch(targets="all", knowledge="file"), filed(case, PERSONS, off=500))
    assert [(p.code, p.where) for p in caught.value.problems] == [("no-overlap", "data.known")]
    # One who is in both is enough; and who knows rows of the original needs no file.
    assert found(ExactMatch(targets="all", knowledge="file"), filed(case, PERSONS[:1])).detail["contained"] == 1
    nobody = replace(case, released=case.released.filter(nw.col("age") > 1000), control=None)
    assert found(ExactMatch(targets="all"), nobody).value == 0


def test_a_file_needs_the_table_of_who_is_who(case: Case) -> None:
    attack = ExactMatch(targets=2, knowledge="file")
    with pytest.raises(DataError) as caught:
        found(attack, replace(filed(case, PERSONS), truth=None))
    assert [p.code for p in caught.value.problems] == ["no-truth"]
    with pytest.raises(DataError) as caught:
        found(attack, case)
    assert [p.code for p in caught.value.problems] == ["no-knowledge"]


def test_who_knows_nothing_is_told_so() -> None:
    plain = Schema(columns=[Column(name="pay", role="plain", scale="continuous")])
    assert [problem.code for problem in ExactMatch().problems(plain)] == ["no-keys"]
    assert [problem.code for problem in ExactMatch(known=["pay"]).problems(plain)] == []
    assert ExactMatch().uses(SCHEMA) == ("age", "job") and ExactMatch(known=["job"]).uses(SCHEMA) == ("job",)


def test_what_a_right_link_costs_stays_with_the_holder(case: Case) -> None:
    attack = ExactMatch(targets=6)
    told = attack.disclose(case, Run(key=bytes(32)), found(attack, case))
    assert told is not None and told.detail.get("tries_needed") is told.detail.get("wrong_on_the_way") is None


def test_a_column_that_a_step_made_is_nothing_he_knows(case: Case) -> None:
    number = Column(name="class", role="quasi", scale="nominal")
    wide = case.released.mutate(**{"class": nw.lit(1)})
    schema = wide.schema.model_copy(update={"columns": (*wide.schema.columns, number)})
    made = replace(case, released=replace(wide, schema=schema))
    assert ExactMatch().columns(made) == case.released.schema.quasi
    with pytest.raises(DataError, match="knows nothing"):
        ExactMatch(known=["class"]).columns(made)
