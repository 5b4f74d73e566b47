"""Persons in households, block by block, with columns that hang together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.world.codes import FOREIGN_SHARES, MARITAL, SCHOOLING
from schleier.world.geography import Gazetteer
from schleier.world.stream import Stream, pick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 65_536
SIZES = (0.41, 0.335, 0.12, 0.09, 0.03, 0.015)
"""Share of households with one, two, ... six persons."""


@dataclass(frozen=True)
class Homes:
    """The households of a block, spread over its persons."""

    household: NDArray[np.int64]
    """Number of each person's household, unique in the world."""
    starts: NDArray[np.int64]
    """Where each household begins."""
    index: NDArray[np.int64]
    """Household of each person, counted within the block."""
    position: NDArray[np.int64]
    """0 for the head, 1 for the second person, ..."""
    couple: NDArray[np.bool_]
    """Whether the person's household is led by a couple."""
    place: NDArray[np.int32]
    """Municipality of each person."""
    size: NDArray[np.int64]
    """Persons in the household of each person."""


def homes(stream: Stream, first: int, count: int, places: Gazetteer) -> Homes:
    """Households that hold exactly ``count`` persons; the last one is cut where the block ends."""
    import numpy as np

    sizes = stream.pick("household", SIZES, count).astype(np.int64) + 1
    ends = np.cumsum(sizes)
    number = int(np.searchsorted(ends, count)) + 1
    sizes = sizes[:number].copy()
    sizes[-1] -= int(ends[number - 1]) - count
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    index = np.repeat(np.arange(number), sizes)
    couple = (sizes >= 2) & (stream.uniform("couple", number) < 0.84)
    place = pick(places.shares, stream.uniform("place", number))
    return Homes(
        household=first + starts[index],
        starts=starts,
        index=index,
        position=np.arange(count) - starts[index],
        couple=couple[index],
        place=place[index],
        size=sizes[index],
    )


def ages(stream: Stream, at: Homes) -> NDArray[np.int16]:
    """Heads by the size of their household, partners near them, children a generation below."""
    import numpy as np

    number, count = len(at.starts), len(at.index)
    size = at.size[at.starts]
    young = stream.uniform("age-kind", number) < 0.38
    centre = np.select([size == 1, size == 2, size == 3], [np.where(young, 29, 68), np.where(young, 33, 65), 47], 43)
    spread = np.select([size == 1, size == 2], [np.where(young, 6, 13), np.where(young, 7, 11)], 8)
    head = np.clip(centre + spread * stream.normal("age", number), 18, 99)[at.index]
    partner = np.clip(head - 2 + 4 * stream.normal("age-partner", count), 18, 99)
    child = np.clip(head - 24 - 5 * np.abs(stream.normal("age-child", count)) - 2 * at.position, 0, 45)
    second = np.where(at.couple, partner, child)
    found = np.select([at.position == 0, at.position == 1], [head, second], child)
    whole: NDArray[np.int16] = np.floor(found).astype(np.int16)
    return whole


def sexes(stream: Stream, at: Homes) -> NDArray[np.int32]:
    """Women and men; partners mostly differ."""
    import numpy as np

    own = (stream.uniform("sex", len(at.index)) < 0.494).astype(np.int32)
    head = own[at.starts][at.index]
    alike = stream.uniform("sex-partner", len(at.index)) < 0.02
    return np.where(at.couple & (at.position == 1) & ~alike, 1 - head, own)


def nations(stream: Stream, at: Homes, places: Gazetteer) -> NDArray[np.int32]:
    """Foreign households are more common in large places; most families share one nationality."""
    import numpy as np

    number = len(at.starts)
    rank = np.argsort(np.argsort(-places.shares)) / len(places.shares)
    foreign = stream.uniform("foreign", number) < (0.20 - 0.14 * rank)[at.place[at.starts]]
    home = np.where(foreign, pick(np.asarray(FOREIGN_SHARES), stream.uniform("nation", number)), 0)[at.index]
    mixed = (stream.uniform("nation-mixed", len(at.index)) < 0.12) & (at.position > 0)
    return np.where(mixed, 0, home).astype(np.int32)


def marital(stream: Stream, at: Homes, age: NDArray[np.int16]) -> NDArray[np.int32]:
    """Couples marry with age; the widowed are old and alone."""
    import numpy as np

    u = stream.uniform("marital", len(age))
    single, married, divorced, widowed = range(len(MARITAL))
    in_couple = at.couple & (at.position < 2)
    wed = np.where(u < np.clip((age - 20) / 30, 0.05, 0.86), married, np.where(u > 0.95, divorced, single))
    old = np.where(u < np.clip((age - 55) / 50, 0, 0.75), widowed, np.where(u > 0.75, divorced, single))
    middle = np.where(u < np.clip((age - 28) / 60, 0, 0.4), divorced, single)
    alone = np.where(age >= 60, old, middle)
    child = (~in_couple) & (at.position > 0)
    status = np.where(in_couple, wed, np.where(child, single, alone))
    found: NDArray[np.int32] = np.where(age < 18, single, status).astype(np.int32)
    return found


def schooling(stream: Stream, at: Homes, age: NDArray[np.int16]) -> NDArray[np.int32]:
    """Levels run in families and rose over the generations; children have none yet."""
    import numpy as np

    family = stream.normal("schooling-family", len(at.starts))[at.index]
    talent = 0.6 * family + 0.8 * stream.normal("schooling", len(age)) + (50 - age) * 0.012
    level = np.digitize(talent, (-1.9, -0.55, 0.35, 1.0)).astype(np.int32)
    cap = np.digitize(age, (15, 17, 19, 24))
    reached: NDArray[np.int32] = np.minimum(level, np.minimum(cap, len(SCHOOLING) - 1)).astype(np.int32)
    return reached
