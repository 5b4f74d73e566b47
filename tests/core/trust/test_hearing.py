"""A trustee with a memory: different pairs over several runs, and how unlike the others those are who are found."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.hearing import Hearing
from schleier.core.trust.trustee import ALIAS, TARGET, draw_targets, trustee_of

SCHEMA = Schema(row_key="id", columns=[Column(name="job", role="quasi", scale="nominal")])
JOBS = ["clerk"] * 6 + ["pilot"] * 2 + ["miller"] * 2


def test_who_is_found_is_compared_with_all_targets() -> None:
    people = Dataset.from_frame(pa.table({"id": [str(i) for i in range(10)], "job": JOBS}), SCHEMA)
    run, case = Run(key=bytes(32)), Case(people, people)
    trustee = Hearing.of(trustee_of(case, ("job",), None, run, from_file=False))
    truth = trustee._contained().select(TARGET, ALIAS)
    chosen = draw_targets(people, None, run)
    pilots = chosen.frame.filter(nw.col("job") == "pilot").select(TARGET)
    assert trustee.answer(truth.join(pilots, on=TARGET, how="semi")).correct == 2
    # A fifth of the targets are pilots, all who were found are: 0.8 of the shares lie elsewhere.
    assert trustee.identified_bias(chosen, ["job"]) == {"job": pytest.approx(0.8)}
    assert trustee.together([trustee]).claims == 2
    other = Hearing.of(trustee)
    answer, inside = other.answer_twice(truth)
    assert answer.correct == inside.correct == 10 and len(other.heard) == 1
    assert (trustee.together([other]).claims, trustee.together([other]).correct) == (10, 10)


def test_nobody_found_is_compared_with_nobody() -> None:
    people = Dataset.from_frame(pa.table({"id": ["1", "2"], "job": ["clerk", "pilot"]}), SCHEMA)
    run = Run(key=bytes(32))
    trustee = Hearing.of(trustee_of(Case(people, people), ("job",), None, run, from_file=False))
    trustee.answer(trustee._contained().select(TARGET, ALIAS).filter(nw.col(TARGET) < 0))
    assert trustee.identified_bias(draw_targets(people, None, run), ["job"]) == {}
