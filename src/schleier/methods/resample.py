"""Draw records from a smoothed picture of the file (Höhne Y01, resampling)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.component import secret
from schleier.core.promises import Keeps
from schleier.methods._simulation import Simulation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Resample(Simulation):
    """Records are drawn from a kernel density of the columns: a random record plus noise shaped like the file.

    >>> Resample(columns=["income", "rent"], size=500).size
    500
    """

    reference: ClassVar[str] = "Fienberg (1997); Silverman (1986), Density estimation; Höhne (2010), 2.2.6 (Y01)"
    example: ClassVar[dict[str, object]] = {"columns": ["income", "age"], "strata": ["sex"]}
    keeps: ClassVar[Keeps] = {"mean": "weak", "variance": "weak", "correlation": "weak"}

    smooth: float | None = secret(None, gt=0, le=2)
    """Standard deviation of a kernel as a share of that of the column; Scott's rule when absent."""
    public: tuple[str, ...] = ()
    """Secret parameters that are published on purpose."""

    def drawn(
        self, values: NDArray[np.float64], size: int, whole: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """From the density of one stratum."""
        from schleier.kernels.change.simulation import bandwidth, from_density

        return from_density(values, size, self.smooth or bandwidth(*values.shape), rng)
