"""Without named techniques everything is tried that fits; what cannot be tried is left out by name, with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import schleier as sl
from flow.attack.staged import MARK, PERSONS, Staged, person
from schleier.attacks import auto
from schleier.attacks.distance_match import DistanceMatch
from schleier.attacks.exact_match import ExactMatch
from schleier.cli import app
from schleier.core import registry
from schleier.core.errors import InfeasibleError, Problem, WriteError

HOMES = 20
FEW = {"distance_match": DistanceMatch, "exact_match": ExactMatch}
RECIPE = """
[data]
file = "original.parquet"
[release]
access = "public"
[schema]
row_key = "id"
columns = [
  {name = "home", role = "unit", scale = "nominal"},
  {name = "age", role = "quasi", scale = "discrete"},
  {name = "sex", role = "quasi", scale = "nominal"},
  {name = "town", role = "quasi", scale = "nominal"},
]
"""


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Staged:
    """Persons in homes of three; the attacker holds half of the homes, and two that took no part."""
    place = Staged(tmp_path_factory.mktemp("homes"))
    people = [person(i) for i in range(PERSONS + 6)]

    def rows(some: range) -> dict[str, Any]:
        ages, sexes, towns = zip(*(people[i] for i in some), strict=True)
        home = [f"{MARK}-home-{i // 3}" for i in some]
        return {"home": home, "age": pa.array(ages, pa.int64()), "sex": sexes, "town": towns}

    whole, held = range(PERSONS), range(PERSONS // 2, PERSONS + 6)
    place.write("original", id=[f"{MARK}-{i:03}" for i in whole], **rows(whole))
    place.write("known", entry=[100 + i for i in held], **rows(held))
    (place.folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    sl.Recipe.from_file(place.folder / "recipe.toml").run(out=place.folder / "release", key=bytes(32))
    both = range(PERSONS // 2, PERSONS)
    place.write("truth", id=[f"{MARK}-{i:03}" for i in both], entry=[100 + i for i in both])
    released = place.folder / "release" / "public" / "data.parquet"
    table = [tuple(row.values()) for row in pq.read_table(released).to_pylist()]
    mine = list(zip(*rows(whole).values(), strict=True))
    place.write(
        "numbers", record=[table.index((*map(_plain, mine[i]),)) + 1 for i in both], entry=[100 + i for i in both]
    )
    return place


def _plain(value: Any) -> Any:
    return value.as_py() if isinstance(value, pa.Scalar) else value


def test_a_file_without_units_is_tried_with_the_rest(homes: Staged) -> None:
    known = homes.table("known").drop_columns(["home"])
    found = sl.attack(homes.release, known)
    assert {"exact_match", "distance_match"} <= {one.attack for one in found.tried}
    (left,) = [one for one in found.left_out if one.attack == "fingerprint_match"]
    assert "'home'" in left.problems[0].message
    with pytest.raises(sl.SchleierError, match="belong together") as raised:
        sl.attack(homes.release, known, ["fingerprint_match"])
    assert raised.value.exit_code == 4


def test_with_the_original_true_values_stand_in_for_what_the_file_lacks(homes: Staged) -> None:
    known = homes.table("known").drop_columns(["home"])
    found = sl.attack(homes.release, known, original=homes.original, pairs=homes.truth)
    (units,) = [one for one in found.tried if one.attack == "fingerprint_match"]
    assert units.exact is not None and units.exact.detail["targets"] == HOMES and found.left_out == ()


@pytest.mark.parametrize("truth", ["original", "pairs", "nobody"])
def test_units_are_looked_for_whoever_judges(homes: Staged, truth: str) -> None:
    """16 homes of three are held, 10 of them in the release; two records that are alike find nobody more."""
    files: dict[str, Any] = {
        "original": {"original": homes.original, "pairs": homes.truth},
        "pairs": {"pairs": homes.numbers},
    }
    (one,) = sl.attack(homes.release, homes.known, ["fingerprint_match"], key=bytes(32), **files.get(truth, {})).tried
    if truth == "nobody":
        assert (one.targets, one.judged) == (12, False) and 10 <= (one.claims or 0) <= 12
        return
    assert one.exact is not None
    told = one.exact.detail
    assert (told["targets"], told["contained"], told["records"], told["correct"]) == (12, 10, HOMES, 10)
    assert (told["member_targets"], told["member_correct"]) == (36, 30)


NO_ROWS = InfeasibleError(Problem("no-rows", "a", "no rows"))


@pytest.mark.parametrize(
    ("truth", "failure"),
    [({}, ValueError(MARK)), ({"pairs": "numbers"}, NO_ROWS), ({"original": "original", "pairs": "truth"}, NO_ROWS)],
    ids=["nobody", "pairs", "original"],
)
def test_one_that_fails_does_not_fail_all(
    staged: Staged, truth: dict[str, str], failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise failure

    monkeypatch.setattr(registry, "every", lambda _: FEW)
    monkeypatch.setattr(auto, "every", lambda _: FEW)
    monkeypatch.setattr(DistanceMatch, "claim", fails)
    given = {name: getattr(staged, to) for name, to in truth.items()}
    found = sl.attack(staged.release, staged.known, **given)
    assert [one.attack for one in found.left_out] == ["distance_match"]
    assert [one.attack for one in found.tried] == ["exact_match"] and MARK not in found.to_json()
    assert all(one.problems == () for one in found.public().left_out)
    with pytest.raises(type(failure)):
        sl.attack(staged.release, staged.known, ["exact_match", "distance_match"], **given)


def test_a_full_disk_stops_all(staged: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise WriteError(Problem("disk-full", "", "full"))

    monkeypatch.setattr(DistanceMatch, "claim", fails)
    with pytest.raises(WriteError):
        sl.attack(staged.release, staged.known)


def test_when_nothing_can_be_tried_every_reason_is_said(staged: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise InfeasibleError(Problem("no-rows", "a", "no rows"))

    monkeypatch.setattr(registry, "every", lambda _: FEW)
    for one in (ExactMatch, DistanceMatch):
        monkeypatch.setattr(one, "unjudged", fails)
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, staged.known)
    assert [one.code for one in raised.value.problems] == ["no-attack-fits", "no-rows"]


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Left out: match of whole units: the file"),
        ("de", "Weggelassen: Abgleich ganzer Einheiten: In der Datei"),
    ],
)
def test_what_is_left_out_is_told(homes: Staged, tmp_path: Path, lang: str, said: str) -> None:
    pq.write_table(homes.table("known").drop_columns(["home"]), tmp_path / "known.parquet")
    command = ["attack", homes.release, "--known", str(tmp_path / "known.parquet"), "--lang", lang]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0 and said in " ".join(told.stdout.split()) and "'home'" in told.stdout
    public = CliRunner().invoke(app, [*command, "--public"])
    assert said.rsplit(":", 1)[0] in " ".join(public.stdout.split()) and "'home'" not in public.stdout


def test_columns_to_look_by_are_checked_without_techniques_too(staged: Staged) -> None:
    for by, code, told in ((["agee"], 2, "did you mean 'age'"), (["tag"], 4, "no column 'tag'")):
        with pytest.raises(sl.SchleierError, match=told) as raised:
            sl.attack(staged.release, staged.known, by=by)
        assert raised.value.exit_code == code
    ill = staged.table("known").append_column("disease", pa.array([f"{MARK}-ill-1"] * 32))
    assert sl.attack(staged.release, ill, by=["age", "disease"]).tried  # the way out that the refusal names


def test_parameters_are_told(staged: Staged) -> None:
    some = ["-t", "distance_match:within=0.1", "-t", "distance_match:metric=hamming,known=age+sex"]
    said = {
        "en": ("With within = 0.1.", "With known = age, sex; metric = hamming."),
        "de": ("Mit within = 0,1.", "Mit known = age, sex; metric = hamming."),
    }
    for truth in ([], ["--pairs", staged.numbers]):
        for lang, sentences in said.items():
            command = ["attack", staged.release, "--known", staged.known, *truth, *some, "--lang", lang]
            told = CliRunner().invoke(app, command).stdout
            assert all(one in told for one in sentences)
