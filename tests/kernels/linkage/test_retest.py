"""The same persons recorded twice or three times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.linkage.retest import attribute, change_rates

VALUE = st.sampled_from(["a", "b", "c", None])
TRIPLES = st.lists(st.tuples(VALUE, VALUE, VALUE), max_size=30)


@given(st.lists(st.tuples(VALUE, VALUE), max_size=30))
def test_every_pair_is_counted_once(pairs: list[tuple[str | None, str | None]]) -> None:
    found = change_rates([a for a, _ in pairs], [b for _, b in pairs])
    assert found.pairs == len(pairs)
    assert found.different == sum(a is not None and b is not None and a != b for a, b in pairs)
    assert found.only_first == sum(a is not None and b is None for a, b in pairs)
    assert found.only_second == sum(a is None and b is not None for a, b in pairs)
    assert found.neither == sum(a is None and b is None for a, b in pairs)
    assert found.off.successes == sum(a != b for a, b in pairs)
    assert found.answered.attempts == sum(a is not None and b is not None for a, b in pairs)


def test_numbers_codes_and_recoding() -> None:
    nan = float("nan")
    found = change_rates(np.array([1.0, nan, 3.0, nan]), np.array([1.0, 2.0, 4.0, nan]))
    assert (found.different, found.only_second, found.neither) == (1, 1, 1)
    assert change_rates([1, 2, 3], [1, 3, 2], recode={3: 2}).different == 0
    assert change_rates([1], [1.0]).different == 0


@given(TRIPLES)
def test_the_identities_of_the_table(triples: list[tuple[str | None, ...]]) -> None:
    """(2) = (3) + (4) and (1) = (2) + (5) + (6); nothing else is counted (section 2.3)."""
    found = attribute(*([row[i] for row in triples] for i in range(3)))
    n = max(len(triples), 1)
    complete = [row for row in triples if None not in row]
    assert found.deviating * n == pytest.approx(sum(len(set(row)) > 1 for row in complete), abs=1e-9)
    once, waves = [row[0] for row in triples], [row[1:] for row in triples]
    no_single = sum(a is None and b != (None, None) for a, b in zip(once, waves, strict=True))
    no_wave = sum(a is not None and None in b for a, b in zip(once, waves, strict=True))
    assert found.total * n == pytest.approx(found.deviating * n + no_single + no_wave, abs=1e-9)
    assert (found.missing_single * n, found.missing_repeated * n) == pytest.approx((no_single, no_wave), abs=1e-9)


@given(TRIPLES)
def test_which_wave_came_first_does_not_matter(triples: list[tuple[str | None, ...]]) -> None:
    once, one, two = ([row[i] for row in triples] for i in range(3))
    assert attribute(once, one, two) == attribute(once, two, one)


def test_whose_error_it_is() -> None:
    """Three against the single file, one against a wave, four where all differ: those go three to one."""
    once = ["a", "a", "a", "a", "a", "a", "a", "a", "a", "a"]
    one = ["b", "b", "c", "b", "b", "b", "b", "b", "a", "a"]
    two = ["b", "b", "c", "a", "c", "c", "c", "c", "a", "a"]
    found = attribute(once, one, two)
    assert (found.single, found.repeated) == pytest.approx((0.6, 0.2))
    assert attribute(["a"], ["b"], ["c"]).single == 0.5  # no clear case to go by
    assert attribute([], [], []).total == 0.0


def test_columns_of_different_persons() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        change_rates([1, 2], [1])
    with pytest.raises(ValueError, match="different lengths"):
        attribute([1], [1], [1, 2])
