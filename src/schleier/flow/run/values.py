"""What several releases tell together beside the number of persons: the other criteria each had to meet by itself.

Whoever has found a person in all files looks at those who look like him in every one of them. Among these a criterion
of one release, on its sensitive values for instance, must hold just as in its own classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from schleier.core.classes.request import Request
from schleier.core.criterion import Breach, Criterion
from schleier.core.data import Dataset
from schleier.core.errors import Problem
from schleier.core.schema import Column, Schema
from schleier.flow.run.reasons import COARSER, NOTHING


@dataclass(frozen=True)
class Part:
    """One of several releases, and what its attackers know."""

    criteria: Sequence[Criterion]
    released: Schema
    known: tuple[str, ...]
    """Its columns that count as known."""
    name: str = ""
    """Its folder; empty for the new one."""


def judged_together(part: Part) -> list[int]:
    """The places of its criteria that are judged for all releases."""
    return [i for i, one in enumerate(part.criteria) if not _is_size(one, part) and _can_be_judged(one, part)]


def judged_alone(part: Part) -> list[int]:
    """The places of its criteria on what attackers know, or learn, that can be judged for one release only."""
    return [
        i
        for i, one in enumerate(part.criteria)
        if not _is_size(one, part) and not _can_be_judged(one, part) and _counts_records(one)
    ]


def broken(people: Dataset, parts: Sequence[Part]) -> Iterator[Problem]:
    """The criteria that do not hold among those who look alike in all releases; ``people`` as of ``people_of``."""
    told: list[Criterion] = []
    for i, part in enumerate(parts):
        # What several releases demand alike is told once.
        if not (places := [place for place in judged_together(part) if part.criteria[place] not in told]):
            continue
        data = _rows(people, parts, i)
        for place in places:
            # What is missing in one file may be known from another.
            criterion = _strict(part.criteria[place])
            verdict = criterion.conclude(
                [data.classes(_wider(one, parts, i)) for one in criterion.needs(part.released)]
            )
            if not verdict.holds:
                told.append(part.criteria[place])
                whose = "the earlier release" if part.name else "this release"
                where = ", ".join(one.name for one in parts if one.name)
                which = f"criteria[{place}] ({criterion.word()}) of {whose}"
                message = f"{which} does not hold among those who look alike in all files together: {verdict.text}"
                yield Breach("after-told", part.name or where, message, f"{COARSER}; {NOTHING}", verdict)


def _is_size(criterion: Criterion, part: Part) -> bool:
    """Whether it asks for a number of persons only, which is judged elsewhere."""
    more = (_values(request) or request.compositions for request in criterion.needs(part.released))
    return criterion.smallest > 1 and not any(more)


def _can_be_judged(criterion: Criterion, part: Part) -> bool:
    """Whether it looks at classes of what attackers know, and at nothing beside the file."""
    needs = criterion.needs(part.released)
    return "keys" in type(criterion).model_fields and not any(request.populations for request in needs)


def _counts_records(criterion: Criterion) -> bool:
    """Whether it is about how many look alike: it says as what a missing value counts."""
    return "missing" in type(criterion).model_fields


def _strict(criterion: Criterion) -> Criterion:
    return criterion.model_copy(update={"missing": "category"}) if _counts_records(criterion) else criterion


def _values(request: Request) -> set[str]:
    """The columns whose values are to be protected."""
    return {*request.sensitive, *request.magnitudes, *(name for names in request.joint for name in names)}


def _wider(request: Request, parts: Sequence[Part], i: int) -> Request:
    """The same for those who look alike in all releases.

    Of the others it looks at its own keys there, and at keys that its own release does not have.
    """
    mine, protected = parts[i], _values(request)
    own = (name for name in mine.known if name not in mine.released.quasi and name not in protected)
    keys = [*dict.fromkeys((*request.keys, *own))]
    for j, other in enumerate(parts):
        if j != i:
            seen = (n for n in other.known if (n in request.keys or n not in mine.released) and n not in protected)
            keys += [_there(j), *(_named(j, name) for name in seen)]
    return replace(request, keys=tuple(keys))


def _rows(people: Dataset, parts: Sequence[Part], i: int) -> Dataset:
    """The records of one release with what the others tell of the same persons."""
    import narwhals as nw

    mine = parts[i].released
    others = {_there(j): f"_in_{j}_" for j in range(len(parts)) if j != i}
    others |= {_named(j, name): f"_{j}_{name}" for j, other in enumerate(parts) if j != i for name in other.known}
    frame = people.frame.filter(~nw.col(f"_in_{i}_").is_null()).select(
        nw.col("_link_").alias(mine.key),
        *(nw.col(f"_{i}_{name}").alias(name) for name in mine.names),
        *(nw.col(held).alias(name) for name, held in others.items()),
    )
    more = tuple(Column(name=name, role="quasi", scale="nominal") for name in others)
    return Dataset(frame, mine.model_copy(update={"columns": (*mine.columns, *more)}), people.engine).kept()


def _there(j: int) -> str:
    return f"_{j}:"


def _named(j: int, name: str) -> str:
    return f"_{j}:{name}:"
