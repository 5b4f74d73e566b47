"""Problems in the reader's language: a sentence and a way out for each code, without the values of the case.

They stand in ``problems.toml`` beside the modules that raise them, all languages side by side; English is the
message itself. A code of several rooms is told in ``core``; a code of one component alone may stand in its own words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schleier.core.errors import Problem

PACKAGE = Path(__file__).parent.parent
SPECIFIC = re.compile(r"""'[^']+'|"[^"]+"|`[^`]+`|\w+=\w+|pip install .+|schleier \w+ .+|(?<=: ).+|\d+""")
"""What a hint says of this case: names, commands, lists and numbers."""
COMMAND = "schleier "
"""How a hint begins that is nothing but a command."""


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
    "Einzelheiten (auf Englisch): there is no column 'agee' (did you mean 'age'?)"
    >>> translated(problem, "en") is None
    True
    """
    if lang == "en":
        return None
    said = _texts().get(problem.code, {}).get(lang)
    if said is None:
        return None
    # The translated hint is a general one: what the English one alone knows must not be lost.
    words, hint = _words(), said["hint"]
    if problem.hint.startswith(COMMAND):  # a command is the same in every language
        hint, more = f"{hint} {words['command'][lang]}: {problem.hint}", ""
    else:
        lost = any(fact not in hint for fact in SPECIFIC.findall(problem.hint))
        more = f" ({problem.hint})" if lost else ""
    details = f"{words['details'][lang]}: {problem.message}{more}"
    return Translation(words["error"][lang], said["text"], details, hint)


def sentence(problem: Problem, lang: str) -> str:
    """A problem with its place and the way out, in a language.

    >>> from schleier.core.errors import Problem
    >>> sentence(Problem("no-rows", "a.csv", "the file has no rows"), "en")
    'a.csv: the file has no rows'
    """
    other = translated(problem, lang)
    if other is None:
        return str(problem)
    place = f"{problem.where}: " if problem.where else ""
    return " ".join(part for part in (place + other.text, other.details, other.hint) if part)


def find_texts(package: Path) -> Iterator[tuple[Path, str, Mapping[str, Any]]]:
    """Every file of texts below a folder, with each code it tells and its texts by language; rooms of wings too."""
    for file in sorted(package.rglob("*.toml")):
        text = file.read_text(encoding="utf-8")
        if file.name == "problems.toml" or (file.with_suffix(".py").is_file() and "[problems." in text):
            told = tomllib.loads(text)
            for code, texts in (told if file.name == "problems.toml" else told["problems"]).items():
                yield file, code, texts


@cache
def _texts() -> dict[str, Mapping[str, Any]]:
    return {code: texts for _, code, texts in find_texts(PACKAGE)}


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((PACKAGE / "cli" / "words.toml").read_text(encoding="utf-8"))
