"""How many records look alike, before and after: a section with pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from markupsafe import Markup
from pydantic import Field

from schleier.core.measure import Finding
from schleier.report import pictures
from schleier.report.language import Words, plain
from schleier.report.measures import own_sentences, shared_sentences
from schleier.report.untold import Count, Form, Share, Untold


@dataclass(frozen=True)
class Twins:
    """Records that look alike, as the page shows them."""

    before: Markup
    after: Markup
    short: Markup
    unique: int
    picture_before: Markup
    pictures_after: list[Markup]


class Spread(Form):
    """How many records look alike at one time."""

    records: Annotated[int, Field(gt=0, le=10**15)]
    unique: Count
    in_pairs: Count
    smallest: Count | None = None
    share: Share
    average: Share | None = None
    weighted_share: Share | None = None


class Sizes(Form):
    """Records by the size of their class."""

    bins: Sequence[str]
    before: Sequence[Count]
    after: Sequence[Count]


class Detail(Form):
    """What is known of both times."""

    keys: Sequence[str]
    keys_before: Sequence[str] | None = None
    before: Spread
    after: Spread
    sizes: Sizes | None = None


def tell_twins(finding: Finding, words: Words) -> Twins | None:
    """The section in words and pictures; nothing when the finding has another form."""
    try:
        return _told(finding, Detail.of(finding.detail), words)
    except Untold:
        return None


def _told(finding: Finding, detail: Detail, words: Words) -> Twins:
    before, after = detail.before, detail.after
    old = detail.keys if detail.keys_before is None else detail.keys_before  # a step may have made some of them
    sentences = [text for _, text in own_sentences(finding, {"same_keys": False}, words)]
    short = own_sentences(finding, {"same_keys": list(old) == list(detail.keys)}, words)[0][1]
    known = words(
        "twins.before" if before.unique else "twins.before_none",
        n=before.unique,
        total=before.records,
        share=words.share(before.share),
        keys=words.names(old),
    )
    shared = {"weighted_share": after.weighted_share, "by": finding.detail.get("by")}
    further = [*sentences[:1], *shared_sentences(shared, words, words.share), *sentences[1:]]
    drawn = [_risks(before, after, words), *_sizes(detail.sizes, before.records, after.records, words)]
    return Twins(
        known if old else words("twins.not_measured"),
        Markup(" ").join(further),
        short,
        after.unique,
        hundred(before.share, before.in_pairs / before.records, plain(words("picture.hundred.title")), words),
        drawn,
    )


def hundred(unique: float, in_pairs: float, title: str, words: Words) -> Markup:
    """Of a hundred records, how many are unique and how many have one double."""
    shares = {"alarm": unique, "alert": in_pairs, "rest": max(1 - unique - in_pairs, 0.0)}
    labels = {
        kind: f"{plain(words(f'picture.hundred.{kind}'))}\n{plain(words.share(share))}"
        for kind, share in shares.items()
    }
    desc = "; ".join(label.replace("\n", ": ") for label in labels.values())
    return pictures.hundred(shares, labels, plain(words("picture.legend")), title, desc)


def _sizes(sizes: Sizes | None, before: int, after: int, words: Words) -> Iterator[Markup]:
    """Bars of how many records look alike: of all records, as the sentences tell it, for counts are told upwards."""
    if sizes is None:
        return
    if not len(sizes.bins) == len(sizes.before) == len(sizes.after):
        raise Untold("sizes of another length")
    rows = [
        _bar(words, label.replace("-", "–"), min(old / max(before, 1), 1.0), min(new / max(after, 1), 1.0))
        for label, old, new in zip(sizes.bins, sizes.before, sizes.after, strict=True)
    ]
    yield _picture("sizes", rows, words, aside=52)


def _risks(before: Spread, after: Spread, words: Words) -> Markup:
    rows = [_bar(words, plain(words("picture.risks.unique")), before.share, after.share)]
    if before.average is not None and after.average is not None:
        rows.append(_bar(words, plain(words("picture.risks.average")), before.average, after.average))
    if before.smallest is not None and after.smallest is not None:
        highest = [1 / smallest if smallest else 0.0 for smallest in (before.smallest, after.smallest)]
        rows.append(_bar(words, plain(words("picture.risks.highest")), *highest))
    return _picture("risks", rows, words)


def _bar(words: Words, label: str, before: float, after: float) -> pictures.Bar:
    return pictures.Bar(label, after, plain(words.share(after)), before, plain(words.share(before)))


def _picture(which: str, rows: list[pictures.Bar], words: Words, aside: int = 0) -> Markup:
    before, after = plain(words("picture.before")), plain(words("picture.after"))
    told = [f"{r.label}: {before} {r.before_text}, {after} {r.after_text}" for r in rows]
    legend = pictures.Legend(plain(words("picture.legend")), (before, after))
    return pictures.bars(rows, plain(words(f"picture.{which}.title")), "; ".join(told), legend, aside)
