"""Exchange values at random within groups (Höhne S01, simple data swapping)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from schleier.core.component import secret
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.methods._exchange import Exchange, Places, Seen

if TYPE_CHECKING:
    import numpy as np


class Swap(Exchange):
    """The values of each column change places at random among the records of a stratum.

    >>> Swap(columns=["income"], strata=["region"]).together
    False
    """

    reference: ClassVar[str] = "Dalenius and Reiss (1982); Höhne (2010), 2.2.5 Einfaches Data-Swapping (S01)"
    example: ClassVar[dict[str, object]] = {"columns": ["income", "disease"], "strata": ["sex"]}
    ways: ClassVar[tuple[str, ...]] = ("within",)
    cure: ClassVar[str] = "raise share, so that at least two values of a stratum change places, or use coarser strata"

    share: float = secret(1.0, gt=0, le=1)
    """Share of the records of a stratum whose values change places."""
    together: bool = False
    """Whether all columns move as one, which keeps what they have to do with each other."""

    def moved(self, schema: Schema) -> tuple[str, ...]:
        """All columns, whatever they hold, unless categories split the rows."""
        return self.metric(schema) if self.categories == "within" else self.columns

    def coded(self, schema: Schema) -> tuple[str, ...]:
        """None: nothing is computed with categories."""
        return ()

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Anything can change places, not only numbers."""
        yield from (problem for problem in super().problems(schema) if problem.code != "not-numeric")

    def places(self, seen: Seen, rng: np.random.Generator) -> Places:
        """A random order of those who have a value; of those who have all values when columns move as one."""
        import numpy as np

        from schleier.kernels.change.exchange import permuted

        everyone = np.arange(len(next(iter(seen.values()))))
        moving = {name: self.moving(values) for name, values in seen.items()}
        if self.together:
            common = everyone
            for who in moving.values():
                common = np.intersect1d(common, who)
            place = everyone.copy()
            place[common] = common[permuted(len(common), self.share, rng)]
            return dict.fromkeys(moving, place)
        places = {}
        for name, who in moving.items():
            place = everyone.copy()
            place[who] = who[permuted(len(who), self.share, rng)]
            places[name] = place
        return places
