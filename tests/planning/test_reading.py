"""Designs from TOML: what they may say, and everything wrong with them at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from schleier.core.errors import DataError, RecipeError, SchleierError
from schleier.planning.reading import design_from_file, design_from_toml

HEAD = "persons = 250\ntolerated = 5\n"
AGE = '[[questions]]\nname = "age"\n'


def asked(lines: str, head: str = HEAD) -> str:
    return f"{head}{AGE}{lines}\n"


def problems(text: str) -> list[tuple[str, str]]:
    with pytest.raises(RecipeError) as error:
        design_from_toml(text)
    assert all(problem.message for problem in error.value.problems)
    return [(problem.code, problem.where) for problem in error.value.problems]


def test_a_design_is_read_exactly() -> None:
    text = asked(
        'shares = [0.4, 0.3, 0.2, 0.1]\nordered = true\n[[questions]]\nname = "sex"\nshares = ["1/3", "2/3"]\n'
        'labels = ["f", "m"]\n[[questions]]\nname = "region"\nshares = "uniform"\ncategories = 7'
    )
    found = design_from_toml(text, "design.toml")
    assert (found.persons, found.tolerated, found.name, found.joint) == (250, 5, "design.toml", None)
    age, sex, region = found.questions
    assert age.shares == (Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)) and age.ordered
    assert sex.shares == (Fraction(1, 3), Fraction(2, 3)) and sex.labels == ("f", "m") and not sex.ordered
    assert region.shares == (Fraction(1, 7),) * 7


@pytest.mark.parametrize(
    ("shares", "hint"),
    [
        ("[0.5, 0.4]", "write rounded shares exactly"),
        ("[0.333, 0.333, 0.333]", "write rounded shares exactly"),
        ("[40, 60]", "divide them by 100"),
        ("[1.5, -0.5]", "write 0.25"),
        ("[]", "one for each category"),
        ('["1/0", 1]', "write 0.25"),
        ("[nan, 1]", "write 0.25"),
        ("[inf]", "write 0.25"),
        ("[1e-400000000, 1]", "write 0.25"),
        ('["1e999999999"]', "write 0.25"),
        ("[true]", "write 0.25"),
        ('[".", 1]', "write 0.25"),
        (f"[{'0.001, ' * 1001}]", "one for each category"),
    ],
)
def test_shares_that_are_none(shares: str, hint: str) -> None:
    with pytest.raises(RecipeError) as error:
        design_from_toml(asked(f"shares = {shares}"))
    (problem,) = error.value.problems
    assert (problem.code, problem.where) == ("bad-shares", "questions[0].shares") and problem.hint.startswith(hint)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (asked("shares = [1]", "persons = 0\ntolerated = 5\n"), [("bad-parameter", "persons")]),
        (asked("shares = [1]", "persons = -3\ntolerated = 5\n"), [("bad-parameter", "persons")]),
        (asked("shares = [1]", "persons = 2.5\ntolerated = 5\n"), [("bad-parameter", "persons")]),
        (asked("shares = [1]", "persons = true\ntolerated = 5\n"), [("bad-parameter", "persons")]),
        (asked("shares = [1]", "persons = 10_000_000_001\ntolerated = 5\n"), [("bad-parameter", "persons")]),
        (asked("shares = [1]", "tolerated = 5\n"), [("bad-parameter", "persons")]),
        (asked("shares = [1]", "persons = 5\n"), [("bad-parameter", "tolerated")]),
        (asked("shares = [1]", "persons = 5\ntolerated = 0\n"), [("bad-parameter", "tolerated")]),
        (asked("shares = [1]", "persons = 5\ntolerated = 100.1\n"), [("bad-parameter", "tolerated")]),
        (asked("shares = [1]", "persons = 5\ntolerated = -1\n"), [("bad-parameter", "tolerated")]),
        (HEAD, [("no-questions", "questions")]),
        (HEAD + "questions = []", [("no-questions", "questions")]),
        (HEAD + "questions = [1]", [("bad-parameter", "questions[0]")]),
        (asked(""), [("no-shares", "questions[0].shares")]),
        (asked('shares = "uniform"'), [("no-shares", "questions[0].categories")]),
        (asked('shares = "even"'), [("bad-shares", "questions[0].shares")]),
        (asked('shares = "uniform"\ncategories = 0'), [("bad-parameter", "questions[0].categories")]),
        (asked("shares = [1]\ncategories = 2"), [("bad-shares", "questions[0].shares")]),
        (asked('shares = [1]\nlabels = ["a", "b"]'), [("bad-shares", "questions[0].shares")]),
        (asked('shares = [0.5, 0.5]\nlabels = ["a", "a"]'), [("bad-parameter", "questions[0].labels")]),
        (asked('shares = [1]\nordered = "yes"'), [("bad-parameter", "questions[0].ordered")]),
        (asked("shares = [1]\norderd = true"), [("unknown-parameter", "questions[0].orderd")]),
        ("person = 3\n" + asked("shares = [1]"), [("unknown-parameter", "person")]),
        (HEAD + "[[questions]]\nshares = [1]", [("bad-parameter", "questions[0].name")]),
        (asked("shares = [1]") + AGE + "shares = [1]", [("bad-parameter", "questions[1].name")]),
        (
            asked("shares = [1]") + "[joint]\nfil = 3",
            [("unknown-parameter", "joint.fil"), ("bad-parameter", "joint.file")],
        ),
        (HEAD + "joint = 3\n" + AGE + "shares = [1]", [("bad-parameter", "joint")]),
        (HEAD + "pilot = 3\n" + AGE + "shares = [1]", [("bad-parameter", "pilot")]),
        (
            HEAD + 'pilot = "a.csv"\n' + AGE + 'shares = [1]\n[joint]\nfile = "b.csv"',
            [("two-joints", "pilot")],
        ),
        ("persons = ", [("bad-toml", "")]),
    ],
)
def test_what_is_wrong(text: str, found: list[tuple[str, str]]) -> None:
    assert problems(text) == found


def test_everything_is_said_at_once() -> None:
    text = 'persons = 0\ntolerated = 101\nseed = 1\n[[questions]]\nname = ""\nshares = [2]\n[[questions]]\nname = "b"\n'
    assert problems(text) == [
        ("unknown-parameter", "seed"),
        ("bad-parameter", "persons"),
        ("bad-parameter", "tolerated"),
        ("bad-parameter", "questions[0].name"),
        ("bad-shares", "questions[0].shares"),
        ("no-shares", "questions[1].shares"),
    ]


def test_more_combinations_than_can_be_named() -> None:
    each = '[[questions]]\nname = "q{}"\nshares = "uniform"\ncategories = 1000\n'
    assert problems(HEAD + "".join(each.format(i) for i in range(34))) == [("bad-parameter", "questions")]


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    for path, code in (
        (tmp_path / "none.toml", "no-design"),
        (tmp_path / "latin.toml", "unreadable"),
        (tmp_path, "unreadable"),
    ):
        with pytest.raises(RecipeError) as error:
            design_from_file(path)
        assert [problem.code for problem in error.value.problems] == [code]


# Answers that go together.

ROWS = ["f,10,a", "f,10,a", "f,9,b", "m,9,b", "m,9,b", "m,,a", "m,100,a", "f,100,a"]
BOTH = '[[questions]]\nname = "sex"\n[[questions]]\nname = "age"\nordered = true\n'
ALONE = '[[questions]]\nname = "region"\nshares = "uniform"\ncategories = 3\n'


def written(
    folder: Path, text: str, file: str = "pilot.csv", rows: list[str] = ROWS, head: str = "sex,age,town"
) -> Path:
    (folder / file).write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    (folder / "design.toml").write_text(text, encoding="utf-8")
    return folder / "design.toml"


def test_a_pilot_tells_shares_and_what_goes_together(tmp_path: Path) -> None:
    found = design_from_file(written(tmp_path, f'{HEAD}pilot = "pilot.csv"\n{BOTH}{ALONE}'))
    sex, age, region = found.questions
    assert sex.shares == (Fraction(1, 2), Fraction(1, 2)) and sex.from_file and not region.from_file
    # Numbers are in the order of their size; no answer comes last and is never merged.
    assert age.shares == tuple(Fraction(n, 8) for n in (3, 2, 2, 1)) and age.gap and not sex.gap
    assert found.joint is not None and found.joint.questions == (0, 1) and len(found.blocks) == 2
    cells = dict(zip(found.joint.cells, found.joint.shares, strict=True))
    assert cells == {(0, 1): Fraction(1, 4), (0, 0): Fraction(1, 8), (1, 0): Fraction(1, 4)} | {
        (1, 3): Fraction(1, 8), (1, 2): Fraction(1, 8), (0, 2): Fraction(1, 8)
    }  # fmt: skip
    assert found.joint.unseen == Fraction(4, 8)  # four combinations occur once


def test_labels_give_the_order_and_may_be_more(tmp_path: Path) -> None:
    text = f'{HEAD}pilot = "pilot.csv"\n[[questions]]\nname = "town"\nlabels = ["c", "b", "a"]\n'
    found = design_from_file(written(tmp_path, text))
    assert found.questions[0].shares == (0, Fraction(3, 8), Fraction(5, 8))


def test_a_joint_table_counts_or_gives_shares(tmp_path: Path) -> None:
    rows, head = ["f,1,0.1", "f,2,0.2", "m,1,0.3", "m,2,0.1", "m,2,0.1"], "sex,age,share"
    text = f'{HEAD}{BOTH}[joint]\nfile = "joint.csv"\ncount = "share"\n'
    found = design_from_file(written(tmp_path, text, "joint.csv", rows, head))
    assert found.joint is not None and found.joint.unseen is None
    assert found.joint.shares == (Fraction(1, 8), Fraction(1, 4), Fraction(3, 8), Fraction(1, 4))  # of 0.8


@pytest.mark.parametrize(
    ("text", "rows", "kind", "found"),
    [
        (HEAD + 'pilot = "none.csv"\n' + BOTH, ROWS, DataError, [("no-file", "pilot")]),
        (HEAD + 'pilot = "joint.csv"\n' + ALONE, ROWS, RecipeError, [("no-joint", "pilot")]),
        (HEAD + 'pilot = "joint.csv"\n' + BOTH.replace("sex", "sexx"), ROWS, DataError, [("unknown-column", "pilot")]),
        (HEAD + BOTH + '[joint]\nfile = "joint.csv"\n', ["f,1,-1", "m,1,"], RecipeError, [("bad-joint", "joint")]),
        (HEAD + BOTH + '[joint]\nfile = "joint.csv"\n', ["f,1,0"], RecipeError, [("bad-joint", "joint")]),
        (HEAD + 'pilot = "joint.csv"\n' + BOTH.replace("sex", "_s_"), ROWS, DataError, [("bad-parameter", "pilot")]),
        (HEAD + BOTH + '[joint]\nfile = "joint.csv"\ncount = "age"\n', ROWS, DataError, [("bad-parameter", "joint")]),
        (
            HEAD + 'pilot = "joint.csv"\n[[questions]]\nname = "sex"\nlabels = ["f"]\n',
            ["f,1,0", "SECRET,1,0"],
            RecipeError,
            [("unknown-label", "questions[0].labels")],
        ),
    ],
)
def test_tables_that_are_none(
    text: str, rows: list[str], kind: type[SchleierError], found: list[tuple[str, str]], tmp_path: Path
) -> None:
    path = written(tmp_path, text, "joint.csv", rows, "sex,age,count")
    with pytest.raises(kind) as error:
        design_from_file(path)
    assert [(problem.code, problem.where) for problem in error.value.problems] == found
    assert "SECRET" not in str(error.value)
