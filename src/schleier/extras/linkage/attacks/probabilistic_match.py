"""Likely matches: the attacker learns how often true pairs differ, and claims those that are likely one person."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.attack import Attack
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.core.trust.answer import Claims
from schleier.core.trust.sides import Numbers, Sides, sides_of
from schleier.core.trust.trustee import ALIAS, TARGET

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.extras.linkage._columns import Compared
    from schleier.kernels.linkage.choosing import Pairs

Share = Annotated[float, Field(gt=0, lt=1)]
ERROR = 0.05
"""Share of values of a column that an attacker takes for different in the two files where he knows no better."""


class ProbabilisticMatch(Attack):
    """Claim the records that are likely those of the targets, by the model of Fellegi and Sunter.

    >>> ProbabilisticMatch(known=["age", "sex"], threshold=0.9, rule="mutual").threshold
    0.9
    """

    reference: ClassVar[str] = (
        "Fellegi and Sunter (1969), A theory for record linkage; Winkler (1988); Linacre et al. (2022), Splink"
    )
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex", "region"], "targets": 50, "learn": False}

    threshold: Share = 0.9
    """Claims are made from this probability on that a record is the target's."""
    rule: Literal["best", "greedy", "mutual", "assignment"] = "best"
    """Which likely pairs are claimed: each target's likeliest record (best), the likeliest pairs first and each record
    once (greedy), those that are likeliest for each other (mutual), or each record once with the likeliest pairs in
    all (assignment)."""
    candidates: int = Field(default=20, ge=1, le=1000)
    """So many records of each target are weighed, the likeliest by the assumed errors among all; not used with
    blocking."""
    blocking: tuple[tuple[str, ...], ...] = ()
    """Only pairs that have the same values in all columns of one of these lists are weighed."""
    errors: dict[str, Share] = Field(default_factory=dict)
    """Share of the values of a column that he takes for different in the two files; 0.05 where not named."""
    learn: bool = True
    """Whether he learns from the files how often true pairs differ, beginning with the assumed errors."""
    frequencies: bool = True
    """Whether a rare value that agrees tells more than a frequent one."""
    contained: Share | None = None
    """Share of the targets he takes to be in the release; learnt where it is left out."""

    def at_least(self, probability: float) -> Self:
        """Claims from this probability on."""
        return self.model_copy(update={"threshold": probability})

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Errors and blocking are for known columns."""
        yield from super().problems(schema)
        known = self.keys(schema)
        for place, named in (("errors", self.errors), ("blocking", [name for rule in self.blocking for name in rule])):
            for name in dict.fromkeys(named):
                if known and name not in known:
                    message = f"the attacker does not know column '{name}'"
                    yield Problem("not-a-key", place, message, "name known columns only")

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """The likeliest pairs. A cell that stands for several values is a level of its own."""
        numeric = tuple(name for name in columns if known.schema[name].numeric or known.schema[name].scale == "time")
        sides = sides_of(released, known, numeric, "anything")
        pairs = self._pairs(self._compared(released, known, columns, sides), columns, run)
        return sides.claims(released, pairs.target, pairs.record)

    def _compared(self, released: Dataset, known: Dataset, columns: tuple[str, ...], sides: Sides) -> list[Compared]:
        from schleier.extras.linkage._columns import compared_numbers, compared_words

        schema = known.schema
        mine = known.engine.arrays(known.frame.select(TARGET, *columns)).sort_by(TARGET)
        theirs = released.engine.arrays(released.frame.select(ALIAS, *columns)).sort_by(ALIAS)
        found = []
        for j, name in enumerate(columns):
            error, numbers = self.errors.get(name, ERROR), sides.columns.get(name)
            if isinstance(numbers, Numbers):
                found.append(compared_numbers(j, numbers, error))
                continue
            given, text = schema[name].hierarchy, schema[name].scale == "text"
            tree = schema.hierarchies.get(given) if given else None
            found.append(compared_words(j, mine[name], theirs[name], error, tree, text=text))
        return found

    def _pairs(self, compared: list[Compared], columns: tuple[str, ...], run: Run) -> Pairs:
        import numpy as np

        from schleier.kernels.linkage.choosing import by_rule
        from schleier.kernels.linkage.posteriors import listed, posteriors

        targets, records = len(compared[0].codes.known), len(compared[0].codes.cells)
        target, record, weight = self._weights(compared, columns, run)
        many = None if self.blocking else self.candidates
        chance, _ = posteriors(target, weight, targets, records, contained=self.contained, many=many)
        distance, limit = -np.log(np.maximum(chance, 1e-300)), -math.log(self.threshold)
        near = listed(target, record, distance, targets, self.candidates)
        back = listed(record, target, distance, records, 1)
        return by_rule(self.rule, near, back, limit)

    def _weights(
        self, compared: list[Compared], columns: tuple[str, ...], run: Run
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        import numpy as np

        from schleier.extras.linkage._candidates import costs_of, pairs_of, rules_to_learn
        from schleier.extras.linkage._model import Model
        from schleier.kernels.linkage.penalties import nearest_records

        targets, records = len(compared[0].codes.known), len(compared[0].codes.cells)
        if not targets or not records:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0)
        rules = [tuple(columns.index(name) for name in rule if name in columns) for rule in self.blocking]
        rules = [rule for rule in rules if rule]
        learn = [rule for rule in rules or rules_to_learn(compared) if pairs_of([compared[j].codes for j in rule])]
        pairs = None
        if not rules:
            near = nearest_records(costs_of(compared), self.candidates)
            target, rank = np.nonzero(near.record >= 0)
            pairs = target.astype(np.int64), near.record[target, rank]
        # Half of the targets are in the file: where to begin, and of no weight in the end.
        model = Model(compared, prior=min(0.5 / records, 0.5), frequencies=self.frequencies)
        return model.weigh(rules, learn if self.learn else (), pairs, int(run.rng("strangers").integers(2**31)))
