"""The population, block by block, as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schleier.world import codes, living, people
from schleier.world.geography import Gazetteer
from schleier.world.stream import Stream

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True)
class World:
    """An invented population of so many persons; the same key makes the same world."""

    persons: int
    key: bytes
    places: Gazetteer

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return -(-self.persons // people.BLOCK)

    def block(self, number: int) -> pa.RecordBatch:
        """The persons of one block; any block can be made alone."""
        import numpy as np
        import pyarrow as pa

        first = number * people.BLOCK
        count = min(people.BLOCK, self.persons - first)
        stream = Stream(self.key, number)
        at = people.homes(stream, first, count, self.places)
        age, sex = people.ages(stream, at), people.sexes(stream, at)
        school = people.schooling(stream, at, age)
        work = living.occupation(stream, age, sex, school)
        money = living.income(stream, age, sex, school, work)
        rent = living.rent(stream, at, money, self.places)
        return pa.record_batch(
            {
                "person": pa.array(np.arange(first, first + count)),
                "household": pa.array(at.household),
                "land": _coded(_lands(self.places)[at.place], tuple(codes.LANDS)),
                "municipality": _coded(at.place, self.places.codes),
                "age": pa.array(age),
                "sex": _coded(sex, codes.SEXES),
                "nationality": _coded(people.nations(stream, at, self.places), codes.NATIONS),
                "marital": _coded(people.marital(stream, at, age), codes.MARITAL),
                "schooling": _coded(school, codes.SCHOOLING),
                "occupation": _coded(work, codes.occupations()),
                "industry": _coded(living.industry(stream, work), codes.industries()),
                "income": pa.array(money),
                "rent": pa.array(rent, from_pandas=True),
                "disease": _coded(living.disease(stream, age), codes.DISEASES),
                "remark": pa.array(living.remark(stream, at, self.places), pa.string()),
                "household_size": pa.array(at.size.astype(np.int8)),
            }
        )

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All blocks in order."""
        for number in range(self.blocks):
            yield self.block(number)


def _coded(found: NDArray[Any], words: Sequence[str]) -> pa.DictionaryArray:
    """Codes as words; a negative code is missing."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(found.astype("int32"), mask=found < 0), pa.array(list(words)))


def _lands(places: Gazetteer) -> NDArray[np.int32]:
    import numpy as np

    order = {land: i for i, land in enumerate(codes.LANDS)}
    return np.array([order[code[:2]] for code in places.codes], dtype=np.int32)
