"""Criteria in plain words: what was demanded of groups of records that look alike, and what was reached."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from schleier.core.criterion import Verdict
from schleier.report.language import Words, name

Show = Callable[[Words, float], Markup]


def _number(words: Words, value: float) -> Markup:
    return Markup(words.number(value, 3))


UNIQUE = "population_uniqueness"
LIMITS: dict[str, tuple[str, Show]] = {
    "l_diversity": ("l", _number),
    "t_closeness": ("t", _number),
    "alpha_k": ("alpha", Words.share),
    "beta_likeness": ("beta", _number),
    "delta_disclosure": ("delta", _number),
    "average_risk": ("threshold", Words.share),
    "highest_risk": ("threshold", Words.share),
    "category_threshold": ("threshold", _number),
    "k_map": ("k", _number),
    "km_anonymity": ("k", _number),
    "delta_presence": ("delta_max", Words.share),
    "region_threshold": ("threshold", _number),
    UNIQUE: ("threshold", Words.share),
    "profitability": ("gain", _number),
}
"""The parameter that limits, and how it and the level reached are shown."""
SECRET = ("dominance", "p_percent")
"""Criteria whose parameters and level nobody is told."""
SHORT = ("l_diversity", "t_closeness")
"""Criteria with a sentence of their own for the front."""


def _unique(verdict: Verdict, words: Words) -> list[Markup]:
    """The share of records that are unique in the population; what counts when it is estimated, and what to mind."""
    start, level = f"criterion.{UNIQUE}", verdict.level or 0.0
    if not verdict.estimate:
        return [words(f"{start}.counted", level=words.share(level))]
    confident = [words(f"{start}.confident")] if verdict.parameters.get("confident") else []
    shown = words(f"{start}.reached", level=words.interval(level, verdict.low, verdict.high))
    return [shown, *confident, *(words(f"{start}.doubt.{doubt}") for doubt in verdict.doubts)]


def titled(title: Markup, verdict: Verdict) -> Markup:
    """A title with the name the recipe gave."""
    return Markup("{}, {}").format(title, name(verdict.name)) if verdict.name else title


def keys_of(verdict: Verdict, words: Words) -> Markup:
    """The columns looked at, or their combinations."""
    if not verdict.keys[1:]:
        return words.names(verdict.keys[0])
    each = [Markup("({})").format(Markup(", ").join(name(key) for key in one)) for one in verdict.keys]
    return words("criterion.k_anonymity.combinations", keys=words.listed(each))


def demanded(verdict: Verdict, words: Words) -> tuple[Markup, list[Markup], Markup]:
    """Title, sentences and the sentence for the front; a KeyError for a criterion nobody put into words."""
    word, given = verdict.criterion, verdict.parameters
    parameter, show = LIMITS.get(word, ("", _number))
    if word not in SECRET and not parameter:
        raise KeyError(word)
    limit = show(words, given[parameter]) if parameter else ""
    columns = given.get("sensitive") or given.get("columns") or [given[key] for key in ("column",) if key in given]
    about = {
        "keys": words.names(given["columns"]) if word == "category_threshold" else keys_of(verdict, words),
        "columns": words.names(columns) if columns else words("criterion.sensitive"),
        "limit": limit,
        "k": given.get("k", ""),
        "m": given.get("m", ""),
    }
    kind = given.get("kind", "distinct") if word == "l_diversity" else "demand"
    kind = "among_uniques" if given.get("among") == "uniques" else kind
    title = titled(words(f"criterion.{word}.title", **about), verdict)
    sentences = [words(f"criterion.{word}.{kind}", **about)]
    short = words("criterion.met", criterion=title)
    if not verdict.records:
        sentences.append(words("criterion.empty"))
    elif verdict.level is not None:
        level = show(words, verdict.level)
        sentences += _unique(verdict, words) if word == UNIQUE else [words(f"criterion.{word}.reached", level=level)]
        if word in SHORT and kind in ("demand", "distinct"):
            short = words(f"criterion.{word}.short", level=level, **about)
    if verdict.bad_classes:
        sentences.append(words("criterion.failing", n=verdict.bad_classes, records=verdict.bad_records))
    if not verdict.holds:
        short = words("criterion.broken", criterion=title)
    sentences.append(words(f"missing.{given.get('missing', 'category')}"))
    return title, sentences, short
