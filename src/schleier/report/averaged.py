"""Steps that average values in groups, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from markupsafe import Markup

from schleier.report.language import Words, name

COUNTS = {
    "in_enlarged_groups": "enlarged",
    "became_the_mean": "mean",
    "of_both_signs": "signs",
    "with_another_sign": "turned",
}
"""Facts with a number for each column, and their sentences."""


def averaged(method: str) -> Callable[[dict[str, Any], Words], Iterator[Markup]]:
    """Tells a step; takes out what it tells."""

    def tell(given: dict[str, Any], words: Words) -> Iterator[Markup]:
        columns, k = given.pop("columns"), given.pop("k", 0)
        yield words(f"step.averaged.{method}", n=len(columns), columns=words.names(columns), k=k)
        if (grouping := given.pop("grouping", None)) is not None:
            yield words("step.averaged.grouping", grouping=words.value(grouping))
        if (first := given.pop("first", None)) is not None:
            rest = words.value({key: value for key, value in first.items() if key != "method"})
            yield words("step.averaged.first", method=words.word("method", first["method"]), parameters=rest)
        if (block := given.pop("block", None)) is not None:
            yield words("step.averaged.block", n=block)
            given.pop("caution", None)
        if strata := given.pop("strata", None):
            yield words("step.averaged.strata", columns=words.names(strata))
            yield words("step.averaged.pooled", n=given.pop("strata_pooled", 0))
        if blanked := given.pop("records_blanked", None):
            yield words("step.averaged.blanked", n=sum(blanked) if isinstance(blanked, list) else blanked)
        for fact, key in COUNTS.items():
            if counts := given.pop(fact, None):
                parts = [Markup("{} {}").format(name(column), words.number(n)) for column, n in counts.items()]
                yield words(f"step.averaged.{key}", counts=words.listed(parts, most=40))
        if given.get("zeros") == "keep":
            given.pop("zeros")
            yield words("step.averaged.zeros")

    return tell
