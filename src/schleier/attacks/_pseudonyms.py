"""Attacks on pseudonyms: what does the value that a pseudonym stands for read?"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.measure import Case, Finding
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.pseudonyms import NameTrustee, Pseudonyms, pseudonyms_seen
from schleier.core.value_attack import ValueAttack

if TYPE_CHECKING:
    from schleier.core.run import Run
    from schleier.core.trust.view import Array, View

MANY = 1000
"""Pseudonyms that are looked at to see what they are."""


class PseudonymAttack(ValueAttack):
    """Claims of pseudonyms, judged person by person; right is what reads exactly like the value of the original."""

    openness: ClassVar[Openness] = USUAL

    @abstractmethod
    def claimed(
        self, seen: Pseudonyms, trustee: NameTrustee, case: Case, run: Run
    ) -> tuple[Mapping[str, str], dict[str, Any]]:
        """Which value each pseudonym is claimed to stand for, and further numbers for the finding."""

    def claims(self, view: View) -> Array:
        """Nothing: it claims of pseudonyms, not of persons."""
        raise NotImplementedError

    def judges(self, seen: Pseudonyms, trustee: NameTrustee, claimed: Mapping[str, str]) -> NameTrustee:
        """Who judges the claims."""
        return trustee

    def guess(self, seen: Pseudonyms, claimed: Mapping[str, str]) -> str | None:
        """What can be claimed of everybody alike: the value behind the most frequent pseudonym."""
        if not seen.values:
            return None
        return claimed.get(seen.values[int(seen.counts.argmax())])

    def setting(self, case: Case, run: Run) -> tuple[Pseudonyms, NameTrustee]:
        """What is seen, and who judges."""
        return pseudonyms_seen(case, self.sensitive, self.held, self.limit, run)

    @property
    def held(self) -> str | None:
        """What the column is called in the release, where that is another name."""
        return self.held_in[0] if self.held_in else None

    @property
    def limit(self) -> int | None:
        """How many targets there are; nothing for all."""
        return None if self.targets == "all" else self.targets

    def measure(self, case: Case, run: Run) -> Finding:
        """Try it, against the same guess for all, and against taking pseudonyms for values."""
        seen, trustee = self.setting(case, run)
        claimed, facts = self.claimed(seen, trustee, case, run)
        told, plain = self.judges(seen, trustee, claimed).judge(claimed, self.guess(seen, claimed))
        low, high = told.right.interval()
        return Finding(
            name=self.word(),
            value=told.right.share,
            low=low,
            high=high,
            better=self.better,
            text=self.sentence(told, plain),
            detail={
                "known": [],
                "sensitive": self.sensitive,
                "knowledge": "record",
                **told.detail(),
                "as_it_stands": plain / told.claims if told.claims and not trustee.private else None,
                "within": None,
                **facts,
            },
        )


def as_they_stand(seen: Pseudonyms) -> dict[str, str]:
    """Values taken for what they are: no pseudonyms."""
    return {value: value for value in seen.values}
