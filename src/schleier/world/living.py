"""Work, money, health and what people write: the columns worth protecting."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from schleier.world.codes import AREAS, DEMAND, SECTIONS, WHERE, industries
from schleier.world.geography import Gazetteer
from schleier.world.people import Homes
from schleier.world.stream import Stream, pick, pick_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOT_WORKING = -1
PER_AREA = 60
"""Occupations in each area: 15 groups at 4 levels of demand."""
LEVELS = ((70, 28, 2, 0), (35, 60, 4, 1), (14, 72, 12, 2), (8, 52, 28, 12), (3, 15, 30, 52))
"""Share of the demands of the work at each level of schooling."""
REMARKS = (
    "Interview was cut short.",
    "Respondent is the mayor of {place}.",
    "Lives on a houseboat near {place}.",
    "Has won the lottery and does not want to talk about it.",
    "Cares for a sick parent.",
    "Runs the only pharmacy in {place}.",
    "Would like to know the results.",
    "Does not trust the survey.",
)


def occupation(
    stream: Stream, age: NDArray[np.int16], sex: NDArray[np.int32], school: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Occupation of those who work: area by schooling and sex, then group and demand."""
    import numpy as np

    count = len(age)
    rate = np.select([age < 16, age < 20, age < 63, age < 67], [0.0, 0.35, 0.80, 0.45], 0.04)
    works = stream.uniform("works", count) < rate
    area = pick_rows(_area_shares(), school * 2 + sex, stream.uniform("area", count))
    zipf = 1.0 / np.arange(1, PER_AREA // 4 + 1) ** 1.1
    group = pick(zipf, stream.uniform("occupation", count))
    level = pick_rows(np.array(LEVELS), school, stream.uniform("demand", count))
    return np.where(works, area * PER_AREA + group * 4 + level, NOT_WORKING).astype(np.int32)


def industry(stream: Stream, work: NDArray[np.int32]) -> NDArray[np.int32]:
    """Industry of those who work, by occupational area."""
    import numpy as np

    firsts, widths = _sections()
    section = pick_rows(np.array(WHERE), np.maximum(work, 0) // PER_AREA, stream.uniform("section", len(work)))
    skewed = stream.uniform("industry", len(work)) ** 1.8
    code = firsts[section] + (skewed * widths[section]).astype(np.int32)
    return np.where(work >= 0, code, NOT_WORKING).astype(np.int32)


def income(
    stream: Stream, age: NDArray[np.int16], sex: NDArray[np.int32], school: NDArray[np.int32], work: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Monthly net income: log-normal around schooling, demand, age and sex, with a heavy tail; children have none."""
    import numpy as np

    level = np.where(work >= 0, work % 4, 0)
    peak = -0.00045 * (np.clip(age, 18, 70) - 50.0) ** 2
    wage = 7.35 + 0.09 * school + 0.16 * level + peak + 0.12 * sex
    pension = 7.15 + 0.10 * school + 0.15 * sex
    log = np.where(work >= 0, wage, np.where(age >= 63, pension, 6.4))
    noise = stream.normal("income", len(age))
    tail = np.where(stream.uniform("income-tail", len(age)) < 0.012, 0.9 * np.abs(noise) + 0.5, 0.0)
    euros = np.exp(log + 0.33 * noise + tail)
    heaped = stream.uniform("income-heap", len(age)) < 0.35  # a third of the people round to the next fifty
    rounded = np.where(heaped, np.rint(euros / 50) * 50, np.rint(euros))
    return np.where(age < 16, 0, rounded).astype(np.int32)


def rent(stream: Stream, at: Homes, money: NDArray[np.int32], places: Gazetteer) -> NDArray[np.float64]:
    """Monthly rent of the household: by its income and size and the size of the place; owners pay none (NaN)."""
    import numpy as np

    number = len(at.starts)
    total = np.add.reduceat(money.astype(np.float64), at.starts)
    crowd = np.log1p(places.shares * 83_000_000)[at.place[at.starts]]
    log = 4.0 + 0.18 * np.log1p(total) + 0.09 * crowd + 0.16 * np.log(at.size[at.starts])
    euros = np.rint(np.exp(log + 0.22 * stream.normal("rent", number)))
    owns = stream.uniform("owner", number) < np.clip(0.95 - 0.05 * crowd + total / 30_000, 0.05, 0.85)
    return np.where(owns, np.nan, euros)[at.index]


def disease(stream: Stream, age: NDArray[np.int16]) -> NDArray[np.int32]:
    """Common ones come with age, the rare one hardly ever (about one in 8,000)."""
    import numpy as np

    old = np.clip(age / 90.0, 0, 1)
    shares = np.stack(
        [0 * old + 0.83, 0.5 * old**2, 0.12 * old**2, 0.05 + 0 * old, 0.06 * old, 0.06 * old**3, 0.000125 + 0 * old]
    )
    limits = np.cumsum(shares, axis=0) / shares.sum(axis=0)
    u = stream.generator("disease").random(len(age))
    found: NDArray[np.int32] = (u >= limits[:-1]).sum(axis=0).astype(np.int32)
    return found


def remark(stream: Stream, at: Homes, places: Gazetteer) -> list[Any]:
    """A sentence for one person in twenty, none for the others; some sentences give a person away."""
    import numpy as np

    count = len(at.index)
    chosen = np.flatnonzero(stream.uniform("remark", count) < 0.05)
    which = stream.pick("remark-text", (30, 0.05, 0.2, 0.05, 20, 0.2, 30, 20), len(chosen))
    words: list[Any] = [None] * count
    for row, kind in zip(chosen.tolist(), which.tolist(), strict=True):
        words[row] = REMARKS[kind].format(place=places.names[at.place[row]])
    return words


@cache
def _area_shares() -> NDArray[np.float64]:
    """Share of the occupational areas for each schooling and sex."""
    import numpy as np

    size = np.array([share for _, share, _ in AREAS.values()])
    women = np.array([women for _, _, women in AREAS.values()])
    demand = np.array(DEMAND)
    rows = [size * demand[:, level] * (women if sex == 0 else 1 - women) for level in range(5) for sex in (0, 1)]
    return np.array(rows)


@cache
def _sections() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where each section of industry begins in the list of codes, and how many codes it has."""
    import numpy as np

    letters = [code[0] for code in industries()]
    widths = np.array([letters.count(section) for section in SECTIONS], dtype=np.int32)
    return np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int32), widths
