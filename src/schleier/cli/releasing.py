"""How a release is told on the terminal, for the commands that make one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.cli.shared import say

if TYPE_CHECKING:
    from schleier.core.criterion import Verdict
    from schleier.flow.release.release import Release
    from schleier.report.language import Words


def verdict_word(verdict: Verdict, words: Words) -> str:
    """Met, met with a reservation, or broken, in its colour."""
    word, colour = ("met", "green") if verdict.safe else ("met_by_wildcard", "yellow")
    return f"[{colour}]{words.plain(f'cli.{word}')}[/]" if verdict.holds else f"[red]{words.plain('cli.broken')}[/]"


def tell_release(release: Release, out: Path, words: Words, left_out: Sequence[str] = ()) -> None:
    """Where it is, what it meets, what was found, what was not done again, and where its key came from."""
    from rich.markup import escape

    from schleier.report.criteria import tell_verdict
    from schleier.report.front import foremost, tell_caution, tell_sequel
    from schleier.report.language import plain
    from schleier.report.terminal import finding_lines, verdict_line

    report, audit = release.report, release.audit
    folder = escape(str(out))
    key = "cli.released_made" if report.made_rows else "cli.released"
    say(words.plain(key, folder=folder, records=report.records_released, total=report.records_read))
    for verdict in report.criteria:
        said = escape(verdict_line(verdict, words))
        say(f"  {verdict_word(verdict, words)} {escape(verdict.name or verdict.criterion)}: {said}")
    if not report.criteria:
        say("  [yellow]![/] " + words.plain("front.open"))
    if report.after is not None:
        criteria = [tell_verdict(verdict, words) for verdict in report.criteria]
        say(f"  {escape(plain(tell_sequel(report.after, criteria, words)))}")
    for caution in (shown := foremost(release.cautions)):
        say(f"  [yellow]![/] {escape(plain(tell_caution(caution, words)))}")
    if more := len(release.cautions) - len(shown):
        say("  [yellow]![/] " + words.plain("cli.more_cautions", n=more))
    for name, text in finding_lines(report, words):
        say(f"  {escape(name)}: {escape(text)}")
    for what in left_out:
        say("  " + words.plain("cli.not_again", what=escape(what)))
    say("  " + words.plain("cli.digest", digest=audit.digest))
    if not report.digest:
        say("  " + words.plain("cli.digest_withheld"))
    if audit.key_from != "new":
        say("  " + words.plain(f"cli.key.{audit.key_from}"))
    say("  " + words.plain("cli.restricted", folder=folder))


def release_json(release: Release, out: Path) -> dict[str, Any]:
    """A release as one JSON document, for the holder of the data."""
    told = release.report.model_dump(mode="json")
    audit = release.audit
    return {"ok": True, "path": str(out), "digest": audit.digest, "key_from": audit.key_from, "report": told}
