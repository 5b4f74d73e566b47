"""Weights that tell what a release hides: those of a sample follow from the group a record was drawn in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from schleier.core.caution import Caution
from schleier.core.schema import Schema
from schleier.core.traces import Lots
from schleier.flow.correct import touched
from schleier.flow.returning import HIDDEN

if TYPE_CHECKING:
    from schleier.flow.recipe.stages import Stage

CODE = "weights_tell"


def telling_weights(stages: Sequence[Stage], released: Schema) -> Iterator[Caution]:
    """Weights that are released, of samples drawn by columns that are left out or changed afterwards.

    Where each group has a fraction of its own, a weight is one over it, and even with one fraction for all it is met
    only as closely as whole numbers allow. Later steps may make weights coarser, but that does not prove anything: who
    knows which groups share a weight still knows that a record is in none of the others.

    >>> from schleier.core.registry import get
    >>> from schleier.core.schema import Column
    >>> from schleier.flow.recipe.stages import stages
    >>> schema = Schema(columns=[Column(name=name, role="sensitive", scale="nominal") for name in ("illness", "job")])
    >>> steps = get("method", "sample")(fraction=0.1, strata=["illness"]), get("method", "drop")(columns=["illness"])
    >>> walked = list(stages(schema, steps))
    >>> [(one.columns, one.sources) for one in telling_weights(walked, walked[-1].after)]
    [(('illness',), ('weight',))]
    """
    for place, stage in enumerate(stages):
        trail = stage.step.trail("sample", stage.before) if stage.sound else None
        if not isinstance(trail, Lots):
            continue
        later = {name for one in stages[place + 1 :] for name in touched(one.step, one.before, one.after)}
        strata = [name for name in trail.strata if name in stage.before and stage.before[name].role in HIDDEN]
        hidden = [name for name in strata if name not in released or name in later]
        made = [name for name in touched(stage.step, stage.before, stage.after) if name in stage.after]
        weights = [name for name in made if name in released and released[name].role == "weight"]
        if hidden and weights:
            command = f"schleier methods {stage.step.word()}"
            yield Caution(code=CODE, where=stage.label, columns=tuple(hidden), sources=tuple(weights), command=command)
