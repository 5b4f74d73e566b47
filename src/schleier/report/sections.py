"""Parts of the page with a picture: those of measures, and those that wings offer.

A measure says by its trait ``section`` which part shows it. A wing offers a part of its own by a class in its room
``report`` that keeps ``Section``; it comes after all others.
"""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from schleier.core import registry
from schleier.core.measure import Finding
from schleier.core.section import Section
from schleier.flow.release.documents import Report
from schleier.report.bars import Bars, tell_cells, tell_loss
from schleier.report.language import Words
from schleier.report.measures import section_of
from schleier.report.shifts import Shifts, tell_shifts
from schleier.report.twins import Twins, tell_twins

TELLERS = {"twins": tell_twins, "cells": tell_cells, "loss": tell_loss, "moments": tell_shifts}
"""Section of a measure -> how it is told; each tells nothing of a finding that has another form."""


def findings_of(report: Report) -> list[Finding]:
    """The findings of a report. Those about a file that is not public were rounded upwards, and their words may say so
    (``upwards``)."""
    more = {} if report.access == "public" else {"upwards": True}
    return [one.model_copy(update={"detail": {**one.detail, **more}}) for one in report.findings]


def tell_section(finding: Finding, words: Words) -> Twins | Bars | Shifts | None:
    """A finding in the section its measure belongs to; nothing when it has none, or another form."""
    tell = TELLERS.get(section_of(finding))
    return tell(finding, words) if tell else None


def wing_sections(report: Report, lang: str) -> Iterator[Markup]:
    """What wings have to say about a release."""
    for declared in registry.every("section").values():
        offered: Section = declared()
        if part := offered.render(report, lang):
            yield part
