"""Columns an attacker would like to learn: what may be wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schleier.core.component import listed
from schleier.core.errors import Problem


def sensitive_problems(columns: Sequence[str], keys: Sequence[str]) -> Iterator[Problem]:
    """There must be sensitive columns, and none of them may be a key.

    >>> [problem.code for problem in sensitive_problems([], ["age"])], len(list(sensitive_problems(["pay"], ["age"])))
    (['no-sensitive'], 0)
    """
    if not columns:
        hint = 'give a column the role "sensitive", or name it under sensitive'
        yield Problem("no-sensitive", "sensitive", "there is no sensitive column to look at", hint)
    both = [name for name in columns if name in keys]
    if both:
        hint = "whoever knows the value need not learn it: take it out of the keys, or of the sensitive columns"
        yield Problem("sensitive-key", "sensitive", f"both key and sensitive: {listed(both)}", hint)
