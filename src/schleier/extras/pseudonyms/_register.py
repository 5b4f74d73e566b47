"""Who is on file under which pseudonym. Everything here happens inside one transaction, with nobody else writing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schleier.core.errors import DataError, InfeasibleError, stop
from schleier.extras.pseudonyms import _pid
from schleier.extras.pseudonyms._audit import Audit
from schleier.extras.pseudonyms._database import Store
from schleier.extras.pseudonyms._identity import Identity, identity_of
from schleier.extras.pseudonyms._likeness import other_name
from schleier.extras.pseudonyms._model import Decision, keys_of, model
from schleier.extras.pseudonyms._seal import Seal

CHECK = b"schleier/pseudonyms/1"
HOPS = 64


@dataclass(frozen=True)
class Person:
    """What was written of somebody who comes, and what it means."""

    written: Mapping[str, str] = field(repr=False)
    normal: Identity = field(repr=False)

    @classmethod
    def of(cls, fields: Mapping[str, str | None]) -> Person:
        """Checked and made normal, outside of every transaction."""
        return cls({name: value for name, value in fields.items() if value}, identity_of(fields))


@dataclass(frozen=True)
class Answer:
    """A pseudonym, and how sure it is that it is of the right person."""

    pid: str
    decision: Decision


class Register:
    """Persons and values with their pseudonyms, over any store."""

    def __init__(self, store: Store, seal: Seal, *, doubt_names: bool = False) -> None:
        self.store, self.seal, self.model = store, seal, model()
        self.doubt_names = doubt_names
        self.audit = Audit(store)
        store.begin()
        try:
            self._check_key()
        except BaseException:
            store.rollback()
            raise
        store.commit()

    def _check_key(self) -> None:
        mark = self.seal.tag("check", CHECK.decode())
        found = self.store.ask("SELECT content FROM head WHERE name = ?", "key")
        if not found:
            self.store.do("INSERT INTO head VALUES (?, ?)", [("key", mark)])
        elif bytes(found[0][0]) != mark:
            hint = "start the service with the key of this store"
            stop(DataError, "wrong-service-key", "store", "the store was made with another key", hint)

    def enrol(self, people: Sequence[Person], *, tentative: bool = True) -> list[Answer]:
        """A pseudonym for each; who is on file gets the one he has. Doubtful ones are refused unless told otherwise."""
        exact = [self.seal.tag("exact", *one.normal) for one in people]
        keys = [self.seal.tags(keys_of(one.normal)) for one in people]
        on_file = self._near({tag for tags in keys for tag in tags})
        known = defaultdict[bytes, list[str]](list)
        for tag, pid in self.store.among("SELECT exact, pid FROM writing WHERE exact", list(set(exact))):
            known[bytes(tag)].append(pid)
        last = self._last("writing")
        new = _New(last)
        found = []
        for one, own, tags in zip(people, exact, keys, strict=True):
            answer = self._one(one, own, tags, on_file, known, new, tentative=tentative)
            found.append(answer)
        self._keep(new)
        return found

    def _one(
        self,
        one: Person,
        own: bytes,
        tags: list[bytes],
        on_file: dict[bytes, list[tuple[str, Identity]]],
        known: dict[bytes, list[str]],
        new: _New,
        *,
        tentative: bool,
    ) -> Answer:
        enough = self.model.decide({0: self.model.score(one.normal, one.normal)}, new.last)[0] == "certain"
        if enough and len({self._root(pid, new) for pid in known[own]}) == 1:
            return self._told(known[own][0], new)
        scores: dict[str, float] = {}
        named = set[str]()  # persons of whom a writing has this given name, or might
        for tag in tags:
            for pid, other in on_file.get(tag, ()):
                root = self._root(pid, new)
                scores[root] = max(scores.get(root, -1e9), self.model.score(other, one.normal))
                if not (self.doubt_names and other_name(other, one.normal)):
                    named.add(root)
        names = list(scores)
        decision, which = self.model.decide(dict(enumerate(scores.values())), new.last)
        pid = names[which] if which is not None else ""
        if decision == "certain" and pid not in named:
            decision = "tentative"  # a twin has the same birth date, surname and place
        if decision == "tentative" and not tentative:
            hint = "check what was written, or ask for a tentative pseudonym"
            stop(
                InfeasibleError,
                "unsure-identity",
                "identity",
                "somebody on file is similar, but not surely the same",
                hint,
            )
        if decision != "certain":
            fresh = self._fresh(new)
            new.people[fresh] = "tentative" if decision == "tentative" else "sure"
            if decision == "tentative":
                new.doubts.append((fresh, pid))
            pid = fresh
        new.last += 1
        new.writings.append((new.last, pid, own, self.seal.sealed(one.normal, one.written, new.last)))
        new.traces += [(tag, new.last) for tag in tags]
        known[own].append(pid)
        for tag in tags:
            on_file.setdefault(tag, []).append((pid, one.normal))
        return self._told(pid, new) if decision == "certain" else Answer(pid, decision)

    def _near(self, tags: set[bytes]) -> dict[bytes, list[tuple[str, Identity]]]:
        pairs = self.store.among("SELECT tag, writing FROM trace WHERE tag", list(tags))
        rows = self.store.among("SELECT id, pid, sealed FROM writing WHERE id", list({row for _, row in pairs}))
        opened = {row: (pid, self.seal.opened(bytes(sealed), row)[0]) for row, pid, sealed in rows}
        found: dict[bytes, list[tuple[str, Identity]]] = {}
        for tag, row in pairs:
            found.setdefault(bytes(tag), []).append(opened[row])
        return found

    def _fresh(self, new: _New) -> str:
        while True:
            pid = _pid.drawn()
            if pid not in new.people and not self.store.ask("SELECT 1 FROM person WHERE pid = ?", pid):
                return pid

    def _told(self, pid: str, new: _New) -> Answer:
        root = self._root(pid, new)
        state = new.people.get(root) or self.store.ask("SELECT state FROM person WHERE pid = ?", root)[0][0]
        return Answer(root, "certain" if state == "sure" else "tentative")

    def _root(self, pid: str, new: _New | None = None) -> str:
        if new is not None and (pid in new.people or pid in new.roots):
            return new.roots.get(pid, pid)
        root = self.root(pid)
        if new is not None:
            new.roots[pid] = root
        return root

    def root(self, pid: str) -> str:
        """The pseudonym that counts now, for one that may have been merged into another."""
        at = pid
        for _ in range(HOPS):
            found = self.store.ask("SELECT root FROM person WHERE pid = ?", at)
            if not found:
                stop(DataError, "unknown-pid", "pid", "there is no such pseudonym", "check that it was read rightly")
            if found[0][0] is None:
                break
            at = str(found[0][0])
        return at

    def _last(self, table: str) -> int:
        return int(self.store.ask(f"SELECT COALESCE(MAX(id), 0) FROM {table}")[0][0])

    def _keep(self, new: _New) -> None:
        self.store.do("INSERT INTO person VALUES (?, ?, NULL)", new.people.items())
        self.store.do("INSERT INTO writing VALUES (?, ?, ?, ?)", new.writings)
        self.store.do("INSERT INTO trace VALUES (?, ?)", new.traces)
        if new.doubts:
            first = self._last("doubt") + 1
            rows = [(first + i, pid, other, "open") for i, (pid, other) in enumerate(new.doubts)]
            self.store.do("INSERT INTO doubt VALUES (?, ?, ?, ?)", rows)

    def values(self, domain: str, values: Sequence[str]) -> list[str]:
        """A pseudonym for each value, the same for the same value of a domain; the values themselves are not kept."""
        tags = [self.seal.tag("value", domain, value) for value in values]
        asked = list(dict.fromkeys(tags))
        known = {bytes(tag): pid for tag, pid in self.store.among("SELECT tag, pid FROM known WHERE tag", asked)}
        missing = [tag for tag in asked if tag not in known]
        while missing:
            drawn = dict(zip(missing, {_pid.drawn(): None for _ in missing}, strict=False))
            taken = {row[0] for row in self.store.among("SELECT pid FROM known WHERE pid", list(drawn.values()))}
            rows = [(tag, pid) for tag, pid in drawn.items() if pid not in taken]
            self.store.do("INSERT INTO known VALUES (?, ?)", rows)
            known.update(rows)
            missing = [tag for tag in missing if tag not in known]
        return [known[tag] for tag in tags]


@dataclass
class _New:
    """What a transaction is about to write."""

    last: int
    people: dict[str, str] = field(default_factory=dict)
    writings: list[tuple[int, str, bytes, bytes]] = field(default_factory=list)
    traces: list[tuple[bytes, int]] = field(default_factory=list)
    doubts: list[tuple[str, str]] = field(default_factory=list)
    roots: dict[str, str] = field(default_factory=dict)
