"""Places: lands, districts and municipalities with sizes as skewed as real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.world.codes import LANDS
from schleier.world.stream import Stream

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

PERSONS_PER_PLACE = 7_700
FEWEST, MOST = 120, 10_700
FIRST = (
    "Alt",
    "Neu",
    "Ober",
    "Unter",
    "Groß",
    "Klein",
    "Wald",
    "Berg",
    "Stein",
    "Bach",
    "Linden",
    "Eichen",
    "Rot",
    "Schön",
)
SECOND = ("", "au", "er", "en", "el", "in")
LAST = (
    "dorf",
    "hausen",
    "heim",
    "feld",
    "burg",
    "stadt",
    "kirchen",
    "ow",
    "stedt",
    "leben",
    "bach",
    "tal",
    "see",
    "rode",
)


@dataclass(frozen=True)
class Gazetteer:
    """All municipalities: code (land, district, municipality), name, share of the population."""

    codes: tuple[str, ...]
    names: tuple[str, ...]
    shares: NDArray[np.float64]

    def table(self, persons: int) -> pa.Table:
        """The gazetteer as a table, with the inhabitants of a world of that size."""
        import numpy as np
        import pyarrow as pa

        return pa.table(
            {
                "municipality": list(self.codes),
                "name": list(self.names),
                "district": [code[:5] for code in self.codes],
                "land": [code[:2] for code in self.codes],
                "inhabitants": np.rint(self.shares * persons).astype(np.int64),
            }
        )


def gazetteer(persons: int, key: bytes) -> Gazetteer:
    """The places of a world: about as many persons per municipality as in Germany, never fewer than 120 places."""
    import numpy as np

    wanted = int(np.clip(persons / PERSONS_PER_PLACE, FEWEST, MOST))
    total = sum(millions for _, millions, _ in LANDS.values())
    codes: list[str] = []
    shares: list[NDArray[np.float64]] = []
    for i, (land, (_, millions, most)) in enumerate(LANDS.items()):
        places = 1 if land in ("02", "11") else max(2, round(wanted * millions / total))
        districts = min(most, places)
        # Zipf-Mandelbrot: a few cities, very many villages
        sizes = 1.0 / (np.arange(1, places + 1) + 2.0) ** 1.05
        sizes *= np.exp(0.35 * Stream(key, i).normal("places", places))
        order = np.sort(sizes)[::-1]
        shares.append(order / order.sum() * millions / total)
        # the largest places become district seats, the others fill up the districts
        codes.extend(f"{land}{100 + n % districts:03d}{n // districts:03d}" for n in range(places))
    names = tuple(_name(n) for n in range(len(codes)))
    return Gazetteer(tuple(codes), names, np.concatenate(shares))


def _name(n: int) -> str:
    """An invented name; every number has its own."""
    name = FIRST[n % len(FIRST)] + SECOND[n // 14 % len(SECOND)] + LAST[n // 84 % len(LAST)]
    again = n // (len(FIRST) * len(SECOND) * len(LAST))
    return name if again == 0 else f"{name} {'IVX'[again - 1] if again < 4 else again}"
