"""Attribute inference: learn a value of a person without finding the record."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import Field

from schleier.core.attack import Attack
from schleier.core.data import named
from schleier.core.errors import Problem
from schleier.core.matching import matched
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import MOST
from schleier.core.trust.answer import Inferred
from schleier.core.trust.coarse import USUAL, Openness, learned_of
from schleier.core.trust.trustee import CLAIM, TARGET, knowable
from schleier.kernels.statistics.trials import Gain, Paired

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.run import Run

ITEM, COUNT = "_item_", "_n_"
TINY = 1e-9
MANY = 100_000
"""Records up to which further releases are made without being asked for."""
GAINS = ("skill", "odds_ratio", "bits")


@dataclass(frozen=True)
class Guess:
    """What the release says of everybody."""

    value: str | float | None
    """The most frequent value, or the mean; nothing when there is no value."""
    rare: Collection[str] = ()
    """The least frequent value, or values; none when there is only one value."""


class AttributeInference(Attack):
    """Claim for each target the value that most of the records have which the target could be.

    >>> AttributeInference(sensitive="disease", known=["age", "sex"], sure=0.9).sure
    0.9
    """

    reference: ClassVar[str] = "Bitkom (2020), 2.1, attribute prediction; Machanavajjhala et al. (2007), homogeneity"
    example: ClassVar[dict[str, object]] = {"sensitive": "disease", "known": ["age", "sex", "region"], "targets": 100}

    # One person more counts in the skill as one of those whom the guess gets wrong.
    openness: ClassVar[Openness] = USUAL | Openness(shares={"skill": "guessed_wrong"})

    sensitive: str
    """The column whose value the attacker wants to learn."""
    sure: float = Field(default=0.0, ge=0, le=1)
    """He claims a value only when at least this share of the matching records has it."""
    within: float | None = Field(default=None, gt=0)
    """For numbers: claim the mean of the matching records; right when off by at most this share of the true value."""

    without: int = Field(default=200, ge=0)
    """For so many targets at most it is also seen what a release made without them says of them; 0 for none. One in
    twenty records at most is left out at once, so that up to four further releases are made."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, for each sensitive column by all keys."""
        before, after = case.original.schema, case.released.schema
        columns = [c for c in after if c.role == "sensitive" and c.name in before][:MOST]
        columns = columns if knowable(case, after.quasi) else []
        more = {} if case.released.rows <= MANY else {"without": 0}
        return [cls(sensitive=c.name, within=0.05 if c.scale == "continuous" else None, **more) for c in columns]

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """What he knows: the value he wants is never part of it unless named."""
        return self.known or tuple(name for name in schema.quasi if name != self.sensitive)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The known columns and the sensitive one."""
        return tuple(dict.fromkeys((*self.keys(schema), self.sensitive)))

    def at_least(self, probability: float) -> Self:
        """Claims what so large a share of those who look alike have."""
        return self.model_copy(update={"sure": probability})

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """What is known need not be learned; numbers need a tolerance, and only numbers have one."""
        yield from super().problems(schema)
        if self.sensitive in self.known:
            hint = "take it out of known, or ask for another column"
            message = f"column '{self.sensitive}' is known already and need not be learned"
            yield Problem("sensitive-key", "sensitive", message, hint)
        if self.sensitive not in schema:
            return
        column = schema[self.sensitive]
        if self.within is not None and not column.numeric:
            hint = "leave out within: a value that is no number is right when it is equal"
            yield Problem("not-numeric", "within", f"column '{column.name}' holds no numbers", hint)
        if self.within is None and column.scale == "continuous":
            hint = "say how near is near enough, for example within = 0.1 for a tenth of the true value"
            message = f"column '{column.name}' holds numbers that are hardly ever equal"
            yield Problem("no-tolerance", "within", message, hint)

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> nw.LazyFrame[Any]:
        """Targets with the value claimed; those without a claim are left out."""
        import narwhals as nw
        import numpy as np
        import pyarrow as pa

        from schleier.core.classes.table import pa_concat, sorted_codes
        from schleier.kernels.classes.coding import add_up
        from schleier.kernels.inference.candidates import candidates

        texts = {f"_key{i}_": nw.col(name).cast(nw.String) for i, name in enumerate(columns)}
        table = self._grouped(released, texts)
        asked = released.engine.arrays(known.frame.select(*named(texts)).unique())
        coded = [sorted_codes(pa_concat([table[name], asked[name]]))[1] for name in texts]
        codes = np.stack(coded, axis=1)
        items, coded_items = sorted_codes(table[ITEM])
        item, counts = coded_items.astype(np.int64), table[COUNT].to_numpy()
        found = candidates(codes[len(table) :], codes[: len(table)], item, counts)
        totals = add_up(counts, item % (len(items) + 1), len(items) + 1)  # no value is the last one
        value = self._claims(items, totals, found, len(asked))
        claims = pa.table({**{name: asked[name] for name in texts}, CLAIM: value})
        mine = replace(known, frame=known.frame.select(TARGET, **texts))
        told = matched(mine, claims.filter(claims[CLAIM].is_valid()), list(texts))
        return told.frame.select(TARGET, CLAIM).filter(~nw.col(CLAIM).is_null())

    def measure(self, case: Case, run: Run) -> Finding:
        """Try it on people in the release, against the guess that needs no record, and on people who are not in it."""
        told, alone = self._infer(case, run)
        outsiders = self.control(case)
        control = outsiders and outsiders[0].model_copy(update={"without": 0})._infer(outsiders[1], run)[0]
        low, high = told.right.interval()
        return Finding(
            name=self.word(),
            value=told.right.share,
            low=low,
            high=high,
            better=self.better,
            text=self._sentence(told, alone),
            detail={
                "known": list(self.columns(case)),
                "sensitive": self.sensitive,
                "knowledge": self.knowledge,
                **told.detail(),
                "lift": told.right.share / told.baseline if told.baseline else None,
                "rare": told.rare,
                "rare_correct": told.rare_correct,
                "rare_guessed": told.rare_guessed,
                "sure": self.sure or None,
                "within": self.within,
                "control_targets": control and control.targets,
                "control_claims": control and control.claims / max(control.targets, 1),
                "control_right": control and control.right.share,
                **_gains(told.gain),
                **_own(alone),
            },
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Intervals in coarse steps; the gain on another scale follows from the same blocks of counts."""
        skill, wrong = learned_of(exact).skill
        told = {"skill": skill if exact.detail.get("skill") is not None else None, "guessed_wrong": wrong}
        return super().disclose(case, run, exact.model_copy(update={"detail": {**exact.detail, **told}}))

    def _infer(self, case: Case, run: Run) -> tuple[Inferred, Gain]:
        trustee = self.trustee(case, run, sensitive=self.sensitive, numbers=self.within is not None)
        guess = self._guess(trustee.released)
        claims = self.claim(trustee.released, trustee.known, self.columns(case), run)
        told = trustee.judge(claims, guess.value, guess.rare, self.within)
        self.refuse_strangers(told.contained, case)
        found = []
        for some, released in trustee.turns(case, self.without, run):
            mine = replace(trustee.known, frame=trustee.known.frame.join(some, on=TARGET, how="inner"))
            others = self.claim(released, mine, self.columns(case), run)
            found.append(trustee.compare(some, claims, others, self._guess(released).value, self.within))
        cells = [[getattr(one, name) for one in found] for name in ("both", "gained", "lost", "neither")]
        return told, Gain(*map(sum, cells))

    def _guess(self, released: Dataset) -> Guess:
        """What can be claimed of everybody without looking at a single record."""
        import numpy as np

        from schleier.kernels.inference.candidates import typical

        table = self._grouped(released, {}).sort_by(ITEM)
        table = table.filter(table[ITEM].is_valid())
        counts, values = table[COUNT].to_numpy(), table[ITEM]
        if not len(counts):
            return Guess(None)
        if self.within is not None:
            nobody = np.zeros(len(counts), dtype=np.int64)
            return Guess(float(typical(nobody, values.to_numpy(), counts, self.within, 1)[0][0]))
        words = values.to_pylist()
        rare = {word for word, n in zip(words, counts, strict=True) if n == counts.min()} if len(words) > 1 else set()
        common = words[int(np.argmax(counts))]
        return Guess(common, rare - {common})

    def _grouped(self, released: Dataset, texts: dict[str, nw.Expr]) -> pa.Table:
        """How often each value occurs with each combination of keys: all that leaves the engine."""
        import narwhals as nw

        value = nw.col(self.sensitive).cast(nw.String if self.within is None else nw.Float64)
        groups = released.frame.select(*named(texts), value.alias(ITEM)).group_by(*texts, ITEM).agg(**{COUNT: nw.len()})
        return released.engine.arrays(groups)

    def _claims(self, items: pa.Array, totals: Any, found: tuple[Any, Any, Any], size: int) -> pa.Array:
        """What is claimed of each known combination; missing where nothing is."""
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.inference.candidates import likeliest, typical

        places, item, amounts = found
        if self.within is not None:
            values = np.append(items.to_numpy(zero_copy_only=False), np.nan)[item]
            mean, share = typical(places, values, amounts, self.within, size)
            return pa.array(mean, mask=np.isnan(mean) | (share < self.sure - TINY))
        best, share = likeliest(places, item, amounts, totals, size)
        return items.take(pa.array(best, mask=(best < 0) | (share < self.sure - TINY)))

    def _sentence(self, told: Inferred, alone: Gain) -> str:
        low, high = told.right.interval()
        less, more = told.against_guess.interval()
        rare = f" Of {told.rare} persons with the rarest value, {told.rare_correct} were told." if told.rare else ""
        return (
            f"Of {told.targets} persons, a value of '{self.sensitive}' was claimed for {told.claims} and right for "
            f"{told.correct} ({told.right.share:.2%}, 95 % interval {low:.2%} to {high:.2%}); the same guess for all "
            f"would be right for {told.baseline:.2%} of them (difference {100 * told.against_guess.difference:.2f} "
            f"points, 95 % interval {100 * less:.2f} to {100 * more:.2f}).{rare}{_without(alone)}"
        )


def _gains(gain: Gain) -> dict[str, Any]:
    """The gain on another scale (B-028), each with its interval; nothing where it is not a number."""
    intervals = gain.skill_interval(), gain.odds_interval(), gain.bits_interval()
    found: dict[str, Any] = {}
    for name, ends in zip(GAINS, intervals, strict=True):
        values = {name: getattr(gain, name), f"{name}_low": ends[0], f"{name}_high": ends[1]}
        found |= {one: value if gain.attempts and math.isfinite(value) else None for one, value in values.items()}
    return {**found, "guessed_wrong": gain.neither + gain.gained}


def _own(gain: Gain) -> dict[str, Any]:
    """What a person's own record adds: with a release made without it, of the same persons."""
    if not (many := gain.attempts):
        return {"left_out": 0, **dict.fromkeys(("right_with", "right_without", "own", "own_low", "own_high"))}
    pairs = Paired(gain.gained, gain.lost, many)
    low, high = pairs.interval()
    shares = {"right_with": (gain.both + gain.gained) / many, "right_without": (gain.both + gain.lost) / many}
    return {"left_out": many, **shares, "own": pairs.difference, "own_low": low, "own_high": high}


def _without(gain: Gain) -> str:
    if not gain.attempts:
        return ""
    own = _own(gain)
    return (
        f" Made without {own['left_out']} of them, the release is right for {own['right_without']:.2%} of these, with "
        f"them for {own['right_with']:.2%} (own contribution {100 * own['own']:.2f} points, 95 % interval "
        f"{100 * own['own_low']:.2f} to {100 * own['own_high']:.2f})."
    )
