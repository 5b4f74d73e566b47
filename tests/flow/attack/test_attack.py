"""Attacks on a finished release: who judges them, what is told, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import schleier as sl
from flow.attack.staged import PERSONS, STRANGERS, Staged, person
from schleier.cli import app
from schleier.flow.attack.attempt import Attempt

EXACT = ["exact_match"]


def counts(found: Attempt) -> dict[str, Any]:
    (one,) = found.tried
    assert one.exact is not None
    return {name: one.exact.detail[name] for name in ("targets", "contained", "claims", "correct")}


def by_hand() -> dict[str, int]:
    """Exact matching as anybody would do it with a pencil."""

    def key(i: int) -> tuple[int, str, str]:
        age, sex, town = person(i)
        return age // 5, sex, town

    held = range(PERSONS - 20, PERSONS + STRANGERS)
    there, here = Counter(key(i) for i in range(PERSONS)), Counter(key(i) for i in held)
    alone = [i for i in held if there[key(i)] == here[key(i)] == 1]
    return {"targets": len(held), "contained": 20, "claims": len(alone), "correct": sum(i < PERSONS for i in alone)}


@pytest.mark.parametrize(
    "truth",
    [{"original": "original", "pairs": "truth"}, {"pairs": "numbers"}, {"pairs": "tags"}],
    ids=["original", "numbers", "column"],
)
def test_every_truth_gives_the_counts_by_hand(staged: Staged, truth: dict[str, str]) -> None:
    found = sl.attack(staged.release, staged.known, EXACT, **{name: getattr(staged, to) for name, to in truth.items()})
    assert counts(found) == by_hand() and by_hand()["correct"] >= 3
    assert found.judged_by == ("original" if "original" in truth else "pairs")
    assert (found.records, found.persons, found.columns) == (PERSONS, 32, ("age", "sex", "town"))


def test_a_file_with_the_row_key_of_the_original_says_itself_who_is_who(staged: Staged) -> None:
    rows = staged.table("original").select(["id", "age", "sex", "town"]).slice(PERSONS - 20)
    found = sl.attack(staged.release, rows, EXACT, original=staged.table("original"))
    assert counts(found)["contained"] == 20 and counts(found)["correct"] > 0


@pytest.mark.parametrize("technique", ["exact_match", "attribute_inference:sensitive=disease", "distance_match"])
def test_whether_somebody_took_part_is_no_public_answer(staged: Staged, technique: str) -> None:
    """Whoever brings a file of one person, who took part or did not, reads the same."""
    keys = [(age // 5, *rest) for age, *rest in map(person, range(PERSONS))]
    alone = next(i for i, key in enumerate(keys) if keys.count(key) == 1)
    member = staged.table("original").select(["id", "age", "sex", "town"]).slice(alone, 1)
    stranger = member.set_column(0, "id", pa.array(["somebody else"]))
    told = [
        sl.attack(staged.release, one, [technique], original=staged.original, key=bytes(32), public=True).to_json()
        for one in (member, stranger)
    ]
    assert told[0] == told[1]
    assert ('"public": null' if "sensitive" in technique else '"outcome": "withheld"') in told[0]
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, stranger, [technique], original=staged.original, key=bytes(32))
    assert [one.code for one in raised.value.problems] == ["no-overlap"]


def test_a_table_that_names_nobody_is_no_public_answer(staged: Staged) -> None:
    """With a table of who is who as well as with the original."""
    member, pairs = staged.table("known").slice(0, 1), staged.table("tags")
    others = pairs.set_column(1, "entry", pa.array([f"other {i}" for i in range(len(pairs))]))
    told = [
        sl.attack(staged.release, member, EXACT, pairs=table, key=bytes(32), public=True).to_json()
        for table in (pairs, others)
    ]
    assert told[0] == told[1]


def test_without_a_truth_claims_are_counted_and_not_judged(staged: Staged) -> None:
    found = sl.attack(staged.release, staged.known, [*EXACT, "attribute_inference:sensitive=disease"])
    first, second = found.tried
    assert (found.judged_by, first.judged, first.exact, first.public) == ("nobody", False, None, None)
    assert (first.targets, first.claims) == (32, by_hand()["claims"])
    assert second.targets == 32 and 0 < (second.claims or 0) <= 32
    assert found.findings == () and "nobody judged" in str(found)


def test_pairs_judge_links_and_not_values(staged: Staged) -> None:
    found = sl.attack(
        staged.release, staged.known, [*EXACT, "attribute_inference:sensitive=disease"], pairs=staged.numbers
    )
    assert [one.judged for one in found.tried] == [True, False]


def test_a_release_without_its_restricted_part_can_still_be_matched(staged: Staged) -> None:
    public = staged.public_part()
    by = {"by": ["sex", "town"], "pairs": staged.tags}
    whole, part = (
        sl.attack(place, staged.known, ["distance_match"], key=bytes(32), **by) for place in (staged.release, public)
    )
    assert (whole.whole, part.whole, part.untold) == (True, False, ("recode:age",))
    assert counts(whole) == counts(part)
    # An age in a class is an interval: it can be matched without the table of codes.
    near = sl.attack(public, staged.known, ["distance_match:within=0"], pairs=staged.tags)
    assert counts(near)["correct"] >= by_hand()["correct"]
    data = sl.attack(public / "public" / "data.parquet", staged.known, ["distance_match:within=0"], pairs=staged.tags)
    assert counts(data) == counts(near) and data.release == "data.parquet"


def test_a_file_with_a_schema_of_its_own(staged: Staged, tmp_path: Path) -> None:
    place = tmp_path / "apart.parquet"
    shutil.copy(Path(staged.release) / "public" / "data.parquet", place)
    schema = Path(staged.release) / "public" / "schema.toml"
    found = sl.attack(place, staged.known, ["distance_match:within=0"], schema=schema, pairs=staged.tags)
    assert counts(found)["correct"] > 0 and not found.whole


def test_all_that_fit_are_tried(staged: Staged) -> None:
    found = sl.attack(staged.release, staged.known, original=staged.original, pairs=staged.truth)
    words = {one.attack for one in found.tried}
    assert {"exact_match", "distance_match", "attribute_inference", "membership", "singling_out"} <= words
    assert all(one.judged for one in found.tried) and found.automatic
    apart = {one.attack for one in sl.attack(staged.release, staged.known).tried}
    assert {"exact_match", "distance_match", "attribute_inference"} <= apart < words


def test_somebody_who_knows_true_values_needs_no_file(staged: Staged) -> None:
    found = sl.attack(staged.release, techniques=sl.attacks.ExactMatch(), original=staged.original)
    assert found.persons is None and counts(found)["targets"] == PERSONS


def test_the_same_key_draws_the_same_persons(staged: Staged) -> None:
    some = {"techniques": ["exact_match:targets=10"], "pairs": staged.tags}
    draws = [sl.attack(staged.release, staged.known, key=bytes([i] * 32), **some) for i in (1, 1, 2, 3)]
    assert draws[0] == draws[1] and len({json.dumps(counts(one)) for one in draws}) > 1


def test_what_everybody_may_read_holds_no_count_of_what_was_right(staged: Staged) -> None:
    found = sl.attack(staged.release, staged.known, ["distance_match"], original=staged.original, pairs=staged.truth)
    public = found.public()
    (one,) = public.tried
    assert one.exact is None and one.public is not None and public.unused_pairs is None and not public.restricted
    assert one.public.detail.get("correct") in (None, 0)
    assert public.findings == (one.public,) and found.findings != public.findings
    assert '"exact": null' in public.to_json()


def test_rows_of_the_table_that_name_nobody_are_counted(staged: Staged, tmp_path: Path) -> None:
    pairs = staged.table("tags")
    more = pa.concat_tables([pairs, pa.table({"tag": ["tag998", "tag999"], "entry": ["a", "b"]})])
    found = sl.attack(staged.release, staged.known, EXACT, pairs=more)
    assert found.unused_pairs == 2 and counts(found) == by_hand()


def test_an_attempt_shows_itself(staged: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    found = sl.attack(staged.release, staged.known, EXACT, pairs=staged.tags)
    monkeypatch.setenv("SCHLEIER_LANG", "de")
    page = found._repr_html_()
    assert "Angriffe auf" in page and "vertraulich" in page
    assert "vertraulich" not in found.public()._repr_html_()
    assert str(found).startswith("exact_match: Of 32 persons")


def test_a_release_in_python_is_found_in_its_folder(staged: Staged, tmp_path: Path) -> None:
    recipe = sl.Recipe.from_file(staged.folder / "recipe.toml")
    made = recipe.run(out=tmp_path / "again", key=bytes(range(32)))
    assert sl.attack(made, staged.known, EXACT).records == PERSONS
    with pytest.raises(sl.SchleierError, match="not written"):
        sl.attack(recipe.run(key=bytes(32)), staged.known, EXACT)


def test_sentences_in_json_are_in_the_language_that_is_asked_for(staged: Staged) -> None:
    asked = ["attack", staged.release, "--original", staged.original, "-t", "exact_match", "--json"]
    english, german = (json.loads(CliRunner().invoke(app, [*asked, *more]).stdout) for more in ([], ["--lang", "de"]))
    (one,), (other,) = english["attempt"]["tried"], german["attempt"]["tried"]
    assert one["exact"]["text"].startswith("Of 60 persons") and other["exact"]["text"].startswith("Genau: 60 Personen")
    assert other["public"]["text"].startswith("In einem Experiment mit 60 Personen")
