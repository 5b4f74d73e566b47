"""Exchange values of equal rank between two random halves of the file (Höhne S03, Carlson and Salabasis)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.promises import Keeps
from schleier.methods._exchange import Exchange, Places, Seen

if TYPE_CHECKING:
    import numpy as np


class HalfSwap(Exchange):
    """Each column is divided into random halves, and values of equal rank are exchanged between them.

    >>> HalfSwap(columns=["income"]).strata
    ()
    """

    reference: ClassVar[str] = "Carlson and Salabasis (2002); Höhne (2010), 2.2.5 (S03)"
    example: ClassVar[dict[str, object]] = {"columns": ["income", "age"]}
    keeps: ClassVar[Keeps] = {**Exchange.keeps, "correlation": "weak"}

    def places(self, seen: Seen, rng: np.random.Generator) -> Places:
        """New halves for every column; of an odd number of values one stays at random."""
        import numpy as np

        from schleier.kernels.change.exchange import halved

        places = {}
        for name, values in seen.items():
            who, place = self.moving(values), np.arange(len(values))
            place[who] = who[halved(values[who], rng)]
            places[name] = place
        return places
