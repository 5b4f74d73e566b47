"""How an advice is shown on the terminal and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from schleier.cli.dialogue import fold
from schleier.cli.shared import say, table

if TYPE_CHECKING:
    from schleier.draft.advice.consequences import Parameter, Setting
    from schleier.draft.advise import Advice
    from schleier.report.language import Words

SHARES = ("max_suppressed", "fraction")


def show(advice: Advice, words: Words) -> None:
    """Print what is advised, why, and what it would cost."""
    decision, lang = advice.decision, words.lang
    colour = "yellow" if decision.ending.absent else "green"
    say(f"\n[bold {colour}]{escape(decision.ending.title[lang])}[/]\n{escape(fold(decision.ending.means[lang]))}")
    cited = [*(one.sources for one in decision.reasons), *(one.sources for one in advice.parameters)]
    sources = list(dict.fromkeys(source for some in cited for source in some))
    say(f"\n[bold]{escape(words.plain('advise.because'))}[/]")
    for reason in decision.reasons:
        say(escape(fold(f"- {reason.text[lang]} {_cited(reason.sources, sources)}")))
    if advice.profile is not None:
        harm = words.plain(f"advise.protection.{decision.protection.replace(' ', '_')}")
        say("\n" + escape(words.plain("advise.profile", profile=advice.profile, protection=harm)))
        if more := decision.profiles[1:]:
            say(escape(words.plain("advise.also", profiles=", ".join(more))))
    if advice.parameters:
        say(f"\n[bold]{escape(words.plain('advise.shown'))}[/]")
    drawn = [
        one.left_out for about in advice.parameters if about.key == "fraction" for one in about.settings if one.advised
    ]
    if drawn and advice.reached and len(advice.parameters) > 1:
        say(escape(fold(words.plain("advise.drawn", n=drawn[0]))))
    for one in advice.parameters:
        _show_parameter(one, words, sources)
    _remarks(advice, words)
    say(f"\n[bold]{escape(words.plain('advise.sources'))}[/]")
    for number, source in enumerate(sources, 1):
        say(escape(fold(f"[{number}] {source}")))


def _cited(own: tuple[str, ...], every: list[str]) -> str:
    return "[" + ", ".join(str(every.index(one) + 1) for one in own) + "]"


def _show_parameter(parameter: Parameter, words: Words, sources: list[str]) -> None:
    lang = words.lang
    say(f"\n{escape(fold(parameter.about.text[lang]))}")
    touched = any(one.loss is not None for one in parameter.settings)
    keys = [parameter.key, "left_out", *(["loss", "highest"] if touched else []), ""]
    head = [words.plain(f"advise.column.{key}") if key else "" for key in keys]
    table(head, [_row(parameter.key, one, len(keys), words) for one in parameter.settings])
    text = f"{parameter.about.range[lang]} {_cited(parameter.sources, sources)}"
    say(f"[dim]{escape(fold(words.plain('advise.range', text=text)))}[/]")


def _row(key: str, one: Setting, width: int, words: Words) -> list[str]:
    value = words.share(one.value).unescape() if key in SHARES else words.number(one.value)
    mark = f"← {words.plain('advise.column.mark')}" if one.advised else ""
    if not one.reached:
        return [value, words.plain("advise.column.unreachable"), *[""] * (width - 3), mark]
    shares = [words.share(share).unescape() for share in (one.loss, one.highest) if share is not None]
    return [value, words.number(one.left_out), *shares, *[""] * (width - 3 - len(shares)), mark]


def _remarks(advice: Advice, words: Words) -> None:
    """What the reader must mind of the file."""
    found, decision = advice.suggestion, advice.decision
    if found is None:
        if decision.records:
            say("\n" + escape(words.plain("advise.later")))
        return
    schema = found.draft.schema
    said = []
    if not advice.reached:
        few = advice.too_few_values
        why = {"columns": ", ".join(few), "l": decision.l} if few else {}
        text = words.plain("advise.few_values", n=len(few), **why) if few else words.plain("advise.cannot")
        say("\n[red]" + escape(fold(text)) + "[/]")
        return
    asked = max(decision.k, found.profile.k)
    if found.chosen is not None and found.chosen.k > asked:
        said.append(words.plain("advise.larger", k=found.chosen.k, asked=asked))
    if decision.l and not schema.having("sensitive"):
        said.append(words.plain("advise.no_sensitive"))
    if schema.undecided:
        said.append(words.plain("advise.undecided", columns=", ".join(schema.undecided[:12])))
    if schema.guessed:
        said.append(words.plain("advise.guessed", n=len(schema.guessed)))
    for sentence in said:
        say("\n[yellow]" + escape(fold(f"! {sentence}")) + "[/]")


def tell(advice: Advice, recipe: Path | None, keep: Path | None, words: Words) -> None:
    """Print what was written and what comes next."""
    from schleier.draft.advise import commands

    say("")
    if recipe is not None:
        say("[green]" + escape(words.plain("advise.wrote", recipe=recipe)) + "[/]")
    elif advice.suggestion is not None and advice.reached:
        say(escape(words.plain("advise.not_written")))
    else:
        say(escape(words.plain("advise.no_recipe")))
    if keep is not None:
        say(escape(words.plain("advise.kept", file=keep)))
    if lines := commands(advice, str(recipe) if recipe is not None else "recipe.toml"):
        say(f"[bold]{escape(words.plain('advise.next'))}[/]")
        for one in lines:
            say(f"  {escape(one)}")


def document(advice: Advice) -> dict[str, Any]:
    """An advice as JSON: words, numbers and names of columns, no values, and no sentence that a person wrote."""
    from schleier.draft.advice.questions import questions

    own_words = {one.key for one in questions() if one.free}
    decision, lang = advice.decision, advice.language
    return {
        "outcome": advice.outcome,
        "title": decision.ending.title[lang],
        "available": not decision.ending.absent,
        "profile": advice.profile,
        "profiles": list(decision.profiles),
        "protection": decision.protection,
        "demands": {"k": decision.k, "l": decision.l} if decision.records else {},
        "reasons": [{"text": one.text[lang], "sources": list(one.sources)} for one in decision.reasons],
        "parameters": [
            {
                "parameter": one.key,
                "value": one.value,
                "text": one.about.text[lang],
                "range": one.about.range[lang],
                "sources": list(one.sources),
                "settings": [vars(setting) for setting in one.settings],
            }
            for one in advice.parameters
        ],
        "reached": advice.reached,
        "too_few_values": list(advice.too_few_values),
        "commands": list(advice.commands),
        "answers": {key: answer for key, answer in advice.answers.items() if key not in own_words},
    }
