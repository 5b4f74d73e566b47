"""A suggestion as a recipe with comments: it runs as it is, and says of everything why it is there."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from schleier.core.pieces import piece, purpose_of
from schleier.draft.rules import Proposed
from schleier.draft.steps import TARGETS
from schleier.draft.suggest import Suggestion
from schleier.draft.text import comment, line, toml_lines, write_draft_file
from schleier.draft.writing import hierarchy_files, refuse_existing, schema_text, shown_name
from schleier.flow.suggest import Alternative
from schleier.report.language import Words

PATIENCE = 60
"""Seconds the search of the recipe may take where the proposal could not be proven to be the best."""


def write_suggestion(found: Suggestion, chosen: Alternative, path: Path, lang: str, *, force: bool) -> list[Path]:
    """Write the recipe and the hierarchies beside it; nothing that exists is replaced without ``force``.

    A hierarchy that somebody edited stays, and the new one lies beside it under another name.
    """
    if not force:
        refuse_existing([path])
    avoid = () if force else _edited(found, path.parent)
    files = {path.parent / place: text for place, text in hierarchy_files(found.draft, avoid).items()}
    files[path] = suggestion_text(found, chosen, path, Words.of(lang), avoid)
    written = [place for place, text in files.items() if not place.exists() or place.read_text("utf-8") != text]
    for place in written:
        write_draft_file(place, files[place])
    return [path, *(place for place in written if place != path)]


def _edited(found: Suggestion, folder: Path) -> list[str]:
    """Hierarchies beside the recipe that are others than those it needs."""
    own = set(hierarchy_files(found.draft).values())
    there = sorted((folder / "hierarchies").glob("*.csv"))
    return [f"hierarchies/{file.name}" for file in there if file.read_bytes() not in {text.encode() for text in own}]


def suggestion_text(
    found: Suggestion, chosen: Alternative, path: Path, words: Words, avoid: Collection[str] = ()
) -> str:
    """The whole recipe: it extends the profile, describes the columns, and lists the steps."""
    name, lang = found.profile.name, words.lang
    file = shown_name(found.draft, words)
    blocks = [
        comment(words.plain("suggest.head", file=file, records=found.draft.records, profile=name))
        + comment(promise(found, words))
        + comment(proposal_sentence(chosen, words)),
        line("extends", f"profile:{name}"),
        schema_text(found.draft, path, words, avoid),
        "[release]\n" + line("language", lang),
    ]
    told: set[str] = set()
    for section, entries in entries_by_section(found, chosen).items():
        for one in entries:
            key = _key(one.entry)
            said = one.reason[lang] if one.reason else "" if key in told else words.plain(key, unit=found.unit)
            told |= set() if one.reason else {key}
            if one.entry.get("criteria"):
                said += " " + words.plain("suggest.coarsen_units", n=chosen.records)
            blocks.append(comment(said) + f"[[{section}]]\n" + toml_lines(one.entry))
    return "\n".join(blocks)


def promise(found: Suggestion, words: Words) -> str:
    """Whom the file is for, and what the steps and demands of this proposal promise: nothing else."""
    k = found.chosen.k if found.chosen else found.profile.k
    lines = [found.profile.reason[words.lang], words.plain("suggest.classes", n=k - 1)]
    lines += [words.plain("suggest.units", unit=found.unit)] if found.unit else []
    lines += [words.plain("suggest.units_left_out", unit=found.unit)] if found.last else []
    return " ".join((*lines, *(claim[words.lang] for claim in found.claims)))


def proposal_sentence(chosen: Alternative, words: Words) -> str:
    """What is proposed, in one sentence."""
    if chosen.risk is None:
        raise ValueError("only what works is proposed")
    return words.plain(
        "suggest.chosen",
        k=chosen.k,
        share=words.share(chosen.max_suppressed).unescape(),
        loss=words.share(chosen.loss).unescape(),
        highest=words.share(chosen.risk.highest).unescape(),
        average=words.share(chosen.risk.average).unescape(),
    )


def entries_by_section(found: Suggestion, chosen: Alternative) -> dict[str, list[Proposed]]:
    """The entries of the recipe beside those of the profile, by the section they stand in."""
    search = piece("least_coarse", max_suppressed=chosen.max_suppressed)
    if not chosen.proven:
        search["time_limit"] = PATIENCE
    if chosen.records:
        units = [piece("records_alike", k=chosen.k, count="units")] if found.last else []
        records = piece("records_alike", k=chosen.records, count="records")
        search["criteria"] = [records, *units, *map(_unnamed, found.criteria)]
    attack = piece("found_by_keys", targets=min(TARGETS, found.draft.records))
    numeric = any(
        column.numeric for column in found.draft.schema if column.role not in ("identifier", "unit", "undecided")
    )
    together = bool(found.unit) and not found.last
    measures = ["units_compared"] * together + ["spread_changed"] * numeric
    return {
        "steps": [*found.steps, Proposed(search), *found.last],
        "criteria": list(found.criteria),
        "measures": [Proposed(piece(one)) for one in measures],
        "attacks": [Proposed(attack)],
    }


def _unnamed(one: Proposed) -> dict[str, Any]:
    return {key: value for key, value in one.entry.items() if key != "name"}


def _key(entry: dict[str, Any]) -> str:
    """What the words say of an entry."""
    if entry.get("count") == "units":
        return "suggest.units"
    return f"draft.piece.{purpose_of(entry)}"
