"""The quick exponential function against that of the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.exponential import quick_exp


@compiled
def _each(x: Any) -> Any:
    result = np.empty_like(x)
    for i in range(len(x)):
        result[i] = quick_exp(x[i])
    return result


def test_it_is_the_exponential_function() -> None:
    x = np.concatenate([np.linspace(-700, 700, 20_001), np.linspace(-1, 1, 10_001), [0.0, -1e-300, math.log(2) / 2]])
    assert np.abs(_each(x) / np.exp(x) - 1).max() < 1e-13


def test_far_out_it_stays_the_same() -> None:
    found = _each(np.array([-1e9, -701.0, 701.0, 1e9, -np.inf]))
    assert found.tolist() == [found[0], found[0], found[2], found[2], found[0]]
    assert 0 < found[0] < 1e-300 and math.isfinite(found[2])
