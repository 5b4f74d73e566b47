"""Which experiments may be told apart: only those whose claims differ in ten at least, whatever the axis between them.

Whoever repeats two attacks that differ in one claim learns from a change between them whether that claim was right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schleier.core.amount import LEAST
from schleier.core.trust.coarse import FEW
from schleier.lab.grid.cells import Cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Held:
    """How an experiment is told."""

    place: int
    """As which one: its own place, or that of an earlier one."""
    told: bool = True
    """Whether that one's numbers are its own, too; else nothing of it is told but what follows from its claims."""
    marked: bool = False
    """Whether its claims are others."""


def hold(cells: Sequence[Cell], results: Mapping[str, Any], order: Sequence[str] = ()) -> list[Held]:
    """How each experiment is told, the later ones as earlier ones that hardly differ.

    ``order`` are digests in the order in which they came into the folder: what was told once stays as it is when the
    grid grows. Of few claims nothing is told that depends on who was right, so they are left alone.
    """
    rank = {digest: place for place, digest in enumerate(order)}
    found = [Held(place) for place in range(len(cells))]
    told: dict[str, list[int]] = {}
    sketches = [_sketch(results[cell.digest]) for cell in cells]
    for here in sorted(range(len(cells)), key=lambda place: (rank.get(cells[place].digest, len(rank)), place)):
        result = results[cells[here].digest]
        if result["public"] is None or claims_of(result) < FEW:
            continue
        others = told.setdefault(result["claimed"]["kind"], [])
        far, near = _nearest(here, others, cells, results, sketches)
        if near is None or far >= LEAST:
            others.append(here)
        else:
            alike = _targets(result) == _targets(results[cells[near].digest])
            same = sketches[here] is not None or _series(cells[here]) == _series(cells[near])
            found[here] = Held(near, alike and same, marked=far > 0 or not (alike and same))
    return found


def claims_of(result: Mapping[str, Any]) -> int:
    """How many claims the run made that everybody reads of."""
    return int(result["exact"]["runs"][0].get("claims") or 0)


def _nearest(
    here: int,
    others: Sequence[int],
    cells: Sequence[Cell],
    results: Mapping[str, Any],
    sketches: Sequence[NDArray[np.int64] | None],
) -> tuple[int, int | None]:
    """The nearest of some others, and in how many claims it differs at least."""
    import numpy as np

    from schleier.kernels.statistics.sketches import apart

    if not others:
        return 0, None
    own = sketches[here]
    if own is not None:
        far = apart(own, np.stack([one for other in others if (one := sketches[other]) is not None]))
    else:  # sets of so different sizes differ in so many claims
        sizes = np.array([claims_of(results[cells[other].digest]) for other in others])
        far = np.abs(sizes - claims_of(results[cells[here].digest]))
    best = int(np.argmin(far))
    return int(far[best]), others[best]


def _sketch(result: Mapping[str, Any]) -> NDArray[np.int64] | None:
    import numpy as np

    text = result["claimed"]["sketch"]
    return None if text is None else np.frombuffer(bytes.fromhex(text), dtype="<u4").astype(np.int64)


def _targets(result: Mapping[str, Any]) -> Any:
    return result["exact"]["runs"][0].get("targets")


def _series(cell: Cell) -> tuple[Any, ...]:
    """All but the threshold: whoever asks for more probability gives claims up, and makes no others."""
    return (cell.release, cell.technique, cell.keys, cell.knowledge, cell.method)
