from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.dictionary import Entry
from schleier.core.schema import Layout
from schleier.draft.facts import Facts
from schleier.draft.names import meaning_of
from schleier.draft.scales import Reading, read_as

GERMAN = Layout(delimiter=";", decimal=",", thousands=".")


def facts(values: list[Any], kind: str = "text", name: str = "x", repeat: int = 1, **entry: Any) -> Facts:
    array = pa.array(dict.fromkeys(v for v in values if v is not None))
    counts = np.array([values.count(v) * repeat for v in array.to_pylist()])
    gaps = values.count(None) * repeat
    return Facts(name, kind, len(values) * repeat, gaps, len(array), array, counts, whole=True, entry=Entry(**entry))


def read(values: list[Any], layout: Layout | None = None, name: str = "x", **more: Any) -> Reading:
    return read_as(facts(values, name=name, **more), layout, meaning_of(name))


@pytest.mark.parametrize(
    ("values", "layout", "scale"),
    [
        (["1", "2", "30"], None, "discrete"),
        (["1", "2", "1"], None, "nominal"),
        (["01067", "04109", "50667"], None, "nominal"),
        (["0", "7", "-3"], None, "discrete"),
        (["1.5", "2", "-0.25"], None, "continuous"),
        (["1,5", "2", "3"], GERMAN, "continuous"),
        (["1.234,5", "1.200", "3,1"], GERMAN, "continuous"),
        (["1,234.5", "12"], None, "nominal"),
        (["2020-01-31", "1999-12-01"], None, "time"),
        (["31.01.2020", "01.12.1999"], None, "time"),
        (["31.01.2020", "1999-12-01", "5"], None, "nominal"),
        (["red", "green"], None, "nominal"),
        (["1", "2", "three"], None, "nominal"),
        (["true", "false"], None, "nominal"),
        (["1e3", "2.5E-2"], None, "continuous"),
    ],
)
def test_the_scale_of_texts(values: list[str], layout: Layout | None, scale: str) -> None:
    assert read(values, layout).scale == scale


def test_the_precision_is_that_of_the_finest_number() -> None:
    assert read(["1.50", "2.125", "3"]).decimals == 3
    assert read(["1,50", "2", "3"], GERMAN).decimals == 1


def test_dates_in_another_form_than_the_layout_say_so() -> None:
    assert read(["31.01.2020", "01.12.1999"]).date == "%d.%m.%Y"
    assert read(["2020-01-31", "1999-12-01"]).date is None


def test_days_without_marks_need_a_name() -> None:
    days = ["19841231", "19900102", "20010315"]
    assert read(days, name="date_of_birth").date == "%Y%m%d"
    assert read(days, name="turnover").scale == "discrete"
    assert read(["19841331", "19900102"], name="date_of_birth").scale != "time"


def test_words_for_missing_do_not_hide_numbers() -> None:
    found = read(["12", "NA", "k.A.", "40", "61"])
    assert found.scale == "discrete" and set(found.missing) == {"NA", "k.A."}


def test_codes_for_missing_are_found_and_told() -> None:
    found = read(["12", "40", "61", "-9", "-8"])
    assert set(found.missing) == {-9, -8} and found.why[-1].values == {"n": 2, "share": 0.4}


def test_words_for_missing_are_told_with_their_share() -> None:
    found = read(["12", "NA", "k.A.", "40", "61"])
    assert found.why[-1].key == "missing" and found.why[-1].values == {"n": 2, "share": 0.4}


DAYS = [f"{1 + n % 28:02d}.{1 + n % 12:02d}.{1990 + n % 30}" for n in range(200)]


@pytest.mark.parametrize("odd", ["31.02.1999", "about 1999", "1999"])
def test_one_odd_date_is_a_gap_and_is_told(odd: str) -> None:
    found = read([*DAYS, odd])
    assert (found.scale, found.date, found.missing) == ("time", "%d.%m.%Y", (odd,))
    assert [why.key for why in found.why] == ["dates", "odd_dates", "missing"]
    assert found.why[1].values["share"] == pytest.approx(1 / 201)


def test_many_odd_dates_are_no_gaps() -> None:
    assert read([*DAYS, *(f"day {n}" for n in range(30))]).missing == ()
    assert read([*DAYS, *("31.02.1999" for _ in range(30))]).scale == "nominal"
    assert read(["01/02/2003", "02/01/2004", "03/04/2005"]).scale == "nominal"  # nobody can tell day from month


def test_labelled_codes_are_categories_and_keep_their_reasons() -> None:
    labels = {"1": "yes", "2": "no", "9": "refused"}
    found = read([1.0, 2.0, 9.0], kind="number", labels=labels, missing=(9,))
    assert found.scale == "nominal" and found.reasons == (9,) and found.missing == ()


def test_a_scale_with_labelled_ends_stays_a_number() -> None:
    labels = {"0": "not at all", "10": "completely", "99": "no answer"}
    found = read([*map(float, range(11)), 99.0], kind="number", labels=labels, missing=(99,))
    assert found.scale == "discrete" and found.missing == (99,)


def test_what_the_package_says_of_the_scale_counts() -> None:
    assert read([1.0, 2.0, 3.0, 4.0], kind="number", scale="ordinal").scale == "ordinal"
    assert read([1.5, 2.0], kind="number", scale="nominal").scale == "continuous"


def test_long_texts_are_free_text() -> None:
    texts = [f"on day {n} the patient came in and said that she felt much better than before" for n in range(9)]
    assert read(texts).free
    assert read(["she came back on Monday " + str(n) for n in range(9)]).free
    assert not read(["employed full time in industry or trade", "not employed"] * 30).free


def test_an_empty_column() -> None:
    assert read([None, None]).why[0].key == "empty"


def test_labels_say_more_than_the_scale_that_packages_write_by_default() -> None:
    ethnic = {"1": "White", "2": "Black", "3": "Asian", "9": "Refused"}
    found = read([1.0, 2.0, 3.0, 9.0], kind="number", repeat=5, labels=ethnic, scale="continuous")
    assert found.scale == "nominal" and found.reasons == (9,)
    assert read([1.0, 2.0, 3.0], kind="number", name="n_children", repeat=5, labels=ethnic).scale == "nominal"
    assert read([1.0, 2.0, 3.0], kind="number", repeat=5, labels=ethnic, scale="ordinal").scale == "ordinal"


def test_labels_that_repeat_the_number_or_name_the_ends_alone_make_no_categories() -> None:
    rated = {"0": "dislike", "10": "like", **{str(n): str(n) for n in range(1, 10)}, "99": "Don't know"}
    found = read([*map(float, range(11)), 99.0], kind="number", repeat=5, labels=rated, scale="continuous")
    assert found.scale == "continuous" and found.missing == (99,)


def test_codes_that_are_gaps_already_are_not_told_as_found() -> None:
    found = read([17.0, 44.0, 61.0, None], kind="number", repeat=5, missing=(99,))
    assert found.missing == (99,) and all(why.key != "missing" for why in found.why)
