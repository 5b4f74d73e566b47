"""The names above a table, as they stand in a file that nobody made for us."""

from __future__ import annotations

from collections.abc import Sequence

ROW_NUMBER = "row_number"
"""What a first column without a name is called."""


def named(names: Sequence[str]) -> list[str]:
    """Names of the columns; a first one without a name numbers the rows, as R and pandas write it.

    >>> named(["", "age", "sex"]), named(["age", ""]), named([" ", "row_number"])
    (['row_number', 'age', 'sex'], ['age', ''], ['row_number_2', 'row_number'])
    """
    if not lacks_first(names):
        return list(names)
    taken, called, n = {name.lower() for name in names}, ROW_NUMBER, 1
    while called in taken:
        n += 1
        called = f"{ROW_NUMBER}_{n}"
    return [called, *names[1:]]


def lacks_first(names: Sequence[str]) -> bool:
    """Whether the first column, and not every one, has no name.

    >>> lacks_first(["", "age"]), lacks_first(["", ""]), lacks_first([""])
    (True, False, False)
    """
    return len(names) > 1 and not names[0].strip() and any(name.strip() for name in names[1:])
