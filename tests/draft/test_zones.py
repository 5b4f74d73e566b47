"""Areas with enough inhabitants: a partition, nested, as fine as it can be."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.errors import DataError
from schleier.core.hierarchy import parse
from schleier.draft.zones import LONGEST, inhabitants_by_place, large, rows_of, zones

CODES = st.dictionaries(st.text("0123", min_size=4, max_size=5), st.integers(0, 50_000), min_size=1, max_size=30)
LEAST = 20_000


def totals(people: dict[str, int], area: dict[str, str]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for code, zone in area.items():
        found[zone] += people[code]
    return found


@given(CODES)
def test_every_area_has_enough_people_and_says_where_it_is(people: dict[str, int]) -> None:
    area = zones(people, LEAST)
    assert area.keys() == people.keys()
    assert all(code.startswith(zone[:-1]) and len(zone) <= LONGEST + 1 for code, zone in area.items())
    found = totals(people, area)
    if found.keys() != {"*"}:
        assert min(found.values()) >= LEAST
    # No area lies in another one: otherwise the larger one would be what is left over, and could be small.
    assert not any(a != b and a.startswith(b[:-1]) for a in found for b in found)


@given(CODES)
def test_no_area_could_be_divided(people: dict[str, int]) -> None:
    area = zones(people, LEAST)
    for zone in set(area.values()):
        kept, codes = len(zone) - 1, [code for code in area if area[code] == zone]
        parts = totals(people, {code: code[: kept + 1] for code in codes})
        assert kept == LONGEST or min(parts.values()) < LEAST


@given(st.dictionaries(st.text("abcdef", min_size=1), st.integers(0, 50_000), min_size=1, max_size=20))
def test_small_places_are_taken_together(people: dict[str, int]) -> None:
    area = large(people, LEAST, "(other)")
    found = totals(people, area)
    assert all(zone in ("(other)", place) for place, zone in area.items())
    if found.keys() != {"(other)"}:
        assert min(found.values()) >= LEAST


def test_hierarchies_of_areas_nest_and_go_on() -> None:
    people = {"53117": 25_000, "53221": 30_000, "50667": 21_000, "10115": 5_000, "12345": 16_000}
    first, then = map(parse, rows_of(people, LEAST, "other"))
    assert not [*first.problems(""), *then.problems("")]
    import pyarrow as pa

    labels = first.labels(pa.array(list(people)), 1)
    assert labels.to_pylist() == ["531*", "532*", "506*", "1*", "1*"]
    assert then.labels(labels, 1).to_pylist() == ["5*", "5*", "5*", "1*", "1*"]


def test_a_country_too_small_for_any_area_is_one() -> None:
    first, then = map(parse, rows_of({"53117": 500, "10115": 700}, LEAST, "other"))
    assert (first.depth, then.depth) == (1, 1)


def table(folder: Path, text: str) -> Path:
    (folder / "places.csv").write_text(text, encoding="utf-8")
    return folder / "places.csv"


def test_a_table_may_tell_several_kinds_of_places(tmp_path: Path) -> None:
    places = inhabitants_by_place(table(tmp_path, "plz;land;Einwohner\n01067;SN;100\n01069;SN;50\n53117;NW;70\n"))
    assert places.of("land", None) == {"SN": 150, "NW": 70}
    assert places.of("postcode", "postcode") == {"01067": 100, "01069": 50, "53117": 70}
    assert places.of("town", "town") is None


@pytest.mark.parametrize(
    "text",
    [
        "plz;land\n53117;NW\n",
        "inhabitants\n5\n",
        "plz;inhabitants;population\n53117;5;6\n",
        "plz;inhabitants\n53117;\n50667;3\n",
        "plz;inhabitants\n53117;-4\n50667;3\n",
    ],
)
def test_tables_that_make_no_sense(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError) as caught:
        inhabitants_by_place(table(tmp_path, text))
    assert [problem.code for problem in caught.value.problems] == ["bad-population"]
    assert "53117" not in str(caught.value)
