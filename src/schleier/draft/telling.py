"""A draft in words, for the terminal and for a notebook: names of columns, counts and reasons, no values."""

from __future__ import annotations

from collections.abc import Iterator

from schleier.draft.advice.rules import rules
from schleier.draft.describe import Draft
from schleier.draft.roles import ColumnGuess
from schleier.draft.writing import read_so, reason, shown_name, unreadable_columns
from schleier.kernels.pseudonyms.shapes import shape_of
from schleier.report.language import Words

COLUMNS = ("name", "role", "scale", "values", "missing", "why")
MOST_RETURNING = 5
"""Columns that come back, of which is told; the others are in the schema."""
LOOKED_AT = 500
"""Values of a column that show whether they are digests."""
FEW, MOSTLY = 30, 0.5
"""Amounts are said to tell records apart where there are so many of them, and so many of these are different."""


def found(draft: Draft, words: Words) -> list[str]:
    """How large the file is, and how it was read."""
    columns = words.plain("draft.columns", n=len(draft.guesses))
    size = words.plain("draft.found", n=draft.records, file=shown_name(draft, words), columns=columns)
    return [size[:1].upper() + size[1:] if not draft.file else size, *read_so(draft, words)]


def columns(draft: Draft, words: Words) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of columns."""
    return [words.plain(f"draft.column.{key}") for key in COLUMNS], [_row(guess, words) for guess in draft.guesses]


def _row(guess: ColumnGuess, words: Words) -> list[str]:
    facts, shown = guess.facts, "key" if guess.is_key else guess.column.role
    return [
        guess.column.name,
        words.plain(f"draft.role.{shown}"),
        words.plain(f"draft.scale.{guess.column.scale}"),
        words.number(facts.distinct),
        words.share(facts.gaps / facts.rows).unescape() if facts.gaps else "",
        reason(guess, words, most=1),
    ]


def look_at(draft: Draft, words: Words) -> Iterator[tuple[str, str]]:
    """What to look at first, each sentence with its mark."""
    if draft.alone is None:
        yield "", words.plain("draft.no_quasi")
    else:
        share = words.share(draft.alone).unescape()
        unit = next(iter(draft.schema.having("unit")), "")
        key = "draft.alone_in_unit" if unit else "draft.alone"
        yield "", words.plain(key, n=len(draft.schema.quasi), share=share, unit=unit)
    if draft.left_out:
        yield "", unreadable_columns(draft, words)
    if gaps := list(_read_as_gaps(draft, words)):
        yield "", words.plain("draft.gaps", n=len(gaps), columns=words.listed(gaps).unescape())
    for sentence in computed(draft, words):
        yield "", sentence
    for one in draft.returning[:MOST_RETURNING]:
        told = {"column": one.column, "sources": ", ".join(one.sources), "share": words.share(one.share).unescape()}
        yield "mind", words.plain("draft.returning", n=len(one.sources), **told)
    special = [guess.column.name for guess in draft.guesses if _is_special(guess)]
    if special and draft.recipe["release"]["protection"] == "normal":
        yield "mind", words.plain("draft.harm", n=len(special), columns=words.listed(special).unescape())
    fine = [guess.column.name for guess in draft.guesses if _is_fine(guess)]
    if fine and draft.recipe["release"]["access"] == "public":
        yield "mind", words.plain("draft.fine", n=len(fine), columns=words.listed(fine).unescape())
    digests = [guess.column.name for guess in draft.guesses if _are_digests(guess)]
    if digests:
        yield "mind", words.plain("draft.digests", n=len(digests), columns=words.listed(digests).unescape())
    texts = [guess.column.name for guess in draft.guesses if any(why.key == "free_text" for why in guess.why)]
    unknown = draft.schema.undecided
    for key, names in (("free_text", texts), ("open", unknown), ("units_left_out", draft.units_left_out)):
        if names:
            yield "", words.plain(f"draft.{key}", n=len(names), columns=words.listed(names).unescape())


def _are_digests(guess: ColumnGuess) -> bool:
    """Whether values look like digests: those of identifiers are undone by trying all that are possible."""
    return guess.facts.kind == "text" and shape_of(guess.facts.texts[:LOOKED_AT]) is not None


def _is_fine(guess: ColumnGuess) -> bool:
    """Whether amounts that are released tell most records apart."""
    released = guess.column.role not in ("identifier", "quasi", "unit", "weight", "undecided") and not guess.is_key
    return released and guess.column.numeric and guess.facts.filled >= FEW and guess.facts.spread > MOSTLY


def _is_special(guess: ColumnGuess) -> bool:
    """Whether a column that may be released tells what the law protects above other facts."""
    meant = guess.meaning is not None and guess.meaning.name in rules().special
    return meant and guess.column.role == "sensitive"


def computed(draft: Draft, words: Words) -> Iterator[str]:
    """Which keys are left out because they say the same as another one, or can be computed from others."""
    for one in draft.redundant:
        key = "same" if len(one.sources) == 1 else "redundant"
        yield words.plain(f"draft.{key}", column=one.column, sources=", ".join(one.sources))


def _read_as_gaps(draft: Draft, words: Words) -> Iterator[str]:
    """Columns some of whose values were taken for "missing", with the share of the records."""
    for guess in draft.guesses:
        for why in guess.why:
            if why.key == "missing" and guess.column.missing:
                yield f"{guess.column.name} ({words.share(why.values['share']).unescape()})"
