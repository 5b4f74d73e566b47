from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schleier as sl
from draft.people import people
from schleier.core.errors import DataError
from schleier.core.hierarchy import parse
from schleier.core.schema import Column
from schleier.draft.describe import describe
from schleier.draft.facts import MOST
from schleier.draft.steps import K, Purpose, round_below
from schleier.draft.telling import look_at
from schleier.draft.writing import write_draft
from schleier.report.html import tell_front
from schleier.report.language import Words, plain
from schleier.report.mind import tell_mind

EN = Words.of("en")


def csv(folder: Path, text: str) -> Path:
    path = folder / "file.csv"
    path.write_text(text, encoding="utf-8")
    return path


def table(folder: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), folder / "file.parquet")
    return folder / "file.parquet"


def roles(path: Path) -> dict[str, str]:
    return {column.name: column.role for column in describe(path).schema}


def test_a_draft_of_many_columns_is_the_same_as_of_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are many, those that no recipe is drafted from are left behind first."""
    people().assign(**{f"q{n}": [n * row % 7 for row in range(400)] for n in range(1, 9)}).to_csv(
        tmp_path / "people.csv", index=False
    )
    few = describe(tmp_path / "people.csv")
    monkeypatch.setattr("schleier.draft.describe.WIDE", 2)
    many = describe(tmp_path / "people.csv")
    assert few.schema.quasi and (many.recipe, many.schema, many.alone) == (few.recipe, few.schema, few.alone)
    assert [guess.why for guess in many.guesses] == [guess.why for guess in few.guesses]


def test_a_number_of_records_becomes_the_row_key(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, lfd_nr=list(range(50)), case_id=[f"c{n}" for n in range(50)], x=[1, 2] * 25))
    assert draft.schema.row_key == "lfd_nr"
    assert draft.schema["case_id"].role == "identifier"


def test_few_different_numbers_are_kinds(tmp_path: Path) -> None:
    found = roles(table(tmp_path, desk_number=[1, 2, 3, 4] * 25, household=["single", "couple"] * 50))
    assert found == {"desk_number": "undecided", "household": "undecided"}


def test_households_that_repeat_are_units(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, hh_id=[n // 3 for n in range(300)], age=[n % 80 for n in range(300)]))
    assert draft.schema["hh_id"].role == "unit" and draft.schema["hh_id"].scale == "nominal"
    assert draft.recipe["steps"][-1] == {"name": "drop numbers of units", "method": "drop", "roles": ["unit"]}


def test_a_weight_beside_a_height_is_that_of_a_body(tmp_path: Path) -> None:
    assert roles(table(tmp_path, weight=[1.5, 2.5] * 9))["weight"] == "weight"
    assert roles(table(tmp_path, weight=[61.5, 82.5] * 9, height=[170, 180] * 9))["weight"] == "quasi"


def test_texts_that_all_differ_name_their_records(tmp_path: Path) -> None:
    assert (
        roles(table(tmp_path, token=[f"t{n * 7919 % 1000}" for n in range(100)], y=[1, 2] * 50))["token"]
        == "identifier"
    )


def test_a_counter_without_a_name_is_found(tmp_path: Path) -> None:
    assert roles(table(tmp_path, zz=list(range(7, 107)), y=[1, 2] * 50))["zz"] == "identifier"


def test_dates_that_do_not_parse_are_not_released(tmp_path: Path) -> None:
    days = "".join(f"{n % 28 + 1:02d}.03.19{n % 90:02d},{n % 3}\n" for n in range(60))
    odd = "".join(f"{name} Tag im Mai,1\n" for name in ("unbekannter", "erster", "letzter"))
    draft = describe(csv(tmp_path, "Geburtsdatum,x\n" + days + odd))
    assert draft.schema["Geburtsdatum"].role == "identifier"
    assert {"unreadable", "unreadable_dates"} & {why.key for why in draft.guess("Geburtsdatum").why}
    assert draft.recipe["steps"][0]["columns"] == ["Geburtsdatum"]


def test_one_date_that_does_not_parse_is_a_gap(tmp_path: Path) -> None:
    days = "".join(f"{n % 28 + 1:02d}.03.19{n % 90:02d},{n % 3}\n" for n in range(60))
    draft = describe(csv(tmp_path, "Geburtsdatum,x\n" + days + "unbekannter Tag im Mai,1\n"))
    column = draft.schema["Geburtsdatum"]
    assert (column.role, column.scale, column.missing) == ("quasi", "time", ("unbekannter Tag im Mai",))
    assert {"odd_dates", "missing"} <= {why.key for why in draft.guess("Geburtsdatum").why}


def test_a_stray_word_far_down_makes_a_number_a_text(tmp_path: Path) -> None:
    """Only some values of a column with very many are looked at; the trial on the file finds the rest."""
    rows = [f"{n}.25" for n in range(MOST + 100)] + ["about nine"]
    draft = describe(csv(tmp_path, "income\n" + "\n".join(rows) + "\n"))
    assert draft.schema["income"].scale == "nominal"
    assert draft.guess("income").why[-1].key == "unreadable"


def test_what_was_decided_is_taken(tmp_path: Path) -> None:
    path = table(tmp_path, age=[20, 30, 40, 50] * 10, colour=["red", "blue"] * 20)
    colour = describe(path).schema["colour"].model_copy(update={"role": "quasi"})
    draft = describe(path, decided=[colour])
    assert draft.schema.quasi == ("age", "colour") and draft.guess("colour").why[0].key == "decided"


def test_the_share_that_stands_alone(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, age=[20, 20, 30, 40], sex=["f", "f", "m", "m"]))
    assert draft.alone == 0.5


def test_with_units_it_is_told_that_those_count_who_look_only_like_their_own(tmp_path: Path) -> None:
    family = Column(name="family", role="unit", scale="nominal")
    path = table(tmp_path, age=[20, 20, 30, 40, 40], sex=list("ffmmm"), family=list("aabac"))
    draft = describe(path, decided=[family])
    assert draft.alone == 0.6  # one is unique, two look only like each other
    told = next(look_at(draft, Words.of("en")))[1]
    assert told.startswith("By the 2 columns") and "look like no record of another unit (column family)" in told


def test_without_quasi_identifiers_nothing_is_demanded(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, x=[1.5, 2.5, 3.5]))
    assert draft.alone is None and "criteria" not in draft.recipe


def test_high_incomes_are_capped_where_enough_people_earn_them(tmp_path: Path) -> None:
    p = people()
    draft = describe(table(tmp_path, income=pa.array(p.income)))
    (step,) = draft.recipe["steps"]
    assert step["method"] == "top_code" and 3 <= int((p.income > step["upper"]).sum()) <= 20


def test_values_that_differ_only_beyond_the_rare_are_coarsened_first(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, age=list(range(20, 60)) * 2))
    assert draft.recipe["steps"][0] == {"method": "recode", "column": "age", "level": 1}


@pytest.mark.parametrize("access", K)
def test_more_harm_asks_for_larger_classes(access: str) -> None:
    sizes = list(K[access].values())  # type: ignore[index]
    assert sizes == sorted(sizes) and min(sizes) >= 3


def test_k_can_be_chosen(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, age=list(range(20, 60)) * 2), Purpose(k=7))
    assert draft.recipe["criteria"] == [{"criterion": "k_anonymity", "k": 7}]


@pytest.mark.parametrize(
    ("upper", "lower", "found"), [(9187.5, 8640, 9000), (101, 99, 100), (7, 3, 3), (0.123, 0.119, 0.12), (5, 5, 5)]
)
def test_round_limits(upper: float, lower: float, found: float) -> None:
    assert round_below(upper, lower) == pytest.approx(found)


def test_rare_categories_are_taken_together(tmp_path: Path) -> None:
    towns = ["Bonn"] * 90 + ["Köln"] * 60 + ["Jülich"] * 3 + ["Titz"]
    draft = describe(table(tmp_path, town=towns))
    hierarchy = draft.schema.hierarchies["town"]
    assert hierarchy.labels(pa.array(["Bonn", "Titz", "Jülich"]), 1).to_pylist() == ["Bonn", "other", "Jülich"]
    assert hierarchy.labels(pa.array(["Köln", "Titz", "Jülich"]), 2).to_pylist() == ["Köln", "other", "other"]
    assert hierarchy.outside == "root" and parse(hierarchy.to_toml()) == hierarchy


@pytest.mark.parametrize("text", ["a,b\n", "a\n"])
def test_a_file_without_rows_says_so(text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no rows"):
        describe(csv(tmp_path, text))


def test_it_is_offered_in_python(tmp_path: Path) -> None:
    assert sl.describe(table(tmp_path, age=[1, 2])).schema.names == ("age",)


def test_births_with_two_digits_are_not_put_into_a_century_to_come(tmp_path: Path) -> None:
    rows = "".join(
        f"{n % 12 + 1:02d}/{n % 28 + 1:02d}/{50 + n % 49},{n % 12 + 1:02d}/{n % 28 + 1:02d}/15\n" for n in range(90)
    )
    draft = describe(csv(tmp_path, "DOB,DateofHire\n" + rows))
    assert draft.schema["DOB"].role == "identifier"
    assert [why.key for why in draft.guess("DOB").why] == ["name", "short_years"]
    assert draft.schema["DateofHire"].scale == "time"  # no birth: 15 is 2015


def test_moments_of_a_database_are_dates(tmp_path: Path) -> None:
    rows = "".join(f"{n},2020-03-{n % 28 + 1:02d}T00:00:00.000Z\n" for n in range(90))
    draft = describe(csv(tmp_path, "nr,Meldedatum\n" + rows))
    assert (draft.schema["Meldedatum"].role, draft.schema["Meldedatum"].scale) == ("quasi", "time")


def test_a_long_list_of_columns_says_that_it_is_cut(tmp_path: Path) -> None:
    draft = describe(table(tmp_path, **{f"qx{n}": [1, 2, 3, 4] * 10 for n in range(15)}))
    told = [sentence for _, sentence in look_at(draft, EN)]
    assert any("qx11 and 3 more" in sentence for sentence in told)


def test_no_household_is_numbered_by_fractions(tmp_path: Path) -> None:
    """A package holds no fractions as codes: nothing would be drafted at all."""
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"yy": [n * 227.5 for n in range(40)] * 2, "sex": [1, 2] * 40})
    pyreadstat.write_dta(rows, tmp_path / "file.dta", column_labels=["family", "sex"])
    column = describe(tmp_path / "file.dta").schema["yy"]
    assert (column.role, column.scale) == ("undecided", "continuous")


def test_fractions_far_down_make_a_number_of_what_seemed_to_be_codes(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"household": [*map(float, range(MOST + 100)), 7.5, 7.5], "sex": 1.0})
    pyreadstat.write_dta(rows, tmp_path / "file.dta")
    column = describe(tmp_path / "file.dta").schema["household"]
    assert (column.role, column.scale) == ("undecided", "continuous")


def test_a_number_of_kinds_numbers_no_persons(tmp_path: Path) -> None:
    kinds = {"MaritalStatusID": [0, 1, 2, 3, 4] * 8, "PerfScoreID": [1, 2, 3, 4] * 10, "patient_id": [1, 2, 3, 4] * 10}
    found = roles(table(tmp_path, **kinds))
    assert found == {"MaritalStatusID": "quasi", "PerfScoreID": "sensitive", "patient_id": "identifier"}


def test_a_draft_tells_what_is_learned_about_people_nobody_finds(tmp_path: Path) -> None:
    """All who look alike have the same diagnosis: k-anonymity holds, and the report says what it does not hide."""
    people = "".join(f"{'fm'[n % 2]},{('flu', 'asthma')[n % 2]}\n" for n in range(40))
    draft = describe(csv(tmp_path, "sex,diagnosis\n" + people))
    write_draft(draft, tmp_path / "schema.toml", tmp_path / "recipe.toml", "en")
    report = sl.Recipe.from_file(tmp_path / "recipe.toml").run(out=tmp_path / "release").report
    said = [one for answer in tell_front(report, EN).answers for one in answer.said]
    assert [one.mark for one in said if "diagnosis is known for sure" in plain(one.text)] == ["mind"]


def test_what_the_law_protects_is_not_silently_of_limited_harm(tmp_path: Path) -> None:
    path = table(tmp_path, age=[20, 30, 40, 50] * 10, diagnosis=["flu", "none"] * 20)
    assert any("protection need: normal" in said and "diagnosis" in said for _, said in look_at(describe(path), EN))
    high = Purpose(protection="high")
    assert not any("protection need" in said for _, said in look_at(describe(path, purpose=high), EN))


def test_exact_amounts_that_tell_records_apart_are_told(tmp_path: Path) -> None:
    amounts = [f"{1000 + 37.31 * i:.2f}" for i in range(60)]
    path = tmp_path / "pay.csv"
    lines = [f"{20 + i % 9},{amount},{1000 + 500 * (i % 3)}" for i, amount in enumerate(amounts)]
    path.write_text("\n".join(["age,income,rent", *lines]) + "\n", encoding="utf-8")
    told = [said for _, said in look_at(describe(path), EN) if "differ in most records" in said]
    assert len(told) == 1
    assert "income" in told[0]
    assert "rent" not in told[0]
    within = describe(path, purpose=Purpose(access="contract"))
    assert not any("differ in most records" in said for _, said in look_at(within, EN))


def test_a_column_of_stars_is_not_called_coarser(tmp_path: Path) -> None:
    path = csv(tmp_path, "sex,town\n" + "".join(f"{'fm'[n % 2]},{'ABC'[n % 3]}\n" for n in range(40)))
    recipe = f"""
        data.file = "{path.name}"
        hierarchies.town.prefix = [1]
        schema.columns = [
            {{ name = "sex", role = "quasi", scale = "nominal" }},
            {{ name = "town", role = "quasi", scale = "nominal", hierarchy = "town" }},
        ]
        steps = [
            {{ method = "recode", column = "town", level = 2 }},
            {{ method = "recode", column = "sex", map = {{ f = "x", m = "y" }} }},
        ]
    """
    report = sl.Recipe.from_toml(recipe, tmp_path).run(out=tmp_path / "release").report
    said = [plain(text) for text in tell_mind(report, EN)]
    assert "Nothing is left to evaluate in town: all values are the same." in said
    assert "Coarser values than in the original: sex." in said
