"""The rules of a profile on the columns of a file: steps with their reasons, and the hierarchies they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.core.hierarchy import Hierarchy, parse
from schleier.core.pieces import piece
from schleier.core.units import units
from schleier.draft.births import BIRTHS, are_years, capped_years, limit_of, reaches, year_of
from schleier.draft.profile import UNSAID, Profile, Rule, Text, filled
from schleier.draft.roles import ColumnGuess, guess_all
from schleier.draft.staff import both_ends
from schleier.draft.steps import FEWEST
from schleier.draft.zones import Places, rows_of

if TYPE_CHECKING:
    from schleier.core.data import Dataset


@dataclass(frozen=True)
class Proposed:
    """An entry of the recipe, and why."""

    entry: dict[str, Any] = field(repr=False)
    reason: Text | None = None
    """None: what the words of a draft say about it."""


@dataclass
class Ruled:
    """What the rules ask for."""

    dropped: list[Proposed] = field(default_factory=list)
    steps: list[Proposed] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    """The hierarchy of a column, by name."""
    hierarchies: dict[str, Hierarchy] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    """The columns that a rule is about."""
    claims: list[Text] = field(default_factory=list)
    """What is promised because of it: only what rules were followed for."""

    @property
    def gone(self) -> set[str]:
        """The columns that rules leave out."""
        return {name for one in self.dropped for name in one.entry["columns"]}


@dataclass(frozen=True)
class Given:
    """What rules may look at."""

    data: Dataset
    places: Places | None
    other: str
    """The word for rare categories taken together."""
    year: int
    """The year in which ages are counted."""
    staff: int | None = None
    """Of a file of staff: people at either end of the ages, at least."""


def ruled(profile: Profile, guesses: Sequence[ColumnGuess], given: Given) -> Ruled:
    """The rules of a profile, on the columns that are not left out anyway."""
    found, followed = Ruled(), [list[str]() for _ in profile.rules]
    for guess in guesses:
        if guess.is_key or guess.column.role in ("identifier", "unit", "weight", "undecided"):
            continue
        # What somebody described has no reasons: his word for the role is not that of the values.
        seen = guess if guess.why else guess_all([guess.facts], None)[0]
        for rule, columns in zip(profile.rules, followed, strict=True):
            if _concerns(rule, guess, seen, given):
                _follow(rule, guess, given, found)
                columns.append(guess.column.name)
                found.followed.add(guess.column.name)
                break
    about = zip(profile.rules, followed, strict=True)
    found.claims = [
        filled(rule.staff_claim if given.staff and rule.staff else rule.claim, columns=", ".join(columns))
        for rule, columns in about
        if columns
    ]
    for rule in (rule for rule in profile.rules if rule.upper is not None):
        if words := [g.column.name for g in guesses if _is_in_words(rule, g)]:
            found.claims.append(filled(rule.absent, columns=", ".join(words)))
    return found


def _is_in_words(rule: Rule, guess: ColumnGuess) -> bool:
    """Whether a limit would be for a column that holds no numbers."""
    meant = guess.meaning is not None and guess.meaning.name in rule.meanings
    return meant and not guess.column.numeric and guess.column.role != "identifier"


def _concerns(rule: Rule, guess: ColumnGuess, seen: ColumnGuess, given: Given) -> bool:
    column = guess.column
    if column.scale in rule.scales:
        return True
    oldest = rule.staff if given.staff and rule.staff else rule.oldest
    if rule.oldest and oldest and column.scale == "time" and reaches(given.data, year_of(guess), given.year - oldest):
        return True  # whatever happened so long ago, who was there is as old
    if seen.meaning is not None and seen.meaning.name in rule.meanings:
        if rule.drop and not rule.inhabitants:
            return column.scale != "time"
        return rule.upper is None or column.numeric
    forms = {why.values["form"] for why in seen.why if why.key == "form"}
    if column.numeric:
        forms -= {"long_number"}  # an amount may be large
    return bool(forms & set(rule.forms))


def _follow(rule: Rule, guess: ColumnGuess, given: Given, found: Ruled) -> None:
    name, meaning, data = guess.column.name, guess.meaning.name if guess.meaning else None, given.data
    if given.staff and rule.staff and (rule.upper is not None or meaning in BIRTHS):
        _cap_staff(rule, guess, given, found)
        return
    if rule.upper is not None:
        entry = piece("cap", column=name, upper=_limit(data, name, rule.upper))
        found.steps.append(Proposed(entry, rule.reason))
        return
    if rule.oldest is not None:
        _cap_births(rule, guess, given, given.year - rule.oldest, found)
        return
    first, then = rule.hierarchy, rule.then
    people = given.places.of(name, meaning) if rule.inhabitants and given.places is not None else None
    if rule.inhabitants and people:
        first, then = rows_of(people, rule.inhabitants, given.other)
    if first is None:
        found.dropped.append(Proposed(piece("leave_out", columns=[name]), rule.reason))
        return
    _recode(guess, [first, *([then] if then else [])], rule.reason, data, found)


def _cap_staff(rule: Rule, guess: ColumnGuess, given: Given, found: Ruled) -> None:
    """Both ends become one class each; a column that is too small for two, or cannot be read, is left out."""
    name, staff, births = guess.column.name, rule.staff or 0, rule.upper is None
    texts = births and not guess.column.numeric and guess.column.scale != "time"
    first, last = (given.year - staff, given.year) if births else (0, staff)
    readable = not births or guess.column.scale == "time" or are_years(given.data, guess)
    ends = both_ends(given.data, year_of(guess), first, last, given.staff or 1) if readable and not texts else None
    if ends is None:
        found.dropped.append(Proposed(piece("leave_out", columns=[name]), filled(rule.staff_reason, low="–", high="–")))
        return
    reason = filled(rule.staff_reason, low=ends[0], high=ends[1])
    if guess.column.numeric:
        found.steps.append(Proposed(piece("cap", column=name, lower=ends[0], upper=ends[1]), reason))
    else:
        _recode(guess, [{"dates": ["year"]}, *capped_years(*ends)], reason, given.data, found)


def _cap_births(rule: Rule, guess: ColumnGuess, given: Given, limit: int, found: Ruled) -> None:
    """Early years become one class; a column of births that cannot be read as years is left out."""
    data, scale, name = given.data, guess.column.scale, guess.column.name
    numeric = are_years(data, guess)
    if scale == "time" or numeric:
        limit = limit_of(data, year_of(guess), limit)
    first, then = capped_years(limit)
    reason = filled(rule.reason, year=given.year, limit=limit)
    if numeric:
        found.steps.append(Proposed(piece("cap", column=name, lower=limit), reason))
    elif scale == "time":
        _recode(guess, [{"dates": ["year"]}, first, then], reason, data, found)
    elif not guess.column.numeric and (texts := guess.facts.texts) and all(map(_is_year, texts)):
        _recode(guess, [first, then], reason, data, found)
    else:
        found.dropped.append(Proposed(piece("leave_out", columns=[name]), reason))


def _recode(guess: ColumnGuess, ways: Sequence[dict[str, Any]], reason: Text, data: Dataset, found: Ruled) -> None:
    """One step for each hierarchy but the last, which is for the search; nobody searches in what is no key."""
    name = guess.column.name
    taken = {*found.hierarchies, *(c.hierarchy for c in data.schema if c.name != name)}
    labels = [_free(start, taken) for start in (name, *[f"{name} further"] * (len(ways) - 1))]
    last = len(ways) if guess.column.role == "quasi" or len(ways) == 1 else len(ways) - 1
    found.columns[name] = labels[0]
    found.hierarchies |= {label: parse(way) for label, way in list(zip(labels, ways, strict=True))[:last]}
    for i in range(max(len(ways) - 1, 1)):
        then = {"then": labels[i + 1]} if i + 1 < last else {}
        label = {"name": f"early years of {name}"} if i else {}  # steps of one recipe have different labels
        entry = {**label, **piece("coarser_values", column=name, level=1), **then}
        found.steps.append(Proposed(entry, UNSAID if i else reason))


def _limit(data: Dataset, name: str, upper: int) -> int:
    """The limit, or a lower one: nobody is hidden in a tail of one or two."""
    import narwhals as nw

    while 0 < units(data, nw.col(name) > upper) < FEWEST and upper > 1:
        upper -= 1
    return upper


def _is_year(text: str) -> bool:
    return len(text) == len("1984") and text.isdecimal()


def _free(start: str, taken: set[str | None]) -> str:
    """A name for a hierarchy that nobody uses yet."""
    candidate, n = start, 2
    while candidate in taken:
        candidate, n = f"{start} {n}", n + 1
    taken.add(candidate)
    return candidate
