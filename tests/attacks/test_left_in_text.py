"""Values that were hidden in a column are found in the text beside it, and counted."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schleier.attacks.left_in_text import LeftInText
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case, Finding
from schleier.core.schema import Column, Schema

from .pseudonymised import RUN

COLUMNS = [Column(name=name, role="quasi", scale="text") for name in ("user", "email", "message")]
UNIT = Column(name="account", role="unit", scale="nominal")
LINES = [
    ("Anna Berg", "anna@x.de", "changed email from ANNA@x.de to a.berg@y.de"),  # the whole, and a name in the new one
    ("Cem Ay", "cem@x.de", "changed email from old@z.de to cem@x.de"),
    ("Eva Fuchs", "eva@x.de", "logged in"),
    ("Ann", "ann@z.de", "an annual report"),  # not inside a longer word
    ("Max Roth", "max@x.de", None),
    ("Al", "q", "al fresco and q"),  # too short to tell anything
]


def found(lines: list[tuple[str | None, ...]], *, units: list[str] | None = None, **more: object) -> Finding:
    keys, sides = [f"r{i}" for i in range(len(lines))], []
    columns = [*COLUMNS, *([UNIT] if units else ())]
    for hidden in (False, True):
        table: dict[str, object] = {"id": keys}
        for place, name in enumerate(("user", "email", "message")):
            values = [f"p{i}" if hidden and place < 2 else line[place] for i, line in enumerate(lines)]
            table[name] = pa.array(values, pa.string())
        sides.append(
            Dataset.from_frame(
                pa.table({**table, **({"account": units} if units else {})}), Schema(columns=columns, row_key="id")
            )
        )
    told = {"text": "message", "columns": ["user", "email"], **more}
    return LeftInText(**told).measure(Case(*sides), RUN)  # type: ignore[arg-type]


def test_values_and_their_words_are_found() -> None:
    told = found(LINES)
    assert (told.detail["targets"], told.detail["correct"]) == (6, 2)
    assert found(LINES, letters=0).detail["correct"] == 2
    assert found([("Anna Berg", "x", "a.berg@y.de")]).detail["correct"] == 1
    assert found([("Anna Berg", "x", "a.berg@y.de")], letters=0).detail["correct"] == 0


def test_masked_texts_hold_nothing() -> None:
    masked = [(user, email, "changed email from *** to ***") for user, email, _ in LINES]
    assert found(masked).detail["correct"] == 0


def test_old_values_of_the_same_person() -> None:
    lines = [
        ("Anna Berg", "old@x.de", "login"),
        ("Anna Berg", "new@y.de", "was old@x.de"),
        ("Cem Ay", "cem@z.de", "login"),
    ]
    assert found(lines).detail["correct"] == 0
    assert found(lines, units=["a", "a", "c"]).detail["correct"] == 1


def test_what_stands_in_every_text_is_chance() -> None:
    lines = [("Service Team", f"u{i}@x.de", "call the service team") for i in range(40)]
    told = found(lines)
    assert told.value == told.detail["baseline"] == 1.0


def test_nothing_found_is_shown_and_columns_must_exist() -> None:
    told = found(LINES).model_dump_json()
    assert not [word for word in ("Anna", "berg", "x.de", "Cem") if word in told]
    with pytest.raises(SchleierError, match="phone"):
        found(LINES, columns=["phone"])
