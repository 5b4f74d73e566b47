"""A loss of whole classes as the arrays a walk through the lattice needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.core.classes.table import Classes
from schleier.core.loss import Loss
from schleier.search._tables import Key

if TYPE_CHECKING:
    from schleier.kernels.search.shapes import Shape


def shape_of(loss: Loss, classes: Classes, keys: Sequence[Key], order: Sequence[int], *, exact: bool) -> Shape | None:
    """The loss for keys in the order of a walk; nothing where it is of another kind, or labels do not tell it.

    ``exact`` says whether the walk knows all that will be dropped.
    """
    import numpy as np

    from schleier.kernels.search import shapes

    told = loss.by_classes(classes) if len(classes) and (classes.sizes > 0).all() else None
    if told is None:
        return None
    kind = {
        "squares": shapes.SQUARES,
        "number": shapes.NUMBER,
        "product": shapes.PRODUCT,
        "divergence": shapes.DIVERGENCE,
    }[told.kind]
    high, wide = max(key.top for key in keys) + 1, max(len(step) for key in keys for step in key.maps)
    parts, base = np.zeros((len(keys), high, wide)), np.zeros((len(keys), high))
    domain, shares = 0.0, classes.sizes / classes.records
    for place, j in enumerate(order):
        total = told.totals.get(j, 1)
        held = np.bincount(classes.codes[:, j] + 1, weights=shares, minlength=len(keys[j].codes[0]))
        domain += math.log(total)
        for level, codes in enumerate(keys[j].codes):
            below = told.behind[j][level] if j in told.behind else np.ones(len(codes))
            label = np.ones(int(codes.max()) + 1)
            label[codes] = below
            if (label[codes] != below).any():
                return None
            parts[place, level, : len(label)] = label / total if kind == shapes.PRODUCT else np.log(label)
            base[place, level] = float((np.log(below) * held).sum())
    own = float((shares * np.log(shares)).sum())
    return shapes.Shape(kind, parts, base, domain, own, exact)
