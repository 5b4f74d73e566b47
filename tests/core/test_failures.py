"""What a library says in its errors goes no further than the gate."""

from __future__ import annotations

import traceback

import pytest

from schleier.core.errors import DataError, EngineError, Problem, SchleierError
from schleier.core.failures import guarded, public, reworded

SECRET = "zzz-planted-marker"


def damaged(error: Exception) -> SchleierError | None:
    return DataError(Problem("broken-file", "a.db", "the database is damaged")) if "planted" in str(error) else None


def test_nothing_of_the_library_travels_with_the_error() -> None:
    with pytest.raises(DataError) as caught, reworded(damaged):
        raise ValueError(SECRET)
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_what_the_library_did_not_say_goes_on_as_it_is() -> None:
    ours = EngineError(Problem("busy", "", "planted"))
    for error in (KeyError("x"), ours, KeyboardInterrupt("planted")):
        with pytest.raises(type(error)) as caught, reworded(damaged):
            raise error
        assert caught.value is error


def test_a_guarded_verb_keeps_its_name_and_its_answer() -> None:
    def double(number: int) -> int:
        """Twice as much."""
        if number < 0:
            raise RuntimeError(SECRET)
        return number * 2

    verb = guarded(double)
    assert (verb(2), verb.__name__, verb.__doc__) == (4, "double", "Twice as much.")
    with pytest.raises(EngineError) as caught:
        verb(-1)
    assert caught.value.__context__ is None and SECRET not in str(caught.value)


def test_nothing_that_was_handled_leaves_a_public_function() -> None:
    @public
    def verb() -> None:
        try:
            raise ValueError(SECRET)
        except ValueError:
            raise DataError(Problem("broken-file", "a.db", "the database is damaged")) from None

    with pytest.raises(DataError) as caught:
        verb()
    assert caught.value.__context__ is None and caught.value.__cause__ is None
