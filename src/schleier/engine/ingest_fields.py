"""The SQL that turns one text column into its type, or says that a value is bad."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schleier.core.schema import Column, Layout

Type = Literal["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]

BLANKS = " \t\r\n\u00a0\u202f"
# Typesetters write the blank and the apostrophe with other characters.
GROUPS = {"": "", ".": ".", ",": ",", " ": " \u00a0\u202f", "'": "'\u2019"}
CLOCK = re.compile(r"%-?[HIpMSgfnzZcX]")


@dataclass(frozen=True)
class Field:
    """One column on its way from text to type; ``text`` is the SQL name of what the file says.

    >>> Field("c0", Column(name="age", scale="discrete"), Layout()).type
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
            return "TIMESTAMP" if CLOCK.search(self.layout.date) else "DATE"
        return "VARCHAR"

    @property
    def quick(self) -> str:
        """What DuckDB's own cast makes of the text. It is fast but lenient ("5.7" is 6, "1_0" is 10), hence `arms`."""
        if self.type == "VARCHAR":
            return self.text
        if self.type in ("DATE", "TIMESTAMP"):
            return f"CAST(try_strptime({self.text}, {literal(self.layout.date)}) AS {self.type})"
        point = f"replace({self.text}, ',', '.')" if self.type == "DOUBLE" and self.layout.german else self.text
        return f"TRY_CAST({point} AS {self.type})"

    def value(self, quick: str, otherwise: str) -> str:
        """The typed value, given the name of the quick one; ``otherwise`` is computed only for a bad value."""
        return _case(self._arms(quick), otherwise)

    def bad(self, quick: str) -> str:
        """Whether the value is neither missing nor of the type."""
        return _case([(condition, "false") for condition, _ in self._arms(quick)], "true")

    def _arms(self, quick: str) -> list[tuple[str, str]]:
        """Conditions and values in order: the common case first, the costly grammar only for what is left."""
        text, missing = self.text, (f"{self.text} IS NULL", "NULL")
        words = (f"trim({text}, {literal(BLANKS)}) IN ({_list(['', *self._words()])})", "NULL")
        if self.type == "VARCHAR":
            # A code is compared as it stands: blanks around a text may matter.
            named = [(f"{text} IN ({_list(self._words())})", "NULL")] if self._words() else []
            return [*named, (f"NOT contains({text}, chr(0))", text), missing]
        if self.type in ("DATE", "TIMESTAMP"):
            # try_strptime reads "infinity" and "epoch" as 1900-01-01, and the year 20 where four digits are due.
            odd, first = f"{self.type} '1900-01-01'", f"{self.type} '1000-01-01'"
            real = f"{quick} >= {first} AND ({quick} <> {odd} OR regexp_matches({text}, '[0-9]'))"
            return [*([words] if self._words() else []), (real, quick), missing, words]
        slow = self._slow()
        if self.type == "BIGINT":
            good, good_slow = f"CAST({quick} AS VARCHAR) = {text}", f"{slow} IS NOT NULL"
        else:
            other = f" AND NOT contains({text}, '.')" if self.layout.german else ""
            good, good_slow = f"isfinite({quick}) AND NOT contains({text}, '_'){other}", f"isfinite({slow})"
        # A word with digits, such as the code "-9" declared as text, is also a number: it must be seen first.
        early = [words] if any(re.search("[0-9]", word) for word in self._words()) else []
        return [*early, (good, self._coded(quick)), missing, (good_slow, self._coded(slow)), words]

    def _slow(self) -> str:
        """The number under the strict grammar: groups are proper triples, whole numbers have no fraction."""
        point, groups = self.layout.decimal, GROUPS[self.layout.thousands]
        grouped = f"[1-9][0-9]{{0,2}}(?:[{groups}][0-9]{{3}})+|" if groups else ""
        if self.type == "BIGINT":
            grammar = f"[+-]?(?:{grouped}[0-9]+)(?:[{point}]0*)?(?:[eE][+]?[0-9]+)?"
        else:
            fraction = f"[{point}][0-9]"
            grammar = f"[+-]?(?:(?:{grouped}[0-9]+)(?:{fraction}*)?|{fraction}+)(?:[eE][+-]?[0-9]+)?"
        trimmed = f"trim({self.text}, {literal(BLANKS)})"
        plain = trimmed
        for mark in groups:
            plain = f"replace({plain}, {literal(mark)}, '')"
        if self.layout.german:
            plain = f"replace({plain}, ',', '.')"
        return f"TRY_CAST(CASE WHEN regexp_full_match({trimmed}, {literal(grammar)}) THEN {plain} END AS {self.type})"

    def _coded(self, number: str) -> str:
        """The number, unless it is a code for missing."""
        codes = [code for code in self.column.missing if self._is_number(code)]
        if not codes:
            return number
        listed = ", ".join(f"CAST({literal(str(code))} AS {self.type})" for code in codes)
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


def literal(text: str) -> str:
    """A text in SQL.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def _list(texts: Sequence[str]) -> str:
    return ", ".join(literal(text) for text in texts)


def _case(arms: Sequence[tuple[str, str]], otherwise: str) -> str:
    whens = " ".join(f"WHEN {condition} THEN {value}" for condition, value in arms)
    return f"CASE {whens} ELSE {otherwise} END"
