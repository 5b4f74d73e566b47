"""The trustee counts claims as one does who goes through them one by one."""

from __future__ import annotations

import math
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.trustee import ALIAS, CLAIM, TARGET, Trustee, draw_targets, refuse_too_many, trustee_of
from schleier.engine.duckdb import Duckdb
from schleier.methods.recode import Recode

ROWS = 60
SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="who", role="quasi", scale="discrete"),
        Column(name="ill", role="sensitive", scale="nominal"),
        Column(name="pay", role="sensitive", scale="continuous"),
    ],
)


def people(seed: int) -> pa.Table:
    """Everybody is recognised by a number; some have no illness or no pay."""
    rng = np.random.default_rng(seed)
    ill = [None if i == 3 else "xyz"[i] for i in rng.integers(0, 4, ROWS)]
    pay = [None if i == 4 else (-100.0, 0.0, 100.0, 200.0)[i] for i in rng.integers(0, 5, ROWS)]
    return pa.table(
        {"id": np.arange(ROWS), "who": np.arange(ROWS) + 1000, "ill": ill, "pay": pa.array(pay, pa.float64())}
    )


def world(seed: int, engine: Duckdb) -> tuple[Case, set[int]]:
    """Most of the people are in the release, in another order."""
    rng = np.random.default_rng(seed + 50)
    original = Dataset.from_frame(people(seed), SCHEMA, engine)
    there = rng.permutation(ROWS)[:45]
    return Case(original, Dataset.from_frame(people(seed).take(pa.array(there)), SCHEMA, engine)), set(there.tolist())


def aliases(data: Dataset, column: str) -> dict[int, Any]:
    """Who hides behind each alias: known here by the number."""
    table = data.engine.arrays(data.frame.select(column, "who"))
    return {
        who - 1000: alias for alias, who in zip(*(table[name].to_pylist() for name in (column, "who")), strict=True)
    }


def frame(data: Dataset, rows: list[tuple[Any, ...]], *names: str) -> nw.LazyFrame[Any]:
    """Claims as an attacker hands them in; names like these are for nobody's own columns, so they are given late."""
    plain = [f"c{i}" for i in range(len(names))]
    columns = [Column(name=name, scale="nominal") for name in plain]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(plain)})
    found = Dataset.from_frame(table, Schema(columns=columns), data.engine).frame
    return found.select(**{name: nw.col(old) for name, old in zip(names, plain, strict=True)})


@pytest.mark.parametrize("seed", range(3))
def test_pairs_one_by_one(seed: int, engine: Duckdb) -> None:
    case, there = world(seed, engine)
    trustee = trustee_of(case, ("who",), 40, Run(key=bytes(32)), from_file=False)
    assert trustee.known.frame.collect_schema().names() == [TARGET, "who"]
    assert SCHEMA.key not in trustee.released.frame.collect_schema().names()
    targets, records = aliases(trustee.known, TARGET), aliases(trustee.released, ALIAS)
    assert set(records) == there and len(targets) == 40
    rng = np.random.default_rng(seed)
    claims = {(who, int(rng.choice([who if who in there else min(there), min(there), max(there)]))) for who in targets}
    said = [(targets[a], records[b]) for a, b in sorted(claims)]
    answer = trustee.answer(frame(case.released, [*said, *said[:5]], TARGET, ALIAS))  # saying it twice is no claim more
    assert vars(answer) == {
        "targets": 40,
        "contained": len(set(targets) & there),
        "claims": len(claims),
        "correct": sum(a == b for a, b in claims),
        "records": 45,
    }
    assert 0 < answer.correct < answer.claims
    claimed = frame(case.released, said, TARGET, ALIAS)
    assert trustee.answer_twice(claimed) == (answer, trustee.members(claimed))
    some = sorted(targets)[:10]
    member = trustee.members(frame(case.released, [(targets[a],) for a in [*some, some[0]]], TARGET))
    assert (member.targets, member.claims, member.correct) == (40, 10, len(set(some) & there))
    assert (member.contained, member.records) == (answer.contained, 45)


@pytest.mark.parametrize("guess", ["x", None])
@pytest.mark.parametrize("seed", range(2))
def test_texts_one_by_one(seed: int, guess: str | None, engine: Duckdb) -> None:
    case, there = world(seed, engine)
    trustee = trustee_of(case, ("who",), None, Run(key=bytes(32)), from_file=False, sensitive="ill")
    targets = aliases(trustee.known, TARGET)
    truth = people(seed)["ill"].to_pylist()
    claims = {who: "xyz"[(who + seed) % 3] for who in range(0, ROWS, 2)}
    told = trustee.judge(
        frame(case.released, [(targets[a], c) for a, c in claims.items()], TARGET, CLAIM), guess, ["z"], None
    )
    held = [who for who in range(ROWS) if truth[who] is not None]
    made = [who for who in held if who in claims]
    rare = [who for who in held if truth[who] == "z"]
    assert vars(told) == {
        "targets": len(held),
        "without": ROWS - len(held),
        "contained": len(set(held) & there),
        "claims": len(made),
        "correct": sum(claims[who] == truth[who] for who in made),
        "guessed": sum(guess == truth[who] for who in made),
        "gained": sum(claims[who] == truth[who] != guess for who in made),
        "differing": sum(claims[who] != guess for who in made),
        "rare": len(rare),
        "rare_correct": sum(claims.get(who) == "z" for who in rare),
        "rare_guessed": sum(guess == truth[who] for who in rare),
    }
    assert told.correct and told.rare_correct


def test_numbers_one_by_one(engine: Duckdb) -> None:
    """Off by a tenth of the true one is near enough, and no more; a true zero must be met."""
    case, there = world(1, engine)
    trustee = trustee_of(case, ("who",), None, Run(key=bytes(32)), from_file=False, sensitive="pay", numbers=True)
    targets, truth = aliases(trustee.known, TARGET), people(1)["pay"].to_pylist()
    off = (0.0, 12.5, -12.5, 13.0, 25.0)
    claims = {who: (truth[who] or 0.0) + off[who % 5] for who in range(0, ROWS, 2)}
    said = frame(case.released, [(targets[a], c) for a, c in claims.items()], TARGET, CLAIM)
    told = trustee.judge(said, 112.5, (), 0.125)

    def right(claim: float, who: int) -> bool:
        return abs(claim - truth[who]) <= 0.125 * abs(truth[who])

    held = [who for who in range(ROWS) if truth[who] is not None]
    made = [who for who in held if who in claims]
    assert (told.targets, told.without, told.claims) == (len(held), ROWS - len(held), len(made))
    assert told.contained == len(set(held) & there)
    assert told.correct == sum(right(claims[who], who) for who in made)
    assert told.guessed == sum(right(112.5, who) for who in made)
    assert told.gained == sum(right(claims[who], who) and not right(112.5, who) for who in made)
    assert 0 < told.gained < told.correct and not math.isnan(told.correct)


def test_the_trustee_must_know_what_is_to_be_learned(engine: Duckdb) -> None:
    case, _ = world(0, engine)
    trustee: Trustee = trustee_of(case, ("who",), 3, Run(key=bytes(32)), from_file=False)
    with pytest.raises(ValueError, match="which column is to be learned"):
        trustee.judge(frame(case.released, [(1, "x")], TARGET, CLAIM), "x", (), None)


def test_as_many_targets_as_there_are_rows_and_no_more(engine: Duckdb) -> None:
    case, _ = world(0, engine)
    run = Run(key=bytes(32))
    ids = [sorted(draw_targets(case.original, n, run).to_arrow()["who"].to_pylist()) for n in (None, ROWS, ROWS - 1)]
    assert ids[0] == ids[1] == [i + 1000 for i in range(ROWS)] and len(set(ids[2])) == ROWS - 1
    refuse_too_many(ROWS, ROWS)
    refuse_too_many(None, 0)
    with pytest.raises(InfeasibleError) as caught:
        draw_targets(case.original, ROWS + 1, run)
    assert [problem.code for problem in caught.value.problems] == ["too-many-targets"]


def test_what_is_to_be_learned_is_recoded_as_the_release(engine: Duckdb) -> None:
    case, _ = world(0, engine)
    step = Recode(column="ill", map={"x": "xy", "y": "xy", "z": "z"})
    coarse = Case(case.original, step.apply(case.released, Run()), steps=(step,))
    truth = people(0)["ill"].to_pylist()
    run = Run(key=bytes(32))
    trustee = trustee_of(coarse, ("who",), None, run, from_file=False, sensitive="ill")
    everybody = [(alias, "xy") for alias in aliases(trustee.known, TARGET).values()]
    told = trustee.judge(frame(coarse.released, everybody, TARGET, CLAIM), None, (), None)
    assert told.correct == sum(ill in ("x", "y") for ill in truth)
    assert run.notes == []  # his recoding is no news
