"""What may be stored under pseudonyms: records of declared columns, for a recipe that protects who is behind them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from schleier.core.run import Run
from schleier.extras.decoupled._refusals import refuse

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import Recipe
    from schleier.flow.release.release import Release

UNIT = "pseudonym"
"""The column that the service adds: whose record it is."""
WORDS = frozenset("lat latitude lon lng longitude gps geo coordinate coordinates breite laenge koordinate".split())
"""Parts of names of columns that hold places, whatever their declared scale."""
DRAWS = 20
"""Sets of values per profile and size."""

Record = dict[str, Any]


class Payload:
    """The recipe of a scope: which records the service takes, and what becomes of them before anybody reads them."""

    def __init__(self, text: str) -> None:
        from schleier.flow.recipe.recipe import Recipe

        self.recipe: Recipe = Recipe.from_toml(text)
        schema = self.recipe.schema
        if not self.recipe.criteria or UNIT not in schema or schema[UNIT].role != "unit":
            refuse("no-safeguards")
        self.columns = [column for column in schema.columns if column.name != UNIT]
        if any(column.scale == "place" or WORDS & set(column.name.lower().split("_")) for column in self.columns):
            refuse("tells-places")

    def check(self, record: Record | None) -> None:
        """A record has the declared columns, and numbers where numbers are declared."""
        if record is None or set(record) != {column.name for column in self.columns}:
            refuse("bad-record")
        for column in self.columns:
            value = record[column.name]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and number != column.numeric:
                refuse("bad-record")

    def release(self, rows: Sequence[tuple[str, Record]], key: bytes | None = None) -> Release:
        """What others get: the records of all pseudonyms, through the recipe; an error when its criteria fail."""
        import pyarrow as pa

        names = [column.name for column in self.columns]
        table = {UNIT: [name for name, _ in rows]} | {one: [record[one] for _, record in rows] for one in names}
        return self.recipe.run(pa.table(table), key=key)


def uniqueness(profiles: dict[str, set[tuple[str, Any]]], most: int, key: bytes | None = None) -> list[float]:
    """How often 1, 2, ... values that somebody knows of a profile are found in no other one.

    >>> uniqueness({"a": {("fuel", 1), ("load", 2)}, "b": {("fuel", 1), ("load", 3)}}, 2, bytes(32))
    [0.5, 1.0]
    """
    rng = (Run(key=key) if key else Run()).rng("uniqueness")
    shares = []
    for size in range(1, most + 1):
        alone = tried = 0
        for own in profiles.values():
            known = sorted(own, key=repr)
            every = list(combinations(known, size)) if len(known) <= 2 * size or len(known) < 8 else None
            for i in range(min(DRAWS, len(every)) if every is not None else DRAWS):
                drawn = every[i] if every else [known[j] for j in rng.choice(len(known), size, replace=False)]
                alone += sum(other.issuperset(drawn) for other in profiles.values()) == 1
                tried += 1
        shares.append(alone / tried if tried else 0.0)
    return shares
