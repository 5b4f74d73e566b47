"""Made-up persons and how they are written the second time, to set weights and thresholds without anybody's data."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.extras.pseudonyms._identity import Identity

if TYPE_CHECKING:
    import numpy as np

BEGIN = "b br d f g h j k kl l m n p r s sch st t w z".split()
MIDDLE = "a e i o u ae au ei ie".split()
END = "ch ck d f g k l ll m n nn ng r rt s ss t tz st lt".split()
FIRST_DAY = dt.date(1920, 1, 1)
DAYS = 36_000
LARGE, SHARED = 200, 0.2
"""How many more postcodes the largest towns have, and how many of the others have one in common with another."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Errors:
    """How often a field is written otherwise the second time."""

    typing: float = 0.2
    """A name has one letter, seldom two, changed, added, dropped or exchanged."""
    digits: float = 0.08
    """A date or postcode has."""
    missing: float = 0.04
    other: float = 0.03
    """Another value stands there: a second given name, a new town."""
    day: float = 0.015
    """Another birth date altogether."""
    crossed: float = 0.02
    """Given name and surname are exchanged."""
    married: float = 0.01


class World:
    """Names and towns that are common or rare, and persons who have them."""

    def __init__(self, key: int, given: int = 800, surnames: int = 2500, towns: int = 1500) -> None:
        import numpy as np

        self.rng = np.random.Generator(np.random.Philox(key=key))
        self.given, self.surnames, self.towns = (self._words(many) for many in (given, surnames, towns))
        codes = self.rng.choice(99_999, towns, replace=False)
        self.codes = [[f"{codes[town]:05d}"] for town in range(towns)]
        for town in range(towns):
            more = self.rng.choice(codes, int(LARGE / (town + 10)) + int(self.rng.random() < SHARED))
            self.codes[town] += [f"{code:05d}" for code in more]

    def person(self) -> Identity:
        """Somebody."""
        day = FIRST_DAY + dt.timedelta(days=int(self.rng.integers(DAYS)))
        place = self._rank(len(self.towns), 0.3)
        given, surname = self.given[self._rank(len(self.given))], self.surnames[self._rank(len(self.surnames))]
        code = self.codes[place][int(self.rng.integers(len(self.codes[place])))]
        return Identity(given, surname, "", day.strftime("%Y%m%d"), code, self.towns[place])

    def again(self, one: Identity, errors: Errors) -> Identity:
        """The same person, written once more."""
        draw, found = self.rng.random, one._asdict()
        for name in ("given_name", "surname", "town"):
            if draw() < errors.typing:
                found[name] = self._mistyped(found[name], LETTERS)
        for name in ("birth_date", "postcode"):
            if draw() < errors.digits:
                found[name] = self._mistyped(found[name], "0123456789")
        other = self.person()
        if draw() < errors.other:
            found["given_name"] = other.given_name
        if draw() < errors.other:
            found["surname"] = other.surname
        if draw() < errors.other:
            found |= {"postcode": other.postcode, "town": other.town}
        if draw() < errors.day:
            found["birth_date"] = other.birth_date
        if draw() < errors.married:
            found |= {"birth_name": found["surname"], "surname": other.surname}
        if draw() < errors.crossed:
            found |= {"given_name": found["surname"], "surname": found["given_name"]}
        for name in ("given_name", "surname", "birth_date", "postcode", "town"):
            if draw() < errors.missing:
                found[name] = ""
        return Identity(**found)

    def _rank(self, many: int, steep: float = 0.5) -> int:
        """Common ones often: the weight of a rank falls with its power."""
        return min(int(many * float(self.rng.random()) ** (1 / (1 - steep))), many - 1)

    def _words(self, many: int) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < many:
            parts = 1 + int(self.rng.integers(1, 3))
            found["".join(self._part() for _ in range(parts))] = None
        return list(found)

    def _part(self) -> str:
        return "".join(room[int(self.rng.integers(len(room)))] for room in (BEGIN, MIDDLE, END))

    def _mistyped(self, text: str, letters: str) -> str:
        for _ in range(1 + int(self.rng.random() < 0.25)):
            if len(text) < 2:
                return text
            place, kind = int(self.rng.integers(len(text) - 1)), int(self.rng.integers(4 if letters is LETTERS else 2))
            new = letters[int(self.rng.integers(len(letters)))]
            if kind == 0:
                text = text[:place] + new + text[place + 1 :]
            elif kind == 1:
                text = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
            elif kind == 2:
                text = text[:place] + new + text[place:]
            else:
                text = text[:place] + text[place + 1 :]
        return text


def trial(world: World, many: int, errors: Errors) -> tuple[list[Identity], list[Identity], np.ndarray]:
    """Persons on file, persons who come, and whose place on file each of these has: of half of them none (-1)."""
    import numpy as np

    people = [world.person() for _ in range(many)]
    held = np.sort(world.rng.choice(many, many // 2, replace=False))
    place = np.full(many, -1)
    place[held] = np.arange(len(held))
    return [people[i] for i in held], [world.again(one, errors) for one in people], place
