"""Units that are unlike all others, by hand and against multisets counted one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import given, settings

from risk.small_tables import dataset, kept, many
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.trust.outsiders import for_outsiders
from schleier.risk.unit_compositions import UnitCompositions

RUN = Run(key=bytes(32))


def home(unit: str | None, *members: str) -> list[tuple[Any, ...]]:
    return [(who, "a", "x", 1.0, unit, 1.0) for who in members]


def test_units_records_and_sizes() -> None:
    people = [*home("h1", "a", "b"), *home("h2", "b", "a"), *home("h3", "a", "a"), *home("h4", "b"), *home(None, "c")]
    data = dataset(people)
    finding = UnitCompositions().measure(Case(data, data), RUN)
    after = finding.detail["after"]
    assert (after["units"], after["unique_units"], after["unique_records"]) == (5, 3, 4)
    assert finding.value == after["unit_share"] == pytest.approx(0.6) and after["share"] == pytest.approx(0.5)
    assert finding.detail["sizes"]["after"] == {"counted": [2, 3, 0, 0, 0, 0], "unique": [2, 1, 0, 0, 0, 0]}
    assert finding.detail["several"] == {"counted": 3, "unique": 1, "share": pytest.approx(1 / 3)}


def test_of_the_original_tens_of_units_are_told() -> None:
    people = [row for i in range(30) for row in home(f"h{i}", "a", "b")]
    before = dataset([*people, *home("odd", "a", "a", "a", "a")])
    after = dataset([*people, *home("h0", "a")])
    one, case = UnitCompositions(), Case(before, after)
    exact = one.measure(case, RUN)
    assert exact.detail["before"]["unique_units"] == 1 and exact.detail["before"]["unit_share"] == pytest.approx(1 / 31)
    public = one.disclose(case, RUN, exact)
    assert public is not None
    told = public.detail["before"]
    assert (told["unique_units"], told["unique_records"], told["unit_share"]) == (10, 10, 0.5)
    assert public.detail["sizes"]["before"] == {"counted": [0, 30, 0, 10, 0, 0], "unique": [0, 0, 0, 10, 0, 0]}
    assert public.text.endswith("before it was at most 50.00% and 50.00%.")


def test_of_a_file_that_is_not_public_tens_of_units_are_told() -> None:
    people = [row for i in range(30) for row in home(f"h{i}", "a", "b")]
    before, after = dataset(people), dataset([*people, *home("odd", "a", "a", "a", "a")])
    one, case = UnitCompositions(), Case(before, after)
    public = one.disclose(case, RUN, one.measure(case, RUN))
    assert public is not None and public.detail["after"]["unique_units"] == 1
    told = for_outsiders(public, one, 64)
    shown = told.detail["after"]
    assert (shown["unique_units"], shown["unique_records"], shown["unit_share"], told.value) == (10, 10, 0.5, 0.5)
    assert told.detail["sizes"]["after"] == {"counted": [0, 30, 0, 10, 0, 0], "unique": [0, 0, 0, 10, 0, 0]}
    assert told.detail["several"]["share"] == 0.5 and told.text.startswith("10 of 31 units (50.00%)")


def test_without_units_before_only_the_release_is_told() -> None:
    data = dataset(home("h1", "a", "b"))
    plain = data.described(data.schema.changed("home", role="plain"))
    finding = UnitCompositions().measure(Case(plain, data), RUN)
    assert finding.detail["before"] is None and "before" not in finding.text
    assert [one.code for one in UnitCompositions().problems(plain.schema)] == ["no-unit"]


@given(many)
@settings(max_examples=60, deadline=None)
def test_it_counts_as_anybody_would(people: list[tuple[Any, ...]]) -> None:
    data = dataset(people)
    for missing in ("category", "exclude"):
        members: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in kept(people, missing):
            members[row[4]].append(row[:2])
        made = {unit: tuple(sorted(map(repr, of))) for unit, of in members.items()}
        alike = Counter(made.values())
        unique = [unit for unit, one in made.items() if alike[one] == 1]
        after = UnitCompositions(missing=missing).measure(Case(data, data), RUN).detail["after"]  # type: ignore[arg-type]
        assert (after["units"], after["unique_units"]) == (len(made), len(unique))
        assert after["unique_records"] == sum(len(members[unit]) for unit in unique)
