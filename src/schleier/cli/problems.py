"""Problems in the reader's language: a sentence and a way out for each code, and what is wrong in this case.

What is said of a code stands in ``problems.toml`` beside the modules that raise it, what is said of a case in
``said.toml``, by its English sentence. What several rooms say is told in ``core``; a code of one component alone may
stand in its own words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.cli.phrases import Phrases

if TYPE_CHECKING:
    from schleier.core.errors import Problem

PACKAGE = Path(__file__).parent.parent
SPECIFIC = re.compile(r"""'[^']+'|"[^"]+"|`[^`]+`|\w+=\w+|pip install .+|schleier \w+ .+|(?<=: ).+|\d+""")
"""What a hint says of this case: names, commands, lists and numbers."""
COMMAND = "schleier "
"""How a hint begins that is nothing but a command."""
UNTRANSLATED = re.compile(r"pip install |export ")
"""How a text begins that is the same in every language."""
NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
SHARE = re.compile(r"\d+(?:\.\d+)?%")
MORE = re.compile(r" and (\d+) more$")


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
    'Einzelheiten: Es gibt keine Spalte „agee“ (Meinten Sie „age“?)'
    >>> translated(problem, "en") is None
    True
    """
    if lang == "en":
        return None
    said = _texts().get(problem.code, {}).get(lang)
    if said is None:
        return None
    # The translated hint is a general one: what the English one alone knows must not be lost.
    words, hint, more = _words(), said["hint"], ""
    if problem.hint.startswith(COMMAND):  # a command is the same in every language
        hint = f"{hint} {words['command'][lang]}: {problem.hint}"
    elif any(fact not in hint for fact in SPECIFIC.findall(problem.hint)):
        more = problem.hint
    case = _case(problem, lang)
    told, told_more = case(problem.message), case(more) if more else ""
    if told is None or told_more is None:
        details = f"{words['foreign'][lang]}: {problem.message}{f' ({more})' if more else ''}"
    elif told.rstrip(".") == said["text"].rstrip(".") and not told_more:
        details = ""
    else:
        details = f"{words['details'][lang]}: {told}{f' ({told_more})' if told_more else ''}"
    return Translation(words["error"][lang], said["text"], details, hint)


def _case(problem: Problem, lang: str) -> Callable[[str], str | None]:
    """How to tell what is said of this case; a verdict is told as in the report."""
    from schleier.report.language import Words
    from schleier.report.terminal import verdict_line

    phrases, words, verdict = _phrases(lang), Words.of(lang), getattr(problem, "verdict", None)

    def tell(text: str) -> str | None:
        if verdict is not None and text == verdict.text:
            return verdict_line(verdict, words)
        return text if UNTRANSLATED.match(text) else phrases.tell(text, fill)

    def fill(text: str) -> str:
        if NUMBER.fullmatch(text):
            return words.number(float(text.replace(",", "")))
        if SHARE.fullmatch(text):
            return str(words.share(float(text.rstrip("%")) / 100).unescape())
        if text.startswith("'"):  # names, of which only the end of a long list is no name
            return MORE.sub(
                lambda more: words.plain("list.and", before="", last=words.plain("list.more", n=int(more[1]))), text
            )
        return tell(text) or text

    return tell


def find_phrases(package: Path) -> Iterator[tuple[Path, str, Mapping[str, str]]]:
    """Every file of sentences below a folder, with each English sentence and its translations."""
    for file in sorted([*package.rglob("said.toml"), package / "cli" / "fillings.toml"]):
        for english, texts in tomllib.loads(file.read_text(encoding="utf-8")).items():
            yield file, english, texts


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


def way_out(problem: Problem, lang: str) -> str:
    """What the hint of a problem says of this case, in a language; in English where it is not told in it.

    >>> from schleier.core.errors import Problem
    >>> way_out(Problem("bad-answer", "answers.list", "that is no answer", "answer with one of: yes, no"), "de")
    'Antworten Sie mit einem dieser Wörter: yes, no'
    """
    return problem.hint if lang == "en" else _case(problem, lang)(problem.hint) or problem.hint


def reason(problem: Problem, lang: str) -> str:
    """What is wrong in this case and nothing else, in a language; in English where it is not told in it.

    >>> from schleier.core.errors import Problem
    >>> reason(Problem("no-rows", "a.csv", "the file has no rows", "look for another one"), "de")
    'Die Datei hat keine Zeilen'
    """
    return problem.message if lang == "en" else _case(problem, lang)(problem.message) or problem.message


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
def _phrases(lang: str) -> Phrases:
    return Phrases({english: texts[lang] for _, english, texts in find_phrases(PACKAGE) if lang in texts})


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((PACKAGE / "cli" / "words.toml").read_text(encoding="utf-8"))
