"""Write the data of the case studies beside this script: all invented, the same every time."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
FIRST = ("Ada", "Ben", "Cleo", "Dario", "Elif", "Finn", "Greta", "Hugo", "Ines", "Jörn", "Käthe", "Lars")
LAST = ("Abel", "Bäcker", "Conradi", "Demir", "Ebert", "Fuchs", "Groß", "Hahn", "Ihde", "Jung", "Kühn", "Lorenz")
Row = list[object]


def mixed(number: int, salt: int) -> int:
    """A whole number that looks random but never changes (splitmix64)."""
    mask = 2**64 - 1
    z = (number * 0x9E3779B97F4A7C15 + salt * 0xD1B54A32D192ED03) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def one_of(choices: str | tuple[object, ...], number: int, salt: int) -> object:
    """One of several things; what stands there twice is twice as frequent."""
    return choices[mixed(number, salt) % len(choices)]


def name(number: int, salt: int) -> str:
    """A name as people have it: some have the same."""
    return f"{one_of(FIRST, number, salt)} {one_of(LAST, number, salt + 1)}"


def day(first: datetime.date, days: int, number: int, salt: int) -> datetime.date:
    """A day within so many from the first on."""
    return first + datetime.timedelta(mixed(number, salt) % days)


def staff() -> Iterator[Row]:
    """320 people of a firm; one of them chairs the board."""
    yield ["number", "name", "born", "sex", "site", "department", "position", "since", "salary"]
    places = ("Bonn", "Bonn", "Köln", "Rees")
    departments = ("Sales", "Sales", "Production", "Production", "Production", "Development", "Accounts")
    positions = ("Clerk",) * 6 + ("Specialist",) * 4 + ("Team lead",)
    pay = {"Clerk": 2600, "Specialist": 3600, "Team lead": 4900, "Chair of the board": 14200}
    for n in range(320):
        position = "Chair of the board" if n == 171 else str(one_of(positions, n, 11))
        born = day(datetime.date(1960, 1, 1), 14600, n, 12)
        since = max(born.year + 19, 1995 + mixed(n, 13) % 29)
        salary = pay[position] * (90 + mixed(n, 14) % 30) // 100 // 10 * 10
        row = [place_of(n, places), one_of(departments, n, 16), position, min(since, 2023), salary]
        yield [10000 + mixed(n, 17) % 90000, name(n, 18), born, one_of("fm", n, 20), *row]


def place_of(number: int, places: tuple[str, ...]) -> object:
    """Where somebody works."""
    return one_of(places, number, 15)


def web_log() -> Iterator[Row]:
    """1,000 requests of some 300 visitors of a site, each from one address."""
    yield ["request", "time", "visitor", "ip", "page", "browser", "status", "seconds"]
    networks = ("192.0.2", "198.51.100", "203.0.113", "203.0.113")
    pages = ("/", "/", "/", "/prices", "/prices", "/news", "/contact", "/jobs")
    browsers = ("Firefox", "Firefox", "Chrome", "Chrome", "Chrome", "Safari")
    start = datetime.datetime(2024, 3, 4, tzinfo=datetime.UTC)
    for n in range(1000):
        who = mixed(n, 31) % 300
        moment = start + datetime.timedelta(seconds=mixed(n, 32) % (14 * 86400))
        address = f"{one_of(networks, who, 33)}.{1 + mixed(who, 34) % 254}"
        row = [one_of(pages, n, 35), one_of(browsers, who, 36), 404 if n % 29 == 3 else 200, mixed(n, 37) % 300]
        yield [n + 1, f"{moment:%Y-%m-%d %H:%M:%S}", f"{mixed(who, 38):016x}", address, *row]


def orders() -> Iterator[Row]:
    """1,200 orders of 400 customers: a few order often."""
    yield ["order", "customer", "name", "birth_year", "sex", "postcode", "ordered", "goods", "amount", "payment"]
    codes = ("53111", "53117", "53225", "50667", "50733", "51103", "40210", "40477")
    goods = ("books", "books", "clothes", "clothes", "clothes", "garden", "medicine")
    for n in range(1200):
        who = mixed(n, 51) % 400 if n % 3 else mixed(n, 51) % 40
        person = [name(who, 52), 1950 + mixed(who, 54) % 55, one_of("fm", who, 55), one_of(codes, who, 56)]
        ordered = day(datetime.date(2024, 1, 1), 366, n, 57)
        amount = f"{(500 + mixed(n, 58) % 59500) / 100:.2f}"
        row = [ordered, one_of(goods, n, 59), amount, one_of(("card", "card", "invoice"), who, 60)]
        yield [n + 1, 70000 + who, *person, *row]


def exam() -> Iterator[Row]:
    """480 candidates of one examination in 20 classes of very different size."""
    yield ["matriculation", "name", "class", "sex", "birth_year", "programme", "attempt", "points", "grade"]
    programmes = ("Informatics", "Informatics", "Economics", "Physics")
    for n in range(480):
        room = min(mixed(n, 71) % 20, mixed(n, 72) % 20)
        points = min(100, 20 + mixed(n, 73) % 45 + mixed(n, 74) % 45)
        grade = 5 if points < 50 else 4 if points < 60 else 3 if points < 72 else 2 if points < 86 else 1
        row = [one_of("ffmm", n, 77), 1996 + mixed(n, 78) % 9, one_of(programmes, n, 79), 1 + (n % 7 == 2), points]
        yield [3000000 + mixed(n, 75) % 999983, name(n, 80), f"{'ABCD'[room % 4]}{room // 4 + 1}", *row, grade]


CASES = {
    "staff/staff.csv": staff,
    "web_log/requests.csv": web_log,
    "orders/orders.csv": orders,
    "exam/results.csv": exam,
}


def main() -> None:
    """Write all files."""
    for place, rows in CASES.items():
        (HERE / place).parent.mkdir(exist_ok=True)
        with (HERE / place).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows())


if __name__ == "__main__":
    main()
