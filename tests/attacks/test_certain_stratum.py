"""Full strata make membership certain."""

from __future__ import annotations

from attacks.worlds import table, tried
from schleier.attacks.certain_stratum import CertainStratum
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.methods.recode import Recode

ORIGINAL = table(branch=["a"] * 6 + ["b"] * 3 + [None], x=[1.0] * 10)
ALL = CertainStratum(known=("branch",), targets="all")


def test_only_strata_taken_in_full_are_certain() -> None:
    released = table(keys=[0, 1, 6, 7, 8], branch=["a", "a", "b", "b", "b"], x=[1.0] * 5)
    found = tried(ALL, ORIGINAL, released)
    assert (found.value, found.detail["claims"], found.detail["correct"], found.detail["baseline"]) == (0.3, 3, 3, 0.0)


def test_missing_is_a_stratum_of_its_own() -> None:
    released = table(keys=[9, 6], branch=[None, "b"], x=[1.0] * 2)
    assert tried(ALL, ORIGINAL, released).detail["correct"] == 1


def test_what_was_moved_into_a_stratum_makes_claims_wrong() -> None:
    released = table(keys=[0, 1, 2], branch=["b", "b", "b"], x=[1.0] * 3)
    found = tried(ALL, ORIGINAL, released)
    assert (found.detail["claims"], found.detail["correct"]) == (3, 0)


def test_strata_are_recoded_as_the_release_is() -> None:
    step, run = Recode(column="branch", map={"a": "x", "b": "x"}), Run(key=bytes(32))
    released = step.apply(ORIGINAL, run)
    case = Case(ORIGINAL, released, steps=(step,))
    assert ALL.measure(case, Run(key=bytes(32))).value == 1.0


def test_an_empty_release_makes_nothing_certain() -> None:
    assert tried(ALL, ORIGINAL, table(keys=[], branch=[], x=[])).detail["claims"] == 0
