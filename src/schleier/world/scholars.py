"""Scholars: a rare part of the population of which a handbook lists nearly everybody who is of some rank.

Müller, Blien, Knoche, Wirth et al. (1991), 8.2.1: ten variables, four of them coded in two ways where one plain text
may mean two things (Übersicht 8.2, shares without a second code from the appendix to 9.2.2.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.world import codes
from schleier.world.stream import Stream, pick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.world.areas import Land
    from schleier.world.people import Homes

    Codes = NDArray[np.int32]

ACTIVITIES = (
    *("teaching", "research", "treating", "advising", "leading", "writing", "planning"),
    *("selling", "making", "repairing", "carrying", "guarding", "serving", "growing", "office work"),
)
STATUSES = (
    *("civil servant", "employee", "self-employed", "self-employed with staff", "worker", "family worker"),
    *("apprentice", "commercial apprentice", "soldier", "conscript", "community service"),
)
FIELDS = tuple(f"{group:02d}{field}" for group in range(1, 14) for field in range(1, 8))
"""Fields of the last degree: 13 groups of 7, the first group is medicine."""
OCCUPATIONS = tuple(dict.fromkeys(code[:3] for code in codes.occupations()))
INDUSTRIES = tuple(dict.fromkeys(code[:3] for code in codes.industries()))
"""Groups of four codes each: what official files tell of work."""
OF_SCHOLARS = 71
"""Fields that scholars have."""
UNIVERSITY, TEACHER = "P85", "834"
BESIDE = ("Q86", "811"), ("M72", "414"), ("M71", "224"), ("M69", "734"), ("J62", "434"), ("O84", "724")
"""Second codes of industry and occupation that are frequent: hospital and physician, research, ..."""
NO_SECOND = {"industry": 0.735, "occupation": 0.7365, "activity": 0.0, "field": 0.6333}
"""Share of the handbook without a second code."""
STRADDLES = 0.725
"""Share of scholars whose work can be told in two ways at all: so 42 % have one code in all three other columns."""
PER_PERSON = 0.0192
"""How often a man of 30 to 65 with a degree is a scholar, on average over all places."""


@dataclass(frozen=True)
class Works:
    """What the ten columns are made of, and the second codes; -1 where there is none."""

    industry: Codes
    occupation: Codes
    status: Codes
    activity: Codes
    field: Codes
    seconds: dict[str, Codes]


def chosen(
    stream: Stream, at: Homes, where: Land, age: NDArray[np.int16], sex: Codes, school: Codes
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Who is a scholar, and who of them has a rank with which a handbook lists him."""
    import numpy as np

    count = len(age)
    active = np.select([age < 25, age < 30, age <= 65, age <= 86], [0.0, 0.7, 1.0, 0.12], 0.0)
    rate = PER_PERSON * active * (school == 4) * np.where(sex == 0, 0.25, 1.0) * where.teaching[at.place]
    scholar = stream.uniform("scholar", count) < rate
    rank = stream.uniform("rank", count) < np.clip((age - 36) / 12, 0.0, 0.85)
    return scholar, scholar & rank


def works(
    stream: Stream, rows: NDArray[np.int64], scholar: NDArray[np.bool_], school: Codes, job: Codes, trade: Codes
) -> Works:
    """The work of some persons of a block; ``job`` and ``trade`` are occupation and industry of all others in it."""
    import numpy as np

    count, mine = len(scholar), scholar[rows]

    def drawn(column: str) -> NDArray[np.float32]:
        return stream.uniform(column, count)[rows]

    jobs, trades = OCCUPATIONS, INDUSTRIES
    teacher, university = jobs.index(TEACHER), trades.index(UNIVERSITY)
    area, working, job, trade = job[rows] // 60, job[rows] >= 0, job[rows] // 4, trade[rows] // 4
    job = np.where(job == teacher, teacher - 1, job)  # the code is that of scholars alone
    usual = np.array([13, 8, 9, 6, 10, 7, 14, 2, 5, 11])  # the activity most have in each occupational area
    activity = np.where(drawn("activity") < 0.6, usual[area], pick(np.ones(len(ACTIVITIES)), drawn("activity-other")))
    status = pick(np.array([9, 46, 5, 4, 28, 1, 3, 2, 1, 0.5, 0.5]), drawn("status"))
    fields = pick(1.0 / (np.arange(len(FIELDS)) + 6.0), drawn("field"))
    field = np.where(school[rows] == 4, fields, -1)
    job, trade = np.where(mine, teacher, job), np.where(mine, university, trade)
    odd = mine & (drawn("odd") < 0.01)  # one in a hundred is coded elsewhere
    pairs = np.array([[trades.index(a), jobs.index(b)] for a, b in BESIDE])
    elsewhere = (drawn("odd-code") * 14).astype(np.int64)
    trade = np.where(odd, (university + 1 + 3 * elsewhere) % len(trades), trade)
    job = np.where(odd, (teacher + 7 + 5 * (drawn("odd-job") * 25).astype(np.int64)) % len(jobs), job)
    activity = np.where(mine, pick(np.array([88, 4, 4, 2, 2.0]), drawn("teaching")), np.where(working, activity, -1))
    status = np.where(mine, pick(np.array([78, 20, 1, 1.0]), drawn("rank-status")), np.where(working, status, -1))
    field = np.where(mine, pick(1.0 / (np.arange(OF_SCHOLARS) + 2.0), drawn("field-scholar")), field)
    straddles = mine & (drawn("straddles") < STRADDLES)

    def has(column: str) -> NDArray[np.bool_]:
        return straddles & (drawn(f"{column}-second") < (1 - NO_SECOND[column]) / STRADDLES)

    # Physicians are both; others by their field, and some in any other way.
    way = np.where(field < 7, 0, np.where(drawn("way") < 0.7, 1 + field % 5, -1))
    other_trade = (university + 1 + (drawn("way-industry") * 39).astype(np.int64)) % len(trades)
    other_job = (teacher + 1 + 3 * (drawn("way-occupation") * 42).astype(np.int64)) % len(jobs)
    near = field + np.where(drawn("field-up") < 0.5, -1, 1) * (1 + (drawn("field-by") * 3).astype(np.int64))
    active = pick(np.array([0, 80, 6, 4, 4, 3, 2.0, 1]), drawn("research"))
    active = np.where(active == activity, (active + 1) % 7, active)
    seconds = {
        "industry": np.where(has("industry"), np.where(way >= 0, pairs[way, 0], other_trade), -1),
        "occupation": np.where(has("occupation"), np.where(way >= 0, pairs[way, 1], other_job), -1),
        "activity": np.where(mine, active, -1),
        "field": np.where(has("field"), near % OF_SCHOLARS, -1),
    }
    found = {name: part.astype(np.int32) for name, part in seconds.items()}
    made = {"industry": trade, "occupation": job, "status": status, "activity": activity, "field": field}
    return Works(**{name: np.asarray(part, dtype=np.int32) for name, part in made.items()}, seconds=found)
