"""Who judged what the columns tell about people, and when."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from schleier.core.schema import Column
from schleier.flow.release.documents import Report, ReportedColumn
from schleier.report.language import Words


def tell_meaning(column: ReportedColumn, words: Words) -> Markup:
    """What a column means for disclosure; of a guess it is not said that a column is harmless."""
    if column.role == "plain" and column.judged == "guess":
        return words("judged.guess_plain")
    return words.word("role", column.role)


def tell_judge(column: ReportedColumn | Column, words: Words) -> Markup | None:
    """Who judged a column; nothing where nobody did, which its role says, or where an older report does not tell."""
    if not column.judged or f"judged.{column.judged}" not in words:
        return None
    if column.judged == "person" and column.judged_on:
        return words("judged.person_on", day=_day(column.judged_on, words))
    return words(f"judged.{column.judged}")


def tell_judges(report: Report, words: Words) -> list[Markup]:
    """Who judged the columns, all together; nothing where an older report does not tell."""
    if not any(column.judged or column.role == "undecided" for column in report.columns):
        return []
    return list(_told(report.columns, words))


def _told(columns: Sequence[ReportedColumn], words: Words) -> Iterator[Markup]:
    judged = [column for column in columns if column.judged == "person"]
    if judged:
        days = sorted({column.judged_on for column in judged if column.judged_on})
        yield words("judges.person", n=len(judged)) + _when(days, words)
    for judge in ("profile", "guess"):
        if names := [column.name for column in columns if column.judged == judge]:
            yield words(f"judges.{judge}", n=len(names), columns=words.names(names))
    if names := [column.name for column in columns if column.role == "undecided"]:
        yield words("judges.nobody", n=len(names), columns=words.names(names, most=len(names)))


def _when(days: Sequence[datetime.date], words: Words) -> Markup:
    if not days:
        return Markup(" ") + words("judges.no_day")
    first, last = _day(days[0], words), _day(days[-1], words)
    return Markup(" ") + (
        words("judges.day", day=first) if first == last else words("judges.days", first=first, last=last)
    )


def _day(day: datetime.date, words: Words) -> Markup:
    """A day as the language writes it."""
    return words("judges.date", year=str(day.year), month=f"{day.month:02}", day=f"{day.day:02}")
