"""Write people.csv: 500 invented persons, the same every time, in the layout German programs use."""

from __future__ import annotations

import datetime
from pathlib import Path

ROWS = 500
DECADES = (1960, 1970, 1980, 1990)
FIRST = ("Ada", "Ben", "Cleo", "Dario", "Elif", "Finn", "Greta", "Hugo", "Ines", "Jörn", "Käthe", "Lars")
LAST = ("Abel", "Bäcker", "Conradi", "Demir", "Ebert", "Fuchs", "Groß", "Hahn", "Ihde", "Jung", "Kühn", "Lorenz")
PLACES = {"0": ("01067", "01099", "04103", "07743", "09111"), "5": ("50667", "51103", "53111", "53117", "56068")}
OCCUPATIONS = {
    "Health": ("Nurse", "Midwife", "Physician", "Dentist"),
    "Production": ("Baker", "Butcher", "Welder", "Electrician"),
    "Services": ("Clerk", "Accountant", "Shop assistant", "Courier"),
}
PAY = {"Health": 2900, "Production": 2600, "Services": 2300}


def mixed(number: int, salt: int) -> int:
    """A whole number that looks random but never changes (splitmix64)."""
    mask = 2**64 - 1
    z = (number * 0x9E3779B97F4A7C15 + salt * 0xD1B54A32D192ED03) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def german(amount: float) -> str:
    """1234.5 as 1.234,50."""
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def person(number: int) -> list[str]:
    """One row. Decade, sex, region and sector go round in turn, everything else looks random."""
    decade = DECADES[number % 4]
    sex = "fm"[number // 4 % 2]
    region = "05"[number // 8 % 2]
    sector = list(OCCUPATIONS)[number // 16 % 3]
    born = datetime.date(decade, 1, 1) + datetime.timedelta(mixed(number, 1) % 3650)
    pay = PAY[sector] * (0.6 + mixed(number, 2) % 1000 / 900) + 12 * (2000 - born.year)
    if number % 61 == 17:
        pay *= 3
    return [
        f"{100000 + mixed(number, 3) % 900000}",
        f"{FIRST[mixed(number, 4) % 12]} {LAST[mixed(number, 5) % 12]}",
        PLACES[region][mixed(number, 6) % 5],
        f"{born:%d.%m.%Y}",
        sex,
        OCCUPATIONS[sector][mixed(number, 7) % 4],
        "99" if number % 37 == 5 else str(mixed(number, 8) % 5 * (mixed(number, 9) % 3 > 0)),
        "" if number % 23 == 4 else german(pay),
    ]


def main() -> None:
    """Write the file beside this script."""
    rows = sorted(person(number) for number in range(ROWS))
    if len({row[0] for row in rows}) != ROWS:
        raise SystemExit("the case numbers must differ")
    head = ["case", "person", "postcode", "born", "sex", "occupation", "children", "income"]
    text = "\n".join(";".join(row) for row in [head, *rows]) + "\n"
    Path(__file__).with_name("people.csv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
