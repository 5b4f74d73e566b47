"""A suggestion as a recipe with comments: it runs as it is, and says of everything why it is there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from schleier.core.pieces import piece, purpose_of
from schleier.core.system import as_typed
from schleier.draft.profile import Profile
from schleier.draft.rules import Proposed
from schleier.draft.steps import TARGETS
from schleier.draft.suggest import Suggestion
from schleier.draft.telling import computed
from schleier.draft.text import comment, line, toml_lines, write_draft_file
from schleier.draft.writing import hierarchy_files, refuse_existing, schema_text, shown_name
from schleier.flow.suggest import Alternative, Risk
from schleier.report.language import Words

COLUMNS = ("number", "k", "share", "left_out", "alone", "highest", "average", "expected", "loss")
Sections = Mapping[str, Mapping[str, Any]]
NOTHING: Sections = {}
MORE = "0.2"
"""Share of the records that may be left out, as a way on where the share of a profile is too small."""
PATIENCE = 60
"""Seconds the search of the recipe may take where the proposal could not be proven to be the best."""


def write_suggestion(
    found: Suggestion, chosen: Alternative, path: Path, lang: str, *, force: bool, more: Sections = NOTHING
) -> list[Path]:
    """Write the recipe and the hierarchies beside it; nothing that exists is replaced without ``force``.

    A hierarchy that somebody edited stays, and the new one lies beside it under another name. ``more`` is what else
    the recipe says, by section.
    """
    if not force:
        refuse_existing([path])
    avoid = () if force else _edited(found, path.parent)
    files = {path.parent / place: text for place, text in hierarchy_files(found.draft, avoid).items()}
    files[path] = suggestion_text(found, chosen, path, Words.of(lang), avoid, more)
    written = [place for place, text in files.items() if not place.exists() or place.read_text("utf-8") != text]
    for place in written:
        write_draft_file(place, files[place], private=place == path and "advice" in more)  # a person wrote parts of it
    return [path, *(place for place in written if place != path)]


def _edited(found: Suggestion, folder: Path) -> list[str]:
    """Hierarchies beside the recipe that are others than those it needs."""
    own = set(hierarchy_files(found.draft).values())
    there = sorted((folder / "hierarchies").glob("*.csv"))
    return [f"hierarchies/{file.name}" for file in there if file.read_bytes() not in {text.encode() for text in own}]


def suggestion_text(
    found: Suggestion,
    chosen: Alternative,
    path: Path,
    words: Words,
    avoid: Collection[str] = (),
    more: Sections = NOTHING,
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
        *(f"[{section}]\n" + toml_lines(table) for section, table in _tables(lang, more).items()),
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


def _tables(lang: str, more: Sections) -> Sections:
    return {**more, "release": {"language": lang, **more.get("release", {})}}


def promise(found: Suggestion, words: Words) -> str:
    """Whom the file is for, and what the steps and demands of this proposal promise: nothing else."""
    k = found.chosen.k if found.chosen else found.profile.k
    lines = [found.profile.reason[words.lang], words.plain("suggest.classes", n=k - 1)]
    lines += [words.plain("suggest.units", unit=found.unit)] if found.unit else []
    lines += [words.plain("suggest.units_left_out", unit=found.unit)] if found.last else []
    return " ".join((*lines, *(claim[words.lang] for claim in found.claims)))


def ways_on(found: Suggestion, words: Words, schema: str = "", asked: str = "", rest: str = "") -> list[str]:
    """What somebody can do where nothing could be proposed: each with the line to type.

    ``asked`` are the options that led here, as they are typed, and ``rest`` those beside the share of records.
    """
    file, profile = as_typed(found.draft.file or "FILE"), found.profile.name
    by_access = list(Profile.for_access())
    weaker = by_access[by_access.index(profile) + 1 :] if profile in by_access else []
    return [
        words.plain("suggest.way.head", n=len(found.draft.schema.quasi)),
        words.plain("suggest.way.decide", schema=as_typed(schema))
        if schema
        else words.plain("suggest.way.describe", file=file),
        words.plain("suggest.way.share", file=file, profile=profile, share=MORE) + rest,
        *(words.plain("suggest.way.profile", file=file, profile=one) + asked for one in weaker[:1]),
        words.plain("suggest.way.draft", file=file),
    ]


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


def alternatives_table(found: Suggestion, words: Words) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of alternatives, the file as it is first."""
    first = ["  0", "", "", "", *_risks(found.before, words), ""]
    rows = [_row(i, one, found.chosen, words) for i, one in enumerate(found.alternatives, 1)]
    return [words.plain(f"suggest.column.{key}") for key in COLUMNS], [first, *rows]


def _row(place: int, one: Alternative, chosen: Alternative | None, words: Words) -> list[str]:
    mark = "→ " if one is chosen else "  " if one.proven else "~ "
    start = [f"{mark}{place}", str(one.k), words.share(one.max_suppressed).unescape()]
    if one.risk is None:
        return [*start, "–", *[""] * 4, words.plain("suggest.unreachable")]
    return [*start, words.number(one.left_out), *_risks(one.risk, words), words.share(one.loss).unescape()]


def _risks(risk: Risk, words: Words) -> list[str]:
    shares = [words.share(share).unescape() for share in (risk.unique, risk.highest, risk.average)]
    return [*shares, words.number(round(risk.expected))]


def legend(found: Suggestion, words: Words) -> list[str]:
    """What the columns of the table of alternatives say, what was counted, left out before, and not looked at."""
    keys = next((len(one.levels) for one in found.alternatives if one.works), len(found.draft.schema.quasi))
    counted = [words.plain("suggest.counted", unit=found.unit)] if found.unit else []
    return [words.plain("suggest.legend", n=keys), *counted, *computed(found.draft, words), *_unproven(found, words)]


def _unproven(found: Suggestion, words: Words) -> list[str]:
    """How it was searched where not every choice of levels was looked at."""
    left = [one for one in found.alternatives if one.works and not one.proven]
    if not left:
        return []
    one = max(left, key=lambda one: one.nodes)
    return [words.plain("suggest.unproven", nodes=words.number(one.nodes), looked_at=words.number(one.looked_at))]


def levels_table(found: Suggestion, words: Words) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of levels: each key, and how coarse the alternatives that work make it."""
    reached = [(i, one) for i, one in enumerate(found.alternatives, 1) if one.works]
    levels = zip(*(one.levels for _, one in reached), strict=True)
    head = [words.plain("suggest.column.name"), *(str(i) for i, _ in reached)]
    return head, [[row[0][0], *(f"{level}/{depth}" for _, level, depth in row)] for row in levels]


def entries_by_section(found: Suggestion, chosen: Alternative) -> dict[str, list[Proposed]]:
    """The entries of the recipe beside those of the profile, by the section they stand in."""
    search = piece("least_coarse", max_suppressed=chosen.max_suppressed)
    if not chosen.proven:
        search |= {"time_limit": PATIENCE, "heuristic": True}
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
