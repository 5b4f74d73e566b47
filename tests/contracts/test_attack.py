"""What every attack must honour: it finds people in the open, nobody in noise, and tells no names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.trust.blocks import block_of
from schleier.testing import example_table

from .conftest import KEY, made, to_do

Load = Callable[..., Dataset]
KNOWLEDGE = {"exact", "file", "record", "member"}


def test_finds_people_in_an_unprotected_file(attack: str, load: Load) -> None:
    data = load()
    finding = made("attack", attack).measure(Case(data, data), Run(key=KEY))
    found = "on the open file its example must find more than blind guessing does, even at the low end of its interval"
    told = to_do("attack", attack, found)
    assert finding.low is not None and finding.high is not None, told
    assert finding.detail["baseline"] < finding.low <= finding.value <= finding.high, told


def test_same_key_same_finding(attack: str, load: Load) -> None:
    data, one = load(), made("attack", attack)
    told = to_do("attack", attack, "two runs with one key differ: take draws from run.draw and run.rng alone")
    assert one.measure(Case(data, data), Run(key=KEY)) == one.measure(Case(data, data), Run(key=KEY)), told


def test_order_of_rows_does_not_matter(attack: str, load: Load) -> None:
    one, table = made("attack", attack), example_table()
    order = pa.array(np.random.default_rng(7).permutation(len(table)))
    data, shuffled = load(table), load(table.take(order))
    told = to_do("attack", attack, "the finding depends on the order of rows: which of equal claims is made must not")
    assert one.measure(Case(shuffled, shuffled), Run(key=KEY)) == one.measure(Case(data, data), Run(key=KEY)), told


def test_answers_counts_only(attack: str, load: Load) -> None:
    data = load()
    detail = made("attack", attack).measure(Case(data, data), Run(key=KEY)).detail
    known = set(data.schema.names)
    for value in detail.values():
        words = value if isinstance(value, list) else [value]
        plain = all(word is None or isinstance(word, int | float) or word in known | KNOWLEDGE for word in words)
        assert plain, to_do("attack", attack, "the detail holds numbers and names of columns, nothing else")


def test_control_people_are_never_found(attack: str, load: Load) -> None:
    table = example_table()
    inside, outside = load(table.slice(0, 120)), load(table.slice(120))
    one = made("attack", attack)
    finding = one.measure(Case(inside, inside, control=outside), Run(key=KEY))
    told = to_do("attack", attack, "control_claims is the share of claims about people who are not in the release")
    if one.members_only:
        assert finding.detail.get("control_claims") is None, told
    else:
        assert 0 <= finding.detail["control_claims"] <= 1, told
    assert math.isfinite(finding.value), told


OF_ALL_CLAIMS = {"claims", "correct", "baseline", "gained", "differing", "difference", "false_share", "skill"}
ASKED = {"targets", "records", "contained", "without_value", "outsiders", "control_targets", "control_claims"}
"""Whom the attacker asks about, and of how many he claims something."""
OWN = {
    "exclusion": {"certain_before"},
    "fingerprint_match": {"member_targets", "member_claims"},
    "key_sensitivity": {"claims_without", "claims_with"},
    "membership": {"area", "unique", "unique_others", "unique_area"},  # the last three for the outcome
    "release_difference": {"alone_here", "few", "few_here"},
}
"""What else is told in blocks: claims that could be made, not how many of some of them are right."""


def test_nothing_is_told_of_a_part_of_the_claims(attack: str, load: Load) -> None:
    """Whoever makes the claims knows which ones are a part, and takes their number of right ones from that of all."""
    data, one = load(), made("attack", attack)
    case = Case(data, data, control=load(example_table().slice(120)))
    exact = one.measure(case, Run(key=KEY))
    free = OF_ALL_CLAIMS | ASKED | OWN.get(attack, set()) | set(one.openness.told)
    told = one.disclose(case, Run(key=KEY), exact)
    for name, value in exact.detail.items():
        if name in free or isinstance(value, str | bool) or value is None:
            continue
        other = [0.0 for _ in value] if isinstance(value, list) else 0 if isinstance(value, int) else 0.123
        changed = exact.model_copy(update={"detail": {**exact.detail, name: other}})
        say = to_do("attack", attack, f"'{name}' of a part of the claims is told: leave it out of its openness")
        assert one.disclose(case, Run(key=KEY), changed) == told, say


def test_right_claims_are_told_in_blocks(attack: str, load: Load) -> None:
    """Nothing that everybody reads changes with one right claim, unless it is the first of the next ten."""
    data, one = load(), made("attack", attack)
    case = Case(data, data)
    exact = one.measure(case, Run(key=KEY))
    claims, out_of = exact.detail["claims"], exact.detail["claims" if "difference" in exact.detail else "targets"]
    if attack == "auto" or not claims:
        return
    most = min(out_of if one.counts_hits_alone else claims, out_of)
    middle = min(most, 45)
    both = min(middle, exact.detail["correct"] - exact.detail.get("gained", 0))
    told = set()
    for count in range(block_of(middle, most)[0], block_of(middle, most)[1] + 1):
        detail = {**exact.detail, "correct": count, "false_share": 1 - count / max(claims, 1)}
        detail |= {"gained": count - min(both, count)} if "gained" in detail else {}
        changed = exact.model_copy(update={"value": count / out_of, "detail": detail})
        public = one.disclose(case, Run(key=KEY), changed)
        told.add("" if public is None else public.model_dump_json())
    assert len(told) == 1, to_do("attack", attack, "what it tells follows from a block of ten: core/trust/blocks.py")


@pytest.mark.spark
def test_equal_on_spark(attack: str, load: Load, distributed: Any) -> None:
    one = made("attack", attack)
    here, there = load(), load(on=distributed)
    told = to_do("attack", attack, "Spark and DuckDB differ: which of equal claims is made must not depend on rows")
    assert one.measure(Case(there, there), Run(key=KEY)) == one.measure(Case(here, here), Run(key=KEY)), told
