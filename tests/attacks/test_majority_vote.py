"""Several releases outvote random changes; they are files, or simulated with the same steps and other keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attacks.worlds import counts, table, tried
from schleier.attacks.majority_vote import MajorityVote
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.method import Method
from schleier.core.run import Run
from schleier.kernels.inference.restoration import majority


class Flip(Method):
    """Turn yes and no around with probability 0.2, keyed by row."""

    random = True

    def apply(self, data: Dataset, run: Run) -> Dataset:
        import narwhals as nw

        drawn = run.draw(data, "_u_")
        other = nw.when(nw.col("ill") == "yes").then(nw.lit("no")).otherwise(nw.lit("yes"))
        flipped = drawn.mutate(ill=nw.when(nw.col("_u_") < 0.2).then(other).otherwise(nw.col("ill")))
        return data.__class__(flipped.frame.drop("_u_"), data.schema, data.engine)


def test_simulated_releases_have_keys_of_their_own() -> None:
    original = table(ill=np.random.default_rng(3).choice(["yes", "no"], 4000))
    step, run = Flip(), Run(key=bytes(32))
    with run.within(step.label(original.schema)):
        released = step.apply(original, run)
    shares = [
        tried(MajorityVote(sensitive="ill", repeat=n, targets="all"), original, released, steps=(step,))
        for n in (2, 4, 10)
    ]
    # 0.896, 0.942, 0.988 with a sampling error of at most 0.005
    assert [round(one.value, 2) for one in shares] == pytest.approx([0.90, 0.94, 0.99], abs=0.021)
    assert all(abs(one.detail["as_it_stands"] - 0.8) < 0.03 for one in shares)


def test_files_are_compared_by_row_key_and_may_lack_records() -> None:
    original = table(ill=["a", "b", "c", "a"])
    first = table(ill=["b", "b", "c", None])
    second = table(keys=[1, 0], ill=["b", "a"])
    third = table(keys=[0, 3], ill=["a", "a"])
    attack = MajorityVote(sensitive="ill", releases=("2", "3"), targets="all")
    found = tried(attack, original, first, further={"2": second, "3": third})
    assert counts(found) == (4, 4)
    assert found.detail["as_it_stands"] == 0.5


def test_a_release_that_is_not_at_hand_is_an_error() -> None:
    data = table(ill=["a"])
    with pytest.raises(DataError, match="1 of 2 further releases"):
        tried(MajorityVote(sensitive="ill", releases=("2", "3"), targets="all"), data, data, further={"2": data})


def test_the_vote_equals_the_slow_way() -> None:
    rng = np.random.default_rng(5)
    votes: Any = rng.integers(-1, 3, (300, 5))
    slow = []
    for row in votes.tolist():
        held = [v for v in row if v >= 0]
        slow.append(max(held, key=lambda v, row=row, held=held: (held.count(v), -row.index(v)), default=-1))
    assert majority(votes).tolist() == slow
