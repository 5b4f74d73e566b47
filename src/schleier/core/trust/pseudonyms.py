"""What an attacker on pseudonyms sees, and the trustee who alone knows whom they stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from schleier.core.errors import DataError
from schleier.core.trust.answer import Inferred
from schleier.core.trust.trustee import TARGET, draw_targets
from schleier.core.trust.view import NOBODY, ValueTrustee

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

Told = str | None
KEY, TEXT = "_truth_", "_text_"


@dataclass(frozen=True)
class Pseudonyms:
    """The pseudonyms of a release, each once and in order, and how often each stands there."""

    values: tuple[str, ...] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Where each stands among them."""
        return {value: place for place, value in enumerate(self.values)}


@dataclass(frozen=True)
class NameTrustee:
    """Holds what pseudonyms stand for, target by target, and answers with counts."""

    _true: Sequence[Told] = field(repr=False)
    _shown: Sequence[Told] = field(repr=False)
    """The pseudonym of each target; nothing where it has none, or is not in the release."""
    _who: pa.ChunkedArray = field(repr=False)
    private: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Claims an attacker makes record by record, under numbers in place of pseudonyms."""

    @property
    def targets(self) -> int:
        """Persons of whom the value is to be learned."""
        return len(self._true)

    @cached_property
    def unchanged(self) -> bool:
        """Whether every target has the value that the original has: then that may be a pseudonym, too."""
        return all(true == shown for true, shown in self._pairs())

    def known_pairs(self, many: int) -> list[tuple[str, str]]:
        """What an attacker knows who has seen some records: pseudonyms of the first targets with their values."""
        return [(shown, true) for true, shown in self._pairs(many) if shown is not None]

    def ranking(self) -> list[str]:
        """The values of the targets, the most frequent first: what a register of the same population would tell."""
        counts = Counter(true for true, _ in self._pairs())
        return sorted(counts, key=lambda true: (-counts[true], true))

    def read_as(self, part: Callable[[str], str]) -> NameTrustee:
        """The trustee where only a part of each value is to be learned."""
        return NameTrustee([None if one is None else part(one) for one in self._true], self._shown, self._who)

    def without(self, many: int) -> NameTrustee:
        """The trustee of all targets but the first ones."""
        return NameTrustee(self._true[many:], self._shown[many:], self._who.slice(many))

    def proven(self, claimed: Mapping[str, str]) -> NameTrustee:
        """The trustee where it is proven what some pseudonyms stand for, and nobody knows it of the others."""
        true = [claimed.get(one or "", one) for one in self._shown]
        return NameTrustee(true, self._shown, self._who)

    def would_be_found(self, fits: Callable[[list[str], list[str]], Sequence[bool]]) -> dict[str, str]:
        """Pseudonyms with their values, of those that fit: what a search of all candidates comes to.

        Whoever asks hands on what he gets to ``judge``, which counts, and to nobody else.
        """
        pairs = list(dict.fromkeys((shown, true) for true, shown in self._pairs() if shown is not None))
        held = fits([shown for shown, _ in pairs], [true for _, true in pairs])
        return {shown: true for (shown, true), fit in zip(pairs, held, strict=True) if fit}

    def looks(self, many: int = 1000) -> list[str]:
        """Values of some targets, for what they look like: an attacker knows that an address is an address."""
        return [true for true, _ in self._pairs()][:many]

    def judge(self, claimed: Mapping[str, str], guess: Told) -> tuple[Inferred, int]:
        """Counts for what pseudonyms are claimed to stand for, and how many are right as they stand."""
        import numpy as np

        codes = _Codes()
        claims = [None if shown is None else claimed.get(shown) for shown in self._shown]
        truth, made, plain = (np.array(codes.of(one), np.int64) for one in (self._true, claims, self._shown))
        there = np.array([shown is not None for shown in self._shown], np.bool_)
        trustee = ValueTrustee(truth, there, None, self._who)
        told = trustee.judge(made, codes.of([guess])[0])
        return told, int(np.count_nonzero(trustee.right(np.where(made >= 0, plain, NOBODY))))

    def _pairs(self, many: int | None = None) -> list[tuple[str, Told]]:
        pairs = zip(self._true[:many], self._shown[:many], strict=True)
        return [(true, shown) for true, shown in pairs if true is not None]


class _Codes:
    """Numbers for texts."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, texts: Sequence[Told]) -> list[int]:
        """The numbers of some texts; nothing is -1."""
        return [NOBODY if text is None else self._known.setdefault(text, len(self._known)) for text in texts]


def pseudonyms_seen(
    case: Case, column: str, held_in: str | None, targets: int | None, run: Run
) -> tuple[Pseudonyms, NameTrustee]:
    """Set up an experiment on pseudonyms: the targets are rows of the original, in the order of a draw."""
    import pyarrow.compute as pc

    if column not in case.original.schema:
        raise DataError(case.original.schema.unknown(column))
    shown = _texts(case.released, held_in or column)
    people = _texts(draw_targets(case.original, targets, run), column, TARGET)
    counted = pc.value_counts(shown[TEXT].drop_null().combine_chunks()).flatten()
    order = pc.sort_indices(counted[0])
    place = pc.index_in(people[KEY].combine_chunks(), value_set=shown[KEY].combine_chunks())
    seen = Pseudonyms(tuple(counted[0].take(order).to_pylist()), counted[1].take(order).to_numpy())
    own = shown[TEXT].combine_chunks().take(place).to_pylist()
    return seen, NameTrustee(people[TEXT].to_pylist(), own, people[KEY])


def _texts(data: Dataset, column: str, *more: str) -> pa.Table:
    """A column as texts with the row keys, in the order of these or of a draw."""
    import narwhals as nw

    text, key = nw.col(column).cast(nw.String).alias(TEXT), nw.col(data.schema.key).cast(nw.String).alias(KEY)
    return data.engine.arrays(data.frame.select(*more, key, text)).sort_by(more[0] if more else KEY)
