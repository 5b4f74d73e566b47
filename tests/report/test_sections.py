"""Sections of the page: a measure says which one is its own, and a wing may add one."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from markupsafe import Markup

from report.reports import TYPICAL
from schleier.core import registry
from schleier.core.measure import Section
from schleier.flow.release.documents import Report
from schleier.report.html import Html
from schleier.report.sections import TELLERS


def test_every_section_is_that_of_a_measure() -> None:
    declared = {measure.section for measure in registry.every("measure").values()}
    assert declared == set(get_args(Section))
    assert set(TELLERS) < declared


class Moon:
    """What a wing has to say."""

    def render(self, report: Report, lang: str) -> Markup | None:
        return Markup("<h2>{} {}</h2>").format(report.title, lang) if report.title else None


def test_a_wing_adds_a_section(monkeypatch: pytest.MonkeyPatch) -> None:
    every = registry.every

    def offered(kind: Any) -> dict[str, type[Any]]:
        return {"moon": Moon} if kind == "section" else every(kind)

    monkeypatch.setattr(registry, "KINDS", (*registry.KINDS, "section"))
    monkeypatch.setattr(registry, "every", offered)
    page = Html().render(TYPICAL, "de")
    assert "<h2>Household survey de</h2>" in page
    assert page.index("<h2>Household survey de</h2>") < page.index('<section class="proof">')
    assert "<h2>" + " de" not in Html().render(TYPICAL.model_copy(update={"title": ""}), "de")


def test_what_is_withheld_is_not_called_unmeasured() -> None:
    without = TYPICAL.model_copy(update={"findings": tuple(f for f in TYPICAL.findings if f.name != "changed_cells")})
    said = "How many cells were changed was not measured."
    assert said in Html().render(without)
    withheld = Html().render(without.model_copy(update={"findings_withheld": ("changed_cells",)}))
    assert said not in withheld and "One measure is not published" in withheld
