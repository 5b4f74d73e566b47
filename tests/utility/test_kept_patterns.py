"""Zeros, gaps, signs and whole numbers: counted in the engine, told as shares."""

from __future__ import annotations

from schleier.testing import example_schema
from schleier.utility.kept_patterns import KeptPatterns
from utility.tables import audit, data, found

OLD = data(x=[0.0, 0.0, -1.0, 2.0, None, 2.5])


def test_every_change_counts_once() -> None:
    new = data(x=[0.0, 1.0, 1.0, 2.5, 3.0, 3.0])
    finding = found(KeptPatterns(), OLD, new)
    # kept: the first zero, and 2.5 that became whole; changed: zero, sign, whole, missing
    assert finding.value == float(f"{4 / 6:.3g}")
    assert finding.detail["columns"]["x"] == {
        "missing": 0.0, "zero": 0.5, "negative": 0.0, "positive": 1.0, "whole": 0.75,
    }  # fmt: skip
    counts = audit(KeptPatterns(), OLD, new)["counts"]["x"]
    assert (counts["zero"], counts["zero_kept"], counts["records"], counts["changed"]) == (2, 1, 6, 4)


def test_factors_keep_zeros_and_signs_but_not_whole_numbers() -> None:
    finding = found(KeptPatterns(), OLD, data(x=[0.0, 0.0, -1.1, 2.2, None, 2.75]))
    assert finding.detail["columns"]["x"] | {"whole": 0} == {
        "missing": 1.0, "zero": 1.0, "negative": 1.0, "positive": 1.0, "whole": 0,
    }  # fmt: skip
    assert finding.detail["columns"]["x"]["whole"] == 0.5


def test_the_same_file() -> None:
    assert found(KeptPatterns(), OLD, OLD).value == 0.0


def test_problems() -> None:
    assert [p.code for p in KeptPatterns(columns=["sex"]).problems(example_schema())] == ["not-numeric"]
