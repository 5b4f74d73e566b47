from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.hierarchy import parse
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.utility.entropy_loss import EntropyLoss

from .conftest import dataset

RUN = Run(key=bytes(32))


def entropy(*counts: int) -> float:
    return -sum(c / sum(counts) * math.log(c / sum(counts)) for c in counts)


def test_is_the_share_of_the_entropy_that_labels_leave_open(single: Case) -> None:
    """Gionis and Tassa: the entropy of the values behind a label; postcodes 1, 3, 2 with the first two together."""
    found = EntropyLoss(columns=("zip",)).measure(single, RUN)
    assert found.value == pytest.approx(4 / 6 * entropy(1, 3) / entropy(1, 3, 2))


def test_a_dropped_record_has_lost_what_its_value_told(single: Case) -> None:
    case = Case(single.original, dataset(zip=["53711", "53712", "53711", "53710", "53712"]))
    found = EntropyLoss(columns=("zip",)).measure(case, RUN)
    assert found.value == pytest.approx(math.log(6 / 3) / 6 / entropy(1, 3, 2))


def test_no_value_gains_by_a_coarser_level() -> None:
    """Two rare values behind a label of their own are less certain than with a frequent third, on average."""
    tree = parse({"rows": [["a", "A", "X", "*"], ["b", "A", "X", "*"], ["c", "C", "X", "*"], ["d", "D", "D", "*"]]})
    values, sizes = pa.array(["a", "b", "c", "d"]), np.array([1, 1, 100, 50])
    costs = [EntropyLoss().costs(tree, values, sizes, level) for level in range(4)]
    assert all((coarse >= fine).all() for fine, coarse in pairwise(costs))
    assert costs[1][0] == pytest.approx(math.log(2) / math.log(152))
