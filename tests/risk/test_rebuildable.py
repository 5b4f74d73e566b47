"""Columns that were left out and can be computed all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.combine import Combine
from schleier.methods.drop import Drop
from schleier.methods.ratio import Ratio
from schleier.risk.rebuildable import Rebuildable

N = 400
RNG = np.random.default_rng(3)
HOME, ABROAD, STAFF = (RNG.lognormal(4, 1, N) for _ in range(3))


def data(**columns: Any) -> Dataset:
    schema = Schema(columns=[Column(name=name, scale="continuous", role="sensitive") for name in columns])
    return Dataset.from_frame(pa.table(columns), schema)


def found(original: Dataset, released: Dataset, **parameters: Any) -> Finding:
    return Rebuildable(**parameters).measure(Case(original, released), Run(key=bytes(32)))


DATA = data(home=HOME, abroad=ABROAD, all=HOME + ABROAD, share=HOME / (HOME + ABROAD), staff=STAFF)


@pytest.mark.parametrize(
    ("gone", "how", "by"),
    [
        (("home", "share"), "linear", {"all", "abroad"}),
        (("home", "abroad"), "product", {"all", "share"}),
        (("abroad", "share"), "linear", {"all", "home"}),
    ],
)
def test_a_column_that_follows_is_found(gone: tuple[str, ...], how: str, by: set[str]) -> None:
    finding = found(DATA, Drop(columns=gone).apply(DATA, Run()))
    told = finding.detail["rebuildable"][gone[0]]
    assert told["how"] == how and set(told["from"]) == by and told["share"] == 1.0
    assert finding.value >= 1 and f"'{gone[0]}'" in finding.text


def test_a_ratio_is_found() -> None:
    original = data(all=HOME, part=ABROAD, share=ABROAD / HOME)
    told = found(original, original.drop("share")).detail["rebuildable"]["share"]
    assert (told["how"], told["from"]) == ("ratio", ["part", "all"])


def test_what_does_not_follow_is_not_found() -> None:
    finding = found(DATA, DATA.drop("home", "all", "share"))
    assert finding.value == 0 and finding.detail["rebuildable"] == {}
    assert finding.detail["looked_at"] == ["home", "all", "share"]
    assert "none of them" in finding.text


def test_methods_that_leave_columns_out() -> None:
    original = DATA.drop("share", "staff")
    assert (
        found(original, Combine(columns=["home", "abroad"], into="sum").apply(original.drop("all"), Run())).value == 1
    )
    only = data(home=HOME, abroad=ABROAD, staff=STAFF)
    assert found(only, Ratio(columns=["home", "abroad"]).apply(only, Run())).value == 0
    assert found(only, Combine(columns=["home", "abroad"], into="sum").apply(only, Run())).value == 0


def test_rounded_shares_still_tell_nearly_everything() -> None:
    original = data(home=HOME, all=HOME + ABROAD)
    released = data(share=np.round(HOME / (HOME + ABROAD), 3), all=HOME + ABROAD)
    assert found(original, released).value == 1
    assert found(original, released, within=1e-6).value == 0


def test_gaps_zeros_and_constants() -> None:
    home = HOME.copy()
    home[::3] = 0.0
    gaps = [None if i % 20 == 0 else value for i, value in enumerate(ABROAD)]
    original = data(home=home, abroad=gaps, all=home + ABROAD, one=np.ones(N))
    finding = found(original, original.drop("all", "one"))
    assert set(finding.detail["rebuildable"]) == {"all"}, "a constant needs nothing released"


def test_a_few_records_prove_nothing() -> None:
    original = data(a=[1.0, 2.0, 3.0], b=[2.0, 4.0, 6.0])
    assert found(original, original.drop("b")).value == 0


def test_named_columns_and_a_part_of_the_records() -> None:
    finding = found(DATA, DATA.drop("home", "all"), columns=["home"], records=100)
    assert finding.detail["looked_at"] == ["home"]
    assert 50 < finding.detail["records"] < 150


def people(n: int = 4000) -> pa.Table:
    """Weights that follow from region and size, ages with their group, towns with a place in their name."""
    rng = np.random.default_rng(7)
    region, size, age = rng.integers(0, 8, n), rng.integers(1, 6, n), rng.integers(18, 90, n)
    return pa.table(
        {
            "region": [f"r{one}" for one in region],
            "size": size,
            "age": age,
            "agegr": [f"{one // 10 * 10} and more" for one in age],
            "weight": 100.0 + 17 * region + 3.1 * size,
            "born": 2020 - age,
            "answer": [f"a{one}" for one in rng.integers(0, 4, n)],
            "number": np.arange(n),
        }
    )


SCALES = {"age": "discrete", "size": "discrete", "weight": "continuous", "born": "discrete", "number": "discrete"}


def load(table: pa.Table, **roles: Any) -> Dataset:
    columns = [
        Column(name=name, scale=SCALES.get(name, "nominal"), role=roles.get(name, "plain"))  # type: ignore[arg-type]
        for name in table.column_names
    ]
    return Dataset.from_frame(table, Schema(columns=columns))


def test_weights_give_a_region_back() -> None:
    original = load(people())
    told = found(original, original.drop("region")).detail["rebuildable"]["region"]
    assert (told["how"], told["from"], told["share"]) == ("guess", ["weight"], 1.0)
    assert told["blind"] < 0.2 and told["gain"] == 1.0


def test_two_columns_give_back_what_neither_does() -> None:
    table = people()
    codes = np.asarray(table["size"]) * 10 + np.asarray([int(one[1]) for one in table["region"].to_pylist()])
    original = load(table.drop_columns(["weight"]).append_column("sector", pa.array([f"s{one}" for one in codes])))
    told = found(original, original.drop("sector")).detail["rebuildable"]["sector"]
    assert (set(told["from"]), told["share"]) == ({"region", "size"}, 1.0)


def blanked(original: Dataset, name: str, every: int) -> Dataset:
    import narwhals as nw

    value = nw.col(name)
    return original.mutate(**{name: nw.when(nw.col("number") % every != 0).then(value)})


def test_a_group_beside_blanked_ages() -> None:
    original = load(people()).drop("born")
    told = found(original, blanked(original, "age", 10)).detail["rebuildable"]["age"]
    assert told["from"] == ["agegr"] and told["share"] > 0.9 and told["blind"] < 0.4
    finding = found(original, blanked(original.drop("agegr"), "age", 10))
    assert "age" not in finding.detail["rebuildable"] and finding.detail["looked_at"] == ["age", "agegr"]


def test_what_is_left_of_a_column_is_no_source_of_it() -> None:
    import narwhals as nw

    original = load(people())
    coarse = original.drop("born").mutate(age=nw.col("agegr"), weight=(nw.col("weight") / 5).round(0) * 5)
    finding = found(original, coarse)
    assert finding.detail["looked_at"] == ["age", "weight", "born"]
    told = finding.detail["columns"]
    assert "age" not in finding.detail["rebuildable"] and "age" not in told.get("age", {"from": []})["from"]
    assert "weight" not in told["weight"]["from"], "region and size, but not itself"
    exact = found(original, original.mutate(age=nw.col("agegr"))).detail["rebuildable"]["age"]
    assert (exact["how"], exact["from"]) == ("linear", ["born"]), "the year gives back what the classes hide"


def test_unique_columns_do_not_win_by_heart() -> None:
    original = load(people())
    finding = found(original, original.drop("answer"))
    assert finding.value == 0 and finding.detail["columns"].get("answer", {"gain": 0})["gain"] < 0.1


def test_records_of_one_unit_do_not_teach_each_other() -> None:
    rng = np.random.default_rng(1)
    home = np.repeat(np.arange(200), 20)
    table = pa.table(
        {
            "home": home,
            "code": [f"c{one}" for one in home],
            "region": [f"r{one}" for one in rng.integers(0, 5, 200)[home]],
        }
    )
    for role, value in (("plain", 1), ("unit", 0)):
        original = load(table, home=role)
        assert found(original, original.drop("region")).value == value


def test_a_text_that_holds_a_name() -> None:
    names = [f"College {i} of {chr(65 + i % 26)}ville" for i in range(600)]
    table = pa.table({"name": names, "campus": [f"{one.upper()}, main campus" for one in names], "other": names[::-1]})
    original = load(table)
    told = found(original, original.drop("name", "other")).detail["rebuildable"]["name"]
    assert (told["how"], told["from"], told["share"]) == ("text", ["campus"], 1.0)
    assert found(original, original.drop("name", "campus")).detail["rebuildable"] == {}


def test_a_share_and_the_other_part_give_amounts_back() -> None:
    share = np.round(ABROAD / (HOME + ABROAD), 3)
    original = data(home=HOME, abroad=ABROAD, share=share, staff=STAFF)
    told = found(original, original.drop("abroad")).detail["rebuildable"]["abroad"]
    assert told["formula"] == "(share / (1 - share)) * home" or told["formula"] == "home * (share / (1 - share))"
    assert told["share"] > 0.9
    percent = data(home=HOME, abroad=ABROAD, share=100 * share, staff=STAFF)
    assert found(percent, percent.drop("abroad")).detail["rebuildable"]["abroad"]["share"] > 0.9


@pytest.mark.parametrize("where", ["all", "home"])
@pytest.mark.parametrize("deviating", [1, 20])
def test_deviating_values_hide_nothing(where: str, deviating: int) -> None:
    columns = {"home": HOME.copy(), "abroad": ABROAD, "all": HOME + ABROAD, "staff": STAFF}
    columns[where][7 : 7 + deviating] *= 1e4
    original = data(**columns)
    told = found(original, original.drop("abroad")).detail["rebuildable"]["abroad"]
    assert (told["how"], set(told["from"])) == ("linear", {"all", "home"}) and told["share"] >= 0.95


def test_everybody_reads_steps_and_nothing_of_few() -> None:
    original = load(people(400)).drop("born")
    case, run = Case(original, blanked(original, "age", 4)), Run(key=bytes(32))
    exact = Rebuildable().measure(case, run)
    public = Rebuildable().disclose(case, run, exact)
    assert public is not None and "columns" not in public.detail
    told = public.detail["rebuildable"]["age"]
    assert "tried" not in told and told["share"] in (0.8, 1.0)
    few = Case(original, blanked(original, "age", 20))
    exact = Rebuildable(share=0.1).measure(few, run)
    public = Rebuildable(share=0.1).disclose(few, run, exact)
    assert exact.detail["rebuildable"] and public is not None and public.detail["rebuildable"] == {}
    assert exact.value == 1 and "age" in exact.text and public.value == 0 and "age" not in public.text


def test_what_one_person_said_moves_a_step_at_most() -> None:
    table, run, told = people(1000), Run(key=bytes(32)), []
    for answer in ("r1", "elsewhere"):
        region = pa.array([answer, *table["region"].to_pylist()[1:]])
        original = load(table.set_column(0, "region", region))
        case = Case(original, original.drop("region"))
        public = Rebuildable().disclose(case, run, Rebuildable().measure(case, run))
        assert public is not None
        told.append(public.detail["rebuildable"]["region"])
    told_shares = [one[part] * 20 for one in told for part in ("share", "blind", "gain")]
    assert told_shares == pytest.approx([round(one) for one in told_shares], abs=1e-9)
    assert told[0] | {"blind": 0} == told[1] | {"blind": 0}
