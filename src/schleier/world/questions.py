"""What a social survey and an official one both ask: the person, the household, the partner and the children.

Müller, Blien, Knoche, Wirth et al. (1991), Übersicht 8.3: 13 variables of the person, 8 of the household, 5 of the
partner, 15 of up to five children, and the main source of income. The shares of the answers are ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schleier.world.stream import Stream, pick, pick_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.world.people import Homes

    Codes = NDArray[np.int32]

YEAR = 1987
CHILDREN = 5
WORDS: dict[str, tuple[str, ...]] = {
    "sex": ("female", "male"),
    "marital": ("single", "married", "divorced", "widowed"),
    "schooling": ("in school", "none", "basic", "middle", "technical", "upper"),
    "vocational": ("in training", "none", "apprenticeship", "internship", "master", "college", "university"),
    "status": (
        *("worker", "employee", "civil servant", "self-employed", "self-employed with staff", "family worker"),
        *("apprentice", "commercial apprentice", "soldier", "conscript", "community service"),
    ),
    "employed": ("yes", "in part", "no"),
    "unemployed": ("no", "registered", "not registered"),
    "hours": ("1-14", "15-20", "21-34", "35-39", "40", "41-50", "51+"),
    "searching": ("no", "yes", "soon"),
    "contract": ("permanent", "fixed term", "training", "other"),
    "ended": ("never", "this year", "1-2", "3-5", "6-10", "11-15", "16-20", "21+"),
    "income": ("-300", "-600", "-1000", "-1400", "-1800", "-2200", "-3000", "-4000", "4000+"),
    "livelihood": ("work", "benefit", "pension", "family", "wealth", "welfare", "other"),
    "education": ("none", "kindergarten", "school", "training"),
}
INCOMES = (300, 600, 1000, 1400, 1800, 2200, 3000, 4000)
HOUSEHOLD_INCOMES = (800, 1400, 2000, 2600, 3200, 4000, 5000, 7000)
BANDS = ((0, 2), (3, 5), (6, 9), (10, 14), (15, 17), (18, 27), (28, 99))
"""Ages in which children are counted."""
MOST_OF_BAND = (2, 2, 2, 2, 2, 4, 1)
PERSON = "sex birth_year marital schooling vocational status employed unemployed hours searching contract ended income"
COUNTED = "children_0_2 children_3_5 children_6_9 children_10_14 children_15_17 children_18_27 children_28"
PARTNER = "status hours employed unemployed searching"
PERSON_KEYS = tuple(PERSON.split())
HOUSEHOLD_KEYS = (*COUNTED.split(), "household_income")
PARTNER_KEYS = tuple(f"partner_{name}" for name in PARTNER.split())
CHILD_KEYS = tuple(f"child_{which}_{n}" for which in ("birth_year", "sex", "education") for n in range(1, CHILDREN + 1))
PHASES = {
    13: PERSON_KEYS,
    21: (*PERSON_KEYS, *HOUSEHOLD_KEYS),
    35: (*PERSON_KEYS, "household_income", *PARTNER_KEYS, *CHILD_KEYS, "livelihood"),
}
"""What the attacker knows in each phase of the experiment."""
ALL_KEYS = tuple(dict.fromkeys(name for names in PHASES.values() for name in names))
NO_ANSWER = {
    "release": {"vocational": 0.007, "income": 0.05, "household_income": 0.05},
    "known": {"vocational": 0.131, "income": 0.12, "household_income": 0.17, "ended": 0.03, "hours": 0.02},
}
"""Share without an answer in each file; that of the vocational degree is in Table 8.1, the others are ours."""


def words_of(column: str) -> tuple[str, ...] | None:
    """The answers of a column; nothing for numbers."""
    plain = column.removeprefix("partner_")
    if column.startswith("child_"):
        plain = column.split("_")[1]
        return None if plain == "birth" else WORDS[plain]
    return WORDS["income"] if column == "household_income" else WORDS.get(plain)


def answers(
    stream: Stream, at: Homes, age: NDArray[np.int16], sex: Codes, married: Codes, school: Codes, money: Codes
) -> dict[str, Codes]:
    """What everybody in a block answers of himself; -1 where a question does not apply."""
    import numpy as np

    count = len(age)

    def drawn(column: str) -> NDArray[np.float32]:
        return stream.uniform(f"asked-{column}", count)

    level = np.digitize(school, (1, 2, 3, 4))
    schooling = np.where(age < 19, np.where(age < 16, 0, np.where(drawn("school") < 0.7, 0, 3)), 0)
    schooling = np.where(age >= 19, np.array([1, 2, 3, 5, 5])[level], schooling)
    schooling = np.where((schooling == 5) & (drawn("technical") < 0.3), 4, schooling)
    trained = np.array([[0, 70, 25, 3, 1, 1, 0], [0, 28, 62, 3, 6, 1, 0], [0, 10, 68, 5, 9, 7, 1]])
    trained = np.vstack([trained, [[0, 10, 45, 4, 6, 15, 20], [0, 0, 4, 1, 2, 25, 68]]])
    vocational = pick_rows(trained, level, drawn("vocational"))
    vocational = np.where((age < 27) & (drawn("training") < np.clip((27 - age) / 11, 0, 0.9)), 0, vocational)
    leaving = np.where(sex == 0, np.where(married == 1, 0.42, 0.2), 0.08) + 0.4 * (age < 22) + 0.5 * (age > 60)
    employed = np.where((age < 16) | (drawn("employed") < leaving), 2, np.where(drawn("part") < 0.05, 1, 0))
    works = employed < 2
    status = pick_rows(np.array([[38, 38, 9, 6, 5, 1, 0, 0, 2, 1, 0], [18, 66, 6, 4, 2, 4, 0, 0, 0, 0, 0]]),
                       (sex == 0).astype(np.int64), drawn("status"))  # fmt: skip
    status = np.where(vocational == 0, np.where(drawn("apprentice") < 0.6, 6, 7), status)
    status = np.where(vocational == 6, np.where(drawn("graduate") < 0.45, 2, status), status)
    hours = pick_rows(np.array([[1, 2, 4, 12, 58, 14, 9], [8, 16, 16, 10, 40, 7, 3]]),
                      (sex == 0).astype(np.int64), drawn("hours"))  # fmt: skip
    hours = np.where(employed == 1, drawn("few-hours") < 0.5, hours)
    idle = ~works & (age < 64) & (age > 17) & (drawn("unemployed") < np.where(sex == 0, 0.12, 0.3))
    unemployed = np.where(idle, np.where(drawn("registered") < 0.8, 1, 2), 0)
    searching = np.where(idle, np.where(drawn("searching") < 0.85, 1, 0), np.where(drawn("other") < 0.03, 2, 0))
    contract = np.where(status >= 6, 2, np.where((status > 2) & (status < 6), 3, drawn("fixed") < 0.07))
    ended = np.where(
        age < 24, np.where(drawn("ended") < 0.6, 0, 1), pick(np.array([12, 8, 14, 17, 18, 13, 10, 8]), drawn("ended"))
    )
    dues = np.where(employed == 2, np.where(idle, 700.0, 250.0), 1.0 * money)
    living = np.where(
        works,
        0,
        np.where(
            idle,
            1,
            np.where(age > 58, 2, np.where(drawn("living") < 0.9, 3, 4 + (drawn("living-other") * 3).astype(np.int64))),
        ),
    )
    found: dict[str, Any] = {
        "sex": sex,
        "birth_year": YEAR - age,
        "marital": married,
        "schooling": schooling,
        "vocational": np.where(age < 16, -1, vocational),
        "status": np.where(works, status, -1),
        "employed": employed,
        "unemployed": unemployed,
        "hours": np.where(works, hours, -1),
        "searching": searching,
        "contract": np.where(works, contract, -1),
        "ended": np.where(works, -1, ended),
        "income": np.digitize(dues, INCOMES),
        "livelihood": living,
        "education": np.where(age < 3, 0, np.where(age < 6, 1, np.where(age < 17, 2, 3))),
    }
    home = np.add.reduceat(dues * (age > 15), at.starts)
    found["household_income"] = np.digitize(home, HOUSEHOLD_INCOMES)[at.index]
    return {name: np.asarray(part, dtype=np.int32) for name, part in found.items()}


def keys(at: Homes, age: NDArray[np.int16], own: dict[str, Codes], rows: NDArray[np.int64]) -> dict[str, Codes]:
    """All 42 columns of some persons of a block, with those of the partner and of the children beside their own."""
    import numpy as np

    start, size, position = at.starts[at.index[rows]], at.size[rows], at.position[rows]
    found = {name: own[name][rows] for name in (*PERSON_KEYS, "household_income", "livelihood")}
    paired = at.couple[rows] & (position < 2)
    partner = np.where(paired, start + 1 - position, 0)
    for name in PARTNER.split():
        found[f"partner_{name}"] = np.where(paired, own[name][partner], -1)
    first = np.where(at.couple[rows], 2, 1)
    place = start[:, None] + first[:, None] + np.arange(CHILDREN)[None, :]
    here = (first[:, None] + np.arange(CHILDREN)[None, :]) < size[:, None]
    place = np.where(here, place, 0)
    ages = np.where(here, age[place], -1)
    for name, (low, high), most in zip(COUNTED.split(), BANDS, MOST_OF_BAND, strict=True):
        found[name] = np.minimum(((ages >= low) & (ages <= high)).sum(axis=1), most).astype(np.int32)
    order = np.argsort(-ages, axis=1, kind="stable")  # the eldest is the first
    place, here = np.take_along_axis(place, order, 1), np.take_along_axis(here, order, 1)
    mine = here & (position < np.where(at.couple[rows], 2, 1))[:, None]  # of parents; whoever is a child has none here
    for which in ("birth_year", "sex", "education"):
        for n in range(CHILDREN):
            found[f"child_{which}_{n + 1}"] = np.where(mine[:, n], own[which][place[:, n]], -1).astype(np.int32)
    return found
