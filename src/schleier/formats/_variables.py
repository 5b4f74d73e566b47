"""What a statistical package says about one of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from schleier.core.dictionary import Entry
from schleier.core.format import Kind
from schleier.core.schema import Scale

Code = int | float | str
CODED: dict[str, Scale] = {"nominal": "nominal", "ordinal": "ordinal"}
LOWEST = 1.7e308
"""SPSS writes "lowest" and "highest" of a range as the ends of the floating numbers."""


@dataclass(frozen=True)
class Variable:
    """A variable of a file: its kind, its dictionary, and the values that stand for a gap."""

    name: str
    kind: Kind
    entry: Entry
    ticks: int = 1
    """Ticks in a day (of a date) or in a second (of a point in time)."""
    gaps: tuple[tuple[Code, Code], ...] = ()
    """Declared missing values and ranges: the lowest and the highest of each."""


@dataclass(frozen=True)
class Nature:
    """What storage and format of a variable tell: its kind, and the ticks of a date or time."""

    kind: Kind
    ticks: int = 1


def variable_of(name: str, nature: Nature, title: str, labels: Mapping[Any, str], gaps: Any, scale: str) -> Variable:
    """A variable from what the file says; a number is a code if its measure says so, or labels of whole values.

    >>> variable_of("sex", Nature("number"), "", {1.0: "f", 2.0: "m", 9.0: "?"}, [{"lo": 9.0, "hi": 9.0}], "").kind
    'integer'
    """
    limits = tuple((_trimmed(gap["lo"]), _trimmed(gap["hi"])) for gap in gaps)
    kind, clock = nature.kind, nature.kind in ("date", "time")
    codes = [code for code in labels if not isinstance(code, str) and not _within(code, limits)]
    if kind == "number" and (scale in CODED or (codes and all(code == int(code) for code in codes))):
        kind = "integer"
    entry = Entry(
        title=title,
        labels={} if clock else {text_of(_tagged(code, kind)): label for code, label in labels.items()},
        missing=() if clock else tuple(_missing(labels, limits, kind)),
        scale=_scale(scale, kind),
    )
    return Variable(name, kind, entry, nature.ticks, limits)


def text_of(code: Code) -> str:
    """A code as text: 1 for 1.0, blanks at the end left out.

    >>> text_of(1.0), text_of(1.5), text_of("a  ")
    ('1', '1.5', 'a')
    """
    return code.rstrip(" ") if isinstance(code, str) else str(_plain(code))


def number_of(code: Code) -> float | None:
    """A code as a number, where it is one.

    >>> number_of("-9"), number_of(".a"), number_of("nan")
    (-9.0, None, None)
    """
    try:
        number = float(code)
    except ValueError:
        return None
    return number if abs(number) < LOWEST else None


def is_tag(code: Code) -> bool:
    """Whether a code is one of Stata's and SAS's extended missing values, such as ``.a``."""
    return isinstance(code, str) and len(code) == 2 and code[0] == "." and (code[1] == "_" or code[1].isalpha())


def _missing(labels: Mapping[Any, str], limits: Iterable[tuple[Code, Code]], kind: Kind) -> Iterable[Code]:
    """Codes for gaps: single values, the finite ends of a range and the labelled values inside, labelled tags."""
    found: dict[Code, None] = {}
    for low, high in limits:
        inside = [code for code in labels if _within(code, [(low, high)])]
        found |= dict.fromkeys(code for code in (low, *sorted(inside), high) if isinstance(code, str) or _finite(code))
    tags = [_tagged(code, kind) for code in labels] if kind != "text" else []
    return [_plain(code) for code in (*found, *(tag for tag in tags if is_tag(tag)))]


def _within(code: Any, limits: Iterable[tuple[Code, Code]]) -> bool:
    pairs = [(low, high) for low, high in limits if isinstance(low, str) == isinstance(code, str)]
    return any(low <= _trimmed(code) <= high for low, high in pairs)  # type: ignore[operator]


def _tagged(code: Code, kind: Kind) -> Code:
    """The letter of an extended missing value with its dot."""
    return f".{code}" if isinstance(code, str) and kind != "text" else code


def _trimmed(code: Code) -> Code:
    return code.rstrip(" ") if isinstance(code, str) else code


def _finite(code: float) -> bool:
    return abs(code) < LOWEST


def _plain(code: Code) -> Code:
    """A whole number as such."""
    return int(code) if isinstance(code, float) and _finite(code) and code == int(code) else code


def _scale(measure: str, kind: Kind) -> Scale | None:
    """What the measure of SPSS means; dates are dates whatever it says."""
    if kind in ("date", "time"):
        return "time"
    if measure == "scale" and kind in ("integer", "number"):
        return "discrete" if kind == "integer" else "continuous"
    return CODED.get(measure)
