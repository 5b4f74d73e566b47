"""Known pair: whoever knows the pseudonyms of some persons reads them wherever they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from schleier.attacks._pseudonyms import PseudonymAttack
from schleier.core.measure import Case
from schleier.core.trust.coarse import USUAL, Openness

if TYPE_CHECKING:
    from schleier.core.run import Run
    from schleier.core.trust.pseudonyms import NameTrustee, Pseudonyms


class KnownPair(PseudonymAttack):
    """Claim of every pseudonym the value that it has in a record the attacker knows.

    >>> KnownPair(sensitive="surname", pairs=5).pairs
    5
    """

    reference: ClassVar[str] = "Article 29 Working Party (2014), Opinion 05/2014 (WP216): pseudonymisation"
    example: ClassVar[dict[str, object]] = {"sensitive": "region", "pairs": 40, "targets": 100}
    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"pairs"}))

    pairs: int = Field(default=10, ge=1)
    """So many of the targets' records the attacker knows; he wants to learn of the others."""

    def claimed(
        self, seen: Pseudonyms, trustee: NameTrustee, case: Case, run: Run
    ) -> tuple[Mapping[str, str], dict[str, Any]]:
        """What the known records say of each pseudonym; where they disagree, what most say."""
        votes = dict[str, Counter[str]]()
        for shown, true in trustee.known_pairs(self.pairs):
            votes.setdefault(self.part(shown), Counter())[self.part(true)] += 1
        known = {shown: min(said, key=lambda one: (-said[one], one)) for shown, said in votes.items()}
        told = {value: known[part] for value in seen.values if (part := self.part(value)) in known}
        return told, {"pairs": self.pairs}

    def judges(self, seen: Pseudonyms, trustee: NameTrustee, claimed: Mapping[str, str]) -> NameTrustee:
        """The targets that are not known already."""
        return trustee.without(self.pairs).read_as(self.part)

    def part(self, text: str) -> str:
        """What of a value, and of a pseudonym, is looked at: all of it."""
        return text
