"""Which listed pairs count in the tables 9.5 and 9 A2 to 9 A4 of Müller, Blien, Knoche and Wirth (1991).

Part B of the specification, 3.12 (L14248-14293, L15024-15184): the sums 6, 4, 11 and 9 are printed; the pairs are those
above 0.99 whose person of the directory is listed once. (4512 in situation 2 has lost a digit in the scan.)
"""

from __future__ import annotations

import numpy as np
import pytest

from schleier.kernels.linkage.discriminant import accepted

SITUATIONS: dict[int, dict[int, list[float]]] = {
    1: {
        58: [0.9938], 1322: [0.9714], 1991: [0.9769], 2095: [0.9928], 2200: [0.9995, 0.9999, 0.9844, 0.9999],
        2637: [0.9783], 2649: [0.9987, 0.9985, 0.9999], 3052: [0.9998], 3606: [0.9961], 4512: [0.9995],
        6625: [0.9572], 6713: [0.9949], 6848: [0.9938, 0.9957, 0.9752, 0.9924, 0.9945], 7034: [1, 1], 7452: [0.9692],
    },
    2: {
        67: [0.9738], 1624: [0.9649], 1835: [0.9521], 1882: [0.9793, 0.9532, 0.9667], 2200: [0.9998],
        2649: [0.9987, 0.9870, 0.9807, 0.9999, 0.9991, 0.9991, 1, 0.9980, 0.9999, 0.9999, 0.9991, 0.9996, 0.9999, 1,
               0.9999, 1, 0.9999, 0.9907, 0.9998],
        2808: [0.9995, 0.9788], 2913: [0.9986, 0.9973, 0.9923, 0.9883, 0.9792], 3052: [0.9924], 4512: [0.9999],
        6284: [0.9540, 0.9797], 6713: [0.9998], 7034: [0.9766, 0.9849], 7452: [0.9984, 0.9727, 0.9678],
    },
    3: {
        262: [0.9789], 364: [1], 704: [0.9992, 0.9992], 1598: [0.9990], 1991: [0.9918], 2200: [0.9998], 2406: [0.9925],
        2586: [0.9967], 2719: [1], 2727: [0.9999], 2897: [0.9969], 2913: [0.9932, 0.9940], 6108: [0.9862],
        6746: [0.9999], 6948: [0.9827], 7568: [0.9994],
    },
    4: {
        253: [0.9731], 262: [0.9982], 364: [1], 1253: [0.9816], 2200: [0.9920, 0.9703, 0.9956], 2406: [0.9998],
        2586: [0.9989], 2719: [0.9998], 2727: [0.9994], 2913: [0.9627, 0.9543, 0.9818], 3003: [0.9906], 4433: [1],
        6746: [0.9999], 7452: [0.9779, 0.9999, 1],
    },
}  # fmt: skip
STARRED = {
    1: {58, 2095, 3052, 3606, 4512, 6713},
    2: {2200, 3052, 4512, 6713},
    3: {364, 1598, 1991, 2200, 2406, 2586, 2719, 2727, 2897, 6746, 7568},
    4: {262, 364, 2406, 2586, 2719, 2727, 3003, 4433, 6746},
}


@pytest.mark.parametrize(("situation", "rows", "printed"), [(1, 25, 6), (2, 43, 4), (3, 18, 11), (4, 20, 9)])
def test_the_decision_rule(situation: int, rows: int, printed: int) -> None:
    pairs = [(person, p) for person, many in SITUATIONS[situation].items() for p in many]
    assert len(pairs) == rows
    person, probability = (np.array(part) for part in zip(*pairs, strict=True))
    good = accepted(person, probability)
    assert good.sum() == printed
    assert set(person[good].tolist()) == STARRED[situation]
