"""Proposes a recipe for a file and a release profile: what it drops, caps and coarsens, and what that costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.dictionary import Entry
from schleier.core.engine import Engine, Resources
from schleier.core.errors import DataError, InfeasibleError, RecipeError, SchemaError, stop
from schleier.core.failures import public
from schleier.core.pieces import piece, purpose_of
from schleier.core.run import Listener, Run, new_key, silence
from schleier.core.schema import Schema
from schleier.draft.births import reference_year
from schleier.draft.demands import demand
from schleier.draft.describe import OTHER, Draft, describe
from schleier.draft.facts import gather_facts
from schleier.draft.hierarchies import any_hierarchy, thin_hierarchies
from schleier.draft.names import meaning_of
from schleier.draft.profile import Addition, Profile, Text
from schleier.draft.ready import ReadySuggestion
from schleier.draft.roles import ColumnGuess
from schleier.draft.rules import Given, Proposed, Ruled, ruled
from schleier.draft.steps import KEYS, Purpose, capped
from schleier.draft.zones import inhabitants_by_place
from schleier.flow.recipe.entries import component
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.flow.redundant import redundant_keys
from schleier.flow.run.frames import at_hand, is_named
from schleier.flow.run.reader import read
from schleier.flow.suggest import Alternative, Risk, alternatives, risk_of

SMALLEST = (3, 5, 10, 20)
SHARES = (0.0, 0.05)
"""Alternatives that are shown, beside that of the profile."""
NODES = 100_000
"""Drafted hierarchies get fewer levels when a search would have more nodes."""


@dataclass(frozen=True)
class Suggestion(ReadySuggestion):
    """A proposed recipe with its alternatives."""

    profile: Profile
    draft: Draft
    """The file and its columns; the schema has the hierarchies of the proposal."""
    steps: tuple[Proposed, ...]
    """What is done before the search."""
    last: tuple[Proposed, ...]
    """What is done after it."""
    criteria: tuple[Proposed, ...]
    """What is demanded beside the profile."""
    before: Risk
    """The risk of the file as it is."""
    alternatives: tuple[Alternative, ...]
    chosen: Alternative | None
    """The alternative that is proposed; none when no one is as strict as the profile."""
    claims: tuple[Text, ...] = ()
    """What the steps and demands promise, and which demand of the profile could not be made."""
    key: bytes = field(default=b"", repr=False)
    """Of the random draws that were tried."""

    @property
    def unit(self) -> str | None:
        """The column whose values are counted in place of records, if there is one."""
        return next(iter(self.draft.schema.having("unit")), None)

    def _repr_html_(self) -> str:
        from schleier.draft.cards import show_suggestion

        return show_suggestion(self)


@public
def suggest(
    file: Any,
    profile: str | Profile,
    *,
    schema: Schema | Path | str | None = None,
    draft: Draft | None = None,
    population: Path | str | None = None,
    language: Literal["en", "de"] = "en",
    k: int | None = None,
    max_suppressed: float | None = None,
    year: int | None = None,
    staff: bool = False,
    pairs: Collection[tuple[int, float]] = (),
    listener: Listener = silence,
) -> Suggestion:
    """A proposal for a file, or a frame of pandas, Polars or Arrow; without a schema, ``describe`` drafts one.

    A ``draft`` that is there already can be handed on; ``pairs`` of k and share are tried in place of the usual ones.
    Ages are counted in ``year``, where a profile asks for them; when absent, in the latest one the file tells. In a
    file of ``staff`` a profile that caps ages caps the youngest too, and more of the oldest.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("name,age\\n" + "".join(f"Person {n},{20 + n % 40}\\n" for n in range(200)))
    >>> found = suggest(path, "public_use")
    >>> found.steps[0].entry, found.chosen.levels
    ({'method': 'drop', 'columns': ['name']}, (('age', 0, 4),))
    """
    about = Profile.of(profile) if isinstance(profile, str) else profile
    asked = _asked(about, k, max_suppressed)
    given = schema if schema is None or isinstance(schema, Schema) else schema_from_file(schema)
    places = inhabitants_by_place(population) if population is not None else None
    engine = registry.get("engine", "duckdb")(Resources())
    try:
        with at_hand(file, given) as place:
            if given is None and draft is None:
                draft = describe(place, Purpose(language=language), listener=listener)
            run = Run(new_key(), (), listener)
            run.expect("reading", "drafting a recipe", "searching")
            with run.progress("reading"):
                data, draft = _read(place, given, draft if given is None else None, engine)
            draft = draft if is_named(file) else replace(draft, file="")
            facts = Given(
                data, places, OTHER[language], year or reference_year(data, draft.guesses), asked[0] if staff else None
            )
            usual = {(n, s) for n in {*SMALLEST, asked[0]} for s in {*SHARES, asked[1]}}
            return _suggested(about, draft, facts, asked, {*pairs, asked} if pairs else usual, run)
    finally:
        engine.close()


def _asked(profile: Profile, k: int | None, share: float | None) -> tuple[int, float]:
    if k is not None and k < profile.k:
        message = f"the profile '{profile.name}' demands classes of at least {profile.k} records"
        stop(RecipeError, "k-below-profile", "k", message, "take a larger k, or another profile")
    if share is not None and not 0 <= share <= 1:
        stop(RecipeError, "bad-parameter", "max_suppressed", "should be a share between 0 and 1")
    return k or profile.k, profile.max_suppressed if share is None else share


def _read(file: Path | str, given: Schema | None, draft: Draft | None, engine: Engine) -> tuple[Dataset, Draft]:
    """The rows, and what is known of them."""
    from schleier.formats import kind_of

    if draft is not None:
        return read(file, draft.schema, engine).described(draft.schema), draft
    if given is None:
        raise ValueError("a schema or a draft")
    data = read(file, given, engine).described(given)
    if not data.rows:
        stop(DataError, "no-rows", str(file), "the file has no rows")
    facts = gather_facts(data, defaultdict(str), {c.name: Entry(title=c.title) for c in given})
    facts = [replace(one, kind=kind_of(one.values.type)) for one in facts]
    guesses = [ColumnGuess(one, c, meaning_of(c.name, c.title), ()) for one, c in zip(facts, given, strict=True)]
    return data, Draft(str(file), data.rows, given, tuple(guesses), None, {})


def _suggested(
    profile: Profile, draft: Draft, given: Given, asked: tuple[int, float], wanted: set[tuple[int, float]], run: Run
) -> Suggestion:
    data = given.data
    if not data.schema.quasi:
        hint = 'give the columns that outsiders may know the role "quasi" in the schema'
        stop(SchemaError, "no-keys", "schema", "there is no quasi-identifier to coarsen", hint)
    with run.progress("drafting a recipe"):
        before = risk_of(data)
        rules = ruled(profile, draft.guesses, given)
        redundant = redundant_keys(data)
        names = [one.column for one in redundant if one.column not in rules.followed]
        schema = _schema(data.schema, draft, rules, given.other, names)
        data = data.described(schema)
        steps = [*_first(schema, names), *rules.dropped, *rules.steps, *_caps(data, rules)]
        data = applied(data, steps, run)
        claims = rules.claims
        for addition in profile.steps:
            if (sampled := _added(addition, data, run)) is not None:
                data, steps = sampled, [*steps, Proposed(addition.entry, addition.reason)]
            claims.append(addition.claim if sampled is not None else addition.absent)
        if not data.schema.quasi:
            hint = "give --population, or choose another profile"
            stop(SchemaError, "no-keys", "schema", "the profile leaves no quasi-identifier", hint)
        data = data.kept()
    criteria = []
    for addition in profile.criteria:
        made, claim = demand(addition, data.schema, given.data)
        criteria += made
        claims.append(claim)
    k, share = asked
    demands = [component("criterion", one.entry, "criteria") for one in (*_classes(k, schema), *criteria)]
    found = alternatives(data, demands, sorted(wanted), run.listener)
    chosen = _chosen(found, k, share)
    k = chosen.k if chosen else k
    stricter = _classes(k, schema)[0 if k != profile.k else 1 :]
    last: tuple[Proposed, ...] = ()
    if chosen is not None and chosen.alike is not None:
        if chosen.alike >= k:
            stricter.append(Proposed(piece("units_alike", k=k)))
        else:  # their numbers go, after the search: it counts units, for those of one unit do not hide each other
            last = (Proposed(piece("leave_units")),)
            steps = [one for one in steps if purpose_of(one.entry) != "number_anew"]
            stricter = [one for one in stricter if "count" not in one.entry]
    return Suggestion(
        profile=profile,
        draft=replace(draft, schema=schema, redundant=redundant),
        steps=tuple(steps),
        last=last,
        criteria=(*stricter, *criteria),
        before=before,
        alternatives=tuple(found),
        chosen=chosen,
        claims=tuple(claim for claim in claims if any(claim.values())),
        key=run.key,
    )


def _classes(k: int, schema: Schema) -> list[Proposed]:
    """The smallest class; rows of one unit do not hide each other, so units are counted where there are some."""
    records = {"name": "classes", **piece("records_alike", k=k)}
    # Beside the demand of the profile, not in its place: a recipe may not change what its parent counts.
    units = [{**records, "name": "units", "count": "units"}] if schema.having("unit") else []
    return [Proposed(entry) for entry in (records, *units)]


def _chosen(found: Sequence[Alternative], k: int, share: float) -> Alternative | None:
    """What was asked for; else the next class size from there on, with a share as near as can be."""
    fitting = [one for one in found if one.works and one.k >= k]
    return min(fitting, key=lambda one: (one.k, abs(one.max_suppressed - share)), default=None)


def _schema(schema: Schema, draft: Draft, rules: Ruled, other: str, redundant: Sequence[str]) -> Schema:
    """The schema with a hierarchy for every quasi-identifier: of the rules, its own, or a drafted one."""
    judged = rules.followed & set(schema.guessed)  # the profile knows better than a guess, not than a person
    hierarchies = {name: h for name, h in schema.hierarchies.items() if any(c.hierarchy == name for c in schema)}
    own = {c.name: c.hierarchy for c in schema if c.hierarchy in hierarchies}
    drafted = [name for name in own if draft.guess(name).why]  # what somebody described has no reasons
    missing = [name for name in schema.quasi if name not in own and name not in rules.columns]
    for name in missing:
        own[name] = name if name not in hierarchies else f"{name} (drafted)"
        hierarchies[own[name] or name] = any_hierarchy(draft.guess(name), other)
    own |= rules.columns
    thens = [(one.entry["column"], one.entry["then"]) for one in rules.steps if "then" in one.entry]
    everything = {**hierarchies, **rules.hierarchies}
    searched = _searched(schema, {*rules.gone, *redundant}, own | dict(thens))  # the last one is for the search
    free = [name for name in (*drafted, *missing) if name in searched and name not in rules.columns]
    few = thin_hierarchies({name: everything[label] for name, label in searched.items()}, free, NODES)
    everything |= {label: few[name] for name, label in searched.items()}
    columns = tuple(
        c.model_copy(update={"hierarchy": own.get(c.name)} | ({"judged": "profile"} if c.name in judged else {}))
        for c in schema
    )
    used = {*own.values(), *(label for _, label in thens)}
    kept = {name: h for name, h in everything.items() if name in used}
    return schema.model_copy(update={"columns": columns, "hierarchies": kept})


def _searched(schema: Schema, gone: Collection[str], labels: Mapping[str, str | None]) -> dict[str, str]:
    """The keys of the search with the names of their hierarchies: those that are not left out before."""
    return {name: label for name in schema.quasi[:KEYS] if name not in gone and (label := labels[name])}


def _first(schema: Schema, redundant: Sequence[str]) -> list[Proposed]:
    """What every release begins with: names go, what nobody has judged, and real numbers of households."""
    steps: list[dict[str, Any]] = []
    named = [*schema.having("identifier"), *schema.quasi[KEYS:]]
    if named:
        steps.append(piece("leave_out", columns=named))
    if schema.undecided:
        steps.append(piece("leave_undecided"))
    if twice := [name for name in redundant if name not in named]:
        steps.append(piece("leave_redundant", columns=twice))
    steps += [piece("number_anew", column=name) for name in schema.having("unit")]
    return [Proposed(step) for step in steps]


def _caps(data: Dataset, rules: Ruled) -> list[Proposed]:
    """Limits for sensitive numbers, where no rule said or dropped anything."""
    ruled_by = {one.entry["column"] for one in rules.steps} | rules.gone
    names = (name for name in data.schema.having("sensitive") if name not in ruled_by)
    return [Proposed(step) for name in names if (step := capped(data, name))]


def applied(data: Dataset, steps: Sequence[Proposed], run: Run) -> Dataset:
    """The data after some steps of a proposal."""
    for step in steps:
        method = component("method", step.entry, "steps")
        with run.within(method.label(data.schema)):
            data = method.fit(data, run).apply(data, run)
    return data


def _added(addition: Addition, data: Dataset, run: Run) -> Dataset | None:
    """The data after a step that a profile proposes; none where it does not fit the file."""
    method = component("method", addition.entry, "steps")
    if any(method.problems(data.schema)):
        return None
    try:
        return applied(data, [Proposed(addition.entry)], run)
    except InfeasibleError:  # a file too small to take a part of
        return None
