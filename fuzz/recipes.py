"""Recipes with something wrong in them: small changes of sound ones, component by component."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from schleier.core import registry

MARK = "zzz-planted-marker"
"""A value of protected columns, which nobody may ever be told."""
NUMBER = 987654321
"""The same among numbers."""
ROWS = 40
COLUMNS = """
columns = [
  { name = "person", role = "identifier", scale = "text" },
  { name = "household", role = "unit", scale = "nominal" },
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age" },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "region", role = "quasi", scale = "nominal" },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
  { name = "disease", role = "sensitive", scale = "nominal" },
]
"""
HEAD = f"""[data]
file = "people.parquet"

[schema]
row_key = "id"
others = "drop"
{COLUMNS}
[hierarchies]
age = {{ intervals = [15, 45] }}

[[steps]]
method = "drop"
columns = ["person"]

[[steps]]
method = "top_code"
column = "income"
upper = 4000
"""
ODD = [
    "",
    "*",
    "a" * 300,
    "\0",
    "\x1b[2J",
    "[red]",
    "../../..",
    "é" * 50,
    "-1",
    "1e999",
    "NaN",
    "::",
    "env:X::y",
    "'\"`",
]
VALUES: list[Any] = [
    *ODD,
    0,
    -1,
    1,
    2**63,
    10**30,
    1e308,
    -0.0,
    True,
    False,
    [],
    [[]],
    {},
    ["age"],
    ["sex", "sex"],
    "age",
    "income",
]
SPELLED = ["nan", "inf", "-inf", "1979-05-27", "07:32:00", "[" * 40 + "]" * 40, "{a={a={a=1}}}", '"\\u0000"', '"""x"""']
SECTIONS = {"method": "steps", "criterion": "criteria", "measure": "measures", "attack": "attacks"}
BYTES = "abz09=[]{}\"'#.,\n\t -\\\x00\xff€"


def write_people(folder: Path) -> None:
    """The rows all recipes are about."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbers = range(ROWS)
    columns = {
        "id": [str(n) for n in numbers],
        "person": [f"{MARK} {n}" for n in numbers],
        "household": [f"h{n // 2}" for n in numbers],
        "age": [20 + n % 50 for n in numbers],
        "sex": ["m" if n % 2 else "f" for n in numbers],
        "region": [MARK if n == 3 else "abcd"[n % 4] for n in numbers],
        "income": [float(NUMBER) if n == 5 else 1000.0 + 7 * n for n in numbers],
        "disease": [MARK if n == 9 else "flu" if n % 3 else None for n in numbers],
    }
    pq.write_table(pa.table(columns), folder / "people.parquet")


def recipe(seed: int) -> str:
    """The recipe of a number: a sound one with a component or two, and then spoiled."""
    draw = random.Random(seed)
    text = HEAD
    for _ in range(draw.randint(0, 2)):
        text += entry(draw)
    for _ in range(draw.choice([0, 0, 0, 1, 1, 1, 2, 4])):
        text = draw.choice([_value, _value, _line, _bytes, _piece])(text, draw)
    return text


def entry(draw: random.Random) -> str:
    """A component with the parameters of its example, some of them replaced."""
    kind, section = draw.choice(list(SECTIONS.items()))
    word = draw.choice(_words(kind))
    parameters: dict[str, Any] = dict(getattr(registry.get(kind, word), "example", {}))  # type: ignore[call-overload]
    for name in list(parameters):
        chance = draw.random()
        if chance < 0.15:
            parameters[name] = draw.choice(VALUES)
        elif chance < 0.2:
            del parameters[name]
    if draw.random() < 0.1:
        parameters[draw.choice(["name", "columns", "column", "k", "public", "x"])] = draw.choice(VALUES)
    lines = [f"{json.dumps(name)} = {toml(value)}" for name, value in parameters.items()]
    return f'\n[[{section}]]\n{kind} = "{word}"\n' + "\n".join(lines) + "\n"


@cache
def _words(kind: str) -> list[str]:
    return sorted(registry.names(kind))  # type: ignore[arg-type]


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(str(value))


def _value(text: str, draw: random.Random) -> str:
    """Another value behind an equals sign."""
    places = [i for i, letter in enumerate(text) if letter == "="]
    if not places:
        return text
    place = draw.choice(places)
    end = min((i for i in (text.find(mark, place) for mark in ",}\n") if i > 0), default=len(text))
    odd = draw.choice(SPELLED) if draw.random() < 0.3 else toml(draw.choice(VALUES))
    return text[: place + 1] + " " + odd + text[end:]


def _line(text: str, draw: random.Random) -> str:
    """A line gone, doubled or moved."""
    lines = text.split("\n")
    place = draw.randrange(len(lines))
    taken = lines.pop(place)
    for _ in range(draw.choice([0, 1, 2])):
        lines.insert(draw.randrange(len(lines) + 1), taken)
    return "\n".join(lines)


def _bytes(text: str, draw: random.Random) -> str:
    """A few other characters."""
    place = draw.randrange(len(text) + 1)
    return text[:place] + "".join(draw.choices(BYTES, k=draw.randint(1, 4))) + text[place + draw.randint(0, 3) :]


def _piece(text: str, draw: random.Random) -> str:
    """A section nobody expects there."""
    pieces = [
        f'extends = "{draw.choice(["profile:public_use", "x" * 300, "recipe.toml", ".", "/dev/zero", ""])}"\n' + text,
        text
        + f"\n[engine]\nname = {toml(draw.choice(['duckdb', 'x', 3]))}\nmemory_limit = {toml(draw.choice(VALUES))}\n",
        text + f"\n[release]\nformat = {toml(draw.choice(['csv', 'feather', 'stata', 'spss', 'x', 1]))}\n",
        text.replace(
            "intervals = [15, 45]", f"table = {toml(draw.choice(['/dev/zero', 'people.parquet', '.', *ODD]))}"
        ),
        text.replace('"people.parquet"', toml(draw.choice(["/dev/zero", ".", "people.csv", *ODD]))),
        text.replace(
            "[schema]",
            f"[schema]\nlayout = {toml({'delimiter': draw.choice(ODD), 'skip': draw.choice([0, -1, 10**9])})}",
        ),
    ]
    return draw.choice(pieces)
