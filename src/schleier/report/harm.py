"""The initial risk: how much harm a disclosure could do, and how many could bring it about."""

from __future__ import annotations

from markupsafe import Markup

from schleier.flow.release.documents import Report
from schleier.report import pictures
from schleier.report.language import Words, plain

PROTECTION = ("very high", "high", "normal")
ACCESS = ("on-site", "contract", "public")


def draw_harm(report: Report, words: Words) -> Markup | None:
    """The place of the release among harm and access; nothing when one of them was not stated."""
    if report.protection not in PROTECTION or report.access not in ACCESS:
        return None
    rows = [plain(words(f"harm.row.{row}")) for row in PROTECTION]
    columns = [plain(words(f"harm.column.{column}")) for column in ACCESS]
    place = PROTECTION.index(report.protection), ACCESS.index(report.access)
    desc = f"{rows[place[0]]}, {columns[place[1]]}"
    axes = plain(words("harm.rows")), plain(words("harm.columns"))
    ends = plain(words("harm.least")), plain(words("harm.most"))
    legend = pictures.Legend(plain(words("picture.legend")), ends)
    return pictures.matrix(rows, columns, place, axes, legend, plain(words("harm.title")), desc)
