"""Error processes: what is recorded of a person is wrong here and there, in every file in its own way.

Müller, Blien, Knoche, Wirth et al. (1991), 9.2.2 and its appendix: y = f(x) is what stands in the release, z = g(x)
what the attacker has. Errors of two files are independent of each other: each file has mistakes and draws of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from schleier.core.component import listed
from schleier.core.engine import Source
from schleier.core.errors import Problem, Problems, RecipeError, stop
from schleier.core.record import Declared
from schleier.core.schema import Schema
from schleier.lab._columns import Held
from schleier.lab.kinds import Mistake

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

NUMBER = "_number_"


def _several(given: Any) -> Any:
    return (given,) if isinstance(given, Mapping) else given


class Mistakes(Declared):
    """What goes wrong in one file, column by column. It stands in TOML as it does in Python.

    >>> wrong = Mistakes(file="register", columns={"age": {"mistake": "number", "rate": 0.1, "deviation": 1}})
    >>> wrong.columns["age"][0].rate
    0.1
    """

    file: str = Field(default="known", min_length=1)
    """Which file it is: mistakes in files of different names are drawn independently of each other."""
    columns: dict[str, Annotated[tuple[Mistake, ...], BeforeValidator(_several)]]
    """For a column what goes wrong in it: one mistake, or several in turn."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Why these mistakes cannot be made in such a table."""
        for name, several in self.columns.items():
            if name not in schema:
                yield schema.unknown(name, f"columns.{name}")
                continue
            for one in several:
                yield from one.problems(name, schema)


def spoil(data: Dataset, mistakes: Mistakes, run: Run) -> Dataset:
    """The data with mistakes in them. What share of each column was changed is noted for the holder.

    Rows keep their keys; a draw follows from the key of the row, the file and the column, whatever is beside it.

    >>> import pyarrow as pa
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.run import Run
    >>> from schleier.core.schema import Column
    >>> ages = Dataset.from_frame(pa.table({"age": [17, 44]}), Schema(columns=[Column(name="age", scale="discrete")]))
    >>> all_wrong = Mistakes(columns={"age": {"mistake": "number", "rate": 1, "deviation": 3}})
    >>> spoil(ages, all_wrong, Run()).to_arrow() == ages.to_arrow()
    False
    """
    from schleier.kernels.change.keyed import KeyedDraws

    found = Problems()
    found.extend(mistakes.problems(data.schema))
    found.raise_as(RecipeError)
    key, engine = data.schema.key, data.engine
    seconds = [name for several in mistakes.columns.values() for one in several if (name := _second(one))]
    names = list(dict.fromkeys([*mistakes.columns, *seconds]))
    drawn = run.draw(data, NUMBER, f"mistakes:{mistakes.file}").frame.select(key, NUMBER, *names)
    table = engine.arrays(drawn).sort_by(key)
    rows = (table[NUMBER].to_numpy() * 2**52).astype("int64")
    draws = KeyedDraws(run.subkey(f"mistakes:{mistakes.file}"), rows)
    result, rates = {key: table[key]}, dict[str, float]()
    for name, several in mistakes.columns.items():
        held = Held(name, table[name], data.schema[name].scale == "discrete", table, draws)
        for one in several:
            held = one.made(held)
        result[name] = held.values
        rates[name] = held.changed(table[name]) / max(len(table), 1)
    run.note("restricted", file=mistakes.file, rows=len(table), changed=rates)
    return _with_columns(data, result, key)


def spoil_both(truth: Dataset, released: Mistakes, known: Mistakes, run: Run) -> tuple[Dataset, Dataset]:
    """The same persons as two files record them: what is released, and what an attacker has."""
    if released.file == known.file:
        message = "both files have the same name, so that the same mistakes would be drawn for both"
        stop(RecipeError, "same-mistakes", "file", message, "give each a name of its own")
    return spoil(truth, released, run), spoil(truth, known, run)


def preset(
    name: str, columns: Mapping[str, str], seconds: Mapping[str, str] | None = None, file: str = "known"
) -> Mistakes:
    """The mistakes of a published process for columns of a file, each with the variable that it is.

    ``process_1`` to ``process_4`` are those of Table 9.4, the others go by measured rates (``published_rates.toml``).
    Where the process takes second codes, ``seconds`` says in which column they are; without one, codes change as often
    as the source says in all.

    >>> preset("process_1", {"job": "occupation", "sex": "sex"}).columns["job"][0].rate
    0.15
    """
    from schleier.kernels.population.published_rates import published_rates

    rates, found = published_rates(), Problems()
    if name not in rates:
        hint = f"there are: {', '.join(rates)}"
        stop(RecipeError, "unknown-preset", "preset", f"there are no published rates '{name}'", hint)
    if lacking := [variable for variable in columns.values() if variable not in rates[name]]:
        message = f"there is no published rate {listed(lacking)}"
        found.add("unknown-rate", "columns", message, f"there are: {', '.join(rates[name])}")
    found.raise_as(RecipeError)
    how, made = _processes(), dict[str, Any]()
    for column, variable in columns.items():
        plain = {**how["kinds"][variable], "rate": rates[name][variable]}
        second = (seconds or {}).get(column)
        rule = how["second_codes"].get(name)
        if second and rule and variable in rule["variables"]:
            base = rates[rule["base"]][variable]
            coded = {"rate": base, "take": rule.get("take", base), "besides": rule["besides"]}
            made[column] = {"mistake": "alternative", "second": second, "other": plain, **coded}
        else:
            made[column] = plain
    return Mistakes.model_validate({"file": file, "columns": made})


@cache
def _processes() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("processes.toml").read_text(encoding="utf-8"))


def _second(one: Any) -> str | None:
    return getattr(one, "second", None)


def _with_columns(data: Dataset, columns: Mapping[str, Any], key: str) -> Dataset:
    """Rows with some columns in place of their own, found by the row key."""
    import pyarrow as pa

    names = data.frame.collect_schema().names()
    lookup = data.engine.read(Source(pa.table(dict(columns))))
    rest = data.frame.drop(*(name for name in columns if name != key))
    return data.reframed(data.engine.keep(rest.join(lookup, on=key, how="inner").select(*names)))
