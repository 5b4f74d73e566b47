"""How a release is told on the terminal, for the commands that make one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.cli.shared import say

if TYPE_CHECKING:
    from schleier.core.criterion import Verdict
    from schleier.flow.release.documents import Report
    from schleier.report.language import Words


def verdict_word(verdict: Verdict, words: Words) -> str:
    """Met, met with a reservation, or broken, in its colour."""
    word, colour = ("met", "green") if verdict.safe else ("met_by_wildcard", "yellow")
    return f"[{colour}]{words.plain(f'cli.{word}')}[/]" if verdict.holds else f"[red]{words.plain('cli.broken')}[/]"


def tell_release(report: Report, out: Path, words: Words, left_out: Sequence[str] = ()) -> None:
    """Where it is, what it meets, what was found, and what was not done again."""
    from rich.markup import escape

    from schleier.report.terminal import finding_lines, verdict_line

    folder = escape(str(out))
    records, total = str(report.records_released), str(report.records_read)
    say(words.plain("cli.released", folder=folder, records=records, total=total))
    for verdict in report.criteria:
        said = escape(verdict_line(verdict, words))
        say(f"  {verdict_word(verdict, words)} {escape(verdict.name or verdict.criterion)}: {said}")
    for caution in report.cautions:
        say(f"  [yellow]![/] {escape(words.plain(f'caution.{caution.code}'))}")
    for name, text in finding_lines(report, words):
        say(f"  {escape(name)}: {escape(text)}")
    for what in left_out:
        say("  " + words.plain("cli.not_again", what=escape(what)))
    say("  " + words.plain("cli.digest", digest=report.digest))
    say("  " + words.plain("cli.restricted", folder=folder))
