"""What is wrong with an attack is said at once, with the way out, and without anything of the truth."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import schleier as sl
from flow.attack.staged import MARK, Staged
from schleier.cli import app

Given = dict[str, Any]


def other_columns(staged: Staged, tmp_path: Path) -> Given:
    return {"known": staged.table("known").rename_columns(["entry", "holder", "alter", "geschlecht", "ort"])}


def other_codes(staged: Staged, tmp_path: Path) -> Given:
    table = staged.table("known")
    return {"known": table.set_column(3, "sex", pa.array([MARK + "1", MARK + "2"] * 16))}


def other_ranges(staged: Staged, tmp_path: Path) -> Given:
    table = staged.table("known")
    return {"known": table.set_column(2, "age", pa.array([1900] * 32))}


def payload(staged: Staged, tmp_path: Path) -> Given:
    table = staged.table("known")
    return {"known": table.append_column("disease", pa.array([f"{MARK}-ill-1"] * 32))}


def no_persons(staged: Staged, tmp_path: Path) -> Given:
    return {"known": staged.table("known").slice(0, 0)}


def nobody_in_common(staged: Staged, tmp_path: Path) -> Given:
    strangers, pairs = staged.table("known").slice(20), staged.table("tags")
    entries = pairs.set_column(1, "entry", pa.array([f"{MARK}-entry-060"] + [f"x{i}" for i in range(19)]))
    tags = entries.set_column(0, "tag", pa.array(["tag999", *pairs["tag"].to_pylist()[1:]]))
    return {"known": strangers, "pairs": tags}


def pairs_of_others(staged: Staged, tmp_path: Path) -> Given:
    pairs = staged.table("tags")
    return {"pairs": pairs.set_column(1, "entry", pa.array([f"{MARK}-other-{i}" for i in range(20)]))}


def no_pairs(staged: Staged, tmp_path: Path) -> Given:
    return {"pairs": staged.table("tags").slice(0, 0)}


def pairs_twice(staged: Staged, tmp_path: Path) -> Given:
    pairs = staged.table("tags")
    return {"pairs": pa.concat_tables([pairs, pairs.slice(0, 1)])}


def pairs_by_a_common_column(staged: Staged, tmp_path: Path) -> Given:
    entries = staged.table("tags")["entry"]
    return {"pairs": pa.table({"town": ["Kiel"] * 20, "entry": entries})}


def pairs_with_one_column(staged: Staged, tmp_path: Path) -> Given:
    return {"pairs": staged.table("tags").select(["entry"])}


def other_original(staged: Staged, tmp_path: Path) -> Given:
    return {"original": staged.table("original").slice(1), "pairs": staged.truth}


def who_is_who_unsaid(staged: Staged, tmp_path: Path) -> Given:
    return {"original": staged.original}


def itself_as_original(staged: Staged, tmp_path: Path) -> Given:
    schema = Path(staged.release) / "public" / "schema.toml"
    return {"release": staged.original, "schema": schema, "original": staged.original, "known": None}


def itself_as_known(staged: Staged, tmp_path: Path) -> Given:
    file = shutil.copy(Path(staged.release) / "public" / "data.parquet", tmp_path / "copy.parquet")
    schema = Path(staged.release) / "public" / "schema.toml"
    return {"release": file, "schema": schema, "known": file, "by": ["age", "sex", "tag", "disease"]}


def schema_of_the_original(staged: Staged, tmp_path: Path) -> Given:
    file = shutil.copy(Path(staged.release) / "public" / "data.parquet", tmp_path / "alone.parquet")
    return {"release": file, "schema": staged.folder / "recipe.toml"}


def nothing_known(staged: Staged, tmp_path: Path) -> Given:
    return {"known": None}


def part_and_original(staged: Staged, tmp_path: Path) -> Given:
    return {"release": staged.public_part("part"), "original": staged.original, "pairs": staged.truth}


def changed_since(staged: Staged, tmp_path: Path) -> Given:
    shutil.copytree(staged.release, tmp_path / "changed")
    with (tmp_path / "changed" / "public" / "data.parquet").open("ab") as file:
        file.write(MARK.encode())
    return {"release": tmp_path / "changed"}


def part_changed_since(staged: Staged, tmp_path: Path) -> Given:
    shutil.copytree(staged.release, tmp_path / "changed", ignore=shutil.ignore_patterns("restricted"))
    with (tmp_path / "changed" / "public" / "data.parquet").open("ab") as file:
        file.write(MARK.encode())
    return {"release": tmp_path / "changed"}


def no_release(staged: Staged, tmp_path: Path) -> Given:
    return {"release": tmp_path}


def no_folder(staged: Staged, tmp_path: Path) -> Given:
    return {"release": tmp_path / "nowhere"}


def no_schema(staged: Staged, tmp_path: Path) -> Given:
    shutil.copy(Path(staged.release) / "public" / "data.parquet", tmp_path / "alone.parquet")
    return {"release": tmp_path / "alone.parquet"}


def unreadable(staged: Staged, tmp_path: Path) -> Given:
    (tmp_path / "known.parquet").write_bytes(MARK.encode() * 9)
    return {"known": tmp_path / "known.parquet"}


def not_there(staged: Staged, tmp_path: Path) -> Given:
    return {"known": tmp_path / "nobody.parquet"}


def threshold(staged: Staged, tmp_path: Path) -> Given:
    return {"techniques": ["attribute_inference:sensitive=disease,sure=1.5", "discriminant_match:listing=0"]}


def unknown_technique(staged: Staged, tmp_path: Path) -> Given:
    return {"techniques": ["exact_mach", "distance_match:metric=haming"]}


def no_technique(staged: Staged, tmp_path: Path) -> Given:
    return {"techniques": ["exact_match:targets", ":"]}


def true_values(staged: Staged, tmp_path: Path) -> Given:
    return {"techniques": ["membership", "exact_match:knowledge=exact"]}


def unknown_column(staged: Staged, tmp_path: Path) -> Given:
    return {"by": ["agee"]}


def column_of_one_file(staged: Staged, tmp_path: Path) -> Given:
    return {"by": ["tag"]}


BAD: dict[Callable[[Staged, Path], Given], tuple[int, set[str]]] = {
    other_columns: (4, {"no-common-column"}),
    other_codes: (4, {"different-codes"}),
    other_ranges: (4, {"different-codes"}),
    payload: (4, {"payload"}),
    no_persons: (4, {"no-rows"}),
    nobody_in_common: (4, {"no-overlap"}),
    pairs_of_others: (4, {"bad-pairs"}),
    no_pairs: (4, {"no-overlap"}),
    pairs_twice: (4, {"bad-pairs"}),
    pairs_by_a_common_column: (4, {"bad-pairs"}),
    pairs_with_one_column: (4, {"bad-pairs"}),
    other_original: (4, {"other-original"}),
    who_is_who_unsaid: (4, {"bad-pairs"}),
    itself_as_original: (4, {"nothing-anonymised"}),
    itself_as_known: (4, {"nothing-anonymised"}),
    schema_of_the_original: (4, {"unknown-column", "wrong-type"}),
    nothing_known: (2, {"no-knowledge"}),
    part_and_original: (4, {"incomplete-release"}),
    changed_since: (4, {"changed-release"}),
    part_changed_since: (4, {"changed-release"}),
    no_release: (4, {"not-a-release"}),
    no_folder: (4, {"not-a-release"}),
    no_schema: (2, {"no-schema"}),
    unreadable: (4, {"broken-file"}),
    not_there: (4, {"no-file"}),
    threshold: (2, {"bad-parameter"}),
    unknown_technique: (2, {"unknown-attack", "bad-parameter"}),
    no_technique: (2, {"bad-technique"}),
    true_values: (4, {"needs-original"}),
    unknown_column: (2, {"unknown-column"}),
    column_of_one_file: (4, {"unknown-column"}),
}


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.__name__)
def test_bad_input_is_refused_with_the_way_out(
    bad: Callable[[Staged, Path], Given], staged: Staged, tmp_path: Path
) -> None:
    code, codes = BAD[bad]
    given: Given = {"release": staged.release, "known": staged.known, "techniques": ["exact_match"]}
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(**given | bad(staged, tmp_path))
    assert (raised.value.exit_code, {one.code for one in raised.value.problems}) == (code, codes)
    told = repr(raised.value.problems) + str(raised.value)
    assert MARK not in told.replace(str(tmp_path), "").replace(str(staged.folder), "")


def test_everything_that_is_wrong_is_said_at_once(staged: Staged, tmp_path: Path) -> None:
    known = payload(staged, tmp_path)["known"].drop_columns(["age"])
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, known, ["exact_mach", "membership"], pairs=staged.numbers, by=["age"])
    codes = [one.code for one in raised.value.problems]
    assert codes == ["unknown-attack", "payload"]  # what a wrong technique would need is not known
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, known, ["exact_match", "membership"], pairs=staged.numbers, by=["age"])
    assert [one.code for one in raised.value.problems] == ["needs-original", "payload", "unknown-column"]


def test_payload_that_is_named_as_known_is_knowledge(staged: Staged, tmp_path: Path) -> None:
    known = payload(staged, tmp_path)["known"]
    by = ["age", "sex", "town", "disease"]
    assert sl.attack(staged.release, known, ["distance_match"], by=by).columns == tuple(by)
    table = {"attack": "distance_match", "known": by}
    assert sl.attack(staged.release, known, [table]).tried[0].parameters["known"] == by


WAYS: dict[str, list[str]] = {
    "original": ["--original", "original", "--pairs", "truth"],
    "pairs": ["--pairs", "numbers"],
    "nobody": [],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", [["--json"], ["--lang", "de"], ["--lang", "en", "--public"]], ids=" ".join)
def test_no_person_and_no_record_of_the_truth_is_told(staged: Staged, way: str, form: list[str]) -> None:
    options = [getattr(staged, one) if one.isalpha() else one for one in WAYS[way]]
    before = sorted(staged.folder.rglob("*"))
    some = [] if form == ["--json"] and way == "original" else ["-t", "distance_match", "-t", "exact_match"]
    found = CliRunner().invoke(app, ["attack", staged.release, "--known", staged.known, *options, *form, *some])
    assert found.exit_code == 0, found.output
    told = (found.stdout + found.stderr).replace(str(staged.folder), "")
    assert MARK not in told and "tag0" not in told
    assert sorted(staged.folder.rglob("*")) == before  # nothing was written


def test_no_mark_is_told_by_the_command_when_it_refuses(staged: Staged, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for bad in (other_codes, payload, pairs_of_others, pairs_twice, other_original, unreadable):
        given = {"release": staged.release, "known": staged.known} | bad(staged, tmp_path)
        for name, one in given.items():
            if isinstance(one, pa.Table):
                pq.write_table(one, tmp_path / f"{bad.__name__}-{name}.parquet")
                given[name] = tmp_path / f"{bad.__name__}-{name}.parquet"
        options = [text for name in given if name != "release" for text in (f"--{name}", str(given[name]))]
        for form in ([], ["--json"], ["--lang", "de"]):
            found = CliRunner().invoke(app, ["attack", str(given["release"]), *options, *form, "-t", "exact_match"])
            assert found.exit_code == 4
            assert MARK not in (found.stdout + found.stderr).replace(str(tmp_path), "").replace(str(staged.folder), "")
