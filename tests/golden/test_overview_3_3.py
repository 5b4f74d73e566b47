"""The worked example of Müller, Blien, Knoche and Wirth (1991), Übersicht 3.2 to 3.4; part A of the specification.

T-10 (L4305-4364), T-12 (L3717-3765), and what follows from them: P-01, P-02, P-04, P-05 and P-12. L is
the line of the scanned text.
Assignments are printed there; how many are unique, and entropies, are derived.
"""

from __future__ import annotations

from math import log
from typing import Any

import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from schleier.attacks.exact_match import ExactMatch
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.attribute_risk import AttributeRisk
from schleier.risk.uniqueness import Uniqueness

V = ("v1", "v2", "v3", "v4", "v5", "v6")
FILE = {
    "A": (5, 1, 3, 0, 16, 7), "B": (4, 2, 7, 2, 15, 6), "C": (1, 2, 4, 0, 16, 6), "D": (4, 1, 3, 3, 14, 4),
    "E": (3, 2, 5, 4, 13, 1), "F": (5, 2, 7, 2, 15, 7), "G": (2, 2, 7, 2, 11, 3), "H": (1, 2, 4, 0, 16, 2),
    "I": (5, 1, 3, 0, 16, 6),
}  # fmt: skip
KNOWLEDGE = {
    "H": (1, 2, 4, 0, 16, 2), "I": (5, 1, 3, 0, 16, 6), "K": (1, 2, 7, 2, 11, 3), "L": (3, 1, 3, 1, 16, 4),
    "M": (4, 1, 3, 1, 15, 7), "N": (3, 2, 5, 4, 13, 7), "O": (5, 2, 7, 2, 11, 1), "P": (2, 1, 3, 3, 14, 6),
    "Q": (4, 2, 7, 2, 15, 7),
}  # fmt: skip
"""Only H and I are in both files."""


def people(table: dict[str, tuple[int, ...]], key: str, engine: object = None) -> Dataset:
    schema = Schema(row_key=key, columns=[Column(name=name, role="quasi", scale="discrete") for name in V])
    columns = dict(zip(V, map(list, zip(*table.values(), strict=True)), strict=True))
    return Dataset.from_frame(pa.table({key: list(table), **columns}), schema, engine)  # type: ignore[arg-type]


def matched(table: dict[str, tuple[int, ...]], keys: tuple[str, ...]) -> tuple[int, int]:
    """One-to-one assignments, and the right ones among them."""
    found = attacked(table, keys)
    return found["claims"], found["correct"]


def attacked(table: dict[str, tuple[int, ...]], keys: tuple[str, ...], **options: Any) -> dict[str, Any]:
    file = people(table, "id")
    known = people(KNOWLEDGE, "entry", file.engine)
    columns = [Column(name=name, scale="text") for name in ("id", "entry")]
    truth = pa.table({"id": ["H", "I"], "entry": ["H", "I"]})
    pairs = Dataset.from_frame(truth, Schema(columns=columns), file.engine).frame.select("id", "entry")
    attack = ExactMatch(known=keys, targets="all", knowledge="file", **options)
    return attack.measure(Case(file, file, known=known, truth=pairs), Run(key=bytes(32))).detail


def test_every_sub_key_at_once() -> None:
    """T-10: pairs, one-to-one and right assignments of Z1 to Z4 among all 63 sub-keys; P-01: pairs never rise."""
    every = {tuple(one["keys"]): one for one in attacked(FILE, V, sub_keys=6)["sub_keys"]}
    assert len(every) == 63
    found = [[every[keys][what] for what in ("pairs", "claims", "correct")] for keys in (V, V[:5], V[1:], V[1:5])]
    assert found == [[2, 2, 2], [6, 2, 0], [4, 4, 2], [10, 2, 0]]
    assert all(every[one]["pairs"] >= every[more]["pairs"] for one in every for more in every if set(one) < set(more))


def test_who_is_alike_with_whom() -> None:
    """T-10, Z4: C/H and A/I and B/F for one person each, G for K and O; E and D alone; L and M have nobody."""
    found = attacked(FILE, V[1:5])
    told = [found[name] for name in ("one_to_one", "one_to_many", "many_to_one", "many_to_many", "unmatched")]
    assert told == [2, 1, 3, 0, 2]
    assert (found["ambiguous_records"], found["ambiguous_targets"], found["identical"]) == (7, 5, 2)
    assert (found["false_recorded_otherwise"], found["false_not_released"]) == (0, 2)  # N and P are not in the file


@pytest.mark.parametrize(
    ("keys", "claims", "unique", "entropies"),
    [
        (V, (2, 2), (9, 9), (log(9), log(9))),
        (V[:5], (2, 0), (5, 9), (1.8892, log(9))),
        (V[1:], (4, 2), (9, 9), (log(9), log(9))),
        (V[1:5], (2, 0), (3, 7), (1.7351, 2.0432)),
    ],
    ids=["Z1", "Z2", "Z3", "Z4"],
)
def test_four_keys(
    keys: tuple[str, ...], claims: tuple[int, int], unique: tuple[int, int], entropies: tuple[float, float]
) -> None:
    """T-10: the number of one-to-one assignments is not monotone in the key; ln 9 is the largest entropy."""
    assert matched(FILE, keys) == claims
    found = []
    for table in (FILE, KNOWLEDGE):
        data = people(table, "id")
        found.append(Uniqueness(keys=keys).measure(Case(data, data), Run()).detail["after"])
    assert tuple(one["unique"] for one in found) == unique
    assert [one["entropy"] for one in found] == pytest.approx(entropies, abs=5e-5)
    assert [one["entropy_share"] for one in found] == pytest.approx([e / log(9) for e in entropies], abs=5e-5)


def test_a_smaller_file_may_have_more_links() -> None:
    """P-12: without A the twin of I is gone, and what was ambiguous under V1-V5 becomes a right one-to-one link."""
    assert matched(FILE, V[:5]) == (2, 0)
    assert matched({name: row for name, row in FILE.items() if name != "A"}, V[:5]) == (3, 1)


def test_fewer_keys_make_links_and_false_ones() -> None:
    """P-02, P-04: the less a key tells the more records agree, and what is added to the links of Z1 is wrong."""
    every = {tuple(one["keys"]): one for one in attacked(FILE, V, sub_keys=6)["sub_keys"]}
    for keys in (V[:5], V[1:], V[1:5]):
        assert every[keys]["pairs"] > every[V]["pairs"]
        assert every[keys]["claims"] - every[keys]["correct"] > every[V]["claims"] - every[V]["correct"] == 0
    ranks = spearmanr([entropy_of(keys) for keys in every], [one["pairs"] for one in every.values()])
    assert ranks.statistic < -0.8


def entropy_of(keys: tuple[str, ...]) -> float:
    rows = [tuple(row[V.index(name)] for name in keys) for row in FILE.values()]
    return -sum(rows.count(row) / len(rows) * log(rows.count(row) / len(rows)) for row in set(rows))


def test_another_key_finds_another_record() -> None:
    """P-05: Q is B under Z2 and F under Z3, and neither is right."""
    for keys, record in ((range(5), "B"), (range(1, 6), "F")):
        same = [name for name, row in FILE.items() if all(row[i] == KNOWLEDGE["Q"][i] for i in keys)]
        assert same == [record]


def test_values_that_all_twins_share() -> None:
    """T-12, Übersicht 3.2: nobody is found, but all of y1 to y3 have N2 = 2. (Values of y6 to y8 are lost: chosen.)"""
    columns = [Column(name=name, role="quasi", scale="nominal") for name in ("u1", "u2", "u3")]
    columns += [Column(name=name, role="sensitive", scale="nominal") for name in ("n1", "n2")]
    table = pa.table(
        {
            "u1": [0, 0, 0, 1, 1, 1],
            "u2": [1, 1, 1, 0, 0, 0],
            "u3": [0, 0, 0, 0, 0, 0],
            "n1": [1, 2, 3, 1, 2, 2],
            "n2": [2, 2, 2, 1, 2, 3],
        }
    )
    data = Dataset.from_frame(table, Schema(columns=columns))
    assert Uniqueness().measure(Case(data, data), Run()).value == 0
    learned = AttributeRisk().measure(Case(data, data), Run()).detail["after"]
    assert (learned["n2"]["sure"], learned["n2"]["sure_not_unique"], learned["n2"]["homogeneous"]) == (0.5, 0.5, 1)
    assert (learned["n1"]["sure"], learned["n1"]["homogeneous"]) == (0.0, 0)
