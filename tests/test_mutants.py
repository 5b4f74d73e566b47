"""The mutation check itself: what is changed, what is left alone, what is drawn."""

from __future__ import annotations

import ast
import doctest
from pathlib import Path

import pytest

from tools import mutants as tool
from tools.mutants import Equivalent, Mutant, equivalents, mutants, sample, without

SOURCE = '''"""A module that is 1 of 2."""

from __future__ import annotations


@cache(maxsize=5)
def farthest(values: list[int], most: int = 7) -> int | None:
    """Not more than 9."""
    if not values:
        raise ValueError(f"none of {most + 1}")
    found = max(values, key=abs) + 1
    return found if found < most and "ä" else None
'''


def test_what_becomes_of_a_function() -> None:
    assert {mutant.after for mutant in mutants(SOURCE, "far.py")} == {
        "def farthest(values: list[int], most: int = 8) -> int | None:",
        "def farthest(values: list[int], most: int = 6) -> int | None:",
        "if values:",
        "pass",
        "found = (max(values, key=abs) - 1)",
        "found = min(values, key=abs) + 1",
        "found = max(values, key=abs) + 0",
        "found = max(values, key=abs) + 2",
        'return found if (found <= most) and "ä" else None',
        "return found if (found < most or 'ä') else None",
        "return None",
    }


def test_every_mutant_is_one_change_and_valid() -> None:
    for mutant in mutants(SOURCE, "far.py"):
        changed = mutant.of(SOURCE)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(SOURCE))
        lines = zip(SOURCE.splitlines(), changed.splitlines(), strict=True)
        assert [i for i, (old, new) in enumerate(lines, 1) if old != new] == [mutant.line]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a = b - c * d", {"a = (b + c * d)", "a = b - (c / d)"}),
        ("x += 2", {"x -= 2", "x += 3", "x += 1"}),
        ("np.maximum(a, b)", {"pass", "np.minimum(a, b)", "a"}),
        ("y = True is not z", {"y = (True is z)", "y = False is not z"}),
        ("n = 3_000_000", {"n = 6000000"}),
        ("while more():\n    break", {"while (not more()):", "pass"}),
        ("def f():\n    yield 'a'", {"yield from ()"}),
        ("def f() -> bool:\n    return g(x)", {"return not (g(x))"}),
        ("class A:\n    example: dict = {'a': 1}", set()),
        ("if TYPE_CHECKING:\n    x = 1", set()),
    ],
)
def test_kinds_of_errors(text: str, after: set[str]) -> None:
    assert {mutant.after for mutant in mutants(text, "a.py")} == after


def pool() -> list[Mutant]:
    large = "\n".join(f"a{i} = b{i} + c{i}" for i in range(40))
    return mutants(large, "large.py") + mutants("a = b < c\nd = e < f", "small.py")


def test_every_file_is_drawn_from_and_large_ones_more() -> None:
    drawn = sample(pool(), 10)
    assert len(drawn) == len(set(drawn)) == 10
    assert sum(mutant.file == "small.py" for mutant in drawn) == 1
    assert sample(reversed(pool()), 10) == drawn
    assert len(sample(pool(), 1000)) == 42


def test_the_draw_does_not_depend_on_the_lines_around() -> None:
    text = "\n".join(f"a{i} = b{i} + c{i}" for i in range(40))
    drawn, shifted = (sample(mutants(source, "a.py"), 5) for source in (text, f"import os\n\n{text}"))
    assert [mutant.after for mutant in shifted] == [mutant.after for mutant in drawn]
    assert [mutant.line - 2 for mutant in shifted] == [mutant.line for mutant in drawn]


def test_equivalent_ones_are_left_out_and_stale_entries_named(tmp_path: Path) -> None:
    listed = tmp_path / "equivalent.toml"
    listed.write_text("""
    [[mutant]]
    file = "small.py"
    after = "a = (b <= c)"
    reason = "b is never c"
    [[mutant]]
    file = "small.py"
    after = "a = (b <= d)"
    reason = "an older line"
    """)
    kept, stale = without(pool(), equivalents(listed))
    assert [mutant.after for mutant in kept if mutant.file == "small.py"] == ["d = (e <= f)"]
    assert stale == [Equivalent("small.py", "a = (b <= d)", "an older line")]
    listed.write_text('[[mutant]]\nfile = "small.py"\nafter = "x"\nreason = ""\n')
    with pytest.raises(ValueError, match="reason"):
        equivalents(listed)


def test_the_examples_of_the_tool_run() -> None:
    assert not doctest.testmod(tool).failed
