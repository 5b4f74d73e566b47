"""Anchor date: one date that is known undoes the shift of all others of the same unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.attacks._pseudonyms import PseudonymAttack
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.trust.dates import dated

if TYPE_CHECKING:
    from schleier.core.run import Run
    from schleier.core.trust.pseudonyms import NameTrustee, Pseudonyms

HINT = 'give the column that says whose a record is the role "unit", or name another date as anchor'


class AnchorDate(PseudonymAttack):
    """Claim for each date the released one less the shift of a date that is known.

    Known is one date of each unit, or with ``anchor`` another date of the same record.

    >>> AnchorDate(sensitive="discharged", anchor="admitted").anchor
    'admitted'
    """

    reference: ClassVar[str] = "Hripcsak, Mirhaji, Low and Malin (2016), Preserving temporal relations in clinical data"
    example: ClassVar[dict[str, object]] = {"sensitive": "born", "targets": 100}

    anchor: str | None = None
    """A date of the same record that the attacker knows; without it he knows one record of each unit."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The dates, and whose they are."""
        more = (self.anchor,) if self.anchor else schema.having("unit")[:1]
        return tuple(dict.fromkeys((*super().uses(schema), *more)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Something must be known."""
        yield from super().problems(schema)
        if self.anchor is None and not schema.having("unit"):
            yield Problem("no-unit", "attack", "there is no unit column", HINT)
        if self.anchor is not None and self.anchor == self.sensitive:
            message = f"column '{self.anchor}' is known already and need not be learned"
            yield Problem("known-already", "anchor", message, "name another date")

    def claimed(
        self, seen: Pseudonyms, trustee: NameTrustee, case: Case, run: Run
    ) -> tuple[Mapping[str, str], dict[str, Any]]:
        """Dates are claimed record by record: see ``setting``."""
        return trustee.private, {}

    def setting(self, case: Case, run: Run) -> tuple[Pseudonyms, NameTrustee]:
        """The released dates of targets, and what the known ones make of them."""
        if self.anchor is None and not case.released.schema.having("unit"):
            raise DataError(Problem("no-unit", "attack", "there is no unit column", HINT))
        return dated(case, self.sensitive, self.held, self.anchor, self.limit, run)
