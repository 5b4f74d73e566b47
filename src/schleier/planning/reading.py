"""A design from its TOML file: everything wrong with it is said at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from schleier.core.address import spelled
from schleier.core.errors import Problems, RecipeError, stop
from schleier.core.limits import small_text
from schleier.planning.design import Design, Question
from schleier.planning.experiment import KEYS as EXPERIMENT_KEYS
from schleier.planning.experiment import read_experiment
from schleier.planning.joint import PlacedQuestion, with_shares

KEYS = ("persons", "tolerated", "pilot", "joint", "questions", "experiment")
QUESTION_KEYS = ("name", "shares", "categories", "ordered", "labels")
JOINT_KEYS = ("file", "count")
MOST_PERSONS = 10**10
MOST_CATEGORIES = 1000
MOST_COMBINATIONS = 10**100
DIGITS = 18
NUMBER = re.compile(rf"\d{{1,{DIGITS}}}/\d{{1,{DIGITS}}}|\d{{0,{DIGITS}}}\.?\d{{0,{DIGITS}}}")
SUM_HINT = 'write rounded shares exactly, for example "1/3" as text'


def design_from_file(path: Path | str) -> Design:
    """The design in a file."""
    path = Path(spelled(path))
    try:
        text = small_text(path, RecipeError, str(path))
    except (FileNotFoundError, NotADirectoryError):
        stop(
            RecipeError,
            "no-design",
            str(path),
            "there is no such design",
            "write one as on the page docs/guide/plan.md",
        )
    except (OSError, ValueError):
        stop(RecipeError, "unreadable", str(path), "the design cannot be read as UTF-8 text")
    return design_from_toml(text, path.name, path.parent)


def design_from_toml(text: str, name: str = "", folder: Path = Path()) -> Design:
    """The design in a text.

    >>> text = 'persons = 50\\ntolerated = 5\\n[[questions]]\\nname = "sex"\\nshares = [0.4, 0.6]'
    >>> design_from_toml(text).questions[0].shares
    (Fraction(2, 5), Fraction(3, 5))
    """
    try:
        table = tomllib.loads(text, parse_float=_decimal)
    except tomllib.TOMLDecodeError as error:
        stop(RecipeError, "bad-toml", name, f"the text is not valid TOML: {error}")
    except RecursionError:
        stop(RecipeError, "bad-toml", name, "tables or lists are nested too deeply")
    problems = Problems()
    _refuse_unknown(table, KEYS, "", problems)
    persons = _persons(table, problems)
    tolerated = _tolerated(table, problems)
    source = _source(table, problems)
    counts = read_experiment(table.get("experiment"), problems)
    if isinstance(table.get("experiment"), Mapping):
        _refuse_unknown(table["experiment"], EXPERIMENT_KEYS, "experiment.", problems)
    asked = _questions(table, source is not None, problems)
    if not problems.found and source is not None:
        questions, block = with_shares(asked, folder / source[0], source[1], source[2], problems)
    else:
        questions, block = tuple(one.question for one in asked), None
    problems.raise_as(RecipeError)
    design = Design(persons, tolerated, questions, block, name, counts)
    if design.combinations > MOST_COMBINATIONS:
        message = "the questions have more than 10^100 combinations of answers"
        stop(RecipeError, "bad-parameter", "questions", message, "plan fewer questions or categories")
    return design


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace("_", "")) if len(text) <= 40 else Decimal("nan")


def _number(value: Any) -> Fraction | None:
    """A number or a fraction as text, exactly as it is written; nothing for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, Decimal):
        small = value.is_finite() and abs(value.as_tuple().exponent) <= DIGITS  # type: ignore[arg-type]
        return Fraction(value) if small else None
    if isinstance(value, str) and NUMBER.fullmatch(value) and re.search(r"\d", value):
        top, _, bottom = value.partition("/")
        return None if bottom and not int(bottom) else Fraction(value if bottom else Decimal(top))
    return None


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...], where: str, problems: Problems) -> None:
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, 1)
            hint = f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(known)}"
            problems.add("unknown-parameter", f"{where}{key}", "there is no such entry", hint)


def _persons(table: Mapping[str, Any], problems: Problems) -> int:
    value = table.get("persons")
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_PERSONS:
        return value
    message = "missing" if value is None else "must be a whole number from 1 to ten billion"
    problems.add("bad-parameter", "persons", message, "how many persons will be asked?")
    return 1


def _tolerated(table: Mapping[str, Any], problems: Problems) -> Fraction:
    value = _number(table.get("tolerated"))
    if value is not None and 0 < value <= 100:
        return value
    message = "missing" if "tolerated" not in table else "must be a percentage above 0 and up to 100"
    hint = "even without any question one person is guessed, so 0 cannot be reached"
    problems.add("bad-parameter", "tolerated", message, hint)
    return Fraction(100)


def _source(table: Mapping[str, Any], problems: Problems) -> tuple[str, str | None, str] | None:
    """The file that says which answers go together, its column of counts, and where the design names it."""
    joint, pilot = table.get("joint"), table.get("pilot")
    if joint is not None and pilot is not None:
        problems.add("two-joints", "pilot", "there is a joint table already", "give one of [joint] and pilot")
    if isinstance(pilot, str) and pilot:
        return pilot, None, "pilot"
    if pilot is not None:
        problems.add("bad-parameter", "pilot", "must be the name of a file")
    if joint is None:
        return None
    if not isinstance(joint, Mapping):
        problems.add("bad-parameter", "joint", "must be a section", 'write [joint] with file = "..."')
        return "", None, "joint"
    _refuse_unknown(joint, JOINT_KEYS, "joint.", problems)
    file, count = joint.get("file"), joint.get("count", "count")
    if not isinstance(file, str) or not file:
        problems.add("bad-parameter", "joint.file", "must be the name of a file")
    if not isinstance(count, str) or not count:
        problems.add("bad-parameter", "joint.count", "must be the name of the column of counts or shares")
    return str(file), str(count), "joint"


def _questions(table: Mapping[str, Any], with_file: bool, problems: Problems) -> list[PlacedQuestion]:
    entries = table.get("questions")
    if not isinstance(entries, list) or not entries:
        problems.add("no-questions", "questions", "the design asks nothing", "write at least one [[questions]]")
        return []
    found, names = [], set[str]()
    for i, entry in enumerate(entries):
        where = f"questions[{i}]"
        if not isinstance(entry, Mapping):
            problems.add("bad-parameter", where, "must be a section", "write [[questions]]")
            continue
        _refuse_unknown(entry, QUESTION_KEYS, f"{where}.", problems)
        name, ordered = entry.get("name"), entry.get("ordered", False)
        if not isinstance(name, str) or not name.strip():
            problems.add("bad-parameter", f"{where}.name", "must be a text that is not empty")
        elif name in names:
            problems.add("bad-parameter", f"{where}.name", f"there are two questions '{name}'", "rename one")
        if not isinstance(ordered, bool):
            problems.add("bad-parameter", f"{where}.ordered", "must be true or false")
        names.add(str(name))
        labels = _labels(entry, where, problems)
        shares = _shares(entry, labels, with_file, where, problems)
        question = Question(str(name), shares, ordered is True, labels, from_file=not shares)
        found.append(PlacedQuestion(question, where))
    return found


def _labels(entry: Mapping[str, Any], where: str, problems: Problems) -> tuple[str, ...]:
    labels = entry.get("labels", [])
    good = isinstance(labels, list) and all(isinstance(one, str | int) and not isinstance(one, bool) for one in labels)
    texts = tuple(str(one) for one in labels) if good else ()
    if not good or len(set(texts)) < len(texts) or len(texts) > MOST_CATEGORIES:
        problems.add("bad-parameter", f"{where}.labels", "must be a list of different words for the categories")
        return ()
    return texts


def _shares(
    entry: Mapping[str, Any], labels: tuple[str, ...], with_file: bool, where: str, problems: Problems
) -> tuple[Fraction, ...]:
    """The shares of a question; none when they come from a file, or when something is wrong with them."""
    given, count = entry.get("shares"), entry.get("categories")
    place = f"{where}.shares"
    if count is not None and not (type(count) is int and 1 <= count <= MOST_CATEGORIES):
        message = f"must be a whole number from 1 to {MOST_CATEGORIES}"
        problems.add("bad-parameter", f"{where}.categories", message)
        return ()
    if given is None and with_file and count is None:
        return ()
    if given is None:
        hint = 'write shares = [...], or shares = "uniform" with categories, or name a pilot'
        problems.add("no-shares", place, "nobody says how frequent the answers are", hint)
        return ()
    if given == "uniform":
        count = count or len(labels)
        if not count:
            problems.add("no-shares", f"{where}.categories", "uniform shares need the number of categories")
            return ()
        shares = (Fraction(1, count),) * count
    elif isinstance(given, list):
        shares = _listed(given, place, problems)
    else:
        problems.add("bad-shares", place, 'must be a list of shares or "uniform"')
        return ()
    if shares and (count not in (None, len(shares)) or len(labels) not in (0, len(shares))):
        message = f"there are {len(shares)} shares, but another number of categories or labels"
        problems.add("bad-shares", place, message, "give as many of each")
    return shares


def _listed(given: list[Any], place: str, problems: Problems) -> tuple[Fraction, ...]:
    shares = [_number(one) for one in given]
    wrong = [str(i + 1) for i, share in enumerate(shares) if share is None or share < 0]
    if not given or len(given) > MOST_CATEGORIES:
        problems.add("bad-shares", place, f"must be from 1 to {MOST_CATEGORIES} shares", "one for each category")
    elif wrong:
        message = f"every share is a number from 0 to 1: look at number {', '.join(wrong[:5])}"
        problems.add("bad-shares", place, message, 'write 0.25 or "1/4"')
    elif (total := sum(share for share in shares if share is not None)) != 1:
        hint = "divide them by 100" if total == 100 else SUM_HINT
        problems.add("bad-shares", place, f"the shares sum to {float(total):.10g} and not to 1", hint)
    else:
        return tuple(share for share in shares if share is not None)
    return ()
