"""Enumeration: where few values are possible, all of them are hashed until the pseudonyms are among the hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._pseudonyms import MANY, PseudonymAttack, as_they_stand
from schleier.core.component import secret
from schleier.core.errors import Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.trust.coarse import USUAL, Openness
from schleier.kernels.pseudonyms.candidates import Space, is_pattern, listed, pattern
from schleier.kernels.pseudonyms.forms import FormName, guess_writings, writings
from schleier.kernels.pseudonyms.shapes import LENGTHS, Shape, shape_of

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.core.trust.pseudonyms import NameTrustee, Pseudonyms
    from schleier.kernels.pseudonyms.enumeration import Recipe

WEAK = (
    "",
    "0",
    "1",
    "123",
    "1234",
    "12345",
    "123456",
    "key",
    "secret",
    "geheim",
    "password",
    "passwort",
    "salt",
    "test",
)
"""Keys that are tried first."""
SURE = 2**-20
"""The chance that any candidate has a pseudonym by accident, up to which not all must be tried to be sure of one."""
PROOF = 8
"""Bytes of a digest that prove what it was made of."""


class Enumeration(PseudonymAttack):
    """Claim the candidate that has the pseudonym as its digest: unkeyed, with a known salt, or under a weak key.

    >>> Enumeration(sensitive="address", forms=["ipv4"], most="all").forms
    ('ipv4',)
    """

    reference: ClassVar[str] = "Kneuper (2020), Grundbegriffe der Anonymisierung: hash values as pseudonyms"
    example: ClassVar[dict[str, object]] = {"sensitive": "region", "targets": 100}
    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"bits"}))

    forms: tuple[FormName, ...] = ()
    """What may be behind the pseudonyms; when nothing is given, what values look like, or all forms."""
    patterns: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = ()
    """Further candidates, as patterns: ``[A-Z]{2}[0-9]{4}`` are two letters and four digits."""
    words: tuple[str, ...] = secret(())
    """Further candidates, one by one: names, user names."""
    salts: tuple[str, ...] = secret(())
    """Texts that may stand before or behind each value, because the attacker knows them."""
    keys: tuple[str, ...] = secret(())
    """Keys that are tried beside the usual weak ones."""
    most: Annotated[int, Field(ge=1000)] | Literal["all"] = 20_000_000
    """So many candidates of each form are tried one by one. Of further ones the trustee says which would be found."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each column of the release that looks like digests."""
        both = [one.name for one in case.released.schema if one.name in case.original.schema]
        texts = [name for name in both if not case.released.schema[name].numeric]
        return [cls(sensitive=name) for name in texts if _shape(case.released, name) is not None]

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Patterns must be such."""
        yield from super().problems(schema)
        for place, text in enumerate(self.patterns):
            if not is_pattern(text):
                hint = "write letters, [A-Z0-9] for one of several, and {3} behind what is repeated"
                yield Problem("no-pattern", f"patterns.{place}", "this is no pattern", hint)

    def claimed(
        self, seen: Pseudonyms, trustee: NameTrustee, case: Case, run: Run
    ) -> tuple[Mapping[str, str], dict[str, Any]]:
        """What candidates give; where no pseudonym looks like a digest, the values as they stand."""
        shape = shape_of(seen.values[:: max(len(seen.values) // MANY, 1)])
        if shape is None:
            return as_they_stand(seen), {"bits": None, "candidates": None, "tried": None}
        spaces = self._spaces([] if trustee.unchanged else trustee.looks())
        found, tried = dict[str, str](), 0
        for recipe in self._recipes(shape):
            for name, space in spaces:
                limit = self._limit(space, recipe, blind=trustee.unchanged)
                possible = {} if trustee.unchanged else _possible(trustee, recipe, space, shape)
                if not limit or not (possible or trustee.unchanged):
                    continue  # a search for what no true value gives would find accidents
                left = [one for one in seen.values if one not in found]
                with run.progress(f"{self.word()}: {name}"):
                    found |= _search(space, recipe, shape, left, limit, run)
                tried += limit
                if limit < space.count and space.count <= SURE * 2.0**shape.bits:
                    found |= possible
        return found, {"bits": shape.bits, "candidates": sum(space.count for _, space in spaces), "tried": tried}

    def _limit(self, space: Space, recipe: Recipe, *, blind: bool) -> int:
        """How many candidates are tried: none where the form is a guess of many, and there are too many for that."""
        if self.most == "all":
            return space.count
        most = self.most // 100 if blind and recipe.key is not None else self.most
        return 0 if blind and not self._given and space.count > most else min(space.count, most)

    @property
    def _given(self) -> bool:
        """Whether it was said what may be behind the pseudonyms."""
        return bool(self.forms or self.patterns or self.words)

    def judges(self, seen: Pseudonyms, trustee: NameTrustee, claimed: Mapping[str, str]) -> NameTrustee:
        """Where the file came with its pseudonyms, a digest of many bits proves by itself what was found."""
        shape = shape_of(seen.values[:: max(len(seen.values) // MANY, 1)]) if trustee.unchanged else None
        return trustee.proven(claimed) if shape is not None and shape.length >= PROOF else trustee

    def _spaces(self, values: Sequence[str]) -> list[tuple[str, Space]]:
        """The candidates, those of which there are few first."""
        given = [("pattern", pattern(text)) for text in self.patterns]
        if self.words:
            cases = (str, str.lower, str.upper, str.title)
            given.append(("words", listed([case(word) for word in self.words for case in cases])))
        if self.forms or not self._given:
            ways = writings(self.forms) if self.forms else guess_writings(values) or writings()
            given += [(one.form, one.space) for one in ways]
        return sorted(given, key=lambda one: one[1].count)

    def _recipes(self, shape: Shape) -> Iterator[Recipe]:
        """Every way a pseudonym may have been made: plain, salted, under weak keys."""
        from schleier.kernels.pseudonyms.enumeration import Recipe

        for algorithm in shape.algorithms:
            yield Recipe(algorithm)
            for salt in self.salts:
                for mark in ("", ":", "-", "|"):
                    yield Recipe(algorithm, before=f"{salt}{mark}".encode())
                    yield Recipe(algorithm, behind=f"{mark}{salt}".encode())
        for algorithm in shape.algorithms:
            for key in dict.fromkeys((*self.keys, *self.salts, *WEAK)):
                yield Recipe(algorithm, key=key.encode())


def _possible(trustee: NameTrustee, recipe: Recipe, space: Space, shape: Shape) -> dict[str, str]:
    """Pseudonyms that are made this way of a true value that is among the candidates."""

    def fits(shown: list[str], true: list[str]) -> list[bool]:
        made, read = recipe.made([one.encode() for one in true]), [shape.read(one) for one in shown]
        same = [
            one is not None and one in (two[: len(one)], two[-len(one) :]) for one, two in zip(read, made, strict=True)
        ]
        return [fit and one.encode() in space for fit, one in zip(same, true, strict=True)]

    return trustee.would_be_found(fits)


def _search(
    space: Space, recipe: Recipe, shape: Shape, pseudonyms: Sequence[str], limit: int, run: Run
) -> dict[str, str]:
    """Pseudonyms with the first candidate that has them as its digest, or as the first or last bytes of it."""
    from schleier.kernels.pseudonyms.enumeration import enumerate_space

    read = {one: made for one in pseudonyms if (made := shape.read(one)) is not None}
    names, wanted, found = list(read), list(read.values()), dict[str, str]()
    ends = (False,) if LENGTHS[recipe.algorithm] == shape.length else (False, True)
    for last in ends:
        hits = enumerate_space(space, recipe, wanted, last=last, many=limit, told=_percent(run, limit))
        found |= {names[place]: space.text(number).decode() for place, (number, _) in hits.items()}
        if found:
            break
    return found


def _percent(run: Run, limit: int) -> Callable[[int], None]:
    """Tell the listener each per cent of a long search."""
    at = -1

    def told(done: int) -> None:
        nonlocal at
        if (now := 100 * done // limit) > at:
            at = now
            part = f"{Enumeration.word()}: {now} %"
            run.listener(part, 0, None)
            run.listener(part, 1, 1)

    return told


def _shape(data: Dataset, name: str) -> Shape | None:
    """What the first values of a column look like."""
    import narwhals as nw

    text = data.frame.select(nw.col(name).cast(nw.String)).drop_nulls().unique().sort(name).head(MANY)
    return shape_of(data.engine.arrays(text)[name].to_pylist())
