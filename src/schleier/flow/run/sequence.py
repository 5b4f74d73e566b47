"""Judges a release together with earlier ones about the same persons.

The strict reading: somebody has laid all files side by side and found every person's records in each of them. Even then
at least k persons must look alike in all of them together, being absent from a file counting as a value. So every
difference and every intersection of classes holds nobody, or at least k persons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.caution import Caution
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, Problems, RecipeError, stop
from schleier.core.schema import Schema
from schleier.flow.release.past import Past
from schleier.flow.run.differences import Number, differences
from schleier.flow.run.groups import Groups, smallest
from schleier.flow.run.linking import joined, link, moves, people_of, untouched
from schleier.flow.run.reasons import Judge, Promise
from schleier.flow.run.remake import Remade
from schleier.flow.run.values import Part, broken, judged_alone, judged_together

if TYPE_CHECKING:
    from schleier.core.criterion import Criterion
    from schleier.flow.recipe.recipe import Recipe

After = Sequence[Path | str] | Mapping[Path | str, Any]
"""Folders of earlier releases; with the rows of each where these are not where they were."""
BY_CHANCE = 0.5
"""Share of the persons whose values may be alone in both files although they are others."""


@dataclass(frozen=True)
class Demand:
    """Earlier releases, the rows of each where they were given, and how many persons must look alike in all."""

    earlier: tuple[tuple[Past, Any], ...]
    k: int


@dataclass(frozen=True)
class Comparison:
    """What one earlier release, or all of them, and the new one tell together; for the data holder."""

    releases: tuple[str, ...]
    level: int
    """The smallest number of persons who look alike in all of them."""
    small_groups: int
    persons_in_small_groups: int
    in_both: int | None = None
    """Persons who were read for both; absent where more than two releases are compared."""
    came: int | None = None
    left: int | None = None
    joined: int | None = None
    """Records that are alone with the values of columns neither release changed: anybody can join them."""
    joined_by: tuple[str, ...] = ()
    k: int = 0
    """How many had to look alike in all of them."""
    k_alone: int = 0
    """How many have to in one of these releases alone, the most any of them promises."""


@dataclass(frozen=True)
class Sequel:
    """What was found about a release and those before it."""

    k: int
    level: int
    units: bool
    comparisons: tuple[Comparison, ...]
    criteria: tuple[int, ...] = ()
    """The places of other criteria of the release that hold for all of them together, too."""
    alone: tuple[str, ...] = ()
    """Criteria of any of them that were judged for itself only."""

    @property
    def k_alone(self) -> int:
        """How many have to look alike in one of the releases alone, the most any of them promises."""
        return max(one.k_alone for one in self.comparisons)

    @property
    def cautions(self) -> Iterator[Caution]:
        """Why the release is not to be called safe without reservation."""
        if self.k < self.k_alone:
            yield Caution(code="after_smaller_k")
        if self.alone:
            yield Caution(code="after_alone", where=", ".join(self.alone))


def demand(recipe: Recipe, after: After, k: int | None) -> Demand | None:
    """What a run must judge beside its criteria; everything wrong with it is said before a row is read."""
    if not after:
        if k is not None:
            stop(RecipeError, "bad-after-k", "after_k", "there is no earlier release to judge with", "say after, too")
        return None
    least = k if k is not None else max((criterion.smallest for criterion in recipe.criteria), default=1)
    if k is None and least < 2:
        message = "nobody said how many persons must look alike in all releases together"
        stop(RecipeError, "no-after-k", "after_k", message, "say --after-k, or demand k_anonymity in the recipe")
    if isinstance(least, bool) or not isinstance(least, int) or least < 2:
        stop(RecipeError, "bad-after-k", "after_k", "at least 2 persons must look alike, so k is a whole number from 2")
    given = after if isinstance(after, Mapping) else dict.fromkeys(after)
    hint = "an earlier release is judged by its restricted part, too"
    return Demand(tuple((Past.of(folder, hint), rows) for folder, rows in given.items()), least)


def judge(
    wanted: Demand,
    recipe: Recipe,
    new: Remade,
    earlier: Sequence[Remade],
    told: Sequence[Number],
) -> Sequel:
    """The new release with each earlier one, and with all; refused below k.

    ``told`` are the numbers that the new report is going to tell.
    """
    by = link(new, earlier, [past for past, _ in wanted.earlier])
    demanded = [(recipe.criteria, new.released.schema)]
    demanded += [
        (past.recipe.criteria, one.released.schema) for (past, _), one in zip(wanted.earlier, earlier, strict=True)
    ]
    units = any(_counts_units(criteria, schema) for criteria, schema in demanded)
    people = people_of([new, *earlier], by, units=units)
    keys = _with_keys_of_others(demanded)
    names = ["", *(str(past.folder) for past, _ in wanted.earlier)]
    promises = [Promise.of(*one, name) for one, name in zip(demanded, names, strict=True)]
    found, others = [], Problems()

    def count(numbers: Sequence[int]) -> Groups:
        return smallest(people, {i: keys[i] for i in numbers}, wanted.k)

    pairs = {}
    for i, ((past, _), one) in enumerate(zip(wanted.earlier, earlier, strict=True), 1):
        came, left, both = moves(people, i)
        shared = untouched(recipe, past.recipe)
        groups = count([0, i])
        result = Comparison(
            (names[i],),
            *groups,
            in_both=both,
            came=came,
            left=left,
            joined=joined(new.released, one.released, shared) if shared else 0,
            joined_by=shared,
            k=wanted.k,
            k_alone=max(promises[0].k, promises[i].k),
        )
        found.append(result)
        pairs[i] = groups
        _refuse_strangers(result, people, i, others)
        # Where many came and many went nobody can tell what a difference is made of.
        if min(came, left) < wanted.k:
            others.extend(differences(past.report, told, wanted.k, names[i]))
    if len(earlier) > 1:
        most = max(promise.k for promise in promises)
        found.append(Comparison(tuple(names[1:]), *count(range(len(keys))), k=wanted.k, k_alone=most))
    judges = Judge(promises, count, wanted.k, "units" if units else "persons")
    problems = Problems([*judges.apart(pairs), *others.found])
    parts = [
        Part(*one, tuple(dict.fromkeys(n for names in sets for n in names)), name)
        for one, sets, name in zip(demanded, keys, names, strict=True)
    ]
    if not problems.found:  # whoever is alone with few others is alone with few values, too
        problems.extend(broken(people, parts))
    problems.raise_as(InfeasibleError)
    alone = tuple(dict.fromkeys(part.criteria[i].word() for part in parts for i in judged_alone(part)))
    level = min(one.level for one in found)
    return Sequel(wanted.k, level, units, tuple(found), tuple(judged_together(parts[0])), alone)


def _refuse_strangers(found: Comparison, people: Dataset, i: int, problems: Problems) -> None:
    """Most records join by their values, or more units by their numbers, where the row key knows nobody."""
    import narwhals as nw

    units = [f"_unit_{j}_" for j in (0, i)]
    both = 0
    if all(unit in people.frame.collect_schema().names() for unit in units):
        sides = [
            people.frame.select(_unit_=nw.col(unit)).filter(~nw.col("_unit_").is_null()).unique() for unit in units
        ]
        both = replace(people, frame=sides[0].join(sides[1], on="_unit_", how="inner")).rows
    known = found.in_both or 0
    fewer = known + min(found.came or 0, found.left or 0)
    # Values of different persons are the same by chance, too, but not those of most.
    if (found.joined or 0) > known + fewer * BY_CHANCE or both > known:
        message = (
            "the row key does not mean the same person in both originals: more records, or units, are found in both by "
            "their values than by it"
        )
        hint = "declare a row key that stays with a person"
        problems.add("after-not-linked", ", ".join(found.releases), message, hint)


def _keys(criteria: Sequence[Criterion], released: Schema) -> list[tuple[str, ...]]:
    """The combinations of columns that criteria on the size of classes look at; all quasi-identifiers without one."""
    asked = [request.keys for one in criteria if one.smallest > 1 for request in one.needs(released)]
    return list(dict.fromkeys(asked)) or [released.quasi]


def _with_keys_of_others(demanded: Sequence[tuple[Sequence[Criterion], Schema]]) -> list[list[tuple[str, ...]]]:
    """The combinations for each release. What is known to attackers of one is known to those of all."""
    own = [_keys(criteria, schema) for criteria, schema in demanded]
    known = dict.fromkeys(name for sets in own for names in sets for name in names)
    known |= dict.fromkeys(name for _, schema in demanded for name in schema.quasi)
    found = []
    for sets, (_, schema) in zip(own, demanded, strict=True):
        mine = {*schema.quasi, *(name for names in sets for name in names)}
        more = tuple(name for name in known if name in schema and name not in mine)
        found.append([(*names, *more) for names in sets])
    return found


def _counts_units(criteria: Sequence[Criterion], released: Schema) -> bool:
    """Whether units are counted: where the table has them, unless its criteria on sizes count records."""
    sized = [one for one in criteria if one.smallest > 1]
    return any(one.counts_units(released) for one in sized) if sized else bool(released.having("unit"))
