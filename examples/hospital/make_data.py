"""Write patients.csv: 1,200 invented admissions to an invented hospital, the same every time."""

from __future__ import annotations

import datetime
from pathlib import Path

ROWS = 1200
FIRST = {
    "f": ("Ada", "Cleo", "Elif", "Greta", "Ines", "Käthe", "Mila", "Olga", "Rosa", "Tanja"),
    "m": ("Ben", "Dario", "Finn", "Hugo", "Jörn", "Lars", "Nils", "Paul", "Sven", "Udo"),
}
LAST = ("Abel", "Bäcker", "Conradi", "Demir", "Ebert", "Fuchs", "Groß", "Hahn", "Ihde", "Jung", "Kühn", "Lorenz")
PLACES = ("48143", "48145", "48147", "48149", "48151", "48161", "48231", "48291", "49074", "49076", "49078", "49080")

# Ward: how many of 100 admissions, and how many of 100 of these have which diagnosis (chapters of the ICD-10).
WARDS = {
    "Medicine 1": (22, {"I": 58, "J": 24, "A": 10, "C": 8}),
    "Medicine 2": (22, {"K": 44, "C": 20, "A": 16, "J": 20}),
    "Surgery 1": (14, {"K": 48, "C": 28, "S": 24}),
    "Surgery 2": (14, {"S": 82, "C": 8, "K": 10}),
    "Psychiatry": (10, {"F": 96, "A": 4}),
    "Obstetrics": (10, {"O": 100}),
    "Gynaecology": (8, {"C": 56, "O": 26, "K": 18}),
}
CHAPTERS = {
    "A": "A00-B99",
    "C": "C00-D48",
    "F": "F00-F99",
    "I": "I00-I99",
    "J": "J00-J99",
    "K": "K00-K93",
    "O": "O00-O99",
    "S": "S00-T98",
}
AGES = {
    "A": (5, 90),
    "C": (45, 88),
    "F": (18, 65),
    "I": (50, 92),
    "J": (3, 90),
    "K": (15, 85),
    "O": (19, 42),
    "S": (8, 90),
}
DAYS = {"A": 7, "C": 9, "F": 24, "I": 6, "J": 6, "K": 5, "O": 4, "S": 5}
COST = {"A": 620, "C": 980, "F": 340, "I": 890, "J": 590, "K": 700, "O": 760, "S": 930}
WOMEN = ("Obstetrics", "Gynaecology")


def mixed(number: int, salt: int) -> int:
    """A whole number that looks random but never changes (splitmix64)."""
    mask = 2**64 - 1
    z = (number * 0x9E3779B97F4A7C15 + salt * 0xD1B54A32D192ED03) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def chosen(parts: dict[str, int], draw: int) -> str:
    """The name that holds place ``draw`` when each takes as many places as its part says."""
    for name, part in parts.items():
        if draw < part:
            return name
        draw -= part
    raise ValueError("the parts must add up to more than the draw")


def german(amount: float) -> str:
    """1234.5 as 1.234,50."""
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def admission(number: int) -> list[str]:
    """One row."""
    ward = chosen({name: part for name, (part, _) in WARDS.items()}, mixed(number, 1) % 100)
    letter = chosen(WARDS[ward][1], mixed(number, 2) % 100)
    sex = "f" if ward in WOMEN or letter == "O" else "fm"[mixed(number, 3) % 2]
    young, old = AGES[letter]
    admitted = datetime.date(2024, 1, 1) + datetime.timedelta(mixed(number, 5) % 366)
    born = admitted - datetime.timedelta(int(365.25 * young) + mixed(number, 4) % int(365.25 * (old - young)))
    days = 1 + DAYS[letter] * (mixed(number, 6) % 100 + mixed(number, 7) % 100) // 100
    cost = 700 + days * COST[letter] * (0.7 + mixed(number, 8) % 1000 / 1600)
    return [
        f"{2024000000 + mixed(number, 9) % 900000000}",
        f"{FIRST[sex][mixed(number, 10) % 10]} {LAST[mixed(number, 11) % 12]}",
        f"{'ABEKLMPRSW'[mixed(number, 12) % 10]}{mixed(number, 13) % 10**9:09d}",
        "" if number % 97 == 13 else PLACES[mixed(number, 14) % 12 * (mixed(number, 15) % 12 + 1) // 12],
        f"{born:%d.%m.%Y}",
        sex,
        f"{admitted:%d.%m.%Y}",
        ward,
        "" if number % 83 == 7 else CHAPTERS[letter],
        str(days),
        "" if number % 61 == 29 else german(cost),
    ]


def main() -> None:
    """Write the file beside this script."""
    rows = sorted(admission(number) for number in range(ROWS))
    if len({row[0] for row in rows}) != ROWS:
        raise SystemExit("the case numbers must differ")
    head = "case;patient;insurance;postcode;born;sex;admitted;ward;diagnosis;days;cost".split(";")
    text = "\n".join(";".join(row) for row in [head, *rows]) + "\n"
    Path(__file__).with_name("patients.csv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
