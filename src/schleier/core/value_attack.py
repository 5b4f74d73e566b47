"""Attacks on values: the record is found already, and what is left to protect is what stands in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.answer import Inferred
from schleier.core.trust.trustee import refuse_too_many
from schleier.core.trust.view import Array, ValueTrustee, View, Wanted, viewed

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class ValueAttack(Technique):
    """Claims about the value of one column, judged by the trustee, compared with the same guess for all.

    The attacker has found the records of his targets: protection that relies on not being found is not counted
    (Höhne 6.2, protection of values alone).
    """

    members_only: ClassVar[bool] = True
    everybody: ClassVar[bool] = False
    """Whether the experiment needs all records, however many targets there are."""

    sensitive: str
    """The column whose value the attacker wants to learn."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    held_in: tuple[str, ...] = ()
    """The columns of the release that hold it, where it has other names there (imputed several times); the first is
    the one to be judged as it stands."""

    @property
    def tolerance(self) -> float | None:
        """How near a claimed number must be; none when texts are claimed, which must be equal."""
        return None

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive column and whatever else the attacker looks at."""
        wanted = self.wanted()
        shown = [name for name in (*wanted.numbers, *wanted.texts) if name != self.sensitive]
        return tuple(dict.fromkeys((*(self.held_in or (self.sensitive,)), *shown)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The columns must be in the release; numbers need a tolerance, and only numbers have one."""
        yield from super().problems(schema)
        wanted = self.wanted()
        own = self.held_in or (self.sensitive,)
        numbers = (*(n for n in wanted.numbers if n != self.sensitive), *(own if self.tolerance is not None else ()))
        for name in dict.fromkeys(numbers):
            if name in schema and not schema[name].numeric:
                where = "sensitive" if name == self.sensitive else "held_in" if name in self.held_in else ""
                hint = "name a column of numbers"
                yield Problem("not-numeric", where, f"column '{name}' holds no numbers", hint)
        if self.tolerance is None and own[0] in schema and schema[own[0]].scale == "continuous":
            hint = "say how near is near enough, for example within = 0.05 for a twentieth of the true value"
            message = f"column '{self.sensitive}' holds numbers that are hardly ever equal"
            yield Problem("no-tolerance", "within", message, hint)

    def wanted(self) -> Wanted:
        """Which columns the attacker looks at, and which he knows."""
        return Wanted(self.sensitive, within=self.tolerance)

    def others(self, case: Case, run: Run) -> Sequence[Dataset]:
        """Further releases of the same rows."""
        return ()

    @abstractmethod
    def claims(self, view: View) -> Array:
        """The value claimed of each target, in order; missing where nothing is claimed."""

    def facts(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """More numbers for the finding."""
        return {}

    def audit(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """What only the steward may know: how near claims come tells how far values were moved."""
        return {}

    def judge(self, view: View, trustee: ValueTrustee, claims: Array, guess: float, rare: list[int]) -> Inferred:
        """The counts that are told."""
        return trustee.judge(claims, guess, rare)

    def measure(self, case: Case, run: Run) -> Finding:
        """Try it, against the guess that needs no record, and against taking the release as it stands."""
        import numpy as np

        limit = None if self.targets == "all" else self.targets
        if self.sensitive not in case.original.schema:
            raise DataError(case.original.schema.unknown(self.sensitive))
        wanted = replace(self.wanted(), held_in=self.held_in[0] if self.held_in else None)
        view, trustee = viewed(case, wanted, None if self.everybody else limit, run, self.others(case, run))
        claims = self.claims(view)
        gap: float = np.nan if self.tolerance is not None else -1
        if self.everybody and limit is not None:
            refuse_too_many(limit, len(claims))
            view, trustee, claims = view.first(limit), trustee.first(limit), claims[:limit]
        guess, rare = self._guess(view.release[self.sensitive])
        told = self.judge(view, trustee, claims, guess, rare)
        if kept := self.audit(view, trustee, claims):
            run.note("restricted", attack=self.word(), sensitive=self.sensitive, **kept)
        untouched = np.where(trustee.missing(claims), gap, view.of_targets(self.sensitive))
        plain = trustee.judge(untouched.astype(claims.dtype), guess).correct
        low, high = told.right.interval()
        return Finding(
            name=self.word(),
            value=told.right.share,
            low=low,
            high=high,
            better=self.better,
            text=self.sentence(told, plain),
            detail={
                "known": [n for n in (*wanted.known_numbers, *wanted.known_texts) if n != self.sensitive],
                "sensitive": self.sensitive,
                "knowledge": "record",
                **told.detail(),
                "as_it_stands": plain / told.claims if told.claims else None,
                "rare": told.rare,
                "rare_correct": told.rare_correct,
                "rare_guessed": told.rare_guessed,
                "within": self.tolerance,
                **self.facts(view, trustee, claims),
            },
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Nothing where he claims by true values he knows, or by their sums: then one value moves many claims."""
        return None if self.sensitive in self.wanted().known_numbers else super().disclose(case, run, exact)

    def _guess(self, released: Array) -> tuple[float, list[int]]:
        """What can be claimed of everybody without looking at a single record, and the rarest texts."""
        from schleier.kernels.inference.restoration import likeliest_code, likeliest_number

        if self.tolerance is None:
            return likeliest_code(released)
        return likeliest_number(released, self.tolerance), []

    def sentence(self, told: Inferred, plain: int) -> str:
        """The finding in a sentence."""
        low, high = told.right.interval()
        share = plain / told.claims if told.claims else 0.0
        return (
            f"Of {told.targets} persons whose record was found, a value of '{self.sensitive}' was claimed for "
            f"{told.claims} and right for {told.correct} ({told.right.share:.2%}, 95 % interval {low:.2%} to "
            f"{high:.2%}); the released value as it stands is right for {share:.2%} of them, the same guess for all "
            f"for {told.baseline:.2%}."
        )

    def phrase(self, finding: Finding) -> Finding:
        """With how often the release is right as it stands: a technique may make less of it."""
        told, share = super().phrase(finding), finding.detail.get("as_it_stands")
        also = "" if share is None else f" The released value as it stands is right for about {share:.0%} of them."
        return told.model_copy(update={"text": told.text + also})


class NumberAttack(ValueAttack):
    """An attack on a column of numbers."""

    within: float = Field(default=0.05, gt=0)
    """A claim is right when it is off by at most this share of the true value (Höhne 6.2: 5 %)."""

    @property
    def tolerance(self) -> float | None:
        """The share of the true value."""
        return self.within
