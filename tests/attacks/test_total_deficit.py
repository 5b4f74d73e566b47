"""Published totals minus the file is what the file hides."""

from __future__ import annotations

from attacks.worlds import counts, table, tried
from schleier.attacks.total_deficit import TotalDeficit

X, BRANCH = [100.0, 10.0, 20.0, 500.0, 40.0], ["a", "a", "a", "b", "b"]
ORIGINAL = table(x=X, branch=BRANCH)
ALL = TotalDeficit(sensitive="x", by=("branch",))


def test_the_only_one_that_was_removed_is_told() -> None:
    released = table(keys=[1, 2, 4], x=[10.0, 20.0, 40.0], branch=["a", "a", "b"])
    found = tried(ALL, ORIGINAL, released)
    assert found.detail["contained"] == 3
    assert found.detail["correct"] == 2  # the removed ones; for the others their value and the removed one are claimed


def test_a_blanked_value_is_told_too() -> None:
    assert tried(ALL, ORIGINAL, table(x=[None, *X[1:]], branch=BRANCH)).detail["correct"] == 3  # 100, and all of b


def test_two_that_were_removed_hide_each_other() -> None:
    released = table(keys=[2, 3, 4], x=[20.0, 500.0, 40.0], branch=["a", "b", "b"])
    assert tried(ALL, ORIGINAL, released).detail["correct"] == 2  # only those of b


def test_a_record_moved_to_another_cell_is_told_by_both() -> None:
    released = table(x=X, branch=["b", "a", "a", "b", "b"])
    found = tried(ALL, ORIGINAL, released)
    assert found.detail["correct"] == 1  # the deficit of a is the one that was moved; b has too much


def test_of_those_who_are_hidden_only() -> None:
    hidden = ALL.model_copy(update={"whom": "hidden"})
    released = table(keys=[0, 1, 4], x=[None, 10.0, 40.0], branch=["a", "a", "b"])
    # two of a are hidden together, the one of b is told
    assert counts(tried(hidden, ORIGINAL, released)) == (3, 1)
    assert counts(tried(hidden, ORIGINAL, ORIGINAL)) == (0, 0)


def test_one_total() -> None:
    released = table(keys=[0, 1, 2, 4], x=[100.0, 10.0, 20.0, 40.0], branch=["a", "a", "a", "b"])
    assert counts(tried(ALL.model_copy(update={"by": ()}), ORIGINAL, released)) == (5, 1)
    assert counts(tried(ALL, table(x=[], branch=[]), table(x=[], branch=[]))) == (0, 0)
