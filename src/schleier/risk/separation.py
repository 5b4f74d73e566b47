"""Which columns tell people apart, whatever role they were given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.classes.request import Request
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import CONTENT, OPEN, Schema
from schleier.risk._weights import cautions

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.classes.separation import Separated

LOOKED_AT, WORK = 5_000, 200_000_000
"""Sets of columns, and sets times classes, at most: beyond it larger sets are left out."""
SHOWN = 10
"""Sets named in a list."""
DRAW = "_draw_"


class Separation(Measure):
    """Share of pairs of records that the most telling few columns tell apart; and which columns nobody listed do so.

    >>> Separation(most=1).most
    1
    """

    reference: ClassVar[str] = "Motwani and Xu (2007), Efficient algorithms for masking and finding quasi-identifiers"
    example: ClassVar[dict[str, object]] = {"columns": ["sex", "age", "children", "schooling"]}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    columns: tuple[str, ...] = ()
    """Columns to look at; all but identifiers, weights and units when empty."""
    most: int = Field(default=2, ge=1)
    """Largest set of columns to look at. Smaller when there would be too many: the finding says so."""
    separates: float = Field(default=0.9, gt=0, le=1)
    """A plain column that tells this share of pairs apart by itself is named as one that may identify."""
    adds: float = Field(default=0.05, gt=0, le=1)
    """So is one that makes a further share of this size unique for those who know the quasi-identifiers."""
    records: int = Field(default=100_000, ge=100)
    """At most so many records, drawn at random, are looked at."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return tuple(dict.fromkeys(self.columns)) or schema.having(*CONTENT)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be columns."""
        yield from super().problems(schema)
        if not self.uses(schema):
            hint = "name columns"
            yield Problem("no-columns", "columns", "there are only identifiers, weights and units", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count pairs, combinations and uniques for each column and each small set of columns."""
        from schleier.kernels.classes.combinations import largest
        from schleier.kernels.classes.separation import all_subsets, greedy_columns

        data = case.released
        whole = data.rows
        classes = self._drawn(data, whole, run).classes(Request(keys=self.uses(data.schema)))
        most = largest(len(classes.keys), len(classes), self.most, LOOKED_AT, WORK)
        found = sorted(all_subsets(classes.codes, classes.sizes, most), key=lambda told: (told.together, told.columns))
        steps = greedy_columns(classes.codes, classes.sizes, _steps(len(classes.keys), len(classes)))
        columns = self._columns(classes, found, data.schema)
        suggested = [
            name
            for name, one in columns.items()
            if one["role"] in OPEN and (one["separated"] >= self.separates or one["adds"] >= self.adds)
        ]
        worst = [[one for one in found if len(one.columns) == size][:SHOWN] for size in range(1, most + 1)]
        first, cut = found[0], most < min(self.most, len(classes.keys))
        detail: dict[str, Any] = {
            "records": classes.records,
            "of": whole,
            "most": most,
            "cut": cut,
            "looked_at": len(found),
            "first": [classes.keys[j] for j in first.columns],
            "columns": columns,
            "worst": [[_set(classes, told) for told in size] for size in worst],
            "greedy": [{"column": classes.keys[told.columns[-1]], **_numbers(classes, told)} for told in steps],
            "suggested": suggested,
            **cautions({"suggested": bool(suggested), "sampled": classes.records < whole, "cut": cut}),
        }
        value = _numbers(classes, first)["separated"]
        names = ", ".join(detail["first"])
        text = f"{names} {'tells' if len(first.columns) == 1 else 'tell'} {value:.2%} of all pairs of records apart"
        listed = f"; nobody listed them, but these may identify too: {', '.join(suggested)}" if suggested else ""
        return Finding(name=self.word(), value=value, better=self.better, text=f"{text}{listed}.", detail=detail)

    def _drawn(self, data: Dataset, whole: int, run: Run) -> Dataset:
        """The records to look at: all, or a random part whose size is about what was asked for."""
        import narwhals as nw

        if whole <= self.records:
            return data
        drawn = run.draw(data, DRAW, "records")
        return replace(drawn, frame=drawn.frame.filter(nw.col(DRAW) < self.records / whole).drop(DRAW))

    def _columns(self, classes: Classes, found: list[Separated], schema: Schema) -> dict[str, dict[str, Any]]:
        """What each column tells by itself, and how many more records are unique for it next to quasi-identifiers."""
        from schleier.kernels.classes.uniqueness import sums

        keys = classes.keys
        known = [j for j, name in enumerate(keys) if schema[name].role == "quasi"]
        single = {told.columns[0]: told for told in found if len(told.columns) == 1}

        def unique(columns: list[int]) -> int:
            return int((sums(classes.codes[:, columns], classes.sizes) == 1).sum()) if columns else 0

        together = unique(known)

        def adding(j: int) -> int:
            rest = [i for i in known if i != j]
            return together - unique(rest) if j in known else unique([*rest, j]) - together

        return {
            name: {
                "role": schema[name].role,
                "values": single[j].distinct,
                **_numbers(classes, single[j]),
                "adds": adding(j) / max(classes.records, 1),
            }
            for j, name in enumerate(keys)
        }


def _steps(columns: int, classes: int) -> int:
    """How many columns there is time to put in order."""
    return max(min(columns, SHOWN, WORK // max(columns * classes, 1)), 1)


def _numbers(classes: Classes, told: Separated) -> dict[str, float]:
    records = classes.records
    pairs = records * (records - 1) // 2
    return {
        "separated": 1 - told.together / pairs if pairs else 0.0,
        "distinct": told.distinct / records if records else 0.0,
        "unique": told.unique / records if records else 0.0,
    }


def _set(classes: Classes, told: Separated) -> dict[str, Any]:
    return {"columns": [classes.keys[j] for j in told.columns], **_numbers(classes, told)}
