"""The plan as a whole."""

from __future__ import annotations

from fractions import Fraction

import pytest

from planning.designs import correlated, design, question
from schleier.flow.survey import Plan
from schleier.planning.design import Design
from schleier.planning.estimators import fg, orwell
from schleier.planning.plan import plan

SURVEY = design(".5 .5", "1/3 1/3 1/3", ".4 .3 .2 .1", persons=250)


def test_all_estimates_are_there() -> None:
    found = plan(SURVEY)
    assert [(one.estimator, one.unique) for one in found.estimates][:3] == [("fg", 12), ("rt", 0), ("rr", 0)]
    told = found.estimate("orwell")
    assert told.unique == pytest.approx(21.577, abs=5e-4) and told.rate == pytest.approx(8.631, abs=5e-4)
    assert (told.meets, found.estimate("fg").meets, found.met) == (False, True, False)
    assert (found.combinations, found.smallest_fg, found.smallest_orwell) == (24, 240, 432)
    assert Plan.model_validate_json(found.model_dump_json()) == found


def test_the_merges_meet_the_target_and_are_told_by_number_and_label() -> None:
    from dataclasses import replace

    labelled = replace(SURVEY.questions[2], labels=("young", "adult", "old", "very old"))
    found = plan(Design(250, Fraction(5), (*SURVEY.questions[:2], labelled))).merges
    assert found is not None and found.exact and found.rate <= 5
    (merged,) = found.questions
    assert (merged.question, merged.groups, merged.left) == ("q2", ((2, 3, 4),), 2)
    assert merged.labels == (("adult", "old", "very old"),)
    assert found.simulated is not None and found.simulated.mean < 1
    assert found.lost == pytest.approx(0.8755, abs=1e-4)


@pytest.mark.parametrize("persons", [432, 431])
def test_the_smallest_number_of_persons_decides(persons: int) -> None:
    found = plan(Design(persons, Fraction(5), SURVEY.questions))
    assert found.estimate("orwell").meets == (found.merges is None) == (persons == 432)


def test_the_curve_tells_the_planned_survey_as_the_text_does() -> None:
    """One thing has one number, though the curve is drawn from fewer surveys elsewhere."""
    found = plan(SURVEY)
    place = found.curve.persons.index(found.persons)
    assert found.simulated is not None and found.simulated.repeats > found.curve.repeats > 0
    for way in ("favourable", "mean", "unfavourable"):
        assert getattr(found.curve, way)[place] == pytest.approx(found.rate(getattr(found.simulated, way)))


def test_the_curve_holds_the_plan_and_falls() -> None:
    curve = plan(SURVEY).curve
    assert 250 in curve.persons and list(curve.persons) == sorted(set(curve.persons))
    lines = (curve.fg, curve.rt, curve.rr, curve.orwell, curve.favourable, curve.mean, curve.unfavourable)
    assert {len(line) for line in lines} == {len(curve.persons)}
    for line in (curve.fg, curve.orwell):
        assert list(line) == sorted(line, reverse=True)
    assert all(a <= b <= c for a, b, c in zip(curve.favourable, curve.mean, curve.unfavourable, strict=True))
    assert curve.persons[-1] >= 2 * 432 and max(curve.orwell) <= 100


def test_the_same_design_gives_the_same_plan_and_a_key_another_simulation() -> None:
    assert plan(SURVEY) == plan(SURVEY)
    small = design(".6 .4", ".4 .3 .2 .1", persons=20)
    assert plan(small, bytes(32)) == plan(small, bytes(32)) != plan(small, bytes([1] * 32))


def test_too_few_persons_cannot_be_hidden() -> None:
    found = plan(design(".5 .5", persons=10))
    assert (found.attainable, found.merges, found.met) == (False, None, False)
    one = plan(design("1", persons=1))
    assert one.simulated is not None and one.simulated.mean == 1 and not one.met


def test_one_combination_gives_the_residual() -> None:
    found = plan(design("1", "1", persons=100))
    assert found.estimate("orwell").rate == 1 and found.met


def test_too_many_combinations_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.planning.simulation.BUDGET", 1_000_000)
    asked = [question(" ".join(f"{2 + i + 7 * j}/{10 * (2 + i) + 315}" for j in range(10)), f"q{i}") for i in range(12)]
    found = plan(Design(100, Fraction(5), tuple(asked)))
    assert found.combinations == 10**12
    assert [found.estimate(name).unique for name in ("rt", "rr")] == [None, None] and found.curve.rt == ()
    assert found.simulated is not None and found.simulated.mean > 99
    assert found.merges is not None and not found.merges.exact and found.merges.rate <= 5


def test_a_tail_of_rare_answers_is_not_missed() -> None:
    """The coefficient is no bound: half the persons in one category, half in a thousand rare ones."""
    rare = Design(400, Fraction(30), (question("1/2 " + "1/1600 " * 800),))
    found = plan(rare)
    assert found.estimate("orwell").meets and found.simulated is not None
    assert found.simulated.mean > (found.estimate("orwell").unique or 0)
    assert found.rate(found.simulated.mean) > 38 and not found.met  # by N p (1 - p)^(N - 1): 39.0 %


def test_answers_that_go_together_single_out_fewer() -> None:
    planned = correlated()
    found, apart = plan(planned), plan(Design(100, Fraction(5), planned.questions))
    assert found.correlated and not apart.correlated and apart.independent_orwell is None
    assert found.independent_orwell == pytest.approx(orwell(Design(100, Fraction(5), planned.questions)))
    assert found.estimate("fg").unique == apart.estimate("fg").unique == fg([3, 3, 2])
    assert (found.estimate("orwell").unique or 0) < (apart.estimate("orwell").unique or 0)
