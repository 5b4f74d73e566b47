"""Frequency match: a pseudonym that is as frequent as a surname is likely to be that surname."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from schleier.attacks._pseudonyms import PseudonymAttack
from schleier.core.component import secret
from schleier.core.measure import Case

if TYPE_CHECKING:
    from schleier.core.run import Run
    from schleier.core.trust.pseudonyms import NameTrustee, Pseudonyms


class FrequencyMatch(PseudonymAttack):
    """Claim that the most frequent pseudonym is the most frequent value, the second the second, and so on.

    >>> FrequencyMatch(sensitive="surname", ranks=20).ranks
    20
    """

    reference: ClassVar[str] = (
        "Naveed, Kamara and Wright (2015), Inference attacks on property-preserving encrypted data"
    )
    example: ClassVar[dict[str, object]] = {"sensitive": "disease", "targets": 100}

    ranks: int = Field(default=10, ge=1)
    """So many of the most frequent pseudonyms are claimed."""
    common: tuple[str, ...] = secret(())
    """A public list of values, the most frequent first; without one he knows how frequent the true values are."""

    def claimed(
        self, seen: Pseudonyms, trustee: NameTrustee, case: Case, run: Run
    ) -> tuple[Mapping[str, str], dict[str, Any]]:
        """Pseudonyms and values of the same rank; of equally frequent ones the first in the alphabet."""
        order = sorted(range(len(seen.values)), key=lambda place: (-int(seen.counts[place]), place))
        first = [seen.values[place] for place in order[: self.ranks]]
        return dict(zip(first, self.common or trustee.ranking(), strict=False)), {}
