"""What a method says it keeps, it keeps: on random tables, and on average over the draws where it says so."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal, get_args

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.method import Method
from schleier.core.promises import HOW, MEANINGS, STATISTICS, WAYS, Keeps
from schleier.core.registry import get, names

from .conftest import made
from .keeping import check, random_table

Load = Callable[..., Dataset]
DRAWS = 16
"""Keys over which a mean is taken."""

SEEDS, SIZES = st.integers(0, 2**32 - 1), st.integers(60, 90)
GAPS, ZEROS = st.sampled_from([0.0, 0.15]), st.sampled_from([0.0, 0.1])


def keys_of(seed: int, many: int) -> list[bytes]:
    return [(seed * 1000 + turn).to_bytes(32, "big") for turn in range(many)]


def try_out(step: Method, load: Load, tables: int, draws: int, keeps: Keeps | None = None) -> int:
    """Check the promises of a step on random tables; how many of these it did not refuse."""
    taken, broken = 0, list[AssertionError]()

    @settings(max_examples=tables, phases=[Phase.generate], database=None)
    @given(SEEDS, SIZES, GAPS, ZEROS)
    def run(seed: int, rows: int, gaps: float, zeros: float) -> None:
        nonlocal taken
        if broken:  # told below: Hypothesis would try the same table twice more, with all its draws
            return
        try:
            check(step, loaded(load, seed, rows, gaps, zeros), keys_of(seed, draws), keeps)
        except SchleierError as error:
            assert error.exit_code in (3, 4)  # a refusal promises nothing
        except AssertionError as error:
            error.add_note(f"on random_table{(seed, rows, gaps, zeros)}")
            broken.append(error)
        else:
            taken += 1

    run()
    if broken:
        raise broken[0]
    return taken


LOADED: dict[tuple[Any, ...], Dataset] = {}
"""The same tables are drawn for every method."""


def loaded(load: Load, seed: int, rows: int, gaps: float, zeros: float) -> Dataset:
    drawn = seed, rows, gaps, zeros
    if drawn not in LOADED:
        LOADED[drawn] = load(random_table(*drawn))
    return LOADED[drawn]


def on_average(keeps: Keeps) -> bool:
    return "expected" in keeps.values()


def test_what_it_keeps_it_keeps(method: str, load: Load) -> None:
    assert try_out(made("method", method), load, 4, 1), "it refused every table: give it an example that fits more"


@pytest.mark.parametrize("word", [word for word in names("method") if on_average(made("method", word).promises())])
def test_what_it_keeps_on_average(word: str, load: Load) -> None:
    assert try_out(made("method", word), load, 2, DRAWS)


def variants() -> Iterator[Any]:
    """The example with another choice, of methods whose promises depend on their parameters."""
    for word in names("method"):
        kind = get("method", word)
        own = kind.keeps_with.__func__ is not Method.keeps_with.__func__
        for name, field in kind.model_fields.items() if own else ():
            for value in choices(field.annotation):
                if kind.example.get(name, field.default) != value:
                    yield pytest.param(word, {name: value}, id=f"{word}-{name}-{value}")


def choices(annotation: Any) -> list[Any]:
    if annotation is bool:
        return [True, False]
    origin = typing.get_origin(annotation)
    if origin is Literal:
        return list(get_args(annotation))
    return [one for arg in get_args(annotation) for one in choices(arg)] if origin is types.UnionType else []


@pytest.mark.parametrize(("word", "other"), list(variants()))
def test_what_it_keeps_with_other_parameters(word: str, other: dict[str, Any], load: Load) -> None:
    kind = get("method", word)
    try:
        step = kind(**{**kind.example, **other})
    except SchleierError:
        pytest.skip("does not go with the other parameters")
    try_out(step, load, 1, 10 if on_average(step.promises()) else 1)


FALSE: dict[str, list[Keeps]] = {
    "round_to": [{"mean": "exact"}, {"variance": "exact"}, {"total": "exact"}, {"mean": "expected"}],
    "top_code": [{"mean": "exact"}, {"mean": "expected"}, {"variance": "exact"}, {"distribution": "exact"}],
    "swap": [{"order": "weak"}, {"correlation": "exact"}, {"correlation": "weak"}, {"weighted total": "exact"}],
    "add_noise": [{"mean": "exact"}, {"variance": "expected"}, {"zeros": "weak"}],
    "sample": [{"rows": "exact"}, {"total": "expected"}, {"total": "weak"}, {"total weight": "exact"}],
    "pram": [{"counts": "exact"}, {"groups": "exact"}],
    "impute": [{"distribution": "exact"}],
    "slice_columns": [{"missing": "exact"}, {"total": "expected"}],
    "multiply_noise": [{"variance": "expected"}, {"distribution": "exact"}, {"other columns": "weak"}],
}


@pytest.mark.parametrize(("word", "claim"), [(word, claim) for word, claims in FALSE.items() for claim in claims])
def test_a_false_promise_is_found_out(word: str, claim: Keeps, load: Load) -> None:
    with pytest.raises(AssertionError):
        try_out(made("method", word), load, 3, DRAWS if on_average(claim) else 1, claim)


def test_every_word_has_a_meaning() -> None:
    assert set(MEANINGS) == STATISTICS and set(HOW) == WAYS


def test_a_promise_in_other_words_is_refused() -> None:
    with pytest.raises(TypeError, match="median"):

        class Odd(Method):
            keeps: ClassVar[Any] = {"median": "exact"}

    with pytest.raises(TypeError, match="mostly"):

        class Vague(Method):
            keeps: ClassVar[Any] = {"mean": "mostly"}
