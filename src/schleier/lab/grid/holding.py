"""Which experiments of a grid may be told apart (``core.trust.holding``), in the order in which they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schleier.core.trust.coarse import FEW
from schleier.core.trust.holding import Claimed, Held
from schleier.core.trust.holding import hold as held
from schleier.lab.grid.cells import Cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def hold(cells: Sequence[Cell], results: Mapping[str, Any], order: Sequence[str] = ()) -> list[Held]:
    """How each experiment is told, the later ones as earlier ones that hardly differ.

    ``order`` are digests in the order in which they came into the folder: what was told once stays as it is when the
    grid grows. Of few claims nothing is told that depends on who was right, so they are left alone.
    """
    rank = {digest: place for place, digest in enumerate(order)}
    places = sorted(range(len(cells)), key=lambda place: (rank.get(cells[place].digest, len(rank)), place))
    return held([_claimed(results[cell.digest]) for cell in cells], places)


def claims_of(result: Mapping[str, Any]) -> int:
    """How many claims the run made that everybody reads of; where they were not heard, as many as can be.

    Such a number may itself be one of right claims.
    """
    first = result["exact"]["runs"][0]
    return int(first.get("targets" if result["claimed"]["sketch"] is None else "claims") or 0)


def _claimed(result: Mapping[str, Any]) -> Claimed | None:
    heard, sketch = result["claimed"], _sketch(result, "sketch")
    if result["public"] is None or (sketch is not None and claims_of(result) < FEW):
        return None
    first = result["exact"]["runs"][0]
    judged = None if sketch is None else (first.get("targets"), first.get("within"))
    return Claimed(heard["kind"], sketch, judged, _sketch(result, "guesses"))


def _sketch(result: Mapping[str, Any], of: str) -> NDArray[np.int64] | None:
    import numpy as np

    text = result["claimed"].get(of)
    return None if text is None else np.frombuffer(bytes.fromhex(text), dtype="<u4").astype(np.int64)
