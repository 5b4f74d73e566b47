"""Draw records with the distributions and rank correlations of the file (Höhne Y02, Latin hypercube sampling)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.promises import Keeps
from schleier.methods._simulation import Simulation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LatinHypercube(Simulation):
    """Each column is drawn evenly over its distribution, then ordered so that rank correlations come out.

    >>> LatinHypercube(columns=["income", "rent"]).refine
    True
    """

    reference: ClassVar[str] = (
        "Dandekar, Cohen and Kirkendall (2002); Iman and Conover (1982); Höhne (2010), 2.2.6 (Y02)"
    )
    example: ClassVar[dict[str, object]] = {"columns": ["income", "age", "children"]}
    keeps: ClassVar[Keeps] = {"mean": "weak", "variance": "weak", "rank correlation": "weak"}

    refine: bool = True
    """Whether pairs are exchanged afterwards until the rank correlations fit better."""

    def drawn(
        self, values: NDArray[np.float64], size: int, whole: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """From the distributions of one stratum."""
        from schleier.kernels.change.simulation import hypercube

        return hypercube(values, size, whole, self.refine, rng)
