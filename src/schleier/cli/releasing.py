"""How a release is told on the terminal, for the commands that make one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.cli.shared import say

if TYPE_CHECKING:
    from schleier.flow.release.documents import Report
    from schleier.report.language import Words


def tell_release(report: Report, out: Path, words: Words, left_out: Sequence[str] = ()) -> None:
    """Where it is, what it meets, what was found, and what was not done again."""
    from rich.markup import escape

    from schleier.report.terminal import finding_lines, verdict_line

    folder, met = escape(str(out)), words.plain("cli.met")
    records, total = str(report.records_released), str(report.records_read)
    say(words.plain("cli.released", folder=folder, records=records, total=total))
    for verdict in report.criteria:
        say(f"  [green]{met}[/] {escape(verdict.name or verdict.criterion)}: {escape(verdict_line(verdict, words))}")
    for name, text in finding_lines(report, words):
        say(f"  {escape(name)}: {escape(text)}")
    for what in left_out:
        say("  " + words.plain("cli.not_again", what=escape(what)))
    say("  " + words.plain("cli.digest", digest=report.digest))
    say("  " + words.plain("cli.restricted", folder=folder))
