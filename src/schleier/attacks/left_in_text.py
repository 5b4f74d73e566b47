"""Left in text: a log or a note names in its words whom the column beside it hides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.trustee import TARGET, draw_targets
from schleier.kernels.statistics.trials import Trials

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

KEY = "_truth_"
LEAST = 3
"""Letters of the shortest value that is looked for: shorter ones stand in every text."""
WORD = re.compile(r"\w+")


class LeftInText(Technique):
    """Look in the text of each person's record for the values of columns that were hidden.

    Where records have a unit, the values of all its records are looked for: old addresses as well as new ones.

    >>> LeftInText(text="message", columns=["user", "email"]).letters
    4
    """

    reference: ClassVar[str] = "Kneuper (2020), Grundbegriffe der Anonymisierung: personal data inside log messages"
    example: ClassVar[dict[str, object]] = {"text": "person", "columns": ["person"], "targets": 100, "letters": 0}
    counts_hits_alone: ClassVar[bool] = True
    members_only: ClassVar[bool] = True

    text: str
    """The column of the release whose texts are read."""
    columns: tuple[str, ...] = Field(min_length=1)
    """Columns of the original whose values must not stand there."""
    letters: int = Field(default=4, ge=0)
    """Words of a value are looked for too when they have so many letters; 0 for whole values alone."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """In how many records it is looked for, or "all" that there are."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The text."""
        return (self.text,)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count records whose text holds something of them, and those whose text holds something of another one."""
        if absent := next((name for name in self.columns if name not in case.original.schema), None):
            raise DataError(case.original.schema.unknown(absent))
        texts = dict(_rows(case.released, (self.text,), None))
        people = draw_targets(case.original, None if self.targets == "all" else self.targets, run)
        units = case.original.schema.having("unit")[:1]
        asked = list(_rows(people, (*self.columns, *units), TARGET))
        sought = self._sought(asked, self._of_units(case, units) if units else {})
        shown = [(texts.get(key) or (None,))[0] for key, _ in asked]
        found = sum(_holds(text, words) for text, words in zip(shown, sought, strict=True))
        moved = [*shown[1:], *shown[:1]]
        blind = sum(_holds(text, words) for text, words in zip(moved, sought, strict=True)) if len(shown) > 1 else 0
        trials, many = Trials(found, len(asked)), len(asked)
        said = f"Of {many} records, {found} hold something in '{self.text}' that was hidden; by chance it were {blind}."
        low, high = trials.interval()
        return Finding(
            name=self.word(),
            value=trials.share,
            low=low,
            high=high,
            better=self.better,
            text=said,
            detail={
                "known": list(self.columns),
                "knowledge": "exact",
                "targets": many,
                "contained": sum(key in texts for key, _ in asked),
                "claims": found,
                "correct": found,
                "baseline": blind / many if many else 0.0,
                "control_claims": None,
            },
        )

    def _of_units(self, case: Case, units: Sequence[str]) -> dict[str, set[str]]:
        """What is known of each unit, from all its records."""
        found = dict[str, set[str]]()
        for _, (*values, unit) in _rows(case.original, (*self.columns, *units), None):
            if unit is not None:
                found.setdefault(unit, set()).update(one for one in values if one is not None)
        return found

    def _sought(
        self, asked: Sequence[tuple[str, Sequence[str | None]]], units: Mapping[str, set[str]]
    ) -> list[set[str]]:
        """What is looked for in each record."""
        return [set(self._words(units.get(told[-1] or "") or told[: len(self.columns)])) for _, told in asked]

    def _words(self, values: Iterable[str | None]) -> Iterator[str]:
        for value in values:
            if value is not None and len(value) >= LEAST:
                yield value.casefold()
                if self.letters:
                    yield from (word for word in WORD.findall(value.casefold()) if len(word) >= self.letters)


def _holds(text: str | None, words: Iterable[str]) -> bool:
    """Whether one of some words stands in a text, not inside a longer word."""
    plain = (text or "").casefold()
    return any(word in plain and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain) for word in words)


def _rows(data: Dataset, columns: Sequence[str], by: str | None) -> Iterator[tuple[str, list[str | None]]]:
    """Row keys with the texts of some columns, in the order of a draw or of the keys."""
    import narwhals as nw

    texts = {name: nw.col(name).cast(nw.String) for name in columns}
    more = () if by is None else (by,)
    table = data.engine.arrays(data.frame.select(*more, **{KEY: nw.col(data.schema.key).cast(nw.String)}, **texts))
    table = table.sort_by(by or KEY)
    values = zip(*(table[name].to_pylist() for name in columns), strict=True)
    yield from ((key, list(row)) for key, row in zip(table[KEY].to_pylist(), values, strict=True))
