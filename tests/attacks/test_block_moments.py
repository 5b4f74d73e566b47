"""Blocks that have their own mean and variance back, and hardly spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attacks.worlds import counts, table, tried
from schleier.attacks.block_moments import BlockMoments
from schleier.core.measure import Case
from schleier.core.method import Method
from schleier.core.run import Run
from schleier.kernels.change.restoration import restored
from schleier.kernels.inference.block_moments import block_bounds
from schleier.methods.restore_moments import RestoreMoments
from schleier.methods.round_to import RoundTo

ALL = BlockMoments(sensitive="x", block=100, targets="all")
RNG = np.random.default_rng(4)
CUT_OFF = np.sort(np.maximum(RNG.lognormal(5, 1, 1000), 100.0))
NOISY = CUT_OFF * RNG.normal(1, 0.2, 1000)


def test_blocks_formed_by_original_values_restore_the_cut_off() -> None:
    """Höhne L1359: equal originals have no variance, so the correction gives each of them its own value back."""
    blocks = np.array_split(np.arange(1000), 10)
    released = np.concatenate([restored(CUT_OFF[one], NOISY[one]) for one in blocks])
    found = tried(ALL, table(x=CUT_OFF), table(x=released))
    claims, correct = counts(found)
    tied = int((CUT_OFF == 100).sum()) // 100 * 100
    assert tied == 300 and claims >= tied and correct / claims > 0.95
    assert found.detail["certain"] >= 0.3 and found.detail["as_it_stands"] >= 0.95
    # without the correction hardly anything was near
    assert np.mean(np.abs(NOISY[:tied] / CUT_OFF[:tied] - 1) < 0.05) < 0.3


def test_blocks_formed_by_changed_values_tell_little() -> None:
    first = {"method": "add_noise", "columns": ["x"], "kind": "independent", "d": 0.04}
    original = table(x=CUT_OFF)
    released = RestoreMoments(columns=["x"], first=first, block=100).apply(original, Run(key=bytes(32)))
    found = tried(ALL, original, released)
    assert counts(found) == (0, 0) and found.detail["certain"] == 0


def test_strata_are_blocks_too() -> None:
    x = np.concatenate([np.full(60, 200.0) + RNG.normal(0, 1, 60), RNG.lognormal(5, 1, 60)])
    branch = ["a"] * 60 + ["b"] * 60
    original = table(x=x, branch=branch)
    first = {"method": "add_noise", "columns": ["x"], "kind": "independent", "d": 1.0}
    step = RestoreMoments(columns=["x"], first=first, strata=["branch"])
    released = step.apply(original, Run(key=bytes(32)))
    (attack,) = fitting(step)
    assert (attack.block, attack.strata) == (None, ("branch",))
    found = tried(attack.model_copy(update={"targets": "all"}), original, released)
    assert counts(found) == (60, 60) and found.detail["certain"] == 0.5
    assert counts(tried(ALL.model_copy(update={"block": None}), original, released)) == (0, 0)


@pytest.mark.parametrize("size", [2, 3, 10, 50])
def test_nobody_lies_farther_out_than_samuelson_allows(size: int) -> None:
    for shape in (RNG.lognormal(0, 2, size), np.append(np.zeros(size - 1), 1.0)):
        mean, _, farthest = block_bounds(shape, None)
        assert (np.abs(shape - mean) <= farthest * (1 + 1e-12)).all()
    assert np.abs(shape - mean).max() == pytest.approx(farthest[0])  # one against all others reaches the bound


def test_gaps_are_no_claims() -> None:
    found = tried(ALL, table(x=[1.0, None, 2.0]), table(x=[None, None, None]))
    assert counts(found) == (0, 0) and found.detail["certain"] == 0


def fitting(*steps: Method) -> list[BlockMoments]:
    data = table(x=[1.0, 2, 3], y=[-1.0, 2, 3], branch=["a", "b", "c"])
    return BlockMoments.fitting(Case(data, data, steps=steps))


def test_fits_blocks_and_strata_only() -> None:
    def step(**more: Any) -> RestoreMoments:
        return RestoreMoments(columns=["x"], first={"method": "round_to", "column": "x", "base": 2}, **more)

    assert fitting(step(block=70)) == [BlockMoments(sensitive="x", block=70)]
    assert fitting(step(block=70, strata=["branch"])) == [BlockMoments(sensitive="x", block=70, strata=("branch",))]
    assert fitting(step()) == fitting(RoundTo(column="x", base=2)) == fitting() == []
