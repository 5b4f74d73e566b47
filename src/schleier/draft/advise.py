"""Advises people who cannot choose a profile and its parameters: from answers to an outcome, and to a recipe."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from schleier.core.errors import RecipeError, stop
from schleier.core.failures import public
from schleier.core.limits import small_text
from schleier.core.run import Listener, silence
from schleier.core.schema import Schema
from schleier.core.system import as_typed
from schleier.draft.advice.consequences import Parameter, consequences, pairs
from schleier.draft.advice.questions import Answers, settled
from schleier.draft.advice.rules import Decision, decide, rules
from schleier.draft.describe import Draft, describe
from schleier.draft.names import meaning_of
from schleier.draft.profile import Addition, Profile
from schleier.draft.steps import Purpose
from schleier.draft.suggest import Suggestion, suggest
from schleier.draft.suggest_text import Sections, write_suggestion
from schleier.flow.recipe.advice import AdviceSection
from schleier.flow.recipe.parents import load
from schleier.flow.recipe.recipe import Recipe, ReleaseSection
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.flow.run.files import Files
from schleier.flow.run.frames import is_named

UNNAMED = "FILE"
RECIPE = "recipe.toml"
HARMLESS = ("plain", "identifier", "weight")
"""Roles of columns that are dropped, or that somebody judged to tell nothing."""


@dataclass(frozen=True)
class Look:
    """What a file tells before the questions: its schema, and what of it answers are held against."""

    schema: Schema
    draft: Draft | None
    """What ``describe`` found, where no schema was given."""
    special: tuple[str, ...]
    """Columns that sound like special categories."""

    @property
    def found(self) -> dict[str, str]:
        """The same as the rules see it."""
        told = {"file": True, "special": bool(self.special), "units": bool(self.schema.having("unit"))}
        return {f"found_{key}": "yes" if yes else "no" for key, yes in told.items()}


@dataclass(frozen=True)
class Advice:
    """What is advised, why, what it would cost, and what comes next."""

    answers: Answers = field(repr=False)
    """As they were given; a person wrote parts of them, so they are for the audit only."""
    decision: Decision
    commands: tuple[str, ...]
    """What to call next; capital words are to be filled in."""
    language: Literal["en", "de"] = "en"
    suggestion: Suggestion | None = field(default=None, repr=False)
    """The proposal for the file, where records are to be had."""
    parameters: tuple[Parameter, ...] = field(default=(), repr=False)
    """The parameters that decide privacy, with what each would cost in three settings."""
    source: str = field(default="", repr=False)

    @property
    def outcome(self) -> str:
        """One word: delete, do_not_collect, randomise, answers, on_site or file."""
        return self.decision.outcome

    @property
    def profile(self) -> str | None:
        """The release profile; none where no records are to be had."""
        return next(iter(self.decision.profiles), None)

    @property
    def criteria(self) -> dict[str, float]:
        """The demands with their values."""
        return {one.key: one.value for one in self.parameters}

    @property
    def reasons(self) -> list[str]:
        """Why, each with its sources."""
        return [f"{one.text[self.language]} ({'; '.join(one.sources)})" for one in self.decision.reasons]

    @property
    def reached(self) -> bool:
        """Whether there is a recipe where there should be one: a file may be too small for what is demanded."""
        return self.suggestion is None or self.suggestion.chosen is not None

    @property
    def too_few_values(self) -> tuple[str, ...]:
        """Sensitive columns that have fewer different values than every class should have."""
        draft = self.suggestion.draft if self.suggestion else None
        names = draft.schema.having("sensitive") if draft else ()
        return tuple(name for name in names if draft and draft.guess(name).facts.distinct < self.decision.l)

    @property
    def recipe(self) -> Recipe | None:
        """The recipe, where the advice is to make one and the file can meet it."""
        if self.suggestion is None or self.suggestion.chosen is None:
            return None
        recipe, more = self.suggestion.to_recipe(), self._sections()
        release = {**recipe.release.model_dump(), "language": self.language, **more["release"]}
        about = {**more["advice"], "answers": more["advice.answers"]}
        return replace(
            recipe, release=ReleaseSection.model_validate(release), advice=AdviceSection.model_validate(about)
        )

    def write(self, path: Path | str, *, force: bool = False) -> list[Path]:
        """Write the recipe, with the answers in it, and its hierarchies beside it; nothing where there is none."""
        if self.suggestion is None or self.suggestion.chosen is None:
            return []
        return write_suggestion(
            self.suggestion, self.suggestion.chosen, Path(path), self.language, force=force, more=self._sections()
        )

    def _sections(self) -> Sections:
        access = "on-site" if self.decision.ending.instead else settled(self.answers)["access"]
        about = {"outcome": self.outcome, "advised_on": datetime.datetime.now(tz=datetime.UTC).astimezone().date()}
        return {
            "release": {"access": access, "protection": self.decision.protection},
            "advice": about,
            "advice.answers": dict(self.answers),
        }


@public
def advise(
    data: Any,
    answers: Answers,
    *,
    schema: Schema | Path | str | None = None,
    population: Path | str | None = None,
    language: Literal["en", "de"] = "en",
    year: int | None = None,
    look: Look | None = None,
    listener: Listener = silence,
) -> Advice:
    """What to do with a file, or a frame of pandas, Polars or Arrow, after these answers; ``data`` may be None.

    An answer that is missing, is none, or contradicts another one stops with all of them named.

    >>> advice = advise(None, {"collected": "yes", "purpose": "no longer known", "needed": "no"})
    >>> advice.outcome, advice.recipe
    ('delete', None)
    """
    if not isinstance(answers, Mapping):
        message, hint = "answers are given by question", 'for example {"collected": "yes"}'
        stop(RecipeError, "bad-answers", "answers", message, hint)
    if data is not None and look is None:
        look = look_at(data, schema, language=language, listener=listener)
    decision = decide(answers, look.found if look else {"found_file": "no"})
    source = str(data) if is_named(data) else ""
    advice = Advice(dict(answers), decision, (), language, source=source)
    if decision.records and data is not None and look is not None:
        profile = tightened(decision)
        k = max(decision.k, profile.k)
        found = suggest(
            data,
            profile,
            schema=schema,
            draft=look.draft,
            population=population,
            language=language,
            k=k,
            year=year,
            pairs=pairs(k, profile.max_suppressed),
            listener=listener,
        )
        k = found.chosen.k if found.chosen else k
        advice = replace(advice, suggestion=found, parameters=consequences(data, found, k, listener))
    return replace(advice, commands=commands(advice))


def look_at(
    data: Any,
    schema: Schema | Path | str | None = None,
    *,
    language: Literal["en", "de"] = "en",
    listener: Listener = silence,
) -> Look:
    """What a file tells before the questions are asked; its columns are described where no schema is given."""
    draft = describe(data, Purpose(language=language), listener=listener) if schema is None else None
    known = schema if schema is None or isinstance(schema, Schema) else schema_from_file(schema)
    if known is not None and is_named(data):
        with Files() as files:
            files.head(str(data))  # that there is no such file is said before the questions
    told = known or (draft.schema if draft else Schema(columns=()))
    meanings = {one.column.name: one.meaning for one in draft.guesses} if draft else {}
    special = [
        column.name
        for column in told
        if column.role not in HARMLESS
        if (meaning := meanings.get(column.name) or meaning_of(column.name, column.title))
        if meaning.name in rules().special
    ]
    return Look(told, draft, tuple(special))


def tightened(decision: Decision) -> Profile:
    """The strictest profile that applies, with what all of them propose, and as many different values as are asked."""
    profiles = [Profile.of(name) for name in decision.profiles]
    criteria = [one for profile in profiles for one in profile.criteria]
    if decision.l and not any("l" in one.entry for one in criteria):
        criteria += [one for name in rules().profiles for one in Profile.of(name).criteria if "l" in one.entry]
    return profiles[0].model_copy(
        update={
            "steps": tuple(one for profile in profiles for one in profile.steps),
            "criteria": tuple(_raised(one, decision.l) for one in criteria),
            "max_suppressed": min(profile.max_suppressed for profile in profiles),
        }
    )


def _raised(addition: Addition, lowest: int) -> Addition:
    if "l" not in addition.entry:
        return addition
    return addition.model_copy(update={"entry": {**addition.entry, "l": max(addition.entry["l"], lowest)}})


def commands(advice: Advice, recipe: str = RECIPE) -> tuple[str, ...]:
    """What to call next, with the names of the files in it."""
    decision, file = advice.decision, as_typed(advice.source) if advice.source else UNNAMED
    if decision.records and advice.suggestion is None:
        return (f"schleier advise {UNNAMED} --answers answers.toml -o {recipe}",)
    if not advice.reached:
        return (f"schleier inspect {file}",)
    schema = advice.suggestion.draft.schema if advice.suggestion else None
    judged = schema is not None and not (schema.guessed or schema.undecided)
    after = " --after EARLIER_RELEASE" if advice.answers.get("repeated") in ("yes", "unknown") else ""
    filled = (one.format(file=file, recipe=as_typed(recipe), after=after) for one in decision.ending.commands)
    return tuple(one for one in filled if not (judged and " decide " in one))


def answers_from(path: Path) -> dict[str, Any]:
    """Answers from a TOML file: one line for each question, or a recipe that was advised before."""
    try:
        table = load(small_text(path, RecipeError, str(path)), str(path))
    except (OSError, UnicodeDecodeError):
        stop(RecipeError, "bad-answers", str(path), "the answers cannot be read", "write a TOML file in UTF-8")
    advice = table.get("advice")
    if isinstance(advice, Mapping):
        table = dict(advice.get("answers", {})) if isinstance(advice.get("answers"), Mapping) else {}
    return table
