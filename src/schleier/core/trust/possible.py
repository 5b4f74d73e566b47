"""What a released cell may stand for: an interval, a list, a node of a hierarchy or a gap is a set of values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from schleier.core.hierarchy.contract import ROOT
from schleier.core.hierarchy.lookup import value_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.hierarchy import Hierarchy

NUMBER = r"-?\d+(?:\.\d+)?"
DAY = r"\d{4}-\d{2}-\d{2}"
MOMENT = rf"{DAY}T[0-9:.]+"
END = rf"{MOMENT}|{DAY}|{NUMBER}"
FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\[(?P<low>{END}), (?P<high>{END})(?P<open>\))",
        rf"(?P<low>{DAY}|{NUMBER}) to (?P<high>{DAY}|{NUMBER})(?P<open>)",
        r"(?P<low>\d+(?:\.\d+)?)-(?P<high>\d+(?:\.\d+)?)(?P<open>)",
        rf"(?P<open><)(?P<high>{END})(?P<low>)",
        rf">=(?P<low>{END})(?P<high>)(?P<open>)",
    )
)
"""How our methods write an interval; where there is an ``open``, its upper end does not belong to it."""


class Ends(NamedTuple):
    """An interval: from the lower end on, up to the upper one, which may not belong to it."""

    low: float
    high: float
    is_open: bool


def ends_of(label: str) -> Ends | None:
    """The ends of an interval as our methods write one; dates are days since 1970. Nothing for any other label.

    >>> ends_of("20-24"), ends_of("[0.5, 1)"), ends_of("<18"), ends_of("baker")
    (Ends(low=20.0, high=24.0, is_open=False), Ends(low=0.5, high=1.0, is_open=True), \
Ends(low=-inf, high=18.0, is_open=True), None)
    """
    for form in FORMS:
        if (found := form.fullmatch(label)) is not None:
            low, high = found["low"], found["high"]
            return Ends(
                number_of(low) if low else float("-inf"), number_of(high) if high else float("inf"), bool(found["open"])
            )
    return None


def may_hold(cells: pa.Array, values: pa.Array, hierarchy: Hierarchy | None = None) -> NDArray[np.bool_]:
    """For each of some different released cells (a row) whether it may stand for each of some values (a column).

    A cell stands for a value when it is this value, a node above it, a list with it, an interval around it, or the
    root. A label that nobody can read stands for nothing.

    >>> import pyarrow as pa
    >>> cells = pa.array(["20-29", "{21, 35}", "*", "35", "many"])
    >>> may_hold(cells, pa.array([21, 35])).tolist()
    [[True, False], [True, True], [True, True], [False, True], [False, False]]
    """
    import numpy as np

    texts = [_text(value) for value in values.to_pylist()]
    numbers = _numbers(values)
    place: dict[str, list[int]] = {}
    for j, text in enumerate(texts):
        place.setdefault(text, []).append(j)
    for labels in _above(values, hierarchy):
        for j, label in enumerate(labels):
            if label is not None:
                place.setdefault(label, []).append(j)
    result = np.zeros((len(cells), len(values)), dtype=np.bool_)
    for i, cell in enumerate(cells.to_pylist()):
        label = _text(cell)
        if label == ROOT:
            result[i] = True
        elif label in place:
            result[i, place[label]] = True
        elif label.startswith("{") and label.endswith("}"):
            result[i] = _in_list(label[1:-1], texts)
        elif (ends := ends_of(label)) is not None:
            result[i] = (numbers >= ends.low) & ((numbers < ends.high) if ends.is_open else (numbers <= ends.high))
    return result


def _above(values: pa.Array, hierarchy: Hierarchy | None) -> Sequence[list[str | None]]:
    """The labels of the values at each level between them and the root."""
    if hierarchy is None or hierarchy.learns:
        return ()
    return [hierarchy.labels(values, level).to_pylist() for level in range(1, hierarchy.depth)]


def _in_list(inside: str, texts: Sequence[str]) -> list[bool]:
    """Which texts are items of a list; one with a comma in it may be several of them."""
    around = f", {inside}, "
    return [f", {text}, " in around for text in texts]


def _numbers(values: pa.Array) -> NDArray[np.float64]:
    """Values as numbers, dates as days; not-a-number where a value is none."""
    import numpy as np

    return np.array([number_of(_text(value)) for value in values.to_pylist()], dtype=np.float64)


def _text(value: object) -> str:
    """A value as the labels of a hierarchy write it."""
    return value.isoformat() if isinstance(value, datetime) else str(value_text(value))


def number_of(text: str) -> float:
    """A number or a date in days since 1970; not-a-number for any other text.

    >>> number_of("1970-01-03"), number_of("2.5")
    (2.0, 2.5)
    """
    if re.fullmatch(NUMBER, text):
        return float(text)
    found: Any = None
    if re.fullmatch(DAY, text):
        found = date.fromisoformat(text).toordinal() - date(1970, 1, 1).toordinal()
    elif re.fullmatch(MOMENT, text):
        found = datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() / 86400
    return float("nan") if found is None else float(found)
