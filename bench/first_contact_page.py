"""The page of a first contact: one table of files and steps, one of guesses beside the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "guide" / "first-contact.md"
START, END = "<!-- made by bench/first_contact.py -->", "<!-- end -->"
STEPS = ("describe", "decide", "inspect", "suggest", "run", "verify", "report")
GUARDED, OPEN = ("identifier", "unit", "quasi", "sensitive"), ("weight", "plain")
"""What needs protection, and what a draft releases as it is."""
ROLES = ("identifier", "unit", "quasi", "sensitive", "weight", "plain")


def write_page(known: Mapping[str, Any]) -> None:
    """Put the tables into the page, between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(START) + len(START)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n{tables(known)}{after}", encoding="utf-8")


def tables(known: Mapping[str, Any]) -> str:
    """What all files have in common, and both tables.

    >>> walked = {"kind": "a list", "steps": {"describe": {"exit": 0, "seconds": 2.2}}}
    >>> walked |= {"right": {"quasi": 1}, "wrong": [["b", "quasi", "undecided"], ["c", "sensitive", "plain"]]}
    >>> lines = tables({"a.csv": walked}).splitlines()
    >>> print(lines[3])
    1 file, 3 columns: 1 guessed right, 1 left undecided, and 1 taken for something else.
    >>> print(lines[11])
    | `a.csv`: a list | 2 s | not reached | not reached | not reached | not reached | not reached | not reached |
    """
    return "\n".join((*_together(known), *_steps(known), "", *_drafted(known), *_guesses(known))) + "\n"


def _together(known: Mapping[str, Any]) -> Iterator[str]:
    """How often a step did not end well, and how often a guess was not right: first of all where it would do harm."""
    wrong = [one for walked in known.values() for one in walked.get("wrong", [])]
    right = sum(count for walked in known.values() for count in walked.get("right", {}).values())
    asked = sum(guess == "undecided" for _, _, guess in wrong)
    harm = [f"`{name}`" for name, truth, guess in wrong if truth in GUARDED and guess in OPEN]
    exits = [walked["steps"].get(step, {"exit": None})["exit"] for walked in known.values() for step in STEPS]
    ended = "Every step ended well" if not any(exits) and None not in exits else f"{exits.count(0)} of them ended well"
    yield "\n## All together\n"
    files = "1 file" if len(known) == 1 else f"{len(known)} files"
    counts = f"{right} guessed right, {asked} left undecided, and {len(wrong) - asked} taken for something else"
    yield f"{files}, {right + len(wrong)} columns: {counts}."
    taken = "taken for plain or a weight"
    told = f"These need protection, but were {taken}: {', '.join(harm)}." if harm else ""
    yield told or f"No column that needs protection was {taken}."
    yield f"Together they go through {len(exits)} steps. {ended}."


def _steps(known: Mapping[str, Any]) -> Iterator[str]:
    yield "\n## Every step\n"
    yield f"| file | {' | '.join(f'`{step}`' for step in STEPS)} |"
    yield "|---" * (len(STEPS) + 1) + "|"
    for name, walked in known.items():
        yield f"| `{name}`: {walked['kind']} | {' | '.join(_ended(walked['steps'].get(step)) for step in STEPS)} |"


def _drafted(known: Mapping[str, Any]) -> Iterator[str]:
    """Which files were run by the draft of ``describe``, as nothing could be proposed."""
    ended = {name: walked["steps"].get("suggest", {"exit": 0})["exit"] for name, walked in known.items()}
    names = [f"`{name}`" for name, code in ended.items() if code == 3]
    if names:
        yield f"`suggest` found no recipe for {', '.join(names)} (exit code 3)."
        yield "There `run` took the recipe that `describe` drafted, which also blanks values.\n"


def _ended(step: Mapping[str, Any] | None) -> str:
    if step is None:
        return "not reached"
    seconds = f"{max(round(step['seconds']), 1)} s"
    return seconds if step["exit"] == 0 else f"**exit code {step['exit']}**, {seconds}"


def _guesses(known: Mapping[str, Any]) -> Iterator[str]:
    yield "## Guesses beside the truth\n"
    yield "| file | right | guessed otherwise |"
    yield "|---|---|---|"
    for name, walked in known.items():
        right = ", ".join(f"{walked['right'][role]} {role}" for role in ROLES if role in walked.get("right", {}))
        wrong: dict[tuple[str, str], list[str]] = {}
        for column, truth, guess in walked.get("wrong", []):
            wrong.setdefault((truth, guess), []).append(f"`{column}`")
        told = "; ".join(
            f"{truth} taken for {guess}: {', '.join(columns)}" for (truth, guess), columns in wrong.items()
        )
        yield f"| `{name}` | {right} | {told or 'none'} |"
