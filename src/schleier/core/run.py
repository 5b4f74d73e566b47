"""The only thing that changes during a run: its key, its notes, its progress."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np

    from schleier.core.criterion import Criterion
    from schleier.core.data import Dataset
    from schleier.core.keys import Key

Visibility = Literal["public", "restricted"]
KEY_BYTES = 32


@dataclass(frozen=True)
class Note:
    """Something the user must know: for everyone, or for the audit only."""

    visibility: Visibility
    step: str
    facts: dict[str, Any] = field(repr=False)


class Listener(Protocol):
    """Hears what a run is doing."""

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """``done`` of ``total`` parts of ``what`` are finished; ``done == total`` ends it."""


@runtime_checkable
class Expecting(Listener, Protocol):
    """A listener that wants to know what lies ahead."""

    def expect(self, parts: Sequence[str]) -> None:
        """These parts will follow, as far as is known."""


def silence(what: str, done: int, total: int | None) -> None:
    """Listen to nothing."""


def new_key() -> bytes:
    """A fresh secret key."""
    return secrets.token_bytes(KEY_BYTES)


@dataclass
class Run:
    """One run: a secret 256-bit key from which every draw follows, notes, progress.

    >>> run = Run(key=bytes(32))
    >>> int(run.rng("demo").integers(100)) == int(Run(key=bytes(32)).rng("demo").integers(100))
    True
    """

    key: bytes = field(default_factory=new_key, repr=False)
    criteria: tuple[Criterion, ...] = ()
    """What the release must meet; a search uses these unless told otherwise."""
    listener: Listener = field(default=silence, repr=False)
    notes: list[Note] = field(default_factory=list, repr=False)
    step: str = ""
    """Label of the step under way; it keys the step's draws."""
    keys: Mapping[str, Key] = field(default_factory=dict, repr=False)
    """The long-lived keys of the recipe by their names: pseudonyms follow from these and never from the run key."""
    by_record: dict[str, Callable[[], nw.LazyFrame[Any]]] = field(default_factory=dict, repr=False)
    """What measures know about single records, by their label: computed only to be kept with the audit."""

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise ValueError(f"a run key has {KEY_BYTES} bytes")

    def subkey(self, purpose: str) -> bytes:
        """A key of its own for one purpose of the current step: HMAC-SHA-256(run key, step, purpose)."""
        return hmac.new(self.key, f"{self.step}\x1f{purpose}".encode(), hashlib.sha256).digest()

    def key_of(self, name: str) -> Key:
        """A long-lived key by its name in the recipe, or ``env:VARIABLE``; that it was used goes to the audit."""
        from schleier.core.keys import find_key

        key = find_key(name, self.keys)
        facts = {"key": name, "key_id": key.id, "epoch": key.epoch}
        if Note("restricted", self.step, facts) not in self.notes:
            self.note("restricted", **facts)
        return key

    def draw(
        self, data: Dataset, into: str, purpose: str = "draw", by: str | None = None, where: str | None = None
    ) -> Dataset:
        """Add a column of uniform draws in [0, 1), keyed by row key (or another column ``by``).

        Independent of row order, partitioning and engine; rows with equal ``by`` share their draw. With ``where``
        only rows for which this working column is true get one: a draw costs as much as many a join.
        """
        return data.reframed(data.engine.draw(data.frame, by or data.schema.key, self.subkey(purpose), into, where))

    def rng(self, purpose: str) -> np.random.Generator:
        """A generator for kernels, keyed by run key, step and purpose."""
        import numpy as np

        return np.random.Generator(np.random.Philox(key=int.from_bytes(self.subkey(purpose)[:16], "little")))

    def note(self, visibility: Visibility = "public", **facts: Any) -> None:
        """Remember facts for the report (public) or for the audit only (restricted)."""
        self.notes.append(Note(visibility, self.step, facts))

    def keep_by_record(self, make: Callable[[], nw.LazyFrame[Any]]) -> None:
        """Remember how to compute what is known about single records (row key first), for the audit only."""
        again = sum(label.partition("#")[0] == self.step for label in self.by_record)
        self.by_record[f"{self.step}#{again + 1}" if again else self.step] = make

    @contextmanager
    def within(self, step: str) -> Iterator[None]:
        """Name the step whose draws and notes follow."""
        before, self.step = self.step, step
        try:
            yield
        finally:
            self.step = before

    def expect(self, *parts: str) -> None:
        """Tell the listener what will follow: names of parts, or what stands in them before the colon."""
        if isinstance(self.listener, Expecting):
            self.listener.expect(parts)

    @contextmanager
    def progress(self, what: str) -> Iterator[None]:
        """Tell the listener that something begins and ends."""
        self.listener(what, 0, None)
        yield
        self.listener(what, 1, 1)
