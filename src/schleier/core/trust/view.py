"""What an attacker on values sees, and the trustee who alone knows the values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.classes.table import pa_concat, sorted_codes
from schleier.core.trust import overheard
from schleier.core.trust.answer import Inferred
from schleier.core.trust.trustee import TARGET, draw_targets, harmonised

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

Array = Any
"""Numbers with nan for missing, or codes of texts with -1 for missing."""
NOBODY = -1
KEY = "_truth_"


@dataclass(frozen=True)
class View:
    """The records of a release by column, which of them are the targets', and what is known of these.

    Texts are codes: the same text has the same code wherever it stands.
    """

    release: Mapping[str, Array] = field(repr=False)
    """Columns of the release, record by record."""
    place: NDArray[np.int64] = field(repr=False)
    """The record of each target; -1 when the target is not in the release."""
    known: Mapping[str, Array] = field(default_factory=dict, repr=False)
    """What the attacker knows of each target."""
    further: tuple[Array, ...] = field(default=(), repr=False)
    """The column to be learned in further releases, target by target."""

    def first(self, targets: int) -> View:
        """What is seen of the first targets."""
        known = {name: values[:targets] for name, values in self.known.items()}
        return View(self.release, self.place[:targets], known, tuple(values[:targets] for values in self.further))

    def of_targets(self, name: str) -> Array:
        """A released column, target by target; missing for those who are not in the release."""
        return values_at(self.release[name], self.place)


@dataclass(frozen=True)
class ValueTrustee:
    """Holds the true values and answers with counts."""

    _values: Array = field(repr=False)
    _contained: NDArray[np.bool_] = field(repr=False)
    within: float | None
    _who: pa.ChunkedArray | None = field(default=None, repr=False)
    """Row keys of the targets."""
    _words: pa.Array | None = field(default=None, repr=False)
    """The texts that codes stand for."""

    def first(self, targets: int) -> ValueTrustee:
        """The truth of the first targets."""
        who = None if self._who is None else self._who.slice(0, targets)
        return replace(self, _values=self._values[:targets], _contained=self._contained[:targets], _who=who)

    def missing(self, values: Array) -> NDArray[np.bool_]:
        """Where there is no value."""
        import numpy as np

        found: NDArray[np.bool_] = np.isnan(values) if self.within is not None else values < 0
        return found

    def right(self, claims: Array) -> NDArray[np.bool_]:
        """Which claims are right; never told, only counted."""
        import numpy as np

        from schleier.kernels.inference.candidates import within_share

        made = ~self.missing(claims) & ~self.missing(self._values)
        if self.within is None:
            return np.asarray(made & (claims == self._values))
        return made & within_share(claims, self._values, self.within)

    def judge(self, claims: Array, guess: float, rare: Iterable[int] = ()) -> Inferred:
        """Counts for claims, one for each target of whom something is claimed, against the same guess for all."""
        import numpy as np

        held = ~self.missing(self._values)
        made = held & ~self.missing(claims)
        if overheard.is_heard():
            who = np.arange(len(made), dtype=np.float64) if self._who is None else overheard.as_numbers(self._who)
            *what, blind = self._by_value(np.append(claims[made], guess))
            overheard.note(overheard.VALUES, who[made], np.asarray(what), float(blind))
        right, lucky = self.right(claims), self.right(np.full_like(self._values, guess))
        few = np.isin(self._values, list(rare)) & held

        def many(which: NDArray[np.bool_]) -> int:
            return int(np.count_nonzero(which))

        return Inferred(
            targets=many(held),
            without=many(~held),
            contained=many(held & self._contained),
            claims=many(made),
            correct=many(right),
            guessed=many(made & lucky),
            gained=many(right & ~lucky),
            differing=many(made & (claims != guess)),
            rare=many(few),
            rare_correct=many(few & right),
            rare_guessed=many(few & lucky),
        )

    def _by_value(self, values: Array) -> NDArray[np.float64]:
        """Claimed numbers, or codes of texts, as they are compared with those of other experiments."""
        import numpy as np
        import pyarrow as pa

        if self.within is not None or self._words is None:
            return overheard.roughly(values.astype(np.float64))
        words = overheard.by_value(pa.chunked_array([self._words]))
        return np.asarray(np.append(words, -1.0)[values.astype(np.int64)])  # there may be no guess

    def least(self, claims: Array) -> float | None:
        """How far the nearest claim is off, as a share of the true value; zeros are left out."""
        import numpy as np

        some = ~self.missing(claims) & ~self.missing(self._values) & (self._values != 0)
        off = np.abs(claims[some] / self._values[some] - 1)
        return float(off.min()) if len(off) else None


@dataclass(frozen=True)
class Wanted:
    """Which columns an attack looks at."""

    sensitive: str
    numbers: tuple[str, ...] = ()
    """Columns of the release read as numbers."""
    texts: tuple[str, ...] = ()
    """Columns of the release read as texts."""
    known_numbers: tuple[str, ...] = ()
    """Numbers whose true value he knows."""
    known_texts: tuple[str, ...] = ()
    """Texts whose true value he knows, recoded as the release is."""
    within: float | None = None
    """How near a number must be; none when the sensitive column is text."""
    held_in: str | None = None
    """What the sensitive column is called in the release, where that is another name."""


def viewed(
    case: Case, wanted: Wanted, targets: int | None, run: Run, further: Sequence[Dataset] = ()
) -> tuple[View, ValueTrustee]:
    """Set up an experiment on values: the targets are rows of the original, in the order of a draw."""
    numeric = wanted.within is not None
    chosen = draw_targets(case.original, targets, run)
    texts = tuple(dict.fromkeys((*wanted.known_texts, *(() if numeric else (wanted.sensitive,)))))
    numbers = tuple(dict.fromkeys((*wanted.known_numbers, *((wanted.sensitive,) if numeric else ()))))
    # A number is to be learned as it was; a text in the words of the release, or it could never be right.
    people = _ordered(chosen, TARGET, numbers=numbers, extra=(TARGET,))
    words = _ordered(harmonised(chosen, case.steps, texts, run), TARGET, texts=texts, extra=(TARGET,)) if texts else {}
    shown = {"numbers": wanted.numbers, "texts": wanted.texts}
    shown["numbers" if numeric else "texts"] += (wanted.sensitive,)
    release = _ordered(
        called(case.released, wanted.held_in, wanted.sensitive),
        KEY,
        **{kind: tuple(dict.fromkeys(names)) for kind, names in shown.items()},
    )
    own: dict[str, tuple[str, ...]] = {"numbers" if numeric else "texts": (wanted.sensitive,)}
    others = [_ordered(data, KEY, **own) for data in further]
    place = _places(people[KEY], release[KEY])
    places = [_places(people[KEY], other[KEY]) for other in others]
    (said, written, *coded), texts_of = _coded(words, release, *others)
    known: dict[str, Array] = {name: _floats(people[f"n:{name}"]) for name in numbers} | said
    seen: dict[str, Array] = {name: _floats(release[f"n:{name}"]) for name in shown["numbers"]} | written
    if numeric:
        more: list[Array] = [_floats(other[f"n:{wanted.sensitive}"]) for other in others]
    else:
        more = [codes[wanted.sensitive] for codes in coded]
    truth = known[wanted.sensitive]
    told = {name: values for name, values in known.items() if name in (*wanted.known_numbers, *wanted.known_texts)}
    apart = tuple(values_at(column, spot) for column, spot in zip(more, places, strict=True))
    named = None if numeric else texts_of[wanted.sensitive]
    return View(seen, place, told, apart), ValueTrustee(truth, place >= 0, wanted.within, people[KEY], named)


def _coded(*tables: Mapping[str, Any]) -> tuple[list[dict[str, Array]], dict[str, pa.Array]]:
    """The texts of each table as whole numbers, the same for the same text of a column in all of them; and the texts
    of each column in the order of these numbers."""
    import numpy as np

    found: list[dict[str, Array]] = [{} for _ in tables]
    words: dict[str, pa.Array] = {}
    for name in dict.fromkeys(name for table in tables for name in table if name.startswith("t:")):
        holders = [i for i, table in enumerate(tables) if name in table]
        parts = [tables[i][name] for i in holders]
        own = name.removeprefix("t:")
        words[own], numbers = sorted_codes(pa_concat(parts))
        codes = numbers.astype(np.int64)
        pieces = np.split(codes, np.cumsum([len(part) for part in parts])[:-1])
        for i, piece in zip(holders, pieces, strict=True):
            found[i][own] = piece
    return found, words


def called(data: Dataset, name: str | None, new: str) -> Dataset:
    """A dataset in which a column has another name; as it is without a name."""
    import narwhals as nw

    return data if name in (None, new) else replace(data, frame=data.frame.with_columns(**{new: nw.col(name)}))


def values_at(values: Array, place: NDArray[np.int64]) -> Array:
    """Values at some places; missing where there is no place."""
    import numpy as np

    gap = np.nan if values.dtype.kind == "f" else NOBODY
    return np.append(values, np.asarray([gap], dtype=values.dtype))[place]  # the last one is the gap


def _ordered(
    data: Dataset, by: str, numbers: tuple[str, ...] = (), texts: tuple[str, ...] = (), extra: tuple[str, ...] = ()
) -> dict[str, pa.ChunkedArray]:
    """Columns of a dataset in the order of one of them; row keys are texts."""
    import narwhals as nw

    chosen = {f"n:{name}": nw.col(name).cast(nw.Float64) for name in numbers}
    chosen |= {f"t:{name}": nw.col(name).cast(nw.String) for name in texts}
    keyed = data.frame.select(*extra, **{KEY: nw.col(data.schema.key).cast(nw.String)}, **chosen)
    table = data.engine.arrays(keyed).sort_by(by)
    return {name: table.column(name) for name in table.column_names}


def _places(who: pa.ChunkedArray, where: pa.ChunkedArray) -> NDArray[np.int64]:
    import numpy as np
    import pyarrow.compute as pc

    found = pc.index_in(who.combine_chunks(), value_set=where.combine_chunks())
    result: NDArray[np.int64] = found.fill_null(NOBODY).to_numpy(zero_copy_only=False).astype(np.int64)
    return result


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(column.to_numpy(), dtype=np.float64)
