"""The list of Safe Harbor: births that tell a very high age, and what names people whatever its role is."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from draft.people import iban
from draft.test_suggest import released
from schleier.draft.suggest import suggest

ROWS = 200
YEARS = np.concatenate([np.tile(np.arange(1935, 2005), 3)[: ROWS - 6], [1915, 1919, 1921, 1930, 1933, 1934]])
EVENTS = [date(2023, 1 + n % 12, 1 + n % 28).isoformat() for n in range(ROWS)]


def written(folder: Path, schema: str = "", **columns: object) -> tuple[Path, Path | None]:
    rng = np.random.default_rng(2)
    pd.DataFrame({"sex": rng.choice(["f", "m"], ROWS), **columns}).to_csv(folder / "file.csv", index=False)
    if not schema:
        return folder / "file.csv", None
    described = f'[schema]\ncolumns = [{{ name = "sex", role = "quasi", scale = "nominal" }}, {schema}]\n'
    (folder / "schema.toml").write_text(described, encoding="utf-8")
    return folder / "file.csv", folder / "schema.toml"


def column(name: str, scale: str, role: str = "plain") -> str:
    return f'{{ name = "{name}", scale = "{scale}", role = "{role}" }}'


def test_years_of_birth_that_tell_a_high_age_become_one(tmp_path: Path) -> None:
    file, _ = written(tmp_path, birth_year=YEARS, admission_date=EVENTS)
    found = suggest(file, "safe_harbor")
    assert {"method": "top_code", "column": "birth_year", "lower": 1933} in [step.entry for step in found.steps]
    assert any("an age of 90 or more become one class" in claim["en"] for claim in found.claims)
    _, rows = released(found, tmp_path)
    early = [int(year) for text in rows["birth_year"].astype(str) for year in re.findall(r"\d{4}", text)]
    assert min(early) >= 1930  # 1933 itself, or the first year of the interval it lies in


@pytest.mark.parametrize("role", ["quasi", "sensitive", "plain"])
def test_of_any_role(tmp_path: Path, role: str) -> None:
    schema = f"{column('birth_year', 'discrete', role)}, {column('seen', 'time')}"
    file, described = written(tmp_path, schema, birth_year=YEARS, seen=EVENTS)
    steps = [step.entry for step in suggest(file, "safe_harbor", schema=described).steps]
    assert [step.get("lower") for step in steps if step.get("column") == "birth_year"] == [1933]


def test_the_year_ages_are_counted_in(tmp_path: Path) -> None:
    """Births alone do not tell it: by the youngest in the file all would be young."""
    file, _ = written(tmp_path, birth_year=YEARS)

    def limit(year: int | None = None) -> int:
        (found,) = [one.entry for one in suggest(file, "safe_harbor", year=year).steps if "lower" in one.entry]
        return int(found["lower"])

    assert limit() == datetime.now(UTC).year - 90
    assert limit(year=2025) == 1935


def test_a_date_in_the_future_is_no_year_to_count_from(tmp_path: Path) -> None:
    file, _ = written(tmp_path, birth_year=YEARS, end_date=["9999-12-31", *EVENTS[1:]])
    (found,) = [one.entry for one in suggest(file, "safe_harbor").steps if "lower" in one.entry]
    assert found["lower"] == datetime.now(UTC).year - 90


def test_one_or_two_very_old_people_move_the_limit(tmp_path: Path) -> None:
    years = np.where(YEARS < 1930, 1990, YEARS)
    file, _ = written(tmp_path, birth_year=years, admission_date=EVENTS)
    (found,) = [one.entry for one in suggest(file, "safe_harbor").steps if "lower" in one.entry]
    assert (years < found["lower"]).sum() >= 3 > (years < found["lower"] - 1).sum()


@pytest.mark.parametrize("name", ["birth_date", "wedding_date"])
@pytest.mark.parametrize("role", ["quasi", "plain"])
def test_dates_that_tell_a_high_age_become_one_year(tmp_path: Path, name: str, role: str) -> None:
    """Also another one: who married in 1931 is old today."""
    schema = f"{column(name, 'time', role)}, {column('admission_date', 'time')}"
    days = [date(int(year), 1 + n % 12, 1 + n % 28).isoformat() for n, year in enumerate(YEARS)]
    file, described = written(tmp_path, schema, **{name: days, "admission_date": EVENTS})
    found = suggest(file, "safe_harbor", schema=described, max_suppressed=0.0)
    _, rows = released(found, tmp_path)
    labels = set(rows[name])
    assert all(re.fullmatch(r"<=19[34]\d|\d{4}|\d{3}\*|\*", label) for label in labels)
    assert not [label for label in labels if re.fullmatch(r"\d{4}", label) and int(label) <= 1933]
    if role == "plain":
        assert (rows[name] == "<=1933").sum() == (YEARS <= 1933).sum()
        assert set(rows[name]) == {"<=1933", *(str(year) for year in YEARS if year > 1933)}


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_years_of_birth_in_words(tmp_path: Path, scale: str) -> None:
    file, described = written(tmp_path, column("birth_year", scale), birth_year=[str(year) for year in YEARS])
    _, rows = released(suggest(file, "safe_harbor", schema=described, year=2023), tmp_path)
    assert (rows["birth_year"] == "<=1933").sum() == (YEARS <= 1933).sum()
    assert all(label == "<=1933" or int(label) > 1933 for label in rows["birth_year"])


@pytest.mark.parametrize("values", [YEARS % 100, YEARS * 10_000 + 101])
def test_births_that_are_no_years_are_left_out(tmp_path: Path, values: object) -> None:
    file, described = written(tmp_path, column("born", "discrete"), born=values)
    _, rows = released(suggest(file, "safe_harbor", schema=described), tmp_path)
    assert "born" not in rows


def test_ages_in_words_are_not_capped_and_it_says_so(tmp_path: Path) -> None:
    ages = ["under 50" if n % 2 else "50 or more" for n in range(ROWS)]
    file, described = written(tmp_path, column("age", "ordinal"), age=ages)
    found = suggest(file, "safe_harbor", schema=described)
    assert "Ages that are no numbers are not capped" in " ".join(claim["en"] for claim in found.claims)


NAMING = {
    "contact": [f"person{n}@example.org" for n in range(ROWS)],
    "q1": [f"+49 228 {n:06d}" for n in range(ROWS)],
    "q2": [f"https://example.org/{n}" for n in range(ROWS)],
    "q3": [iban(n) for n in range(ROWS)],
    "q4": [["Anna Meyer", "Jonas Weber", "Petra Schulz"][n % 3] for n in range(ROWS)],
    "surname": [f"X{n}" for n in range(ROWS)],
    "patient_id": [str(4000 + n // 2) for n in range(ROWS)],
    "q5": [f"she called on the {n}th day and said so" for n in range(ROWS)],
}


@pytest.mark.parametrize("role", ["plain", "sensitive", "quasi"])
def test_what_names_people_goes_whatever_its_role_is(tmp_path: Path, role: str) -> None:
    columns = [column(name, "text" if name == "q5" else "nominal", role) for name in NAMING]
    kept = {"job": [["clerk", "baker"][n % 2] for n in range(ROWS)], "mark": [n % 6 for n in range(ROWS)]}
    columns += [column("job", "nominal", role), column("mark", "discrete")]
    file, described = written(tmp_path, ", ".join(columns), **NAMING, **kept)
    found = suggest(file, "safe_harbor", schema=described)
    (claim,) = [claim["en"] for claim in found.claims if "seems to name people" in claim["en"]]
    assert set(claim.partition(": ")[2].rstrip(".").split(", ")) == NAMING.keys()
    _, rows = released(found, tmp_path)
    assert set(rows.columns) == {"sex", "job", "mark"}
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    assert text.count("Delete this step if it names nobody") == len(NAMING)


def test_what_is_not_in_the_file_is_not_promised(tmp_path: Path) -> None:
    found = suggest(written(tmp_path)[0], "safe_harbor")
    assert found.claims == ()
