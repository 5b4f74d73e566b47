"""The SQL that turns one text column into its type, or says that a value is bad."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schleier.core.clock import CLOCK
from schleier.core.guard import GUARDED
from schleier.core.schema import Column, Layout
from schleier.core.sql import word

Type = Literal["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]

BLANKS = " \t\r\n\u00a0\u202f"
# Typesetters write the blank and the apostrophe with other characters.
GROUPS = {"": "", ".": ".", ",": ",", " ": " \u00a0\u202f", "'": "'\u2019"}
BAD = "error('bad value')"


@dataclass(frozen=True)
class TypedField:
    """One column on its way from text to type; ``text`` is the SQL name of what the file says.

    >>> TypedField("c0", Column(name="age", scale="discrete"), Layout()).type
    'BIGINT'
    """

    text: str
    column: Column
    layout: Layout

    @property
    def type(self) -> Type:
        """The type in the staged file."""
        if self.column.scale == "discrete":
            return "BIGINT"
        if self.column.scale == "continuous":
            return "DOUBLE"
        if self.column.scale == "time":
            return "TIMESTAMP" if CLOCK.search(self.date) else "DATE"
        return "VARCHAR"

    @property
    def date(self) -> str:
        """How dates of this column are written."""
        return self.layout.date if self.column.date is None else self.column.date

    @property
    def read(self) -> str:
        """The text of the file, without the mark that keeps a spreadsheet from running it."""
        if not self.layout.guard or self.type != "VARCHAR":
            return self.text
        marked = f"regexp_matches({self.text}, {word(f'^{GUARDED}')})"
        return f"CASE WHEN {marked} THEN substr({self.text}, 2) ELSE {self.text} END AS {self.text}"

    @property
    def group(self) -> str:
        """The common thousands mark, if any."""
        return self.layout.thousands

    @property
    def quick(self) -> str:
        """What DuckDB's own cast makes of the text: fast, but lenient ("5.7" is 6, "1_0" is 10), hence the rest."""
        if self.type in ("DATE", "TIMESTAMP"):
            return f"CAST(try_strptime({self.text}, {word(self.date)}) AS {self.type})"
        number = self.text
        if self.type == "DOUBLE":
            # A failed cast is dear: where there is a thousands mark, most numbers may have it.
            number = f"replace({number}, {word(self.group)}, '')" if self.group else number
            number = f"replace({number}, ',', '.')" if self.layout.german else number
        return f"TRY_CAST({number} AS {self.type})"

    def value(self, quick: str, *, clean: bool = False) -> str:
        """The typed value, given the name of the quick one; a bad value is an error that ends the query.

        In a ``clean`` file, without a character that no text may have, a text is as it stands.

        >>> TypedField("c0", Column(name="job", scale="nominal"), Layout()).value("v0", clean=True)
        'c0'
        """
        if clean and self.type == "VARCHAR" and not self._words():
            return self.text
        arms, rest = self._arms(quick)
        return self._case(arms, self._coded(f"coalesce({rest}, {BAD})") if rest else BAD)

    def bad(self, quick: str, line: str) -> str:
        """The line when the value is neither missing nor of the type, else nothing."""
        arms, rest = self._arms(quick)
        found = f"CASE WHEN {rest} IS NULL THEN {line} END" if rest else line
        return self._case([(condition, "NULL") for condition, _ in arms], found)

    def _arms(self, quick: str) -> tuple[list[tuple[str, str]], str]:
        """Conditions and values in order, the common case first, and the costly grammar for what is left, if any."""
        text, words = self.text, self._words()
        empty = (f"{text} IS NULL", "NULL")
        if self.type == "VARCHAR":
            # A code is compared as it stands: blanks around a text may matter.
            named = [(_one_of(text, words), "NULL")] if words else []
            return [*named, (f"NOT contains({text}, chr(0))", text), empty], ""
        coded = (_one_of(f"trim({text}, {word(BLANKS)})", ["", *words]), "NULL")
        # A word with digits, such as a code -9 declared as text, may also be a number or date: it must be seen first.
        early = [coded] if any(re.search("[0-9]", one) for one in words) else []
        if self.type in ("DATE", "TIMESTAMP"):
            # try_strptime reads "infinity" and "epoch" as 1900-01-01, and the year 20 where four digits are due.
            odd, first = f"{self.type} '1900-01-01'", f"{self.type} '1000-01-01'"
            good = f"{quick} >= {first} AND ({quick} <> {odd} OR regexp_matches({text}, '[0-9]'))"
            return [*early, (good, quick), empty, coded], ""
        if self.type == "BIGINT":
            numbers = [(f"CAST({quick} AS VARCHAR) = {text}", self._coded(quick))]
            if self.group:
                grouped = f"TRY_CAST(replace({text}, {word(self.group)}, '') AS BIGINT)"
                numbers.append((self._grouped("{1,5}"), self._coded(grouped)))  # 18 digits always fit
        else:
            marks = {"_", *self.group, *("." if self.layout.german else "")}
            good = " AND ".join([f"isfinite({quick})", *(f"NOT contains({text}, {word(m)})" for m in sorted(marks))])
            numbers = [(good, self._coded(quick))]
            if self.group:
                tail = f"(?:[{self.layout.decimal}][0-9]+)?"
                numbers.append((f"isfinite({quick}) AND {self._grouped('+', tail)}", self._coded(quick)))
        return [*early, *numbers, empty, coded], self._strict()

    def _grouped(self, groups: str, tail: str = "") -> str:
        """Whether the text is a number in so many groups of three digits; cheap, for it captures nothing."""
        grammar = f"-?[1-9][0-9]{{0,2}}(?:[{self.group}][0-9]{{3}}){groups}{tail}"
        return f"regexp_full_match({self.text}, {word(grammar)})"

    def _strict(self) -> str:
        """The number under the grammar of the layout: groups are proper triples, whole numbers have no fraction."""
        point, groups = self.layout.decimal, GROUPS[self.layout.thousands]
        whole = f"(?:[1-9][0-9]{{0,2}}(?:[{groups}][0-9]{{3}})+|[0-9]+)" if groups else "[0-9]+"
        if self.type == "BIGINT":
            grammar = f"{whole}(?:[{point}]0*)?(?:[eE][+]?[0-9]{{1,2}})?"
        else:
            grammar = f"(?:{whole}(?:[{point}][0-9]*)?|[{point}][0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?"
        # No match extracts the empty text, which is no number.
        number = f"regexp_extract({self.text}, {word(f'^[{BLANKS}]*([+-]?{grammar})[{BLANKS}]*$')}, 1)"
        for mark in groups:
            number = f"replace({number}, {word(mark)}, '')"
        if self.layout.german:
            number = f"replace({number}, ',', '.')"
        if self.type == "DOUBLE":
            # Longer ones, and three digits in the exponent, might be infinite.
            number = f"CASE WHEN length({self.text}) < 200 THEN {number} END"
        return f"TRY_CAST({number} AS {self.type})"

    def _case(self, arms: Sequence[tuple[str, str]], otherwise: str) -> str:
        whens = [f"WHEN {condition} THEN {value}" for condition, value in arms]
        # In DuckDB's hash of an expression a column that occurs an even number of times cancels out. Then all columns
        # look alike to the planner, and its time grows with their square: say something harmless once more.
        if len(re.findall(rf"\b{self.text}\b", " ".join([*whens, otherwise]))) % 2 == 0:
            whens.append(f"WHEN {self.text} IS NULL THEN NULL")
        return f"CASE {' '.join(whens)} ELSE {otherwise} END"

    def _coded(self, number: str) -> str:
        """The number, unless it is a code for missing."""
        codes = [code for code in self.column.missing if self._is_number(code)]
        if not codes:
            return number
        listed = ", ".join(f"CAST({word(str(code))} AS {self.type})" for code in codes)
        return f"CASE WHEN {number} IN ({listed}) THEN NULL ELSE {number} END"

    def _is_number(self, code: float | str) -> bool:
        """Whether a code is compared as a number: -9 also means -9,0."""
        if isinstance(code, str) or not math.isfinite(code):
            return False
        return self.type == "DOUBLE" or (self.type == "BIGINT" and code == int(code) and abs(code) < 2**63)

    def _words(self) -> list[str]:
        """The codes that are compared as text; a code 9.0 is also written 9."""
        codes = [code for code in self.column.missing if not self._is_number(code)]
        whole = [str(int(code)) for code in codes if isinstance(code, float) and code.is_integer()]
        return [*map(str, codes), *whole]


def _one_of(text: str, words: Sequence[str]) -> str:
    """Whether a text is one of some words; spelt out, for DuckDB rewrites IN and `_case` must count the columns."""
    return " OR ".join(f"{text} = {word(one)}" for one in words)
