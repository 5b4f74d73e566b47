"""Files as they come to hand: persons with mixed columns, and a survey of coded answers. The same rows everywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness import STORE

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

SEED = 20_260_511
VERSION = 1
"""Part of the folder's name: raise it when the generator changes."""
ANSWERS = tuple(
    """country_of_birth birth_father birth_mother years_here education education_field education_year student training
    training_hours children children_under_6 partner relationship religion employed status status_last_year workplace
    firm_size contract contract_length part_time part_time_reason second_job second_status home_working shift evening
    night saturday sunday overtime search search_duration method_office method_agency method_friends method_advert
    available registered benefit benefit_kind health disability care_child care_adult main_activity activity_last_year
    region_last_year industry_last_year decile union supervises proxy visit mode language""".split()
)
"""Coded answers of the survey, beside 19 other columns."""
FIRST = ("Ada", "Ben", "Cleo", "Dario", "Elif", "Finn", "Greta", "Hugo", "Ida", "Jan", "Karim", "Lea", "Mia", "Noah")
LAST = ("Adler", "Bauer", "Cohen", "Demir", "Ernst", "Fuchs", "Graf", "Huber", "Ivanova", "Jung", "Klein", "Lange")
NATIONS = ("DE", "TR", "PL", "IT", "RO", "SY", "GR", "HR", "AT", "FR", "ES", "UA", "NL", "US", "CN", "IN", "VN", "BR")
DISEASES = ("J06.9", "I10", "E11.9", "F32.1", "M54.5", "K29.7", "C50.9", "J45.0", "N39.0", "L20.8", "G43.0", "B20")


def files(kind: str, rows: int) -> Path:
    """A folder with ``KIND.parquet`` and ``KIND.csv`` of so many rows, made once."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    folder = STORE / f"contact-{VERSION}-{kind}-{rows}"
    if folder.exists():
        return folder
    partial = folder.with_name(f"{folder.name}.{os.getpid()}")
    partial.mkdir(parents=True)
    table = {"people": people, "survey": survey}[kind](rows)
    pq.write_table(table, partial / f"{kind}.parquet")
    pc.write_csv(table, partial / f"{kind}.csv")
    partial.rename(folder)
    return folder


def people(rows: int) -> pa.Table:
    """Persons with 24 columns: names, a household, dates, places, codes, amounts with decimals, a weight."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.Generator(np.random.Philox(key=[SEED, rows]))
    age = np.clip(rng.normal(44, 21, rows), 0, 99).astype(np.int16)
    household = np.sort(rng.integers(0, rows // 2 + 1, rows))
    size = np.bincount(household)[household]
    postcode = _skewed(rng, rows, 6_000)
    job = _skewed(rng, rows, 420)
    works = (age >= 15) & (age < 68) & (rng.random(rows) < 0.75)
    income = np.round(np.exp(rng.normal(7.4, 0.6, rows) + 0.002 * age), 2)
    return pa.table(
        {
            "person_id": np.arange(rows) + 100_000_000,
            "last_name": _words(rng, rows, [f"{a}{b}" for a in LAST for b in ("", "mann", "s", "-Weber", "er")]),
            "first_name": _words(rng, rows, list(FIRST)),
            "sex": _words(rng, rows, ["f", "m"]),
            "born": pa.array(np.datetime64("2025-06-30") - (age * 365.25 + rng.integers(0, 365, rows)).astype("m8[D]")),
            "age": age,
            "postcode": _coded(postcode, [f"{10_000 + 13 * code:05d}" for code in range(6_000)]),
            "region": _coded(postcode // 375, [f"{land:02d}" for land in range(1, 17)]),
            "nationality": _coded(_skewed(rng, rows, len(NATIONS), 2.0), list(NATIONS)),
            "marital_status": _words(rng, rows, ["single", "married", "widowed", "divorced"]),
            "household": household + 5_000_000,
            "household_size": size.astype(np.int16),
            "education": _coded(np.where(age < 16, 0, rng.integers(1, 7, rows)), [f"level {i}" for i in range(7)]),
            "occupation": _missing(_coded(job, [f"{1_000 + 21 * code:04d}" for code in range(420)]), works),
            "industry": _missing(_coded(job // 5, [f"{code:02d}" for code in range(1, 85)]), works),
            "hours": _missing(pa.array(np.round(rng.normal(36, 9, rows)).clip(1, 80).astype(np.int16)), works),
            "income": _missing(pa.array(income), works & (rng.random(rows) < 0.93)),
            "rent": _missing(pa.array(np.round(np.exp(rng.normal(6.3, 0.4, rows)), 2)), rng.random(rows) < 0.6),
            "wealth": _missing(pa.array(np.round(rng.normal(0, 9e4, rows), 2)), rng.random(rows) < 0.8),
            "disease": _missing(_words(rng, rows, list(DISEASES)), rng.random(rows) < 0.4),
            "satisfaction": rng.integers(0, 11, rows).astype(np.int8),
            "interview": pa.array(np.datetime64("2025-01-01") + rng.integers(0, 180, rows).astype("m8[D]")),
            "interviewer": rng.integers(1, 301, rows).astype(np.int16),
            "survey_weight": np.round(rng.gamma(9, 9, rows) + 10, 4),
        }
    )


def survey(rows: int) -> pa.Table:
    """A labour force survey with 77 columns: who and where, 58 coded answers, and some numbers."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.Generator(np.random.Philox(key=[SEED + 1, rows]))
    age = np.clip(rng.normal(44, 21, rows), 0, 95).astype(np.int16)
    household = np.sort(rng.integers(0, rows // 2 + 1, rows))
    works = (age >= 15) & (age < 70) & (rng.random(rows) < 0.7)
    region = _skewed(rng, rows, 38, 1.0)
    job = _skewed(rng, rows, 120)
    columns: dict[str, Any] = {
        "hhnum": household + 1,
        "persnr": np.arange(rows) + 1,
        "quarter": rng.integers(1, 5, rows).astype(np.int8),
        "region": _coded(region, [f"DE{code:02d}" for code in range(38)]),
        "urban": (region % 3 + 1).astype(np.int8),
        "sex": rng.integers(1, 3, rows).astype(np.int8),
        "age": age,
        "yearbirth": (2025 - age).astype(np.int16),
        "marstat": rng.integers(1, 5, rows).astype(np.int8),
        "citizen": _coded(_skewed(rng, rows, len(NATIONS), 2.0), list(NATIONS)),
        "hhsize": np.bincount(household)[household].astype(np.int8),
        "isco3d": _missing(_coded(job, [f"{100 + 7 * code:03d}" for code in range(120)]), works),
        "nace2d": _missing(_coded(job // 3, [f"{code:02d}" for code in range(1, 41)]), works),
        "hwusual": _missing(pa.array(np.round(rng.normal(36, 9, rows)).clip(1, 80).astype(np.int16)), works),
        "hwactual": _missing(pa.array(np.round(rng.normal(34, 12, rows)).clip(0, 98).astype(np.int16)), works),
        "incmon": _missing(pa.array(np.round(np.exp(rng.normal(7.4, 0.6, rows)), 2)), works),
        "yearstart": _missing(pa.array((2025 - rng.integers(0, 40, rows)).astype(np.int16)), works),
        "refdate": pa.array(np.datetime64("2025-01-06") + 7 * rng.integers(0, 51, rows).astype("m8[D]")),
        "survey_weight": np.round(rng.gamma(9, 30, rows) + 10, 4),
    }
    for answer, name in enumerate(ANSWERS):
        many = (2, 3, 4, 5, 7, 9, 12)[answer % 7]
        asked = works if answer % 3 == 0 else ~works if answer % 3 == 1 else np.full(rows, fill_value=True)
        given = _skewed(rng, rows, many, 1.3)
        if answer % 5 == 4:  # some follow from what was asked before
            given = np.where(rng.random(rows) < 0.85, job % many, given)
        columns[name] = _missing(pa.array((given + 1).astype(np.int8)), asked)
    return pa.table(columns)


def _skewed(rng: np.random.Generator, rows: int, many: int, power: float = 0.6) -> np.ndarray[Any, Any]:
    """Codes from 0, the first more frequent than the last."""
    import numpy as np

    shares = np.cumsum(1.0 / np.arange(1, many + 1) ** power)
    return np.searchsorted(shares / shares[-1], rng.random(rows), side="right").clip(0, many - 1)


def _coded(codes: np.ndarray[Any, Any], words: list[str]) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(codes.astype("int32")), pa.array(words)).cast(pa.string())


def _words(rng: np.random.Generator, rows: int, words: list[str]) -> Any:
    return _coded(rng.integers(0, len(words), rows), words)


def _missing(values: Any, known: np.ndarray[Any, Any]) -> Any:
    """Values with gaps where they are not known."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pa.array(known), values, pa.scalar(None, values.type))
