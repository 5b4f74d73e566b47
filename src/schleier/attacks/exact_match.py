"""Exact matching: the simplest attack, and the one every curious neighbour can carry out."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._coding_variants import coded, codings
from schleier.attacks._common_keys import CommonKeys, common_keys
from schleier.attacks._sub_keys import count_sub_keys, try_sub_keys
from schleier.core.attack import Attack
from schleier.core.component import listed
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.trust.answer import Answer
from schleier.core.trust.trustee import ALIAS, SET, TARGET, Trustee, draw_targets, harmonised, knowable

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

MOST_SUB_KEYS = 20_000
MOST_VERSIONS = 1_024


class ExactMatch(Attack):
    """Claim a record when it is the only one with the known values of a target, and the target the only one with them.

    >>> ExactMatch(known=["age", "sex"], targets=100).known
    ('age', 'sex')
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche, Wirth et al. (1991), 9.1 einfache Abgleichtechnik (M-01)"
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex"], "targets": 50}

    sub_keys: int | None = Field(default=None, ge=1)
    """The holder also reads what every set of at most so many of the known columns finds."""
    variants: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """For a known column that was coded in several ways, the further columns of the file with the other codes. Every
    combination of codes is matched, and what any of them finds is claimed."""
    fallback: Literal["missing", "first"] = "missing"
    """Who has no other code: the gap is matched as such, or the first code is taken."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, by all keys."""
        return [cls()] if knowable(case, case.released.schema.quasi) else []

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Other codes are of known columns, in a file; no more sub-keys and versions than can be tried."""
        yield from super().problems(schema)
        known = self.keys(schema)
        for name in self.variants:
            if known and name not in known:
                message = f"the attacker does not know column '{name}'"
                yield Problem("not-a-key", "variants", message, "name known columns only")
        if self.variants and self.knowledge != "file":
            message = "other codes are in a file of known persons"
            yield Problem("variants-without-file", "variants", message, 'set knowledge = "file"')
        versions = prod(len(others) + 1 for others in self.variants.values())
        if versions > MOST_VERSIONS:
            message = f"{versions} versions of the file are more than {MOST_VERSIONS}"
            yield Problem("too-many-versions", "variants", message, "name fewer columns with other codes")
        tried = count_sub_keys(len(known), self.sub_keys or 0)
        if tried > MOST_SUB_KEYS:
            message = f"{tried} sub-keys are more than {MOST_SUB_KEYS}"
            yield Problem("too-many-sub-keys", "sub_keys", message, "set sub_keys lower, or name fewer known columns")

    def coded_again(self) -> dict[str, str]:
        """The columns with the other codes."""
        return {other: name for name, others in self.variants.items() for other in others}

    def control(self, case: Case) -> tuple[Self, Case] | None:
        """The same attack on people who are not in the release, by all its columns."""
        found = super().control(case)
        return None if found is None else (found[0].model_copy(update={"sub_keys": None}), found[1])

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> nw.LazyFrame[Any]:
        """One-to-one matches of the known columns; missing is a value of its own and matches missing."""
        return common_keys(released, known, columns).unique()

    def tried(self, trustee: Trustee, case: Case, run: Run) -> tuple[Answer, dict[str, Any]]:
        """The answer, and for the holder how many stand behind a key, why links are wrong, versions and sub-keys."""
        columns = self.columns(case)
        first = common_keys(trustee.released, trustee.known, columns)
        claims, beside = self._versions(trustee, first, case, run) if self.variants else (first.unique(), {})
        answer, inside = trustee.answer_twice(claims)
        beside = {**first.relations(), **self._causes(trustee, first, answer, inside), **beside}
        if self.sub_keys is not None:
            beside["sub_keys"] = try_sub_keys(trustee, columns, self.sub_keys)
        return answer, beside

    def _causes(self, trustee: Trustee, first: CommonKeys, answer: Answer, inside: Answer) -> dict[str, int | None]:
        """Who is recorded alike in both files, and where the own record of a wrong link is (C-MAT-4)."""
        return {
            "identical": trustee.alike(first.targets, first.records),
            "false_recorded_otherwise": inside.correct - answer.correct,
            "false_not_released": inside.claims - inside.correct,
        }

    def _versions(
        self, trustee: Trustee, first: CommonKeys, case: Case, run: Run
    ) -> tuple[nw.LazyFrame[Any], dict[str, Any]]:
        """What any version of the file claims, and for the holder what each does."""
        import narwhals as nw

        people, columns = self._people(case), self.columns(case)
        targets = None if self.targets == "all" else self.targets
        every, parts = list(codings(self.variants)), list[Any]()
        for place, coding in enumerate(every):
            found = first
            if place:
                # Draws follow from the row key: in every version the same persons have the same aliases.
                chosen = draw_targets(coded(people, self.variants, coding, self.fallback), targets, run)
                found = common_keys(trustee.released, harmonised(chosen, case.steps, columns, run), columns)
            parts.append(found.unique().select(nw.lit(place).alias(SET), TARGET, ALIAS))
        claims = trustee.released.engine.keep(nw.concat(parts))
        right = trustee.answers(claims)
        told = [dict(zip(("claims", "correct"), right.get(i, (0, 0)), strict=True)) for i in range(len(every))]
        versions = [{"codes": list(coding), **one} for coding, one in zip(every, told, strict=True)]
        return claims.select(TARGET, ALIAS), {"versions": versions}

    def _people(self, case: Case) -> Dataset:
        """The file of known persons, which has all the other codes."""
        if case.known is None:
            hint = 'name the files under [data]: known = "...", truth = "..."'
            raise DataError(Problem("no-knowledge", "data", "there is no file of what an attacker knows", hint))
        absent = [name for others in self.variants.values() for name in others if name not in case.known.schema]
        if absent:
            message = f"the file of known persons has no column {listed(absent)}"
            raise DataError(Problem("unknown-column", "variants", message))
        return case.known
