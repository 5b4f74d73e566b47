"""What part of a population a file holds, as a user says it."""

from __future__ import annotations

from collections.abc import Iterator

from schleier.core.errors import Problem


def sampling_problems(fraction: float | None, population: int | None) -> Iterator[Problem]:
    """A fraction that is none, nobody in the population, or both said at once.

    >>> [problem.code for problem in sampling_problems(1.5, 0)]
    ['two-fractions', 'bad-fraction', 'nobody-there']
    """
    if fraction is not None and population is not None:
        message = "fraction and population both tell the size of the sample"
        yield Problem("two-fractions", "fraction", message, "leave one of them out")
    if fraction is not None and not 0 < fraction <= 1:
        hint = "a sample of one in a hundred has fraction = 0.01, a full enumeration fraction = 1"
        yield Problem("bad-fraction", "fraction", "a sampling fraction is above 0 and at most 1", hint)
    if population is not None and population < 1:
        hint = "say how many persons the file was drawn from"
        yield Problem("nobody-there", "population", "a population has at least one person", hint)
