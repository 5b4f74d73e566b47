"""Two designs of a real experiment: a rare part of a population in a handbook, and a social survey in sample points.

Everybody lives in area clusters of one Land. The release is a sample of clusters; the file of names holds scholars, or
adults of some districts. Blocks are made one after the other, and only who is in a file is kept: memory follows the
samples, not the population.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from schleier.core.run import Listener, silence
from schleier.world import codes, living, people, questions, scholars
from schleier.world.areas import REGIONS, SIZE_LIMITS, Areas, Land, areas, land
from schleier.world.names import names
from schleier.world.stream import Stream

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Columns = dict[str, Any]

Design = Literal["scholars", "survey"]
PERSONS = 17_000_000
KNOWN = {"scholars": 7_983, "survey": 2_685}
"""Persons in the file of names of such a population."""
SCHOLAR_KEYS = "size_class sex birth_year birth_half industry status occupation activity field region".split()
AMBIGUOUS = ("industry", "occupation", "activity", "field")
NO_BIRTH = 0.3
"""Share of the handbook without a date of birth."""
POINT = 10
"""Persons asked at each sample point."""
GROWN = (18, 55)
"""Ages in the social survey."""
DRAWN = "_drawn_"


@dataclass(frozen=True)
class Drawn:
    """Samples of clusters one below the other, and the file of names; ``person`` tells who is who."""

    released: pa.Table
    """Has ``sample``, the number of the sample, and second codes, which no release would have."""
    known: pa.Table


@dataclass(frozen=True)
class Maker:
    """Makes the files of a design."""

    design: Design
    persons: int
    key: bytes
    sampled: float = 0.01
    """Share of the clusters in a sample."""
    samples: int = 1
    """How many samples are drawn; nobody is in two of them."""

    @property
    def named(self) -> int:
        """Persons in the file of names."""
        return max(1, round(KNOWN[self.design] * self.persons / PERSONS))

    def draw(self, listener: Listener = silence) -> Drawn:
        """All blocks; the file of names holds those with the smallest draws."""
        import pyarrow as pa

        where, blocks = land(self.key), -(-self.persons // people.BLOCK)
        released, known = list[Any](), list[Any]()
        for number in range(blocks):
            first = number * people.BLOCK
            one, other = self.block(number, first, min(people.BLOCK, self.persons - first), where)
            released.append(one)
            known.append(other)
            listener("making persons", number + 1, blocks)
        held = pa.Table.from_batches(known).sort_by([(DRAWN, "ascending"), ("person", "ascending")])
        held = held.slice(0, self.named).sort_by("person").drop_columns([DRAWN])
        return Drawn(pa.Table.from_batches(released), held)

    def block(self, number: int, first: int, count: int, where: Land) -> tuple[pa.RecordBatch, pa.RecordBatch]:
        """Who of one block is in a sample, and who may be in the file of names."""
        import numpy as np

        stream = Stream(self.key, number)
        lived = areas(stream, first, count, where)
        at = lived.at
        age, sex = people.ages(stream, at), people.sexes(stream, at)
        school = people.schooling(stream, at, age)
        sample = np.floor(stream.generator("sample").random(int(lived.cluster[-1]) + 1) / self.sampled)
        asked = sample.astype(np.int64)[lived.cluster]
        made = self._scholars if self.design == "scholars" else self._survey
        return made(stream, lived, where, first, asked, age, sex, school)

    def _scholars(
        self, stream: Stream, lived: Areas, where: Land, first: int, asked: Any, age: Any, sex: Any, school: Any
    ) -> tuple[pa.RecordBatch, pa.RecordBatch]:
        import numpy as np

        at, count = lived.at, len(age)
        scholar, ranked = scholars.chosen(stream, at, where, age, sex, school)
        rows = np.flatnonzero((asked < self.samples) | ranked)
        job = living.occupation(stream, age, sex, school)
        trade = living.industry(stream, job)
        money = living.income(stream, age, sex, school, job)
        work = scholars.works(stream, rows, scholar, school, job, trade)
        half = (stream.uniform("half", count) < 0.5)[rows].astype(np.int32)
        coded: Columns = {
            "size_class": (where.size_class[at.place[rows]], tuple(map(str, range(1, len(SIZE_LIMITS) + 2)))),
            "sex": (sex[rows], codes.SEXES),
            "birth_half": (half, ("1", "2")),
            "industry": (work.industry, scholars.INDUSTRIES),
            "status": (work.status, scholars.STATUSES),
            "occupation": (work.occupation, scholars.OCCUPATIONS),
            "activity": (work.activity, scholars.ACTIVITIES),
            "field": (work.field, scholars.FIELDS),
            "region": (where.region[at.place[rows]], tuple(f"{n:02d}" for n in range(1, REGIONS + 1))),
        }
        for name in AMBIGUOUS:
            coded[f"{name}_2"] = (work.seconds[name], coded[name][1])
        whole = {"birth_year": (questions.YEAR - age[rows]).astype(np.int16)}
        columns = _columns(coded, whole)
        order = [*SCHOLAR_KEYS, *(f"{name}_2" for name in AMBIGUOUS)]
        born = stream.uniform("handbook-birth", count)[rows] < NO_BIRTH
        chance = stream.generator("handbook").random(count)[rows]
        more = {"household": at.household[rows], "income": money[rows]}
        kept = asked[rows] < self.samples
        listed = {name: columns[name] for name in order}
        for name in ("birth_year", "birth_half"):
            listed[name] = _without(listed[name], born)
        return (
            _batch({"person": first + rows, "sample": asked[rows], **more, **{n: columns[n] for n in order}}, kept),
            _named({"person": first + rows, DRAWN: chance, **listed}, stream, sex[rows], ranked[rows]),
        )

    def _survey(
        self, stream: Stream, lived: Areas, where: Land, first: int, asked: Any, age: Any, sex: Any, school: Any
    ) -> tuple[pa.RecordBatch, pa.RecordBatch]:
        import numpy as np

        at, count = lived.at, len(age)
        job = living.occupation(stream, age, sex, school)
        money = living.income(stream, age, sex, school, job)
        own = questions.answers(stream, at, age, sex, people.marital(stream, at, age), school, money)
        grown = (age >= GROWN[0]) & (age <= GROWN[1])
        point = stream.generator("point").random(int(lived.district[-1]) + 1)
        # A sample point has room for ten: those with the smallest draws of the district.
        within = stream.generator("at-point").random(count)
        order = np.lexsort((within, ~grown, lived.district))
        district = lived.district[order]
        rank = np.arange(count) - np.searchsorted(district, district, side="left")
        pointed = np.zeros(count, dtype=bool)
        pointed[order] = (rank < POINT) & grown[order]
        share = min(1.0, 3 * self.named / POINT * 1500 / self.persons)  # some more than needed: districts differ
        near = pointed & (point[lived.district] < share)
        rows = np.flatnonzero((asked < self.samples) | near)
        made = questions.keys(at, age, own, rows)
        coded = {n: (made[n], words) for n in questions.ALL_KEYS if (words := questions.words_of(n))}
        whole = {n: made[n] for n in questions.ALL_KEYS if n not in coded}
        columns = _columns(coded, whole)
        ids = {"person": first + rows}
        kept = {"sample": asked[rows], "household": at.household[rows], "age": age[rows], "size": at.size[rows]}
        said = {
            side: {name: self._gaps(name, columns[name], side, stream, count, rows) for name in questions.ALL_KEYS}
            for side in ("release", "known")
        }
        drawn = {DRAWN: point[lived.district][rows] + within[rows] * 1e-9}
        return (
            _batch({**ids, **kept, **said["release"]}, asked[rows] < self.samples),
            _named({**ids, **drawn, **said["known"]}, stream, sex[rows], near[rows]),
        )

    def _gaps(self, name: str, values: Any, side: str, stream: Stream, count: int, rows: Any) -> Any:
        """Who did not answer, in each file apart."""
        share = questions.NO_ANSWER[side].get(name, 0.0)
        return _without(values, stream.uniform(f"{side}-{name}", count)[rows] < share) if share else values


def _columns(coded: Mapping[str, Any], whole: Mapping[str, Any]) -> Columns:
    import pyarrow as pa

    found: Columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(part, mask=part < 0), pa.array(list(words)))
        for name, (part, words) in coded.items()
    }
    return found | {name: pa.array(part, mask=part < 0) for name, part in whole.items()}


def _without(values: Any, gone: NDArray[np.bool_]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pa.array(gone), pa.scalar(None, values.type), values)


def _batch(columns: Mapping[str, Any], kept: NDArray[np.bool_]) -> pa.RecordBatch:
    import pyarrow as pa

    held = {name: part if isinstance(part, pa.Array) else pa.array(part) for name, part in columns.items()}
    return pa.record_batch(held).filter(pa.array(kept))


def _named(columns: Mapping[str, Any], stream: Stream, sex: Any, kept: NDArray[np.bool_]) -> pa.RecordBatch:
    import pyarrow as pa

    return _batch(columns, kept).add_column(1, "name", pa.array(names(stream, sex[kept]), pa.string()))
