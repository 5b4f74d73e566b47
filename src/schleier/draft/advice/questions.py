"""The questions of ``advise``, and which of them an answer leaves open."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.record import Frozen
from schleier.draft.profile import Text

Answer = str | list[str]
Answers = Mapping[str, Answer]
When = dict[str, list[str]]
"""Answers by question, one of each of which must have been given."""

UNKNOWN = "unknown"
"""The answer of somebody who does not know."""
LONGEST = 2000
"""Characters of a free text."""


class Question(Frozen):
    """One question, with its choices from the strictest to the mildest."""

    key: str
    text: Text
    why: Text
    """What it is for, in plain words."""
    choices: dict[str, Text] = Field(default_factory=dict)
    free: bool = False
    """Whether the answer is a sentence of the person's own."""
    several: bool = False
    """Whether more than one choice may be taken."""
    alone: str = ""
    """The choice that goes with no other."""
    unknown: Answer = ""
    """What not knowing is taken for; without it, the question must be answered."""
    default: str = ""
    """What is proposed: only ever the strictest choice."""
    after: When = Field(default_factory=dict)
    """Asked only after one of these answers to each of those questions."""


@dataclass(frozen=True)
class Point:
    """Something that keeps an advice from being given: an answer that is missing, wrong or at odds with others."""

    problem: Problem
    keys: tuple[str, ...]
    """The questions it is about."""
    text: Text
    """What is wrong, in every language."""


@cache
def questions() -> tuple[Question, ...]:
    """All questions, in the order in which they are asked.

    >>> [one.key for one in questions()][:3]
    ['collected', 'purpose', 'needed']
    """
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(Question.model_validate(one) for one in table["question"])


def fits(when: Mapping[str, list[str]], answers: Answers) -> bool:
    """Whether each question was answered with one of these; of several answers one is enough.

    >>> fits({"access": ["public"]}, {"access": "public"}), fits({"access": ["public"]}, {})
    (True, False)
    """
    return all(set(chosen(answers.get(key, []))) & set(wanted) for key, wanted in when.items())


def chosen(answer: Answer) -> list[str]:
    """An answer as a list of choices."""
    several = answer if isinstance(answer, list | tuple) else [answer]
    return [one for one in several if isinstance(one, str)]


def asked(answers: Answers) -> list[Question]:
    """The questions that are to be asked after these answers; those that hang on a missing one too."""
    return [
        one for one in questions() if fits({key: when for key, when in one.after.items() if key in answers}, answers)
    ]


def settled(answers: Answers) -> dict[str, Answer]:
    """The answers with "unknown" taken for the strictest choice.

    >>> settled({"access": "unknown"})["access"]
    'public'
    """
    known = {one.key: one for one in questions()}
    return {
        key: known[key].unknown if answer == UNKNOWN and known[key].unknown else answer
        for key, answer in answers.items()
    }


def open_points(answers: Answers) -> Iterator[Point]:
    """Everything that is missing or no answer to its question, all at once; texts of the person are never quoted."""
    known = {one.key: one for one in questions()}
    for key in answers:
        if key not in known:
            near, every = difflib.get_close_matches(key, known, n=1), _all(known)
            hint = f"give the answer another name, or leave it out; there are: {every}"
            if near:
                hint = f"did you mean '{near[0]}'? give the answer another name, or leave it out; there are: {every}"
            problem = Problem("no-question", f"answers.{key}", "there is no such question", hint)
            yield Point(problem, (key,), {"en": "There is no such question.", "de": "Eine solche Frage gibt es nicht."})
    due = {one.key for one in asked(answers)}
    for one in questions():
        if one.key not in due and one.key not in answers:
            continue
        place = f"answers.{one.key}"  # also of an answer that nobody asked for: it may be a slip in another one
        hint = "a sentence of your own" if one.free else f"answer with one of: {_all(choices(one))}"
        if one.key not in answers:
            text = {"en": f"Not answered: {one.text['en']}", "de": f"Nicht beantwortet: {one.text['de']}"}
            yield Point(Problem("not-answered", place, one.text["en"], hint), (one.key,), text)
        elif not is_answer(one, answers[one.key]):
            text = {"en": f"No answer: {one.text['en']}", "de": f"Das ist keine Antwort auf: {one.text['de']}"}
            yield Point(Problem("bad-answer", place, "that is no answer to the question", hint), (one.key,), text)


def choices(question: Question) -> list[str]:
    """What may be answered."""
    return [*question.choices, *([UNKNOWN] if question.unknown else [])]


def is_answer(question: Question, answer: object) -> bool:
    """Whether something answers a question."""
    if question.free:
        return isinstance(answer, str) and bool(answer.strip()) and len(answer) <= LONGEST and _writable(answer)
    if question.several and isinstance(answer, list | tuple):
        alone = question.alone in answer and len(answer) > 1
        return bool(answer) and not alone and all(one in list(question.choices) for one in answer)
    return isinstance(answer, str) and answer in choices(question)


def _writable(text: str) -> bool:
    """Whether a file of UTF-8 can hold a text."""
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def _all(names: Mapping[str, object] | list[str]) -> str:
    return ", ".join(names)
