"""What an experiment tells of attackers, and the arithmetic of cells (Kneuper 2020, K-005)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from schleier.core.errors import RecipeError
from schleier.planning.design import Design, Question
from schleier.planning.estimators import even
from schleier.planning.plan import plan
from schleier.planning.reading import design_from_toml
from schleier.report.planning.text import text

DESIGN = 'persons = 50\ntolerated = 5\n[[questions]]\nname = "sex"\nshares = [0.4, 0.6]\n[experiment]\n'


def test_the_experiment_of_the_scholars() -> None:
    """Müller et al. (1991), L21169-21176: 4 of 7,983 persons; 10 of 53 pairs the same in ten columns (part B, 3.2)."""
    counts = "tried = 7983\nright = 4\nwrong = 10\nwanted = 100\nidentical = 10\npairs = 53\ncolumns = 10"
    found = plan(design_from_toml(DESIGN + counts))
    assert found.experiment is not None
    tries, same = found.experiment.tries, found.experiment.differences
    assert tries is not None and same is not None
    assert (tries.tries, tries.wrong) == (199_575, 250)
    assert tries.high is not None and tries.low < 199_575 < tries.high
    assert same.rate == pytest.approx(0.1536, abs=5e-5) and same.low < same.rate < same.high
    said = [sentence for part in text(found, "de").parts for _, sentence in part.said]
    assert any("199.575" in one for one in said) and any("15,4" in one for one in said)


def test_nobody_found_and_everybody() -> None:
    nobody = plan(design_from_toml(DESIGN + "tried = 100\nright = 0")).experiment
    assert nobody is not None and nobody.tries is not None and nobody.differences is None
    assert (nobody.tries.tries, nobody.tries.high) == (None, None) and nobody.tries.low > 20
    everybody = plan(design_from_toml(DESIGN + "pairs = 20\nidentical = 20\ncolumns = 3")).experiment
    assert everybody is not None and everybody.differences is not None and everybody.tries is None
    assert (everybody.differences.rate, everybody.differences.low) == (0, 0) and everybody.differences.high > 0
    assert any(
        "found none" in sentence
        for part in text(plan(design_from_toml(DESIGN + "tried = 100\nright = 0"))).parts
        for _, sentence in part.said
    )


@pytest.mark.parametrize(
    ("wrong", "places"),
    [
        ("tried = 5", ["experiment.right"]),
        ("tried = 5\nright = 6", ["experiment.tried"]),
        ("tried = 0\nright = 0", ["experiment.tried"]),
        ("pairs = 5\nidentical = 6\ncolumns = 2", ["experiment.pairs"]),
        ("pairs = 5", ["experiment.identical", "experiment.columns"]),
        ("wanted = 3", ["experiment.tried", "experiment.right"]),
        ("tried = 5\nright = 1\nfalse = 2", ["experiment.false"]),
    ],
)
def test_what_is_wrong_is_said_at_once(wrong: str, places: list[str]) -> None:
    with pytest.raises(RecipeError) as error:
        design_from_toml(DESIGN + wrong)
    assert [problem.where for problem in error.value.problems] == places


@pytest.mark.parametrize(
    ("cells", "expected", "share", "alone"),
    [
        (30_000 * 365, 7.5799, 0.000511, 42_380),  # postcode and day of birth
        (30_000 * 365 * 80, 0.0947, 0.910, None),  # with the year
        (30_000 * 365 * 80 * 2, None, 0.954, None),  # and sex
    ],
)
def test_postcode_and_birthday(cells: int, expected: float | None, share: float, alone: int | None) -> None:
    """K-005: 83 million persons over 30,000 postcodes and 365 days."""
    found = even(83_000_000, cells)
    assert expected is None or found[0] == pytest.approx(expected, abs=5e-5)
    assert found[1] == pytest.approx(share, abs=5e-7 if alone else 5e-4)
    assert alone is None or 83_000_000 * found[1] == pytest.approx(alone, abs=5)


def test_in_a_plan() -> None:
    """Postcodes are 300 areas of 100 here; the plan tells the same, and says whether unevenness adds or takes."""
    questions = tuple(Question(str(n), (Fraction(1, n),) * n) for n in (300, 100, 365))
    found = plan(Design(83_000_000, Fraction(5), questions))
    assert found.combinations == 10_950_000 and found.even is not None
    assert found.even.unique == pytest.approx(42_380, abs=5)
    said = [sentence for part in text(found).parts for _, sentence in part.said]
    assert any("usually more" in one for one in said)


@pytest.mark.parametrize(("persons", "cells"), [(3000, 400), (3000, 3000), (500, 5000)])
def test_against_even_worlds(persons: int, cells: int) -> None:
    """The share of persons alone in 200 populations, to five standard errors of their mean."""
    rng = np.random.default_rng(1)
    worlds = rng.multinomial(persons, np.full(cells, 1 / cells), size=200)
    shares = (worlds == 1).sum(axis=1) / persons
    error = shares.std() / np.sqrt(len(shares))
    # the exact chance is (1 - 1/C)^(N-1): e^-lambda is off by less than a share 1/C of itself, or N/C^2
    assert abs(shares.mean() - even(persons, cells)[1]) < 5 * error + 1 / cells + persons / cells**2
