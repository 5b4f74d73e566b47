"""Exclusion: what cannot be is struck out, and what is left may be certain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from schleier.attacks._possible import possible_columns
from schleier.core.attack import Attack
from schleier.core.classes.table import sorted_codes
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.answer import Claims, Inferred
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.possible import may_hold
from schleier.core.trust.sides import Sides, sides_of
from schleier.core.trust.trustee import ALIAS, CLAIM, TARGET, draw_targets

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.linkage.possible import Remaining

TINY = 1e-9
Labels = Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Struck:
    """What is left of the release for each target."""

    sides: Sides
    values: pa.Array = field(repr=False)
    totals: NDArray[np.int64] = field(repr=False)
    """The values of the sensitive column, and how many records have each."""
    left: Remaining

    def sure(self, share: float) -> NDArray[np.bool_]:
        """Of whom a value is claimed."""
        import numpy as np

        return np.asarray((self.left.item >= 0) & (self.left.many >= share * self.left.left - TINY))


class Exclusion(Attack):
    """Strike out records whose value is impossible for a target, and claim the value that all others have.

    >>> Exclusion(sensitive="disease", impossible={"pregnancy": {"age": ["<12"], "sex": ["m"]}}).sure
    1.0
    """

    reference: ClassVar[str] = (
        "Kneuper (2025), what k-anonymity protects (K-043): background knowledge excludes members"
    )
    example: ClassVar[dict[str, object]] = {
        "sensitive": "disease",
        "known": ["age", "sex", "region"],
        "impossible": {"rare": {"age": [">=88"]}},
        "targets": 100,
    }
    openness: ClassVar[Openness] = USUAL | Openness(shares={"certain_before": "targets"})

    sensitive: str
    """The column whose value the attacker wants to learn."""
    impossible: dict[str, dict[str, Labels]] = Field(min_length=1)
    """For a value of it, who cannot have it: by known column the values or ranges that rule it out, such as "m", "<12",
    ">=60" or "20-29". One of them is enough."""
    sure: float = Field(default=1.0, gt=0, le=1)
    """He claims a value only when at least this share of the records left has it."""

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """What he knows: the value he wants is never part of it."""
        return self.known or tuple(name for name in schema.quasi if name != self.sensitive)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The known columns and the sensitive one."""
        return tuple(dict.fromkeys((*self.keys(schema), self.sensitive)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only what is known rules something out, and only values that can be equal are claimed."""
        yield from super().problems(schema)
        known = self.keys(schema)
        if self.sensitive in self.known:
            hint = "take it out of known, or ask for another column"
            message = f"column '{self.sensitive}' is known already and need not be learned"
            yield Problem("sensitive-key", "sensitive", message, hint)
        for name in dict.fromkeys(name for rules in self.impossible.values() for name in rules):
            if known and name not in known:
                message = f"the attacker does not know column '{name}'"
                yield Problem("not-a-key", "impossible", message, "name known columns only")
        if self.sensitive in schema and schema[self.sensitive].scale == "continuous":
            message = f"column '{self.sensitive}' holds numbers that are hardly ever equal"
            yield Problem("no-tolerance", "sensitive", message, "coarsen it, or use attribute_inference with within")

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """Targets and the value that is left for them; here what is known of them is all there is to judge by."""
        return self._claims(released, self._struck(released, known, known, columns))

    def measure(self, case: Case, run: Run) -> Finding:
        """Try it on people in the release, against the guess that needs no record, and on people who are not in it."""
        told, struck = self._inferred(case, run)
        outsiders = self.control(case)
        control = outsiders and outsiders[0]._inferred(outsiders[1], run)[0]
        low, high = told.right.interval()
        left, before = struck.left.left, struck.left
        some = left[left > 0]
        text = (
            f"Of {told.targets} persons, a value of '{self.sensitive}' was left for {told.claims} and right for "
            f"{told.correct} ({told.right.share:.2%}, 95 % interval {low:.2%} to {high:.2%}); the same guess for "
            f"all would be right for {told.baseline:.2%} of them."
        )
        certain = (before.most > 0) & (before.most >= self.sure * before.candidates - TINY)
        detail = {
            "sensitive": self.sensitive,
            **told.detail(),
            "sure": self.sure,
            "certain_before": int(certain.sum()),
            "smallest_left": int(some.min()) if len(some) else None,
            "struck_share": float(1 - left.sum() / max(before.candidates.sum(), 1)),
            "rare": told.rare,
            "rare_correct": told.rare_correct,
            "rare_guessed": told.rare_guessed,
            "control_targets": control and control.targets,
            "control_claims": control and control.claims / max(control.targets, 1),
            "control_right": control and control.right.share,
        }
        return self.found(case, told.right, text, detail)

    def _inferred(self, case: Case, run: Run) -> tuple[Inferred, Struck]:
        import numpy as np

        trustee, columns = self.trustee(case, run, sensitive=self.sensitive), self.columns(case)
        people = case.known if self.knowledge == "file" and case.known is not None else case.original
        # The rules go by what he knows exactly, not by what the release would make of it; draws give the same aliases.
        exact = draw_targets(people, None if self.targets == "all" else self.targets, run)
        struck = self._struck(trustee.released, trustee.known, exact, columns)
        claims = self._claims(trustee.released, struck)
        words, totals = struck.values.to_pylist(), struck.totals
        common = words[int(np.argmax(totals))] if len(words) else None
        few = {word for word, n in zip(words, totals, strict=True) if n == totals.min()} if len(words) > 1 else set()
        told = trustee.judge(claims.pairs, common, few - {common}, None)
        self.refuse_strangers(told.contained, case)
        return told, struck

    def _struck(self, released: Dataset, known: Dataset, exact: Dataset, columns: tuple[str, ...]) -> Struck:
        import narwhals as nw
        import numpy as np

        from schleier.kernels.linkage.possible import remaining

        sides = sides_of(released, known, columns, "anything")
        own = nw.col(self.sensitive).cast(nw.String).alias(self.sensitive)
        table = released.engine.arrays(released.frame.select(ALIAS, own)).sort_by(ALIAS)
        values, items = sorted_codes(table[self.sensitive])
        totals = np.bincount(items[items >= 0], minlength=len(values)).astype(np.int64)
        excluded = self._excluded(exact, values.to_pylist(), len(sides.targets))
        left = remaining(possible_columns(sides, columns), items.astype(np.int64), excluded, totals)
        return Struck(sides, values, totals, left)

    def _excluded(self, exact: Dataset, values: list[str], targets: int) -> NDArray[np.bool_]:
        """By target and value whether the target cannot have it."""
        import numpy as np
        import pyarrow as pa

        names = tuple(dict.fromkeys(name for rules in self.impossible.values() for name in rules))
        table = exact.engine.arrays(exact.frame.select(TARGET, *names)).sort_by(TARGET)
        result = np.zeros((targets, len(values)), dtype=np.bool_)
        for name in names:
            held, codes = sorted_codes(table[name])
            given = exact.schema[name].hierarchy
            for j, value in enumerate(values):
                if labels := self.impossible.get(value, {}).get(name):
                    met = may_hold(pa.array(labels), held, exact.schema.hierarchies.get(given or "")).any(axis=0)
                    result[:, j] |= np.append(met, np.False_)[codes]
        return result

    def _claims(self, released: Dataset, struck: Struck) -> Claims:
        import numpy as np
        import pyarrow as pa

        from schleier.core.engine import Source

        who = np.flatnonzero(struck.sure(self.sure))
        value = struck.values.take(pa.array(struck.left.item[who]))
        pairs: dict[str, Any] = {TARGET: struck.sides.targets.take(pa.array(who)), CLAIM: value}
        return Claims(released.engine.read(Source(pa.table(pairs))))
