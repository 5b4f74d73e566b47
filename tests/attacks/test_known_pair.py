"""Known pairs are read wherever the pseudonym stands again."""

from __future__ import annotations

from schleier.attacks.known_pair import KnownPair

from .pseudonymised import RUN, case, fresh, keyed

TOWNS = [f"town {i % 8}" for i in range(200)]


def test_consistent_pseudonyms_are_read_again() -> None:
    told = KnownPair(sensitive="value", targets="all", pairs=60).measure(case(TOWNS, keyed), RUN)
    assert told.detail["targets"] == told.detail["correct"] == 140 and told.value == 1.0
    assert told.detail["baseline"] < 0.2


def test_pseudonyms_of_one_record_each_are_not() -> None:
    told = KnownPair(sensitive="value", targets="all", pairs=60).measure(case(TOWNS, fresh()), RUN)
    assert told.detail["claims"] == 0


def test_who_knows_all_learns_nothing() -> None:
    told = KnownPair(sensitive="value", targets=50, pairs=50).measure(case(TOWNS, keyed), RUN)
    assert told.detail["targets"] == told.detail["claims"] == 0
