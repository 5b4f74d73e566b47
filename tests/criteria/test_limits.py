"""What a compiled search may judge in place of a criterion: the smallest class and no more than the criterion asks."""

from __future__ import annotations

import pytest

from schleier.core.criterion import Criterion, Limits
from schleier.core.schema import Column, Schema
from schleier.criteria.alpha_k import AlphaK
from schleier.criteria.highest_risk import HighestRisk
from schleier.criteria.k_anonymity import KAnonymity
from schleier.criteria.l_diversity import LDiversity
from schleier.criteria.t_closeness import TCloseness
from schleier.kernels.spread.diversity import TINY

SCHEMA = Schema(
    columns=[
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="home", role="unit", scale="nominal"),
        Column(name="w", role="weight", scale="continuous"),
        Column(name="ill", role="sensitive", scale="nominal"),
        Column(name="pay", role="sensitive", scale="discrete"),
    ]
)
ONE, BOTH = ("ill",), ("ill", "pay")
NOTHING = Limits()


@pytest.mark.parametrize(
    ("one", "limits"),
    [
        (KAnonymity(k=5), Limits(least=5)),  # there are homes, so these are counted
        (KAnonymity(k=5, count="records"), Limits(least=5, whole=True)),
        (KAnonymity(k=5, count="units"), Limits(least=5)),  # five homes are at least five records
        (KAnonymity(k=5, count="weights"), NOTHING),
        (KAnonymity(k=5, missing="wildcard"), NOTHING),
        (KAnonymity(k=5, missing="exclude"), NOTHING),
        (HighestRisk(threshold=0.2), Limits(least=5)),
        (HighestRisk(threshold=0.21, count="records"), Limits(least=5, whole=True)),
        (HighestRisk(threshold=0.3, count="records"), Limits(least=4, whole=True)),
        (HighestRisk(threshold=0.2, missing="wildcard"), NOTHING),
        (AlphaK(alpha=0.5, k=3), Limits(least=3)),
        (AlphaK(alpha=1, k=3), Limits(least=3)),
        (AlphaK(alpha=1, k=3, count="records"), Limits(least=3, whole=True)),
        (AlphaK(alpha=1, k=3, missing="exclude"), NOTHING),
        (LDiversity(l=3, sensitive=ONE), Limits(least=3, sensitive="ill", different=3, gaps=False, whole=True)),
        (LDiversity(l=2.5, kind="entropy", sensitive=ONE), Limits(least=3, sensitive="ill", different=3, gaps=False)),
        (LDiversity(l=3, sensitive=ONE, gaps="value"), Limits(least=3, sensitive="ill", different=3, whole=True)),
        (LDiversity(l=3, sensitive=BOTH), Limits(least=3, sensitive="ill", different=3, gaps=False)),
        (LDiversity(l=3, sensitive=BOTH, joint=True), Limits(least=3)),
        (
            LDiversity(l=3, sensitive=ONE, joint=True),
            Limits(least=3, sensitive="ill", different=3, gaps=False, whole=True),
        ),
        (LDiversity(l=3, sensitive=ONE, missing="wildcard"), NOTHING),
        (
            TCloseness(t=0.3, sensitive=ONE, distance="equal"),
            Limits(sensitive="ill", far=0.3 + TINY, gaps=False, whole=True),
        ),
        (TCloseness(t=0.3, sensitive=BOTH, distance="equal"), Limits(sensitive="ill", far=0.3 + TINY, gaps=False)),
        (TCloseness(t=0.3, sensitive=BOTH, distance="equal", joint=True), NOTHING),
        (TCloseness(t=0.3, sensitive=("pay",), distance="ordered"), NOTHING),
        (TCloseness(t=0.3, sensitive=ONE, distance="equal", missing="exclude"), NOTHING),
        (
            TCloseness(t=0.3, sensitive=ONE, distance="equal", gaps="value"),
            Limits(sensitive="ill", far=0.3 + TINY, whole=True),
        ),
    ],
    ids=repr,
)
def test_limits(one: Criterion, limits: Limits) -> None:
    assert one.limits(SCHEMA) == limits
