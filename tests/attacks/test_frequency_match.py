"""Frequencies name consistent pseudonyms of frequent values, and tell nothing where each record has its own."""

from __future__ import annotations

from schleier.attacks.frequency_match import FrequencyMatch

from .pseudonymised import RUN, case, fresh, keyed

NAMES = [name for name, many in (("Müller", 90), ("Schmidt", 60), ("Weber", 40), ("Wolf", 10)) for _ in range(many)]


def test_frequent_values_are_named_by_their_rank() -> None:
    told = FrequencyMatch(sensitive="value", targets="all").measure(case(NAMES, keyed), RUN)
    assert told.value == 1.0 and told.detail["claims"] == 200
    assert told.detail["baseline"] == 0.45  # "Müller" for everybody


def test_a_public_list_and_few_ranks() -> None:
    listed = FrequencyMatch(sensitive="value", targets="all", ranks=2, common=["Müller", "Weber", "Schmidt"])
    told = listed.measure(case(NAMES, keyed), RUN)
    assert (told.detail["claims"], told.detail["correct"]) == (150, 90)
    assert "common" not in listed.parameters(public=True)


def test_a_pseudonym_for_each_record_tells_nothing() -> None:
    told = FrequencyMatch(sensitive="value", targets="all").measure(case(NAMES, fresh()), RUN)
    assert told.detail["claims"] <= 10 and told.detail["correct"] <= 10
