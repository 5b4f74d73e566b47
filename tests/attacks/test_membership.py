"""Membership: everybody in the open, chance without the person, twins apart, sets of values, and both directions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks.membership import Membership
from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.crowd import crowd_of
from schleier.testing import example_schema, example_table

KEY = bytes(range(32))
MUCH = ["age", "sex", "region", "income"]
PEOPLE = example_table(3600)
TECHNIQUES = ("closest", "leave_out", "likelihood_ratio")


@pytest.fixture(scope="module")
def thirds() -> tuple[Dataset, Dataset, Dataset]:
    """Members, people who took no part, and others of whom somebody else made a release."""
    first = Dataset.from_frame(PEOPLE.slice(0, 1200), example_schema())
    rest = [Dataset.from_frame(PEOPLE.slice(at, 1200), example_schema(), first.engine) for at in (1200, 2400)]
    return first, rest[0], rest[1]


def tried(case: Case, **how: Any) -> Finding:
    return Membership(**{"targets": "all", **how}).measure(case, Run(key=KEY))


Thirds = tuple[Dataset, Dataset, Dataset]


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("known", [MUCH, ["age", "sex", "region"]])
def test_the_open_file_tells_who_took_part(thirds: Thirds, technique: str, known: list[str]) -> None:
    inside, outside, _ = thirds
    found = tried(Case(inside, inside, control=outside), known=known, technique=technique).detail
    assert found["unique"] > 500 and found["unique_found"] >= 0.99
    assert found["unique_area"] > 0.99
    assert found["contained"] == found["targets"] == 1200


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_a_release_made_without_them_is_at_chance(thirds: Thirds, technique: str) -> None:
    inside, outside, others = thirds
    told = tried(Case(inside, others, control=outside), known=MUCH, technique=technique)
    assert told.low is not None and told.low < 0.01 < (told.high or 0)
    assert told.detail["area_low"] < 0.5 < told.detail["area_high"]
    assert told.detail["contained"] == 0


def test_a_likelihood_ratio_tells_members_by_reference(thirds: Thirds) -> None:
    inside, outside, _ = thirds
    told = tried(Case(inside, inside, control=outside), known=MUCH, technique="likelihood_ratio")
    assert told.value >= 0.99 and told.detail["absent"] >= 0.99
    assert told.detail["outsiders"] == 600  # the other half is for reference
    assert told.detail["few_others"] and told.detail["found_at_fewest"] is None
    assert "1,000 others" in told.text
    with pytest.raises(DataError, match="people who took no part"):
        tried(Case(inside, inside), technique="likelihood_ratio")


def test_a_likelihood_ratio_knows_where_people_are_many(thirds: Thirds) -> None:
    """Values were changed a little: what is near is more often the person's where nobody else lives."""
    from schleier.core.registry import get

    inside, outside, _ = thirds
    run = Run(key=KEY)
    step = get("method", "microaggregate")(columns=["age", "income"], k=3).fit(inside, run)
    case = Case(inside, step.apply(inside, run), control=outside)
    ratio, closest = (tried(case, known=MUCH, technique=one).detail for one in ("likelihood_ratio", "closest"))
    assert ratio["area_low"] > closest["area_high"]


def test_both_directions(thirds: Thirds) -> None:
    """Who is farther from the release than everybody in it took no part."""
    inside, outside, _ = thirds
    found = tried(Case(inside, inside, control=outside), known=MUCH).detail
    assert found["absent"] > 0.99 and found["absent_at_fewest"] > 0.99
    assert found["found_at_fewest"] > 0.99  # 1,200 others are enough for a thousandth
    few = Dataset.from_frame(PEOPLE.slice(1200, 999), example_schema(), inside.engine)
    fewer = tried(Case(inside, inside, control=few), known=MUCH).detail
    assert fewer["found_at_fewest"] is None and fewer["absent_at_fewest"] > 0.99
    assert (found["few_others"], fewer["few_others"], fewer["few_members"]) == (False, True, False)


def small(ages: list[Any], jobs: list[Any], engine: Any = None, first: int = 0) -> Dataset:
    schema = Schema(
        row_key="id",
        columns=[Column(name="age", role="quasi", scale="discrete"), Column(name="job", role="quasi", scale="nominal")],
    )
    keys = range(first, first + len(ages))
    return Dataset.from_frame(pa.table({"id": keys, "age": ages, "job": jobs}), schema, engine)


def test_twins_are_told_apart_from_unique_persons() -> None:
    """Half of the members have a twin who took no part: of those nothing can be told."""
    inside = small(list(range(200)), ["a"] * 200)
    outside = small([*range(100), *range(300, 400)], ["a"] * 200, inside.engine, 1000)
    found = tried(Case(inside, inside, control=outside)).detail
    assert (found["unique"], found["repeated"]) == (100, 100)
    assert found["unique_found"] == 1.0 and found["repeated_found"] == pytest.approx(0.01)
    assert found["repeated_area"] == 0.5


def test_row_keys_that_both_files_have_are_different_people() -> None:
    inside = small(list(range(200)), ["a"] * 200)
    outside = small(list(range(500, 700)), ["a"] * 200, inside.engine)
    found = tried(Case(inside, inside, control=outside))
    assert found.value == 1.0 and found.detail["outsiders"] == 200


def test_without_a_control_everybody_is_compared_without_the_own_record() -> None:
    ages = [*range(0, 300, 3), *[900] * 50]
    data = small(ages, ["a"] * 150)
    found = tried(Case(data, data))
    assert found.detail["left_out"] and found.detail["control_targets"] is None
    assert (found.detail["unique_found"], found.detail["repeated"]) == (1.0, 50)
    assert found.detail["repeated_area"] is None  # fifty are too few to tell one in a hundred


def test_own_records_are_taken_away_exactly() -> None:
    from schleier.kernels.linkage.penalties import Neighbours

    data = small([1, 2, 3, 4], ["a"] * 4)
    crowd = crowd_of(Case(data, data), ("age",), None, Run(key=KEY), referring=False)
    own = crowd._own
    near = Neighbours(
        np.tile([0.0, 1.0, 2.0], (4, 1)), np.stack([own, (own + 1) % 4, (own + 2) % 4], 1), np.ones(4, np.int64)
    )
    left = crowd.without_own(near)
    assert left.distance.tolist() == [[1.0, 2.0]] * 4
    assert not (left.record == own[:, None]).any()
    far = replace(near, record=(near.record + 1) % 4)  # the own record is not among them
    assert crowd.without_own(far).distance.tolist() == [[0.0, 1.0]] * 4


COARSE = [
    ("mondrian", {"criteria": [{"criterion": "k_anonymity", "k": 3}]}),
    ("suppress_local", {"k": 2}),
]


@pytest.mark.parametrize(("method", "how"), COARSE)
def test_cells_that_stand_for_several_values(thirds: Thirds, method: str, how: dict[str, Any]) -> None:
    """Incomes are open, the keys are coarse or blank: who took part is still found."""
    from schleier.core.registry import get

    inside, outside, _ = thirds
    step, run = get("method", method)(**how), Run(key=KEY)
    step = step.fit(inside, run)
    case = Case(inside, step.apply(inside, run), control=outside, steps=(step,))
    assert tried(case, known=MUCH).detail["area"] > 0.95
    keys = tried(case, known=["age", "sex", "region"])
    assert keys.value < 0.5


def test_a_gap_is_farther_than_the_same_value() -> None:
    """A record that could be anybody's does not hide that nobody's is there."""
    inside = small([*range(150), None], ["a"] * 151)
    outside = small(list(range(400, 550)), ["a"] * 150, inside.engine, 1000)
    case = Case(inside, inside, control=outside)
    assert tried(case).detail["unique_found"] == 1.0
    assert tried(case, missing="category").detail["unique_found"] == 1.0


def test_what_everybody_reads_has_no_counts(thirds: Thirds) -> None:
    inside, outside, _ = thirds
    case, run, attack = Case(inside, inside, control=outside), Run(key=KEY), Membership(known=MUCH, targets=700)
    public = attack.disclose(case, run, attack.measure(case, run))
    assert public is not None and public.detail["baseline"] == 0.0
    assert public.detail["correct"] is None and public.detail["claims"] is None
    share = public.detail["area"]
    assert share == round(round(share / 0.05) * 0.05, 2)
    # Fewer false alarms, or those who are alone, are a part of the same claims.
    assert public.detail["found_at_fewest"] is public.detail["absent"] is public.detail["unique_found"] is None
    assert public.detail["outcome"] == "alarm"


def test_no_person_is_told() -> None:
    inside = small(list(range(120)), [f"MARKER-{i}" for i in range(120)])
    run = Run(key=KEY)
    told = Membership(targets="all").measure(Case(inside, inside, control=inside), run)
    assert "MARKER" not in told.model_dump_json() + repr(run.notes)
    with pytest.raises(SchleierError) as error:
        tried(Case(inside, inside), targets=121)
    assert "MARKER" not in str(error.value)


def test_wrong_parameters_are_named() -> None:
    schema = example_schema()
    codes = [problem.code for problem in Membership(known=["age", "oge"], errors={"sex": 0.1}).problems(schema)]
    assert codes == ["unknown-column", "not-a-key"]
    none = schema.model_copy(update={"columns": tuple(c for c in schema if c.role != "quasi")})
    assert [problem.code for problem in Membership().problems(none)] == ["no-keys"]


def test_a_leak_that_the_area_shows_is_never_called_guessing() -> None:
    """Who is nearest of all is as near as many others: nobody is found at few false alarms, and yet there is a leak."""
    inside = small([*range(100), *([500] * 150)], ["a"] * 250)
    outside = small([*range(200, 450), *([500] * 150)], ["a"] * 400, inside.engine, 1000)
    case, run, attack = Case(inside, inside, control=outside), Run(key=KEY), Membership(targets="all")
    exact = attack.measure(case, run)
    public = attack.disclose(case, run, exact)
    assert public is not None and exact.low is not None and exact.low < 0.05 and exact.detail["area_low"] > 0.5
    assert public.detail["outcome"] in ("better", "alarm") and public.detail["claims"] is None
    assert "nobody" not in public.text
