"""The experiments of 1991 on a small world: everything that makes the page runs, and what must hold on any data does.

Müller, Blien, Knoche, Wirth et al. (1991); the page tells what bench/experiments.py finds among 17 million persons.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench import experiments_scholars as one
from bench import experiments_survey as two
from bench.experiments_files import Pair, observed, plain, uniqueness
from bench.experiments_findings import findings
from bench.experiments_text import PAGE, START, tables
from schleier.world.designs import SCHOLAR_KEYS, Maker
from schleier.world.questions import PHASES

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def scholars() -> list[Pair]:
    return one.files(Maker("scholars", 50_000, KEY, sampled=0.6).draw(), "process_1", 1)


@pytest.fixture(scope="module")
def survey() -> list[Pair]:
    return two.files(Maker("survey", 50_000, KEY, sampled=0.6).draw(), "allbus", 1)


def test_exact_matching_of_sixteen_versions(scholars: list[Pair]) -> None:
    found = one.exact_part(scholars)
    overlap = len(scholars[0].record)
    assert len(found["versions"]) == 16 and found["overlap"] == [overlap] and overlap > 10
    # P3: who knows who took part finds at least as many; nobody is found who is not recorded alike
    right = found["exact"]["found"]["n"]
    assert found["identical_any"]["n"] >= found["participation"]["found"]["n"] >= right


def test_leaving_out_other_values_loses_no_exact_match(scholars: list[Pair]) -> None:
    few = one.restricted(scholars[0])
    assert len(few.released) < len(scholars[0].released)
    whole, part = (one.exact(pair) for pair in (scholars[0], few))
    assert (whole["claims"], whole["correct"]) == (part["claims"], part["correct"])


def test_truth_follows_the_records(scholars: list[Pair]) -> None:
    pair = scholars[0]
    for other in (pair.only(np.arange(len(pair.released)) % 2 == 0), pair.knowing(np.arange(len(pair.known)) % 3 > 0)):
        mine, theirs = other.released["person"].to_numpy()[other.record], other.known["person"].to_numpy()[other.entry]
        assert (mine == theirs).all() and 0 < len(mine) < len(pair.record)


def test_phases_of_the_survey(survey: list[Pair]) -> None:
    found = two.phases_part(survey)
    unique = [found[phase]["unique"] for phase in ("13", "21")]
    assert unique[0] <= unique[1]  # P2: another key never makes fewer unique
    assert found["13"]["assigned"] >= found["21"]["assigned"]  # P4
    stairs = found["backstairs"]
    assert stairs["5"]["median"] >= stairs["13"]["median"] >= stairs["21"]["median"]  # P5
    assert stairs["13"]["gone"]["n"] <= stairs["21"]["gone"]["n"]  # P6
    assert {len(PHASES[many]) for many in PHASES} == {13, 21, 35}


def test_uniqueness_counts_gaps_as_values(scholars: list[Pair]) -> None:
    known = plain(scholars[0].known)
    rows = [tuple(row.values()) for row in known.select(SCHOLAR_KEYS).to_pylist()]
    assert uniqueness(known, SCHOLAR_KEYS) == sum(rows.count(row) == 1 for row in rows) / len(rows)
    assert observed(known, {name: [known[name]] for name in SCHOLAR_KEYS}).all()


def test_the_page_tells_what_was_measured() -> None:
    stored = json.loads((Path(one.__file__).parent / "experiments.json").read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    for name, table in tables(stored).items():
        assert f"{START.format(name)}\n{table}\n" in page
    survey_parts = {n.removeprefix("survey-"): part for n, part in stored.items() if n.startswith("survey-")}
    rows = list(findings(stored.get("scholars"), stored.get("synthetic", {}).get("synthetic"), survey_parts))
    assert {row[3] for row in rows} <= {"yes", "no", "cannot be told", "not run"}
