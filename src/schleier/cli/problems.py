"""Problems in the reader's language: a sentence and a way out for each code, without the values of the case."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schleier.core.errors import Problem

FOLDER = Path(__file__).parent
SPECIFIC = re.compile(r"""'[^']+'|"[^"]+"|`[^`]+`|\w+=\w+|pip install .+|(?<=: ).+|\d+""")
"""What a hint says of this case: names, commands, lists and numbers."""


@dataclass(frozen=True)
class Translation:
    """A problem in another language than English."""

    error: str
    """The word for "error"."""
    text: str
    """What is wrong, in general."""
    details: str
    """What is wrong in this case, as the problem says it."""
    hint: str
    """What to do about it."""


def translated(problem: Problem, lang: str) -> Translation | None:
    """A problem in a language; nothing when it is not translated, as in English.

    >>> from schleier.core.errors import Problem
    >>> problem = Problem("unknown-column", "steps[0]", "there is no column 'agee'", "did you mean 'age'?")
    >>> translated(problem, "de").text
    'Eine genannte Spalte gibt es nicht.'
    >>> translated(problem, "de").details
    "Einzelheiten: there is no column 'agee' (did you mean 'age'?)"
    >>> translated(problem, "en") is None
    True
    """
    words = _words(lang)
    said = words.get("problem", {}).get(problem.code)
    if said is None:
        return None
    # The translated hint is a general one: what the English one alone knows must not be lost.
    lost = any(fact not in said["hint"] for fact in SPECIFIC.findall(problem.hint))
    more = f" ({problem.hint})" if lost else ""
    details = f"{words['details']}: {problem.message}{more}"
    return Translation(words["error"], said["text"], details, said["hint"])


@cache
def _words(lang: str) -> dict[str, Any]:
    """The words of a language; none when nobody translated them."""
    file = FOLDER / f"problems.{lang}.toml"
    # Listed and not just opened: the language comes from the environment and could be a path.
    return tomllib.loads(file.read_text(encoding="utf-8")) if file in FOLDER.glob("problems.*.toml") else {}
