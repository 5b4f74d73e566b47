"""Words read letter by letter, against regular expressions."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.pseudonyms.reading import Bytes, Whole, capitals, pattern_of, rewritten, without_form

PATTERNS = ("[A-Z]{2}[0-9]{2}[A-Z0-9]{3,5}", "[1-9][0-9]{4}", "[+]?[0-9]{3,6}", "[ -~]+")
MARKS = " -/()."
TEXTS = st.lists(st.text("AZaz0159+ -/.é", max_size=9), min_size=1)


def run(words: list[str]) -> tuple[Whole, Bytes]:
    parts = [word.encode() for word in words]
    starts = np.cumsum([3, *map(len, parts)], dtype=np.int64)  # a run may begin before the first word
    return starts, np.frombuffer(b"xyz" + b"".join(parts), np.uint8)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(words=TEXTS)
def test_a_form_is_what_the_regular_expression_says(pattern: str, words: list[str]) -> None:
    starts, data = run(words)
    expected = sum(re.fullmatch(pattern, word) is None for word in words)
    assert without_form(starts, data, pattern_of(pattern)) == expected


@pytest.mark.parametrize("pattern", PATTERNS)
@given(data=st.data())
def test_what_has_the_form_is_not_counted(pattern: str, data: st.DataObject) -> None:
    words = data.draw(st.lists(st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True), min_size=1, max_size=5))
    assert without_form(*run(words), pattern_of(pattern)) == 0


@given(words=TEXTS)
def test_marks_go_and_letters_become_large(words: list[str]) -> None:
    expected = [re.sub(f"[{re.escape(MARKS)}a-z]", lambda one: one[0].upper().strip(MARKS), word) for word in words]
    found = rewritten(*run(words), capitals(MARKS))
    if expected == words:
        assert found is None
        return
    assert found is not None
    starts, data = found
    assert [data[a:b].tobytes().decode() for a, b in itertools.pairwise(starts)] == expected
