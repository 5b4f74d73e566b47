"""Find what digests were made of by trying every candidate, on all cores, for as long as it takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.pseudonyms.candidates import Space
from schleier.kernels.pseudonyms.digests import K5, K256, KINDS, TURNS, digests, pads, tags
from schleier.kernels.pseudonyms.sha256 import BLOCK
from schleier.kernels.pseudonyms.shapes import LEAST_BYTES, Algorithm
from schleier.kernels.pseudonyms.trying import MIX, hits_among

AT_ONCE = 1 << 20
"""Candidates of one task: a tenth of a second, so that an interruption is heard."""
ALONE = 8
"""Digests of so many bytes fit one candidate only: once found, they need not be looked for again."""
MOST_FILTER = 27
"""The filter has at most 2**27 bits: 16 MB."""


@dataclass(frozen=True)
class Recipe:
    """How a pseudonym may have been made: which digest, of what around the value, under which key."""

    algorithm: Algorithm = "sha256"
    before: bytes = field(default=b"", repr=False)
    behind: bytes = field(default=b"", repr=False)
    key: bytes | None = field(default=None, repr=False)

    def made(self, texts: Sequence[bytes]) -> list[bytes]:
        """The whole digests of some values.

        >>> Recipe("md5", before=b"a", behind=b"c").made([b"b"])[0].hex()  # RFC 1321, A.5
        '900150983cd24fb0d6963f7d28e17f72'
        """
        values = [self.before + text + self.behind for text in texts]
        starts = np.concatenate([[0], np.cumsum([len(value) for value in values], dtype=np.int64)])
        data = np.frombuffer(b"".join(values), np.uint8)
        keyed = self.key is not None
        rows = tags(self.algorithm, self.key or b"", starts, data) if keyed else digests(self.algorithm, starts, data)
        return [row.tobytes() for row in rows]


def _nobody(done: int) -> None:
    """Tell nobody."""


def enumerate_space(
    space: Space,
    recipe: Recipe,
    wanted: Sequence[bytes],
    *,
    last: bool = False,
    many: int | None = None,
    told: Callable[[int], None] = _nobody,
) -> dict[int, tuple[int, int]]:
    """For each digest that a candidate has: the number of the first such candidate, and how many there are.

    ``wanted`` are digests or their first bytes (the ``last`` ones), all of one length. Only the first ``many``
    candidates are tried; ``told`` hears how many were.

    >>> space = Space((tuple(b"%03d" % i for i in range(1000)),))
    >>> enumerate_space(space, Recipe(), Recipe().made([b"042", b"none"]))
    {0: (42, 1)}
    """
    places: Mapping[bytes, int] = {one: i for i, one in enumerate(wanted)}
    count = space.count if many is None else min(many, space.count)
    length = len(wanted[0]) if wanted else 0
    if length < LEAST_BYTES or not count:
        return {}
    search, found, done = _Search(space, recipe, wanted, last=last), dict[int, tuple[int, int]](), 0
    for tried, hits in _in_parallel(search, count):
        numbers = hits.tolist()
        for number, made in zip(numbers, recipe.made([space.text(one) for one in numbers]), strict=True):
            place = places.get(made[-length:] if last else made[:length])
            if place is not None:
                least, seen = found.get(place, (number, 0))
                found[place] = (min(least, number), seen + 1)
        done += tried
        told(done)
        if length >= ALONE and len(found) == len(places):
            break
    return dict(sorted(found.items()))


class _Search:
    """A search made ready: words, states and a filter that nearly all candidates fail."""

    def __init__(self, space: Space, recipe: Recipe, wanted: Sequence[bytes], *, last: bool) -> None:
        kind = KINDS[recipe.algorithm]
        whole = space.salted(recipe.before, recipe.behind).folded()
        self.space = (*whole.packed(), np.frombuffer(whole.end, np.uint8), whole.longest)
        word = len(kind.start) - 1 if last else 0
        if recipe.key is None:
            self.digest = (kind.number, word, kind.start, 0, np.zeros(0, np.uint32), K256, K5, TURNS)
        else:
            inner, outer = pads(recipe.algorithm, recipe.key)
            self.digest = (kind.number, word, inner, BLOCK, outer, K256, K5, TURNS)
        heads = np.unique(np.array([int.from_bytes(one[-4:] if last else one[:4]) for one in wanted], np.uint32))
        size = min(max(16, (64 * len(heads)).bit_length()), MOST_FILTER)
        places = (heads.astype(np.uint64) * np.uint64(MIX) & np.uint64(0xFFFFFFFF)) >> np.uint64(32 - size)
        sieve = np.zeros(1 << (size - 3), np.uint8)
        np.bitwise_or.at(sieve, places >> np.uint64(3), (1 << (places & np.uint64(7))).astype(np.uint8))
        self.lookup = (sieve, np.uint32(32 - size), heads)

    def part(self, start: int, end: int) -> tuple[int, NDArray[np.int64]]:
        """How many candidates were tried, and the numbers of those that pass the filter."""
        hits = np.empty(end - start, np.int64)
        many = hits_among(start, end, *self.space, *self.digest, *self.lookup, hits)
        return end - start, hits[:many].copy()


def _in_parallel(search: _Search, count: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Parts of the search as they end; whoever stops listening, or is interrupted, stops the rest."""
    cores, running = os.cpu_count() or 1, set[Future[Any]]()
    waiting = iter(range(0, count, AT_ONCE))
    pool = ThreadPoolExecutor(cores)
    try:
        while True:
            for start in waiting:
                running.add(pool.submit(search.part, start, min(start + AT_ONCE, count)))
                if len(running) >= 2 * cores:
                    break
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for one in ended:
                yield one.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
