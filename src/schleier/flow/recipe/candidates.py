"""Of how many values a pseudonym stands for one: where these are few, nothing but the key protects it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.core.pseudonym import Pseudonym
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.flow.recipe.stages import Stage

MOST = 10**12
"""Up to so many are few: a machine with some cores tries them in a day."""


def few_candidates(stages: Sequence[Stage], released: Schema) -> dict[str, int]:
    """For each released column of pseudonyms about how many values there are to try, where they are few.

    >>> from schleier.core.registry import get
    >>> from schleier.core.schema import Column
    >>> from schleier.flow.recipe.stages import stages
    >>> schema = Schema(columns=[Column(name="address", role="identifier", scale="nominal")])
    >>> step = get("method", "keep_prefix")(column="address", key="env:KEY", domain="net")
    >>> walked = list(stages(schema, [step]))
    >>> few_candidates(walked, walked[-1].after)
    {'address': 4294967296}
    """
    found = {}
    for stage in stages:
        if stage.sound and isinstance(stage.step, Pseudonym) and stage.step.column in released:
            many = stage.step.candidates(stage.before)
            if many is not None and many <= MOST:
                found[stage.step.column] = many
    return found
