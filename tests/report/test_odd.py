"""Documents of another version, or of components we do not know, never make the page fail."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.full import FULL
from report.inspections import USUAL
from report.reports import counted_attack, report
from schleier.flow.inspect.inspect import Inspection
from schleier.flow.release.documents import Report
from schleier.report.html import Html
from schleier.report.inspection.page import page

Path = tuple[str | int, ...]
FREE = ("detail", "parameters", "facts")
"""Parts of a document whose form is up to the component."""
DOCUMENT: dict[str, Any] = FULL.model_dump(mode="json")


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place inside the free parts of a document."""
    if any(part in FREE for part in path[:-1]) and path[-2] != "facts":
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in parts:
        yield from places(one, (*path, key))


PLACES = list(places(DOCUMENT))
ODD: list[Any] = [None, True, -1, 0, 1e300, float("nan"), float("inf"), "", "words", [], ["a", 1], {}, {"a": {"b": []}}]


def changed(changes: Sequence[tuple[Path, Any]], document: dict[str, Any] = DOCUMENT) -> dict[str, Any]:
    """The document with other entries; where an earlier change took a place away, nothing is changed there."""
    document = copy.deepcopy(document)
    for path, odd in changes:
        place: Any = document
        with suppress(LookupError, TypeError):
            for part in path[:-1]:
                place = place[part]
            if odd is ...:
                del place[path[-1]]
            else:
                place[path[-1]] = odd
    return document


def odd_entries(places: Sequence[Path]) -> st.SearchStrategy[list[tuple[Path, Any]]]:
    """Several at once: a page takes long, and each is told in a place of its own."""
    return st.lists(st.tuples(st.sampled_from(places), st.sampled_from([*ODD, ...])), min_size=5, max_size=5)


@settings(max_examples=20)
@given(odd_entries(PLACES))
def test_odd_entries_do_not_matter(changes: Sequence[tuple[Path, Any]]) -> None:
    page = Html().render(Report.model_validate(changed(changes)), "de")
    assert page.endswith("</html>") and '="nan"' not in page


INSPECTED: dict[str, Any] = USUAL.model_dump(mode="json")
INSPECTED_PLACES = list(places(INSPECTED))


@settings(max_examples=20)
@given(odd_entries(INSPECTED_PLACES))
def test_odd_entries_of_an_inspection_do_not_matter(changes: Sequence[tuple[Path, Any]]) -> None:
    shown = page(Inspection.model_validate(changed(changes, INSPECTED)), "de")
    assert shown.endswith("</html>") and '="nan"' not in shown


def test_there_are_enough_places() -> None:
    assert len(PLACES) > 500
    assert PLACES[0][0] == "steps"
    assert len(INSPECTED_PLACES) > 100


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1.0, 1e301])
def test_a_value_that_makes_no_sense(odd: float) -> None:
    """A number beyond all bounds is told by the finding's own sentence, whatever measure or attack it is of."""
    values = tuple(one.model_copy(update={"value": odd, "low": odd, "high": odd}) for one in FULL.findings)
    attacks = tuple(one.model_copy(update={"value": odd}) for one in FULL.attacks)
    shown = Html().render(FULL.model_copy(update={"findings": values, "attacks": attacks}), "de")
    assert shown.endswith("</html>") and '="nan"' not in shown


@pytest.mark.parametrize(("read", "released"), [(0, 0), (0, 5), (5, 0), (5, 9)])
def test_counts_that_make_no_sense(read: int, released: int) -> None:
    assert Html().render(report(records_read=read, records_released=released))


def test_older_reports_with_counts_are_told_without_them() -> None:
    older = counted_attack(303, 1000, 0.275, 0.332, claims=311, false_share=8 / 311)
    del older.detail["records"], older.detail["control_targets"]
    shown = Html().render(report(attacks=(older,))).replace("\u00a0", " ")
    assert "found between 25 % and 35 % of them." in shown and "That is clearly more than guessing." in shown
    assert "303" not in shown and "311" not in shown and "30.3" not in shown
    odd = older.model_copy(update={"detail": older.detail | {"claims": "many"}})
    assert older.text in Html().render(report(attacks=(odd,)))
