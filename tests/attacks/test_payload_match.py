"""What stands beside a good pseudonym finds a person, unless it is the same for several."""

from __future__ import annotations

from schleier.attacks.payload_match import PayloadMatch

from .pseudonymised import RUN, case, keyed

PEOPLE = [f"person {i}" for i in range(100)]
BESIDE = [
    {"name": "year", "role": "quasi", "scale": "discrete"},
    {"name": "illness", "role": "sensitive", "scale": "nominal"},
]


def test_contents_that_nobody_else_has_find_a_person() -> None:
    what = case(
        PEOPLE,
        keyed,
        columns=BESIDE,
        year=[1950 + i % 50 for i in range(100)],
        illness=["a", "b"] * 25 + ["b", "a"] * 25,
    )
    attack = PayloadMatch(known=["year", "illness"], targets="all")
    told = attack.measure(what, RUN)
    assert told.value == 1.0 and told.detail["claims"] == 100
    itself = attack.model_copy(update={"known": ()})  # the pseudonym is a column, too, but nothing he knows
    assert itself.keys(what.released.schema) == ("value", "year", "illness")
    assert itself.measure(what, RUN).value == 1.0


def test_contents_that_several_have_find_nobody() -> None:
    what = case(PEOPLE, keyed, columns=BESIDE, year=[1950 + i % 10 for i in range(100)], illness=["a"] * 100)
    assert PayloadMatch(known=["year", "illness"], targets="all").measure(what, RUN).detail["claims"] == 0
