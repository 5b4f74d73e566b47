"""Components by the question they answer, from what they declare: nobody is put into a group by hand.

A method belongs to the questions of its traces, an attack to those it follows, a criterion and a measure to what they
ask for. What is said of a component is the beginning of its page, and of "When to use it".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from schleier.core.loss import Loss
from schleier.core.promises import MEANINGS as STATISTICS
from schleier.core.record import fields_of
from schleier.core.traces import Trace

Fits = Callable[[Any], bool]

TRACES: Mapping[str, tuple[Trace, ...]] = {
    "Is the column needed as it is?": ("omission", "slicing", "sum", "relation"),
    "Are values finer than they need to be?": ("coarsening", "rounding", "dither"),
    "Do rare values stand out?": ("gap",),
    "Do the largest or smallest values stand out?": ("tail", "tail_mean"),
    "May numbers be a little wrong?": ("noise", "factor", "shift", "stretch"),
    "May values change places?": ("exchange",),
    "May similar records share their values?": ("average", "group_mean"),
    "May categories be wrong now and then?": ("transition",),
    "May values or records be invented?": ("model", "simulation"),
    "Must every record be there, once?": ("sample", "selection", "copy", "division"),
}
"""What one asks before choosing a method, and the traces of the methods that answer it."""
FOLLOWED: Mapping[str, str] = dict(
    zip(
        TRACES,
        (
            "Only sums, ratios or some columns are shown",
            "Values were made coarser or rounded",
            "Rare values or records are missing",
            "Tails were cut or replaced",
            "Numbers were made noisy",
            "Values changed places",
            "Groups share their values",
            "Categories were changed at random",
            "Values or records were invented",
            "Records were left out, added or divided",
        ),
        strict=True,
    )
)
"""The same, as an attacker meets it."""
EFFECTS = {
    "E1": "nobody is found for certain",
    "E2": "finding a record tells nothing more",
    "E3": "what is found is unreliable",
}
APPROACHES = {"A1": "some columns", "A2": "some records", "A3": "conspicuous values", "A4": "all values of a column"}
ELSE, ALWAYS = "Something else?", "Whatever was done"


def _asks(component: type[Any], what: str) -> bool:
    """Whether a criterion or a measure asks for class tables with this."""
    from schleier.testing import example_schema

    requests = component(**component.example).needs(example_schema())
    return any(getattr(request, what) for request in requests)


def _has(component: type[Any], *fields: str) -> bool:
    return any(field in fields_of(component) for field in fields)


def _risk(measure: type[Any]) -> bool:
    return bool(measure.kind == "risk")


CRITERIA: Mapping[str, Fits] = {
    "Does an attack pay?": lambda one: one.deters,
    "Can amounts be worked out?": lambda one: _asks(one, "magnitudes"),
    "Does the population count, not only the file?": lambda one: _asks(one, "populations") or _has(one, "fraction"),
    "Does somebody learn a value without finding the record?": lambda one: _asks(one, "sensitive"),
    "Is a household recognised as a whole?": lambda one: _asks(one, "compositions"),
    "Can somebody be found in the file?": lambda one: _has(one, "k", "threshold"),
}
MEASURES: Mapping[str, Fits] = {
    "Risk: is the file a sample of a population?": lambda one: (
        _risk(one) and (_asks(one, "populations") or _has(one, "fraction"))
    ),
    "Risk: what is learned without finding the record?": lambda one: _risk(one) and _has(one, "sensitive"),
    "Risk: what if data and knowledge have errors?": lambda one: _risk(one) and (one.compares or _has(one, "rates")),
    "Risk: who stands alone in the file?": lambda one: _risk(one) and _has(one, "keys"),
    "Risk: what do numbers give away?": lambda one: _risk(one) and _has(one, "within"),
    "Risk: which columns tell people apart?": _risk,
    "Utility: how coarse did values become?": lambda one: issubclass(one, Loss),
    "Utility: do models still find the same?": lambda one: _has(one, "target", "learner"),
    "Utility: are tables, means and relations still right?": lambda one: _has(one, "by"),
    "Utility: what was changed, cell by cell?": lambda one: True,
}


FOLLOW = "Must records of one person be told together, also in other tables and years?"


def _by_trace(kind: str) -> Mapping[str, Fits]:
    """Questions by traces: those a method leaves, or those an attack is against."""

    def fits(wanted: tuple[Trace, ...]) -> Fits:
        return lambda one: bool({*wanted} & {*((one.traces if kind == "method" else one.against) or ())})

    found: dict[str, Fits] = {
        question if kind == "method" else FOLLOWED[question]: fits(wanted) for question, wanted in TRACES.items()
    }
    return {FOLLOW: lambda one: one.linkable, **found} if kind == "method" else found


QUESTIONS: Mapping[str, tuple[Mapping[str, Fits], str]] = {
    "method": (_by_trace("method"), ELSE),
    "criterion": (CRITERIA, ELSE),
    "measure": (MEASURES, ELSE),
    "attack": (_by_trace("attack"), ALWAYS),
}
"""The questions of a kind in their order, and what is said of components that answer none of them."""


def grouped(kind: str, components: Mapping[str, type[Any]]) -> dict[str, tuple[list[str], list[str]]]:
    """Question -> the words that answer it first, and those that were named at an earlier one."""
    questions, other = QUESTIONS[kind]
    fitting = {
        word: [question for question, fits in questions.items() if fits(one)] for word, one in components.items()
    }
    found = {
        question: (
            [word for word, fits in fitting.items() if fits[:1] == [question]],
            [word for word, fits in fitting.items() if question in fits[1:]] if kind in ("method", "attack") else [],
        )
        for question in questions
    }
    found[other] = ([word for word, fits in fitting.items() if not fits], [])
    return {question: words for question, words in found.items() if any(words)}


def listing(kind: str, components: Mapping[str, type[Any]], folder: Path) -> str:
    """The questions of a kind as Markdown, each with its components; ``folder`` holds their pages."""
    parts = []
    for question, (words, also) in grouped(kind, components).items():
        parts.append(f"## {question}")
        parts += _entries(words, components, folder)
        if also:
            links = ", ".join(f"[{word}]({word}.md)" for word in also)
            parts.append(f"{'See' if not words else 'See also'} {links}.")
    if kind == "method":
        parts.append(_kept(components))
    return "\n\n".join(parts)


def _entries(words: Iterable[str], components: Mapping[str, type[Any]], folder: Path) -> list[str]:
    """What is said of each: with its picture where there is one, else in a line of a list."""
    told, lines = [], []
    for word in words:
        text = (folder / f"{word}.md").read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        picture = f"../pictures/{folder.name}/{word}.svg"
        begins = first_sentence(text.partition("\n\n")[2])
        _, found, when = text.partition("## When to use it\n\n")
        use = first_sentence(when) if found else ""
        if (folder / picture).is_file():
            told += [f"### [{title}]({word}.md)", " ".join(filter(None, (begins, use)))]
            told += [f"![{word}, before and after]({picture})", _protects(components[word])]
        else:
            name = f"[{title}]({word}.md)" + ("" if title == word else f" (`{word}`)")
            lines.append(f"- {name}: {' '.join(filter(None, (begins, use)))}")
    return told + (["\n".join(lines)] if lines else [])


def _protects(method: type[Any]) -> str:
    """How a method protects, and where it takes hold (Höhne 2.2)."""
    how = ", ".join(f"{EFFECTS[one]} ({one})" for one in method.effects)
    where = ", ".join(f"{APPROACHES[one]} ({one})" for one in method.approaches)
    return f"*Protects by: {how}. Takes hold of: {where}.*"


def _kept(components: Mapping[str, type[Any]]) -> str:
    """Which methods promise to keep a statistic, and how well, whatever their parameters."""
    rows = ["| what | exactly | on average | in part |", "|---|---|---|---|"]
    for statistic in STATISTICS:
        keeping = {word: one.keeps[statistic] for word, one in components.items() if statistic in one.keeps}
        cells = [
            ", ".join(f"[{word}]({word}.md)" for word, kept in keeping.items() if kept == how)
            for how in ("exact", "expected", "weak")
        ]
        if 0 < len(keeping) <= len(components) / 2:
            rows.append(f"| {statistic} | " + " | ".join(cells) + " |")
    told = "What each method promises whatever its parameters. What most of them keep (all records) is left out."
    return f"## What must stay right?\n\n{told}\n\n" + "\n".join(rows)


def first_sentence(text: str) -> str:
    """The first sentence of a paragraph, on one line; a paragraph that begins otherwise says nothing.

    >>> first_sentence("Values move by 0.5 or\\nless, e.g. here. k stays.\\n\\nMore.")
    'Values move by 0.5 or less, e.g. here.'
    """
    paragraph = " ".join(text.partition("\n\n")[0].split())
    if not paragraph or (paragraph[0] in "#|`-!<" and not re.match(r"`\w+` ", paragraph)):
        return ""
    found = re.match(r".*?(?<![\s.])(?<!e\.g)[.?!](?=\s|$)", paragraph)
    return found[0] if found else paragraph.rstrip(":") + "."
