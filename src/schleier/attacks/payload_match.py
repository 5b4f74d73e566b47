"""Payload match: what stands beside a pseudonym tells whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from schleier.attacks._common_keys import common_keys
from schleier.core.attack import Attack
from schleier.core.schema import CONTENT, Schema

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run


class PayloadMatch(Attack):
    """Claim a record when its contents, whatever its pseudonym is, are those of one target alone.

    >>> PayloadMatch(known=["age", "disease"]).known
    ('age', 'disease')
    """

    reference: ClassVar[str] = "Article 29 Working Party (2014), Opinion 05/2014 (WP216): pseudonymisation"
    example: ClassVar[dict[str, object]] = {"known": ["age", "region", "disease"], "targets": 50}

    known: tuple[str, ...] = ()
    """Columns the attacker knows about a target; all with contents, also sensitive ones, when empty."""

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """What the attacker knows."""
        return self.known or schema.having(*CONTENT)

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> nw.LazyFrame[Any]:
        """One-to-one matches of the contents; missing is a value of its own and matches missing."""
        told = columns if self.known else tuple(name for name in columns if _in_both(released, known, name))
        return common_keys(released, known, told or columns).unique()


def _in_both(released: Dataset, known: Dataset, name: str) -> bool:
    """Whether a column has a value that the attacker knows: pseudonyms have none."""
    import narwhals as nw

    one, other = (side.frame.select(nw.col(name)).drop_nulls().unique() for side in (released, known))
    return int(released.engine.arrays(one.join(other, on=name, how="inner").select(n=nw.len()))["n"][0].as_py()) > 0
