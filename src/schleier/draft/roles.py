"""The role of a column: who may know it, whom it names, what must not be learned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schleier.core.schema import Column, Layout, Role, Scale
from schleier.draft.codebooks import read_names
from schleier.draft.facts import Facts
from schleier.draft.formats import form_of
from schleier.draft.names import Meaning, meaning_called, meanings_of, spelt, stem_meaning
from schleier.draft.plausible import plausible
from schleier.draft.scales import Reading, read_as
from schleier.draft.values import answer_meaning, are_amounts, share_of_firms, value_meaning
from schleier.draft.why import Why

NEARLY_ALL, MANY = 0.2, 20
"""Texts may name people when such a share of them, and more than so many, differ."""
BODIES = 45, 220
"""Mean weights of persons, in kilograms or in pounds."""
WEIGHED = r"kg|lbs?|(?:at |bei )?(?:aufn\w*|entl\w*|admission|discharge|baseline|visit|start|end|enrol\w*|birth)"
"""What persons were weighed in, or when; samples are not."""
TIMES = re.compile(
    r"time|times|[ft]u ?time|surv\w*|t ?(?:start|stop|end)|days|months|duration|stop|os|pfs|dfs|rfs|follow ?up\w*"
)
ENDS = re.compile(r"status|event|events?|cens\w*|fu ?stat\w*|dead|died|death|failure|relapse\w*|recurrence|delta")
"""Names of how long somebody was followed, and of how it ended; beside each other they belong together."""
MASS = re.compile(
    r"(?:^| )(?:body\w*|koerper\w*|kg|kilos?|kilogram\w*|kilogramm|lbs?|pounds?|oz|ounces?|gram\w*)(?: |$)"
)
OFTEN = 0.02
"""Different values for each row below which texts are no persons, unless they are common names."""
CATEGORIES = 1000
"""Texts of unknown meaning with more different values are no categories, however many rows there are."""
SHOWN = 50
"""Characters of a label that are shown."""
LONG = 10**8
"""Nobody counts or measures so exactly: whole numbers that are all larger were given to somebody."""


@dataclass(frozen=True)
class ColumnGuess:
    """What a column seems to be, and why."""

    facts: Facts
    column: Column
    meaning: Meaning | None
    why: tuple[Why, ...]
    is_key: bool = False
    """Whether it is the row key: it tells rows apart and is never released."""


def guess_all(found: Sequence[Facts], layout: Layout | None) -> list[ColumnGuess]:
    """A guess for every column; what one column is may depend on the others."""
    _, booked = read_names([facts.name for facts in found])
    meanings = {facts.name: booked.get(facts.name) or _first_meaning(facts) for facts in found}
    meanings = _like_siblings(_followed_up(meanings))
    has_body = any(m is not None and m.name == "body" for m in meanings.values())
    guesses, keyed = [], False
    for facts in found:
        meaning = meanings[facts.name]
        if meaning is not None and meaning.name == "weight" and facts.name not in booked and _is_body(facts, has_body):
            meaning = meaning_called("body")
        guess = _guess(facts, layout, meaning, may_be_key=not keyed)
        keyed = keyed or guess.is_key
        guesses.append(guess)
    return guesses


def _first_meaning(facts: Facts) -> Meaning | None:
    """What a column means by its name or label; where the file says what its codes mean, they must bear it out."""
    told = meanings_of(facts.name, facts.entry.title)
    return next((one for one in told if not facts.labelled or plausible(one, facts) is not None), None)


def _followed_up(meanings: Mapping[str, Meaning | None]) -> dict[str, Meaning | None]:
    """A time beside an event: how long somebody was followed, and how it ended."""
    names = {name: spelt(name) for name in meanings}
    unknown = [name for name, meaning in meanings.items() if meaning is None]
    if not all(any(kind.fullmatch(name) for name in names.values()) for kind in (TIMES, ENDS)):
        return dict(meanings)
    told = {name for name in unknown if TIMES.fullmatch(names[name]) or ENDS.fullmatch(names[name])}
    return {name: meaning_called("health") if name in told else meaning for name, meaning in meanings.items()}


def _like_siblings(meanings: Mapping[str, Meaning | None]) -> dict[str, Meaning | None]:
    """Columns nobody knows by name that are called like another and a letter or number: "dage" beside "age"."""
    known = {spelt(name).replace(" ", ""): meaning for name, meaning in meanings.items() if meaning is not None}
    return {name: meaning or _sibling(spelt(name).replace(" ", ""), known) for name, meaning in meanings.items()}


def _sibling(name: str, known: Mapping[str, Meaning]) -> Meaning | None:
    for core in (name[1:], name[2:], re.sub(r"\d+$", "", name), name[:-1]):
        found = known.get(core) if len(core) > 1 else None
        if found is not None and found.role in ("quasi", "sensitive"):
            return found
    return None


def _is_body(facts: Facts, beside: bool) -> bool:
    """Whether a weight is that of a person: beside a height, or in the range of kilograms or pounds."""
    import numpy as np

    if MASS.search(spelt(f"{facts.name} {facts.entry.title}")):
        return True  # samples are not weighed in kilograms
    if not re.fullmatch(rf"(?:weight|gewicht|wt|wgt|gew)(?: (?:{WEIGHED}))?", spelt(facts.name)):
        return False  # it says itself what it weighs
    if beside:
        return True
    try:
        values = np.asarray([float(text.replace(",", ".")) for text in facts.texts])
    except ValueError:
        return False
    mean = float((values * facts.counts).sum() / facts.counts.sum()) if len(values) else 0.0
    low, high = BODIES
    return low <= mean <= high and bool(values.max() <= 5 * mean and values.min() >= mean / 5)


def _guess(facts: Facts, layout: Layout | None, meaning: Meaning | None, *, may_be_key: bool) -> ColumnGuess:
    named = plausible(answer_meaning(facts) or meaning, facts)
    if named is None and meaning is not None and meaning.name == "record":  # "PULocationID" tells a place
        named = plausible(stem_meaning(facts.name), facts)
    meaning = named or value_meaning(facts)
    reading = read_as(facts, layout, meaning)
    if reading.scale in ("nominal", "ordinal", "place", "text") and are_amounts(facts):
        meaning, told = meaning_called("money"), tuple(why for why in reading.why if why.key == "missing")
        return ColumnGuess(facts, _column(facts, reading, "sensitive", "nominal"), meaning, (Why.of("currency"), *told))
    form = _form(facts, reading, meaning)
    if form is not None:
        why = Why.of("form", form=form[0], share=form[1])
        key = may_be_key and facts.is_key and form[0] == "uuid"
        return ColumnGuess(facts, _column(facts, reading, "identifier", "nominal"), meaning, (why,), key)
    if meaning is not None and meaning.name == "record":
        key = may_be_key and facts.is_key and facts.kind in ("integer", "text")
        why = Why.of("key") if facts.is_key else Why.of("numbered", share=facts.spread)
        return ColumnGuess(facts, _column(facts, reading, "identifier", "nominal"), meaning, (why,), key)
    if (meaning is None or meaning.name == "industry") and (firms := share_of_firms(facts)):
        why = Why.of("form", form="firm", share=firms)
        return ColumnGuess(facts, _column(facts, reading, "identifier", "nominal"), meaning, (why,))
    role, whys = _role(facts, reading, meaning, said=named is not None)
    scale: Scale | None = "nominal" if role == "unit" else None
    return ColumnGuess(facts, _column(facts, reading, role, scale), meaning, (*whys, *reading.why))


def _role(facts: Facts, reading: Reading, meaning: Meaning | None, *, said: bool) -> tuple[Role, tuple[Why, ...]]:
    if meaning is not None:
        name = _told_by(facts, meaning) if said else Why.of("values", meaning=meaning.name)
        if meaning.role in ("identifier", "unit"):
            return meaning.role, (name,)
        if reading.free:
            return "identifier", (name,)
        if meaning.role == "weight":
            return ("weight", (name,)) if reading.scale == "continuous" else ("undecided", (Why.of("no_weight"),))
        telling = meaning.role == "sensitive" or (meaning.name == "industry" and _are_words(facts))
        if telling and reading.scale in ("nominal", "ordinal") and names_records(facts):
            return "identifier", (name, Why.of("nearly_distinct", share=facts.spread))
        if meaning.role == "sensitive" and reading.scale == "time":  # who was arrested may be secret; when, was seen
            return "quasi", (Why.of("known_time"),)
        if meaning.scale == "time" and reading.scale != "time":
            # What cannot be read cannot be coarsened.
            told = any(why.key == "short_years" for why in reading.why)
            return "identifier", (name, *(() if told else (Why.of("unreadable_dates"),)))
        return meaning.role, (name,)
    if reading.free:
        return "identifier", ()
    many = names_records(facts) or facts.distinct > CATEGORIES
    if reading.scale in ("nominal", "ordinal") and many and not facts.labelled:
        return "identifier", (Why.of("nearly_distinct", share=facts.spread),)
    if reading.scale == "discrete" and facts.is_key and facts.distinct > MANY and _counts_on(facts):
        return "identifier", (Why.of("key"),)
    if reading.scale == "time":
        return "quasi", (Why.of("known_time"),)
    return "undecided", (
        Why.of("nothing_labelled", label=_short(facts)) if facts.entry.title else Why.of("nothing_known"),
    )


def _told_by(facts: Facts, meaning: Meaning) -> Why:
    """Whether the name of a column says what it is, or the label that the file gives it."""
    if facts.entry.title and all(one.name != meaning.name for one in meanings_of(facts.name)):
        return Why.of("label", meaning=meaning.name, label=_short(facts))
    return Why.of("name", meaning=meaning.name)


def _short(facts: Facts) -> str:
    label = " ".join(facts.entry.title.split())
    return label if len(label) <= SHOWN else label[: SHOWN - 1].rstrip() + "…"


def _counts_on(facts: Facts) -> bool:
    """Whether whole numbers that never repeat were given one after the other, or have all the same length."""
    texts = [text for text in facts.texts if re.fullmatch(r"\d+(?:\.0+)?", text)]
    numbers = sorted(int(float(text)) for text in texts)
    if len(numbers) < len(facts.values):
        return False
    close = numbers[-1] - numbers[0] < 2 * facts.distinct
    return close or (len({len(str(number)) for number in numbers}) == 1 and numbers[0] >= 1000)


def _are_words(facts: Facts) -> bool:
    """Whether most values are words, not codes: trades have many codes, but so many words name firms."""
    return 2 * sum(re.search(r"[^\W\d_]{3}", text) is not None for text in facts.texts) > len(facts.values)


def names_records(facts: Facts) -> bool:
    """Whether there are so many different values that they may name people."""
    return facts.spread >= NEARLY_ALL and facts.distinct > MANY


def _form(facts: Facts, reading: Reading, meaning: Meaning | None) -> tuple[str, float] | None:
    """The form that gives the values away, and how many of them have it."""
    if not facts.filled:
        return None
    if facts.kind == "text" and reading.scale != "time":
        found = form_of(facts.texts, facts.counts, _not_looked_for(facts, meaning))
        if found is not None:
            return found[0].name, found[1]
    if meaning is None and reading.scale in ("discrete", "nominal") and _are_long_numbers(facts, reading):
        return "long_number", 1.0
    return None


def _are_long_numbers(facts: Facts, reading: Reading) -> bool:
    if facts.kind == "text":
        return all(re.fullmatch(r"\d{9,}", text.strip()) for text in facts.texts if text not in reading.missing)
    return facts.kind in ("integer", "number", "decimal") and all(value >= LONG for value in facts.values.to_pylist())


def _not_looked_for(facts: Facts, meaning: Meaning | None) -> list[str]:
    """ "North Rhine" and "Shop Assistant" look like persons too: then the name of the column knows better."""
    if meaning is not None and meaning.scale not in ("discrete", "continuous"):
        return ["person", "common_name"]
    # Zones and stations look like persons as well; but nobody is in a file so often.
    return ["person"] if facts.distinct <= MANY or facts.spread < OFTEN else []


def _column(facts: Facts, reading: Reading, role: Role, scale: Scale | None = None) -> Column:
    scale = scale or reading.scale
    numeric, labelled = scale in ("discrete", "continuous"), scale in ("nominal", "ordinal", "place")
    return Column(
        name=facts.name,
        role=role,
        judged="guess",
        scale=scale,
        title=facts.entry.title,
        labels=dict(facts.entry.labels) if labelled and role != "identifier" else {},
        missing=reading.missing if scale == reading.scale else (),
        reasons=reading.reasons if labelled and role not in ("identifier", "unit") else (),
        decimals=reading.decimals if numeric else None,
        date=reading.date if scale == "time" else None,
    )
