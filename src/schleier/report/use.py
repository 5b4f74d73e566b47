"""What analysts must know: which columns and records changed, and how much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.flow.release.documents import Report
from schleier.report import pictures
from schleier.report.alike import BROKEN, plain, refuse_endless
from schleier.report.language import Words
from schleier.report.measured import corrected
from schleier.report.shifts import shifts
from schleier.report.steps import EFFECTS, effects

MOST_BARS = 24
SHORT = 14
"""Letters of a name that fit beside a bar."""


@dataclass(frozen=True)
class Shown:
    """Sentences with a picture."""

    sentences: list[Markup]
    picture: Markup | None = None


def minded(report: Report, words: Words) -> list[Markup]:
    """What to keep in mind, most important first."""
    found = []
    if left_out := report.columns_left_out:
        found.append(words("mind.left_out", n=len(left_out), columns=words.names(left_out)))
    done, released = effects(report), [column.name for column in report.columns]
    for effect in dict.fromkeys((*EFFECTS.values(), "other")):
        if columns := [column for column in released if effect in done.get(column, ())]:
            found.append(words(f"mind.{effect}", n=len(columns), columns=words.names(columns)))
    if (missing := report.records_read - report.records_released) > 0:
        share = words.share(report.records_released / report.records_read)
        found.append(words("mind.records", n=missing, share=share))
    if any(step.method == "sample" for step in report.steps):
        weights = [column.name for column in report.columns if column.role == "weight"]
        found.append(words("mind.sampled" if weights else "mind.sampled_bare", columns=words.names(weights)))
    found += corrected(report, words)
    changed = next(filter(None, (cells(finding, words) for finding in report.findings)), None)
    if changed:
        found.append(changed.sentences[0])
    elif report.steps:
        found.append(words("mind.not_measured"))
    else:
        found.append(words("mind.nothing"))
    found += [one.sentences[0] for one in (shifts(finding, words) for finding in report.findings) if one]
    return found


def lost(finding: Finding, words: Words) -> Shown | None:
    """The information lost in words and as a picture; nothing when the finding is something else."""
    try:
        return _lost(finding, words) if f"loss.{finding.name}" in words else None
    except BROKEN:
        return None


def _lost(finding: Finding, words: Words) -> Shown:
    refuse_endless(finding.detail)
    shares: Mapping[str, float] = finding.detail["columns"]
    if finding.value > 1 or not shares:
        raise ValueError("not a share")
    sentences = [words("loss.lost", n=len(shares), share=words.share(finding.value)), words(f"loss.{finding.name}")]
    return Shown(sentences, _bars(shares, "loss", words))


def cells(finding: Finding, words: Words) -> Shown | None:
    """The changed cells in words and as a picture; nothing when the finding is something else."""
    try:
        return _cells(finding, words) if finding.name == "changed_cells" else None
    except BROKEN:
        return None


def _cells(finding: Finding, words: Words) -> Shown:
    refuse_endless(finding.detail)
    shares: Mapping[str, float] = finding.detail["columns"]
    changed = {column: share for column, share in shares.items() if share > 0}
    said = words("cells.changed" if changed else "cells.none", n=len(shares), share=words.share(finding.value))
    if not changed:
        return Shown([said])
    sentences = [said]
    if same := [column for column in shares if column not in changed]:
        sentences.append(words("cells.same", n=len(same), columns=words.names(same)))
    if len(changed) > MOST_BARS:
        sentences.append(words("cells.most", n=MOST_BARS))
    return Shown(sentences, _bars(changed, "cells", words))


def _bars(shares: Mapping[str, float], which: str, words: Words) -> Markup:
    order = sorted(shares, key=lambda column: -shares[column])[:MOST_BARS]
    rows = [pictures.Bar(column, shares[column], plain(words.share(shares[column]))) for column in order]
    desc = "; ".join(f"{row.label}: {row.after_text}" for row in rows)
    aside = 108 if max(len(row.label) for row in rows) <= SHORT else 0
    return pictures.bars(rows, plain(words(f"picture.{which}.title")), desc, aside=aside)
