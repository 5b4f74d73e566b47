"""What everybody reads does not tell whether one person who was not drawn is in the original."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks.auto import Auto
from schleier.attacks.certain_stratum import CertainStratum
from schleier.attacks.fingerprint_match import FingerprintMatch
from schleier.attacks.membership import Membership
from schleier.attacks.singling_out import SinglingOut
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.testing import example_schema, example_table

KEY = bytes(32)
ROWS = 300
SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="region", role="quasi", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="income", role="sensitive", scale="continuous"),
    ],
)
STEPS: dict[str, dict[str, Any]] = {
    "add_noise": {"columns": ["income"], "kind": "independent", "sd": {"income": 100.0}},
    "microaggregate": {"columns": ["income"], "k": 3, "grouping": "one_variable"},
}


def people(*, more: bool) -> pa.Table:
    """Persons, and perhaps one with a debt who is the last of a region and like many others in part."""
    rng = np.random.default_rng(8)
    table = {
        "id": [f"p{i:03}" for i in range(ROWS)],
        "region": [f"r{i // 30}" for i in range(ROWS)],
        "age": rng.integers(20, 60, ROWS),
        "income": rng.integers(800, 9000, ROWS).astype(float),
    }
    extra = {"id": ["x"], "region": ["r0"], "age": [90], "income": [-5.0]}
    return pa.table({name: [*column, *(extra[name] if more else ())] for name, column in table.items()})


def case(method: str = "add_noise", *, more: bool) -> Case:
    """The release is of the same persons and has the same values, whoever was not drawn."""
    every, drawn = (Dataset.from_frame(people(more=one), SCHEMA) for one in (more, False))
    step = get("method", method)(**STEPS[method]).fit(drawn, Run(key=KEY))
    return Case(every, step.apply(drawn, Run(key=KEY)), steps=(step,))


@pytest.mark.parametrize("method", list(STEPS))
def test_which_attacks_are_tried_does_not_hang_on_the_smallest_value(method: str) -> None:
    one, other = (
        [repr(part) for part in Auto().parts(case(method, more=more), Run(key=KEY))] for more in (False, True)
    )
    assert one == other and any(("lower=0" in part) for part in one)


def wide(*, more: bool) -> Case:
    """The same with columns in all of which one person may be beyond all others."""
    names = [f"x{i}" for i in range(8)]
    schema = Schema(row_key="id", columns=[Column(name=name, role="quasi", scale="discrete") for name in names])
    numbers = np.random.default_rng(9).integers(0, 500, (ROWS, 8))
    sides = []
    for rows in (np.vstack([numbers, np.full(8, 1000)]) if more else numbers, numbers):
        columns = {name: rows[:, i] for i, name in enumerate(names)}
        sides.append(Dataset.from_frame(pa.table({"id": [f"p{i:03}" for i in range(len(rows))], **columns}), schema))
    return Case(*sides)


@pytest.mark.parametrize(
    ("attack", "made"), [(CertainStratum(known=("region",), targets="all"), case), (SinglingOut(targets=400), wide)]
)
def test_what_one_person_changes_by_more_than_a_block_is_not_told(attack: Any, made: Any) -> None:
    cases = [made(more=more) for more in (False, True)]
    exact = [attack.measure(one, Run(key=KEY)) for one in cases]
    assert exact[0].detail["correct"] - exact[1].detail["correct"] >= 10  # the attack would succeed
    assert all(attack.disclose(*both) is None for both in zip(cases, [Run(key=KEY)] * 2, exact, strict=True))


def test_how_many_units_there_are_does_not_tell_who_lives_alone() -> None:
    """One person of a household in the original was not drawn; she may as well live alone."""
    rows, attack, told = example_table(), FingerprintMatch(known=("age", "sex", "region"), targets="all"), []
    for household in ("h0", "alone"):
        held = rows["household"].to_pylist()
        held[1] = household
        every = Dataset.from_frame(rows.set_column(2, "household", pa.array(held)), example_schema())
        one = Case(every, every.filter(nw.col("id") != rows["id"][1].as_py()))
        exact = attack.measure(one, Run(key=KEY))
        public = attack.disclose(one, Run(key=KEY), exact)
        assert public is not None and public.detail["targets"] % 10 == public.detail["records"] % 10 == 0
        told.append((exact.detail["targets"], public))
    assert told[0][0] != told[1][0] and told[0][1] == told[1][1]


def test_whom_an_attacker_takes_for_a_member_does_not_hang_on_one_of_the_others() -> None:
    """A second person of the control who is known by the same as a member: at one false alarm half are found."""
    ages = [*range(300), *range(1000, 1099), 7, 8]
    rows = pa.table({"id": [f"p{i:03}" for i in range(401)], "age": ages})
    schema = Schema(row_key="id", columns=[Column(name="age", role="quasi", scale="discrete")])
    inside, *outside = (Dataset.from_frame(rows.slice(*part), schema) for part in ((0, 300), (300, 100), (300, 101)))
    attack, cases = Membership(targets="all"), [Case(inside, inside, control=one) for one in outside]
    exact = [attack.measure(one, Run(key=KEY)) for one in cases]
    assert exact[0].value - exact[1].value > 0.3
    told = [attack.disclose(*both) for both in zip(cases, [Run(key=KEY)] * 2, exact, strict=True)]
    assert told[0] == told[1] is not None and told[0].low > 0.5
