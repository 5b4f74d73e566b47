"""Exact matching of the scholars of 1987: Müller, Blien, Knoche and Wirth (1991), 9.1.

Specification, part B, 2.12 and 3.7 to 3.10. L is the line of the scanned text.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks._coding_variants import codings
from schleier.attacks.exact_match import ExactMatch
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.answer import Answer
from schleier.kernels.linkage.match_file import NOBODY, Relations, match_file, relations

FILE = "022 023 028 028 033 033 074 074 132 143 148 148 153 154 178".split()
KNOWN = "021 022 048 053 058 074 074 124 132 132 137 152 173 178 178".split()
PRINTED = """
021 + 1  | 022 1 2   | 023 2 +  | 028 3 +   | 028 4 +   | 033 5 +   | 033 6 +   | 048 + 3   | 053 + 4 | 058 + 5 |
074 7 6  | 074 8 7   | 124 + 8  | 132 9 9   | 132 + 10  | 137 + 11  | 143 10 +  | 148 11 +  | 148 12 + |
152 + 12 | 153 13 +  | 154 14 + | 173 + 13  | 178 15 14 | 178 + 15
"""
VERSIONS = """
1111 1112 1122 1222 1221 1212 1211 1121 2222 2221 2211 2212 2122 2112 2111 2121
"""
"""Which code of industry, occupation, activity and field of study each version takes (Übersicht 9.3, L13121-13138)."""
UNIQUE = {1: 1, 3: 3, 8: 7, 10: 3}
"""One-to-one assignments by version (Table 9.1, L13213-13294); none in the other twelve."""


def whole(keys: list[str]) -> np.ndarray:
    return np.array([int(key) for key in keys])


def test_overview_9_2() -> None:
    """L12945-13058: all 25 rows of the match file."""
    rows = [row.split() for row in PRINTED.split("|")]
    assert len(rows) == 25
    found = match_file(whole(FILE), whole(KNOWN))

    def number(place: int) -> str:
        return "+" if place == NOBODY else str(place + 1)

    told = zip(*(part.tolist() for part in found), strict=True)
    assert [[f"{key:03}", number(record), number(target)] for key, record, target in told] == rows


def test_one_assignment_is_unique() -> None:
    """022 is 1:1, 132 and 178 are 1:2, 074 is 2:2 (derived); 15 - 7 persons have a key nobody else has."""
    found = relations(whole(FILE), whole(KNOWN))
    assert found == Relations(one_to_one=1, one_to_many=2, many_to_one=0, many_to_many=1, unmatched=8)
    assert found.common == 4
    for keys, different, alone in ((FILE, 11, 7), (KNOWN, 12, 9)):
        assert (len(set(keys)), sum(keys.count(key) == 1 for key in keys)) == (different, alone)


def test_the_attack_finds_the_same() -> None:
    """The three digits as three columns; the true pairs are not told in the source: here equal numbers."""
    columns = [Column(name=name, role="quasi", scale="nominal") for name in "abc"]

    def file(keys: list[str], key: str, engine: object = None) -> Dataset:
        table = {name: [digits[i] for digits in keys] for i, name in enumerate("abc")}
        numbers = list(range(1, len(keys) + 1))
        return Dataset.from_frame(
            pa.table({key: numbers, **table}),
            Schema(row_key=key, columns=columns),
            engine,  # type: ignore[arg-type]
        )

    released = file(FILE, "id")
    known = file(KNOWN, "entry", released.engine)
    same = pa.table({"id": list(range(1, 16)), "entry": list(range(1, 16))})
    held = Schema(columns=[Column(name=name, scale="discrete") for name in ("id", "entry")])
    truth = Dataset.from_frame(same, held, released.engine).frame.select("id", "entry")
    attack = ExactMatch(targets="all", knowledge="file", sub_keys=3)
    detail = attack.measure(Case(released, released, known=known, truth=truth), Run(key=bytes(32))).detail
    names = (*Relations._fields, "ambiguous_records", "ambiguous_targets", "claims", "correct")
    assert [detail[name] for name in names] == [1, 2, 0, 1, 8, 4, 6, 1, 0]
    # of equal numbers 7 (074), 9 (132) and 15 (178) are recorded alike in both files, and all three are ambiguous
    assert detail["identical"] == 3
    assert (detail["false_recorded_otherwise"], detail["false_not_released"]) == (1, 0)
    every = {tuple(one["keys"]): (one["pairs"], one["claims"]) for one in detail["sub_keys"]}
    assert len(every) == 7
    assert every["a", "b", "c"] == (1 + 4 + 2 + 2, 1)


def test_overview_9_3_has_every_version_once() -> None:
    """Four columns with two codes each: 2^4 versions, the first of them with all first codes."""
    printed = [tuple(map(int, version)) for version in VERSIONS.split()]
    four = {name: (f"{name}_2",) for name in ("industry", "occupation", "activity", "field")}
    made = list(codings(four))
    assert sorted(printed) == made and len(made) == 2**4
    assert made[0] == printed[0] == (1, 1, 1, 1)


FOUR = ("industry", "occupation", "activity", "field")


def scholars() -> tuple[list[tuple[str, ...]], list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Records, first codes and second codes of persons who are found as in Table 9.1, in one version each."""
    printed = VERSIONS.split()
    records, first, second = list[tuple[str, ...]](), list[tuple[str, ...]](), list[tuple[str, ...]]()
    for version, many in UNIQUE.items():
        for i in range(many):
            right = [f"{version}-{i}-{name}" for name in FOUR]
            takes = list(zip(right, printed[version - 1], strict=True))
            records.append(tuple(right))
            first.append(tuple(code if taken == "1" else f"no-{code}" for code, taken in takes))
            second.append(tuple(code if taken == "2" else f"not-{code}" for code, taken in takes))
    for i in range(11):  # 15 records and 25 persons share eleven keys, each ambiguous in every version
        here, there = (2, 1) if i < 4 else (1, 3)
        records += [(f"twin-{i}",) * 4] * here
        first += [(f"twin-{i}",) * 4] * there
        second += [(f"twin-{i}",) * 4] * there
    return records, first, second


def test_table_9_1() -> None:
    """L13204-13211, L13350-13352: four versions find somebody; 14 one to one, 11 ambiguous keys, 25 in common."""
    records, first, second = scholars()
    columns = [Column(name=name, role="quasi", scale="nominal") for name in FOUR]
    held = dict(zip(FOUR, map(list, zip(*records, strict=True)), strict=True))
    held |= {"id": list(range(len(records)))}
    released = Dataset.from_frame(pa.table(held), Schema(row_key="id", columns=columns))
    others = {name: (f"{name}_2",) for name in FOUR}
    known = dict(zip(FOUR, map(list, zip(*first, strict=True)), strict=True))
    known |= dict(zip((f"{name}_2" for name in FOUR), map(list, zip(*second, strict=True)), strict=True))
    known |= {"entry": list(range(len(first)))}
    more = [Column(name=f"{name}_2", role="quasi", scale="nominal") for name in FOUR]
    file = Dataset.from_frame(pa.table(known), Schema(row_key="entry", columns=[*columns, *more]), released.engine)
    pairs = pa.table({"id": list(range(4)), "entry": list(range(4))})  # four of them are right (Table 9.2)
    ids = Schema(columns=[Column(name=name, scale="discrete") for name in ("id", "entry")])
    truth = Dataset.from_frame(pairs, ids, released.engine).frame.select("id", "entry")
    attack = ExactMatch(targets="all", knowledge="file", variants=others)
    detail = attack.measure(Case(released, released, known=file, truth=truth), Run(key=bytes(32))).detail
    order = {tuple(one["codes"]): one["claims"] for one in detail["versions"]}
    by_version = {i: order[tuple(map(int, codes))] for i, codes in enumerate(VERSIONS.split(), 1)}
    assert {version: many for version, many in by_version.items() if many} == UNIQUE
    assert (detail["claims"], detail["correct"]) == (14, 4)
    assert sum(one["correct"] for one in detail["versions"]) == 4
    assert detail["one_to_many"] + detail["many_to_one"] + detail["many_to_many"] == 11
    assert (detail["ambiguous_records"], detail["ambiguous_targets"]) == (15, 25)


def test_tables_9_2_and_9_3() -> None:
    """What the trustee told (L13385-13438): 4 of 14 right; of 53 possible 43 not assigned, 6 ambiguous."""
    told = Answer(targets=7983, contained=53, claims=14, correct=4, records=169_368)
    assert told.found.share == pytest.approx(0.0005, abs=5e-5)
    assert told.right.share == pytest.approx(0.2857, abs=5e-5)
    assert 1 - told.right.share == pytest.approx(0.71, abs=5e-3)
    assert 1 - told.correct / told.contained == pytest.approx(0.92, abs=5e-3)
    assert told.correct / told.contained == pytest.approx(0.0755, abs=5e-5)
    identical = 10
    assert (told.contained - identical, identical - told.correct) == (43, 6)
    assert (told.contained - identical) / told.contained == pytest.approx(0.81, abs=5e-3)
    expected = 7983 * 0.01
    assert expected == pytest.approx(79.83)
    assert (53 - expected) / sqrt(expected * 0.99) == pytest.approx(-3.0, abs=0.05)
