"""Invented people in differently shaped files, as public offices hand them out; their names must not get through."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

ROWS = 400
FIRST = ["Änne", "Björn", "Zoë", "Jörg", "Ada", "Ben", "Cleo", "Dario", "Elif", "Finn"]
LAST = ["Müßig", "Grünwald", "Schäfer", "Öztürk", "Kowalski", "Nguyen", "Meyer", "Weiß", "Lehmann", "Brandt"]


@dataclass(frozen=True)
class Made:
    """A file, the texts in it that name people, and the columns that must be gone."""

    address: str
    secrets: list[str]
    gone: list[str]


def people(rows: int = ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    first, last = rng.choice(FIRST, rows), rng.choice(LAST, rows)
    number = rng.permutation(rows) + 1
    born = [date(1930, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 28_000, rows)]
    return pd.DataFrame(
        {
            "number": number,
            "first": [f"{f}-{n}" for f, n in zip(first, number, strict=True)],
            "last": [f"{name}{n}" for name, n in zip(last, number, strict=True)],
            "mail": [f"person{n}@example.org" for n in number],
            "phone": [f"+49 228 {n:06d}" for n in number],
            "born": born,
            "age": [2024 - d.year for d in born],
            "sex": rng.choice(["f", "m"], rows),
            "sex_code": rng.choice([1, 2], rows),
            "postcode": [f"{n:05d}" for n in rng.choice([1067, 4109, 10115, 20095, 50667, 80331], rows)],
            "town": rng.choice(["Köln", "Bonn", "Düren", "Aachen", "Jülich"], rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
            "income": np.round(rng.lognormal(7.7, 0.5, rows), 2),
            "children": rng.integers(0, 5, rows),
            "remark": [f"Frau {name}{n} rief am Montag noch einmal an" for name, n in zip(last, number, strict=True)],
        }
    )


def german_csv(folder: Path) -> Made:
    p = people()
    euros = p.income.map(lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,")))
    table = pd.DataFrame(
        {
            "Lfd. Nr.": p.number,
            "Vorname": p["first"],
            "Nachname": p["last"],
            "Geburtsdatum": [d.strftime("%d.%m.%Y") for d in p.born],
            "Geschlecht": p.sex.map({"f": "weiblich", "m": "männlich"}),
            "PLZ": p.postcode,
            "Nettoeinkommen": euros,
        }
    )
    path = folder / "befragung.csv"
    table.to_csv(path, sep=";", index=False, encoding="cp1252")
    return Made(str(path), [*p["first"], *p["last"]], ["Lfd. Nr.", "Vorname", "Nachname"])


def english_csv(folder: Path) -> Made:
    p = people()
    table = p[["number", "first", "mail", "phone", "born", "sex", "income"]]
    table.columns = ["id", "First Name", "contact_1", "contact_2", "date_of_birth", "gender", "monthly_income"]
    path = folder / "people.csv"
    table.to_csv(path, index=False)
    return Made(str(path), [*p["first"], *p.mail, *p.phone], ["id", "First Name", "contact_1", "contact_2"])


def title_rows_tsv(folder: Path) -> Made:
    p = people()
    income = p.income.where(p.number % 7 != 0, -9)
    table = pd.DataFrame({"pid": p.number, "surname": p["last"], "age": p.age, "wages": income, "region": p.town})
    path = folder / "wages.tsv"
    head = "Survey of wages 2024\nAll figures in euros\n\n"
    path.write_text(head + table.to_csv(sep="\t", index=False), encoding="utf-8")
    return Made(str(path), [*p["last"]], ["pid", "surname"])


def spss(folder: Path) -> Made:
    import pyreadstat

    p = people()
    smokes = np.where(p.number % 10 == 0, 9, p.sex_code)
    table = pd.DataFrame({"nr": p.number, "name": p["last"], "sex": p.sex_code, "alter": p.age, "raucher": smokes})
    pyreadstat.write_sav(
        table,
        folder / "survey.sav",
        column_labels=["Nummer", "Name", "Geschlecht", "Alter in Jahren", "Raucht die Person?"],
        variable_value_labels={"sex": {1: "weiblich", 2: "männlich"}, "raucher": {1: "ja", 2: "nein", 9: "k. A."}},
        missing_ranges={"raucher": [9]},
    )
    return Made(str(folder / "survey.sav"), [*p["last"]], ["nr", "name"])


def stata(folder: Path) -> Made:
    import pyreadstat

    p = people()
    table = pd.DataFrame({"hhid": p.number // 2, "vorname": p["first"], "sex": p.sex_code, "income": p.income})
    pyreadstat.write_dta(
        table,
        folder / "panel.dta",
        column_labels=["Haushaltsnummer", "Vorname der Person", "Geschlecht", "Einkommen"],
        variable_value_labels={"sex": {1: "weiblich", 2: "männlich"}},
    )
    return Made(str(folder / "panel.dta"), [*p["first"]], ["vorname"])


def excel(folder: Path) -> Made:
    import openpyxl

    p = people()
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Mitglieder"
    sheet["A1"] = "Mitgliederliste, Stand 1. Mai 2024"
    sheet.merge_cells("A1:E1")
    sheet.append([])
    sheet.append(["Mitgliedsnummer", "Name", "E-Mail", "Geburtsdatum", "Ort", "Kinder"])
    for n, name, mail, born, town, kids in zip(p.number, p["last"], p.mail, p.born, p.town, p.children, strict=True):
        sheet.append([int(n), name, mail, born, town, int(kids)])
    book.create_sheet("leer")
    book.save(folder / "mitglieder.xlsx")
    return Made(str(folder / "mitglieder.xlsx"), [*p["last"], *p.mail], ["Mitgliedsnummer", "Name", "E-Mail"])


def three_dates(folder: Path) -> Made:
    p = people()
    table = pd.DataFrame(
        {
            "patient": [f"P-{n:05d}" for n in p.number],
            "birth_date": [d.strftime("%d/%m/%Y") for d in p.born],
            "admission_date": [(d + timedelta(days=12_000)).strftime("%Y-%m-%d") for d in p.born],
            "discharge_date": [(d + timedelta(days=12_009)).strftime("%d.%m.%Y") for d in p.born],
            "diagnosis": p.sex_code.map({1: "I10", 2: "J45"}),
        }
    )
    path = folder / "hospital.csv"
    table.to_csv(path, index=False)
    return Made(str(path), [*table.patient], ["patient"])


def parquet(folder: Path) -> Made:
    p = people()
    table = p[["number", "last", "born", "age", "town", "income"]].astype({"town": "category"})
    table.columns = ["customer_no", "customer_name", "born", "age", "city", "turnover"]
    table.to_parquet(folder / "customers.parquet", index=False)
    return Made(str(folder / "customers.parquet"), [*p["last"]], ["customer_no", "customer_name"])


def fixed_width(folder: Path) -> Made:
    p = people()
    lines = [
        f"{n:06d}{name:<14}{age:>3}{code}{int(income * 100):>10}"
        for n, name, age, code, income in zip(p.number, p["last"], p.age, p.sex_code, p.income, strict=True)
    ]
    (folder / "census.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "census.dictionary.csv").write_text(
        "name,start,width,decimals,title,labels\n"
        "record_no,1,6,,Number of the record,\n"
        "surname,7,14,,Surname,\n"
        "age,21,3,,Age in years,\n"
        "sex,24,1,,Sex,1=female|2=male\n"
        "income,25,10,2,Monthly income,\n",
        encoding="utf-8",
    )
    return Made(str(folder / "census.dat"), [*p["last"]], ["record_no", "surname"])


def packed_csv(folder: Path) -> Made:
    p = people()
    numbers = [health_number(n) for n in p.number]
    table = pd.DataFrame(
        {
            "Versicherte": numbers,
            "alter": p.age,
            "geschlecht": p.sex,
            "wohnort_plz": p.postcode,
            "kosten": np.where(p.number % 11 == 0, 99_999_999, p.income),
            "notiz": p.remark,
        }
    )
    path = folder / "kasse.csv.gz"
    path.write_bytes(gzip.compress(table.to_csv(index=False, sep=";", decimal=",").encode()))
    return Made(str(path), [*numbers, *p["last"]], ["Versicherte", "notiz"])


def zipped_firms(folder: Path) -> Made:
    p = people()
    table = pd.DataFrame(
        {
            "Firma": [f"{name} GmbH" for name in p["last"]],
            "IBAN": [iban(n) for n in p.number],
            "Rechtsform": p.sex.map({"f": "GmbH", "m": "AG"}),
            "Beschäftigte": (p.income / 10).astype(int),
            "Umsatz": p.income * 1000,
        }
    )
    with zipfile.ZipFile(folder / "firmen.zip", "w") as archive:
        archive.writestr("firmen.csv", table.to_csv(index=False))
    return Made(str(folder / "firmen.zip"), [*table.Firma, *table.IBAN], ["Firma", "IBAN"])


def database(folder: Path) -> Made:
    import duckdb

    p = people()
    table = p[["number", "mail", "age", "sex", "town", "income"]]
    table.columns = ["user_id", "login", "age", "sex", "place", "salary"]
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE users AS SELECT * FROM given")
        connection.execute("CREATE TABLE empty (x INTEGER)")
    return Made(f"{folder / 'shop.duckdb'}::users", [*p.mail], ["user_id", "login"])


def health_number(n: int) -> str:
    """A valid German health insurance number."""
    code = f"A{n:08d}"
    digits = [int(sign) for sign in f"01{code[1:]}"]
    return f"{code}{sum(sum(divmod(d * (1 + i % 2), 10)) for i, d in enumerate(digits)) % 10}"


def iban(n: int) -> str:
    """A valid German account number."""
    account = f"37040044{n:010d}"
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


FILES: dict[str, Callable[[Path], Made]] = {
    make.__name__: make
    for make in (
        german_csv,
        english_csv,
        title_rows_tsv,
        spss,
        stata,
        excel,
        three_dates,
        parquet,
        fixed_width,
        packed_csv,
        zipped_firms,
        database,
    )
}
