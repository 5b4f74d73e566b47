"""Which combinations of columns single people out."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.measure import Case, Finding, Section
from schleier.risk._keys import KeysMeasure
from schleier.risk._weights import cautions, weight_of, weighted_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.run import Run

LOOKED_AT = 5_000
"""There are always fewer combinations than this."""
WORK = 2_000_000_000
"""Combinations times classes, at most: beyond it an answer would take minutes."""
SHOWN = 10
"""Combinations named in a list."""

Alone = dict[tuple[str, ...], int]
"""Records that are alone in a combination of columns."""


class Combinations(KeysMeasure):
    """Share of records that a few columns are enough to single out, and which columns these are.

    >>> Combinations(most=2).most
    2
    """

    section: ClassVar[Section] = "combinations"
    reference: ClassVar[str] = "Elliot, Manning, Ford (2002), A computational algorithm for handling special uniques"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age", "region"], "most": 2}
    inspected: ClassVar[int] = 2

    most: int = Field(default=3, ge=1)
    """Largest combination to look at. Smaller when there would be too many: the finding says so."""
    limit: float = Field(default=0.05, ge=0, lt=1)
    """A combination that singles out a larger share of the records is named as one that is enough."""
    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out (exclude)."""

    def measure(self, case: Case, run: Run) -> Finding:
        """Count who is alone in each combination."""
        from schleier.kernels.classes.combinations import count_subsets, largest

        weight, unweighted = weight_of(case.released)
        classes = case.released.classes(self.request(case.released.schema, weight=weight))
        most = largest(len(classes.keys), len(classes), self.most, LOOKED_AT, WORK)
        found, fewest = _counted(classes, most)
        enough = [int((fewest <= size).sum()) for size in range(1, most + 1)]
        records, unique = classes.records, int((classes.sizes == 1).sum())

        def told(chosen: Alone) -> list[dict[str, Any]]:
            return [{"columns": list(c), "unique": n, "share": _share(n, records)} for c, n in chosen.items()]

        worst = [_first({c: n for c, n in found.items() if len(c) == size}) for size in range(1, most + 1)]
        smallest = _smallest(found, self.limit * records)
        first, cut = list(next(iter(worst[-1]), ())), most < min(self.most, len(classes.keys))
        value = _share(enough[-1], records)
        detail = {
            "keys": list(classes.keys),
            "records": records,
            "unique": unique,
            "share": _share(unique, records),
            "special": _special(enough, len(classes.keys)),
            "most": most,
            "cut": cut,
            "looked_at": count_subsets(len(classes.keys), most),
            "enough": [{"columns": i, "records": n, "share": _share(n, records)} for i, n in enumerate(enough, 1)],
            "worst": [told(one) for one in worst],
            "limit": self.limit,
            "smallest": told(_first(smallest)),
            "smallest_found": len(smallest),
            "columns": _contributions(classes, unique),
            "first": first,
            **cautions({"columns": bool(first), "cut": cut, "weights": unweighted}),
        }
        if (share := weighted_share(classes, fewest <= most)) is not None:
            detail["weighted_share"] = share
        text = _sentence(classes, most, enough[-1], worst[-1])
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)


def _counted(classes: Classes, most: int) -> tuple[Alone, NDArray[np.int64]]:
    """How many are alone in each combination, and for each class the fewest columns in which its record is."""
    from schleier.kernels.classes.combinations import lone_records

    found, fewest = lone_records(classes.codes, classes.sizes, most)
    return {tuple(classes.keys[j] for j in places): alone for places, alone in found.items()}, fewest


def _special(enough: list[int], keys: int) -> int:
    """Special uniques: unique records that are alone without some of the keys already.

    >>> _special([1, 4, 5], 3), _special([1, 4], 5), _special([7], 1)
    (4, 4, 0)
    """
    return enough[min(len(enough), keys - 1) - 1] if keys > 1 else 0


def _first(found: Alone) -> Alone:
    """Those that single out most, ties in the order of their names."""
    order = sorted(found, key=lambda columns: (-found[columns], columns))
    return {columns: found[columns] for columns in order[:SHOWN]}


def _smallest(found: Alone, limit: float) -> Alone:
    """Combinations above the limit that would not be without any one of their columns: fewer never single out more."""

    def enough(columns: tuple[str, ...]) -> bool:
        return found.get(columns, 0) > limit

    return {c: n for c, n in found.items() if enough(c) and not any(map(enough, combinations(c, len(c) - 1)))}


def _contributions(classes: Classes, unique: int) -> dict[str, dict[str, float]]:
    """What each column adds: unique records that would be unique no longer without it."""
    return {
        key: {"unique": unique - n, "share": _share(unique - n, classes.records)}
        for key, n in zip(classes.keys, classes.information.alone, strict=True)
    }


def _sentence(classes: Classes, most: int, enough: int, worst: Alone) -> str:
    count = "one known column" if most == 1 else f"at most {most} known columns"
    share = _share(enough, classes.records)
    text = (
        f"{enough} of {classes.records} records ({share:.2%}) are alone already in {count} out of {len(classes.keys)}"
    )
    if not worst:
        return f"{text}."
    columns, alone = next(iter(worst.items()))
    verb = "singles" if len(columns) == 1 else "together single"
    return f"{text}; {', '.join(columns)} {verb} out {alone}."


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
