"""The demands that a profile makes of a file, where it has the columns for them."""

from __future__ import annotations

from collections.abc import Sequence

from schleier.core.schema import Schema
from schleier.draft.profile import Addition, Text, filled
from schleier.draft.rules import Proposed


def demand(addition: Addition, schema: Schema, original: Schema) -> tuple[list[Proposed], Text]:
    """A demand that depends on what columns there are, with what it promises; or what is said where it cannot be."""
    sensitive = schema.having("sensitive")
    columns = {"quasi": schema.quasi, "sensitive": sensitive, "": ()}[addition.columns]
    there = {"always": True, "sensitive": bool(sensitive), "weight": bool(original.having("weight"))}
    if not there[addition.when]:
        return [], addition.absent
    claim, reason = filled(addition.claim, columns=", ".join(columns)), addition.reason
    if any(schema[name].numeric for name in columns):
        claim, reason = _both(claim, addition.numbers), _both(reason, addition.numbers)
    return [Proposed({**addition.entry, **_about(addition, columns)}, reason)], claim


def _both(first: Text, second: Text) -> Text:
    return {lang: f"{text} {second[lang]}".strip() for lang, text in first.items()}


def _about(addition: Addition, columns: Sequence[str]) -> dict[str, list[str]]:
    return {"sensitive" if addition.columns == "sensitive" else "columns": list(columns)} if columns else {}
