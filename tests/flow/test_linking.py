"""Two releases under one key must not tell which of their records belong together.

Whoever attacks here holds both files and everything but the key. Each attack is also tried with the guard taken away:
there it finds nearly everybody, so that it would be noticed if the guard were gone.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import schleier as sl
from schleier.core.run import Run
from schleier.flow.release import edge
from schleier.flow.run import runner

PERSONS = 300
SCHEMA = """
[schema]
row_key = "id"
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "region", role = "quasi", scale = "nominal" },
  { name = "sex", scale = "nominal" },
  { name = "household", role = "unit", scale = "discrete" },
  { name = "income", role = "sensitive", scale = "continuous" },
  { name = "truth", scale = "discrete" },
]
"""
"""The column "truth" tells who is who: it is only looked at to count how many links are right."""
JUDGED = '[[criteria]]\ncriterion = "k_anonymity"\nk = 5\n'
BY_AGE = '[[steps]]\nmethod = "recode"\ncolumn = "age"\nbreaks = [30, 40, 50, 60]\n'
BY_REGION = '[[steps]]\nmethod = "recode"\ncolumn = "age"\nbreaks = [45]\n'
FEWER = '[[steps]]\nmethod = "restrict"\nwhere = [{ column = "truth", at_least = 30 }]\n'
DRAWN = """
[[steps]]
method = "add_noise"
kind = "independent"
columns = ["income"]
sd = { income = 500.0 }
[[steps]]
method = "renumber"
column = "household"
"""
SAMPLED = '[[steps]]\nmethod = "sample"\nfraction = 0.3\n'

Rows = list[dict[str, Any]]
Links = list[tuple[dict[str, Any], dict[str, Any]]]


def people(wave: int = 1) -> pa.Table:
    """The same persons at two times: households stay together, incomes change."""
    rng = np.random.default_rng(5)
    income = np.round(rng.gamma(4.0, 700.0, PERSONS), 2)
    change = np.round(rng.normal(0.0, 60.0, PERSONS), 2)
    return pa.table(
        {
            "id": [f"p{n}" for n in range(PERSONS)],
            "age": rng.integers(20, 70, PERSONS),
            "region": rng.choice(["north", "south"], PERSONS),
            "sex": rng.choice(["f", "m"], PERSONS),
            "household": np.arange(PERSONS) // 2 + 1,
            "income": income + (wave - 1) * change,
            "truth": np.arange(PERSONS),
        }
    )


def by_position(one: Rows, two: Rows) -> Links:
    """The n-th record of one is the n-th of the other."""
    return list(zip(one, two, strict=False))


def by_rank(one: Rows, two: Rows) -> Links:
    """The n-th woman of the north of one is the n-th of the other."""
    found = []
    for group in sorted({common(row) for row in one}):
        found += zip(*([row for row in rows if common(row) == group] for rows in (one, two)), strict=False)
    return found


def by_alignment(one: Rows, two: Rows) -> Links:
    """The longest common subsequence of what both tell: right also where records are left out."""
    left, right = list(map(common, one)), list(map(common, two))
    best = np.zeros((len(one) + 1, len(two) + 1), np.int64)
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(two) - 1, -1, -1):
            best[i, j] = best[i + 1, j + 1] + 1 if left[i] == right[j] else max(best[i + 1, j], best[i, j + 1])
    found, i, j = [], 0, 0
    while i < len(one) and j < len(two):
        if left[i] == right[j]:
            found.append((one[i], two[j]))
            i, j = i + 1, j + 1
        elif best[i + 1, j] >= best[i, j + 1]:
            i += 1
        else:
            j += 1
    return found


def by_unit_number(one: Rows, two: Rows) -> Links:
    """A household with the same number is the same household."""
    numbered = {row["household"]: row for row in two}
    return [(row, numbered[row["household"]]) for row in one if row["household"] in numbered]


def common(row: dict[str, Any]) -> tuple[str, str]:
    """What both releases tell of a person."""
    return row["sex"], row["region"]


def right(links: Links) -> float:
    """The share of all persons whose household (a person's own record and one more) was found."""
    return sum(a["truth"] // 2 == b["truth"] // 2 for a, b in links) / PERSONS


def rows_of(release: sl.Release) -> Rows:
    assert release.rows is not None and len(release.rows) > 0
    found: Rows = release.rows.to_pylist()
    return found


@contextlib.contextmanager
def old_order() -> Iterator[None]:
    """Rows in an order that depends on the key alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge, "fingerprint", lambda data, run: "")
        yield


@contextlib.contextmanager
def old_key() -> Iterator[None]:
    """Other rows drawn with the key of the release that is replayed."""
    with pytest.MonkeyPatch.context() as patch, old_order():
        patch.setattr(runner, "_keyed", lambda job, original: ("", "release"))
        yield


def two_recipes(first: str, second: str, key: bytes) -> tuple[Rows, Rows]:
    """The rows of two releases of the same persons with other steps under the same key."""
    one, two = (sl.Recipe.from_toml(SCHEMA + text + JUDGED).run(people(), key=key) for text in (first, second))
    return rows_of(one), rows_of(two)


@pytest.mark.parametrize(
    ("attack", "second", "unguarded"),
    [(by_position, BY_REGION, 1.0), (by_rank, BY_REGION, 1.0), (by_alignment, BY_REGION + FEWER, 0.85)],
    ids=["position", "rank", "alignment"],
)
def test_two_recipes_under_one_key_are_not_linked_by_order(
    attack: Callable[[Rows, Rows], Links], second: str, unguarded: float, key: bytes
) -> None:
    assert right(attack(*two_recipes(BY_AGE, second, key))) < 0.05
    with old_order():
        assert right(attack(*two_recipes(BY_AGE, second, key))) >= unguarded


def test_values_that_change_places_change_the_order(key: bytes) -> None:
    """Two releases with the same rows as a set, but of other persons."""
    recipe = sl.Recipe.from_toml(SCHEMA)
    table = people()
    moved = table.set_column(5, "income", table["income"].take(pa.array(np.roll(np.arange(PERSONS), 1))))
    one, two = (rows_of(recipe.run(rows, key=key)) for rows in (table, moved))
    assert right(by_position(one, two)) < 0.05
    assert rows_of(recipe.run(table, key=key)) == one


@pytest.fixture(scope="module")
def first_wave(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of the first wave."""
    folder = tmp_path_factory.mktemp("waves") / "release"
    sl.Recipe.from_toml(SCHEMA + BY_AGE + DRAWN + JUDGED).run(people(), out=folder, key=bytes(range(32)))
    return folder


def waves(folder: Path, table: pa.Table) -> tuple[Rows, Rows]:
    """The rows of the first wave and of a second one that was replayed."""
    one = sl.replay(folder, people())
    return rows_of(one), rows_of(sl.replay(folder, table))


@pytest.mark.parametrize("attack", [by_position, by_rank, by_alignment, by_unit_number])
def test_a_replayed_wave_is_not_linked(attack: Callable[[Rows, Rows], Links], first_wave: Path) -> None:
    one, two = waves(first_wave, people(2))
    assert right(attack(one, two)) < 0.05
    with old_key():
        assert right(attack(*waves(first_wave, people(2)))) > 0.95


def cancelled(one: Rows, two: Rows) -> float:
    """The share of persons whose true change is what subtraction gives, to whom the attacker found the records."""
    before, after = ({row["truth"]: row["income"] for row in rows} for rows in (one, two))
    true = np.array(people(2)["income"]) - np.array(people(1)["income"])
    return float(np.mean([abs(after[n] - before[n] - true[n]) < 1 for n in range(PERSONS)]))


def test_noise_does_not_cancel_out(first_wave: Path) -> None:
    assert cancelled(*waves(first_wave, people(2))) < 0.05
    with old_key():
        assert cancelled(*waves(first_wave, people(2))) == 1


def test_one_cell_of_one_person_is_enough_for_other_draws(first_wave: Path) -> None:
    table = people()
    incomes = table["income"].to_pylist()
    incomes[7] = np.nextafter(incomes[7], 0.0)
    one, two = waves(first_wave, table.set_column(5, "income", pa.array(incomes)))
    assert max(right(attack(one, two)) for attack in (by_position, by_unit_number)) < 0.05
    assert cancelled(one, two) < 0.05


def test_another_sample_is_drawn(tmp_path: Path) -> None:
    """Who is in both samples would otherwise be everybody."""
    recipe = sl.Recipe.from_toml(SCHEMA + SAMPLED)
    one = recipe.run(people(), out=tmp_path / "release", key=bytes(range(32)))
    two = sl.replay(tmp_path / "release", people(2))
    assert overlap(sl.replay(tmp_path / "release", people()), two) < 0.5
    assert two.audit.run_key != one.audit.run_key
    with old_key():
        assert overlap(*(sl.replay(tmp_path / "release", people(wave)) for wave in (1, 2))) == 1


def overlap(one: sl.Release, two: sl.Release) -> float:
    """The share of one sample that is in the other."""
    first, second = ({row["truth"] for row in rows_of(release)} for release in (one, two))
    return len(first & second) / len(first)


def test_the_same_rows_in_another_order_are_the_same_release(first_wave: Path) -> None:
    table = people()
    turned = sl.replay(first_wave, table.take(pa.array(range(PERSONS - 1, -1, -1))))
    again = sl.replay(first_wave, table)
    assert turned.audit.digest == again.audit.digest and rows_of(turned) == rows_of(again)
    assert again.audit.run_key == bytes(range(32)).hex() and again.audit.key_from == "release"


def test_a_derived_key_is_that_of_its_rows(first_wave: Path, tmp_path: Path) -> None:
    """A replay can be repeated, and be replayed."""
    second = sl.replay(first_wave, people(2), out=tmp_path / "second")
    assert second.audit.key_from == "derived"
    once_more, again = sl.replay(first_wave, people(2)), sl.replay(tmp_path / "second", people(2))
    assert second.audit.digest == once_more.audit.digest == again.audit.digest
    assert again.audit.key_from == "release"
    back = sl.replay(tmp_path / "second", people(1))
    assert back.audit.run_key not in (second.audit.run_key, bytes(range(32)).hex())


def test_a_release_that_does_not_know_its_rows_is_replayed_with_other_draws(
    first_wave: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As releases of earlier versions do not."""
    from schleier.flow import replay as module

    past = module.Past.of(first_wave)
    forgetful = past.audit.model_copy(update={"source_fingerprint": ""})
    monkeypatch.setattr(module.Past, "of", lambda folder: replace(past, audit=forgetful))
    assert sl.replay(first_wave, people()).audit.key_from == "derived"


def test_units_stay_together_in_the_new_order(key: bytes) -> None:
    for text in (BY_AGE, BY_REGION + FEWER):
        homes = [row["household"] for row in rows_of(sl.Recipe.from_toml(SCHEMA + text).run(people()))]
        blocks = 1 + sum(a != b for a, b in itertools.pairwise(homes))
        assert blocks == len(set(homes)) > 100


def test_where_the_key_came_from_is_told(key: bytes) -> None:
    recipe = sl.Recipe.from_toml(SCHEMA)
    assert recipe.run(people(), key=key).audit.key_from == "given"
    assert recipe.run(people()).audit.key_from == "new"


def test_the_key_of_other_rows_follows_from_the_run_key_and_the_rows(first_wave: Path) -> None:
    import hashlib
    import hmac

    from schleier.flow.release.fingerprint import fingerprint

    second = sl.replay(first_wave, people(2))
    data = sl.Dataset.from_frame(people(2), sl.Recipe.from_toml(SCHEMA).schema)
    told = f"replay\x1f{fingerprint(data, Run(key=bytes(range(32))), exact=True)}".encode()
    assert second.audit.run_key == hmac.new(bytes(range(32)), told, hashlib.sha256).hexdigest()
