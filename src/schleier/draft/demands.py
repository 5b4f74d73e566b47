"""The demands that a profile makes of a file, where it has the columns for them."""

from __future__ import annotations

from collections.abc import Sequence

from schleier.core.data import Dataset
from schleier.core.schema import Schema
from schleier.draft.profile import Addition, Text, filled
from schleier.draft.rules import Proposed

MEANS, NEAR = (1.0, 1e6), 0.02
"""Weights of a survey are often divided so that their mean is one of these, or nearly."""


def demand(addition: Addition, schema: Schema, original: Dataset) -> tuple[list[Proposed], Text]:
    """A demand that depends on what columns there are, with what it promises; or what is said where it cannot be."""
    weights = original.schema.having("weight")
    sensitive = schema.having("sensitive")
    columns = {"quasi": schema.quasi, "sensitive": sensitive, "": ()}[addition.columns]
    there = {"always": True, "sensitive": bool(sensitive), "weight": bool(weights)}
    if not there[addition.when]:
        return [], addition.absent
    if addition.when == "weight" and not stands_for_people(original, weights[0]):
        return [], filled(addition.scaled, columns=weights[0])
    claim, reason = filled(addition.claim, columns=", ".join(columns)), addition.reason
    if any(schema[name].numeric for name in columns):
        claim, reason = _both(claim, addition.numbers), _both(reason, addition.numbers)
    return [Proposed({**addition.entry, **_about(addition, columns)}, reason)], claim


def stands_for_people(data: Dataset, weight: str) -> bool:
    """Whether weights may add up to a population; those that were divided by their mean do not.

    >>> import pyarrow as pa
    >>> from schleier.core.schema import Column
    >>> schema = Schema(columns=[Column(name="w", role="weight", scale="continuous")])
    >>> [stands_for_people(Dataset.from_frame(pa.table({"w": w}), schema), "w") for w in ([0.5, 1.5], [410.0, 590.0])]
    [False, True]
    """
    import pyarrow.compute as pc

    mean = pc.mean(data.engine.arrays(data.frame.select(weight))[weight]).as_py()
    return mean is not None and all(abs(mean - one) > NEAR * one for one in MEANS)


def _both(first: Text, second: Text) -> Text:
    return {lang: f"{text} {second[lang]}".strip() for lang, text in first.items()}


def _about(addition: Addition, columns: Sequence[str]) -> dict[str, list[str]]:
    return {"sensitive" if addition.columns == "sensitive" else "columns": list(columns)} if columns else {}
