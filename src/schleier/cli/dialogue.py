"""The questions of ``advise`` on the terminal, asked until no answer contradicts another one."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from schleier.cli.shared import say
from schleier.core.errors import RecipeError, stop

if TYPE_CHECKING:
    from schleier.draft.advice.questions import Answer, Question
    from schleier.draft.advise import Look
    from schleier.report.language import Words

WIDEST = 110
"""Characters of a line that is easy to read."""


def ask(look: Look | None, words: Words, answers: dict[str, Answer]) -> None:
    """Put all answers that are still open among those that are given; contradictions are asked for once more."""
    from rich.markup import escape

    from schleier.cli.drafting import show
    from schleier.draft.advice.questions import asked
    from schleier.draft.advice.rules import points

    found = look.found if look is not None else {"found_file": "no"}
    say(escape(fold(words.plain("advise.welcome"))))
    if look is not None and look.draft is not None:
        say("\n" + escape(words.plain("advise.looking")))
        show(look.draft, words)
    _leave_strays(answers, words)
    while still := [one for one in asked(answers) if one.key not in answers]:
        every = [one.key for one in asked(answers)]
        answers[still[0].key] = _answer(still[0], every.index(still[0].key) + 1, len(every), look, words)
        if len(still) > 1 and any(one.key not in answers for one in asked(answers)):
            continue
        wrong = points(answers, found)
        if wrong:
            say("\n[yellow]" + escape(words.plain("advise.wrong", n=len(wrong))) + "[/]")
        for point in wrong:
            say(escape(fold(f"- {point.text[words.lang]}")))
            for key in point.keys:
                answers.pop(key, None)


def _leave_strays(answers: dict[str, Answer], words: Words) -> None:
    """Say which answers belong to no question, and go on without them: what they were meant for is asked."""
    from rich.markup import escape

    from schleier.cli.problems import way_out
    from schleier.draft.advice.questions import open_points, questions

    known = {one.key for one in questions()}
    for point in [one for one in open_points(answers) if not known.issuperset(one.keys)]:
        (key,) = point.keys
        del answers[key]
        say("\n[yellow]" + escape(fold(words.plain("advise.stray", key=key))) + "[/]")
        say(escape(fold(way_out(point.problem, words.lang))))


def somebody_there() -> bool:
    """Whether questions can be answered; what is piped in was not typed by anybody who saw them."""
    return sys.stdin.isatty()


def keep_begun(answers: Mapping[str, Answer], keep: Path | None, command: list[str], words: Words) -> bool:
    """Write down what was answered before the dialogue was left, and say how to go on; whether there was anything."""
    from rich.markup import escape

    from schleier.core.interrupts import uninterrupted
    from schleier.core.system import as_typed
    from schleier.draft.text import toml_lines, write_draft_file

    if not answers:
        return False
    with uninterrupted():
        place = keep or free_place()
        write_draft_file(place, toml_lines(answers), private=True)  # a person wrote parts of it
        say("\n" + escape(fold(words.plain("advise.begun", n=len(answers), file=place))), aside=True)
        say("  " + escape(as_typed(*command, "--answers", str(place))), aside=True)
    return True


def fold(text: str) -> str:
    """A text in lines of the width of the terminal; as it is where there is none, so that it can be searched."""
    width = shutil.get_terminal_size().columns
    return "\n".join(textwrap.wrap(text, min(width, WIDEST))) if sys.stdout.isatty() else text


def free_place() -> Path:
    """Where answers can be written without replacing anything."""
    numbered = (Path(f"answers{n if n > 1 else ''}.toml") for n in count(1))
    return next(path for path in numbered if not path.exists())


def ask_place(key: str, usual: str, words: Words) -> Path | None:
    """Where something is to be written; nowhere after a dash, or when nobody answers any more."""
    from rich.markup import escape

    while True:
        try:
            typed = typed_in(words.plain(key), usual)
        except typer.Abort:
            return None
        if typed == "-":
            return None
        if not Path(typed).exists():
            return Path(typed)
        say(escape(words.plain("advise.taken")))


def typed_in(prompt: str, usual: str, *, shown: bool = True) -> str:
    """What somebody typed; Ctrl-C is no end of the answers, and what is said of it begins on a line of its own."""
    from schleier.core.interrupts import Interrupted, received

    try:
        return str(typer.prompt(prompt, default=usual, show_default=shown)).strip()
    except (typer.Abort, KeyboardInterrupt):
        number = received()
        if number is None:
            raise
        say("", aside=True)
        raise Interrupted(number) from None


def _answer(question: Question, place: int, of: int, look: Look | None, words: Words) -> Answer:
    from rich.markup import escape

    lang = words.lang
    title = words.plain("advise.question", n=place, of=of, text=question.text[lang])
    say(f"\n[bold]{escape(fold(title))}[/]\n[dim]{escape(fold(question.why[lang]))}[/]")
    if question.key == "special" and look is not None and look.special:
        say(escape(words.plain("advise.special", columns=", ".join(look.special))))
    labels = offered(question, words)
    for number, text in enumerate(labels.values(), 1):
        say(f"  [bold]{number}[/]  {escape(text)}")
    usual = str([*labels].index(question.default) + 1) if question.default else ""
    prompt = words.plain(f"advise.{'sentence' if question.free else 'answers' if question.several else 'answer'}")
    while True:
        try:
            typed = typed_in(prompt, usual, shown=bool(usual))
        except typer.Abort:
            message, hint = "the dialogue ended before all questions were answered", "give --answers, or a terminal"
            stop(RecipeError, "advice-ended", "advise", message, hint)
        understood = understand(question, typed, labels)
        if understood is not None:
            return understood
        say(escape(words.plain("advise.no_sentence" if question.free else "advise.not_an_answer")))


def offered(question: Question, words: Words) -> dict[str, str]:
    """The choices with their texts, and that one does not know, where that may be said."""
    from schleier.draft.advice.questions import choices

    texts = {choice: text[words.lang] for choice, text in question.choices.items()}
    return {choice: texts.get(choice) or words.plain("advise.unknown") for choice in choices(question)}


def understand(question: Question, typed: str, labels: Mapping[str, str]) -> Answer | None:
    """What was typed as an answer: numbers of the list, the words before them, or their texts."""
    from schleier.draft.advice.questions import UNKNOWN, is_answer

    if question.free:
        return typed if is_answer(question, typed) else None
    numbered = dict(enumerate(labels, 1))
    by_text = {text.lower(): choice for choice, text in labels.items()} | {choice.lower(): choice for choice in labels}
    parts = [part.strip().lower() for part in (typed.split(",") if question.several else [typed])]
    found = [numbered.get(int(part)) if part.isdecimal() else by_text.get(part) for part in parts]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    answer: Answer = known if question.several and known != [UNKNOWN] else known[0]
    return answer if is_answer(question, answer) else None
