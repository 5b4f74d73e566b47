"""What was changed or lost in each column: sections with one bar for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.report import pictures
from schleier.report.language import Words, plain
from schleier.report.measures import own_sentences
from schleier.report.untold import Form, Share, Untold

MOST_BARS = 24
SHORT = 14
"""Letters of a name that fit beside a bar."""


@dataclass(frozen=True)
class Bars:
    """Sentences with a picture."""

    sentences: list[Markup]
    picture: Markup | None = None

    @property
    def short(self) -> Markup:
        """The sentence for the terminal."""
        return self.sentences[0]


class Detail(Form):
    """A share for each column, and that of all."""

    value: Share
    columns: Mapping[str, Share]


def tell_loss(finding: Finding, words: Words) -> Bars | None:
    """The information lost in words and as a picture; nothing when the finding has another form."""
    try:
        shares = _shares(finding)
        if not shares:
            raise Untold("no columns")
        return Bars(_own(finding, words), draw_bars(shares, "loss", words))
    except Untold:
        return None


def tell_cells(finding: Finding, words: Words) -> Bars | None:
    """The changed cells in words and as a picture; nothing when the finding has another form."""
    try:
        shares = _shares(finding)
        sentences = _own(finding, words)
    except Untold:
        return None
    changed = {column: share for column, share in shares.items() if share > 0}
    if not changed:
        return Bars(sentences)
    if same := [column for column in shares if column not in changed]:
        sentences.append(words("cells.same", n=len(same), columns=words.names(same)))
    if len(changed) > MOST_BARS:
        sentences.append(words("cells.most", n=MOST_BARS))
    return Bars(sentences, draw_bars(changed, "cells", words))


def _shares(finding: Finding) -> Mapping[str, float]:
    return Detail.of({**finding.detail, "value": finding.value}).columns


def _own(finding: Finding, words: Words) -> list[Markup]:
    return [text for _, text in own_sentences(finding, {}, words)]


def draw_bars(shares: Mapping[str, float], which: str, words: Words) -> Markup:
    """A bar for each column, the longest first."""
    order = sorted(shares, key=lambda column: -shares[column])[:MOST_BARS]
    rows = [pictures.Bar(column, shares[column], plain(words.share(shares[column]))) for column in order]
    desc = "; ".join(f"{row.label}: {row.after_text}" for row in rows)
    aside = 108 if max(len(row.label) for row in rows) <= SHORT else 0
    return pictures.bars(rows, plain(words(f"picture.{which}.title")), desc, aside=aside)
