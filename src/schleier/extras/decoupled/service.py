"""The pseudonym service: knows pseudonyms and what was said under them, and never an identity."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NoReturn, Protocol, Self

from schleier.extras.decoupled import _keys as keys
from schleier.extras.decoupled._journal import Entry, File, Journal, Memory
from schleier.extras.decoupled._payload import Payload, Record
from schleier.extras.decoupled._refusals import refuse
from schleier.extras.decoupled._speech import spoken
from schleier.extras.decoupled.messages import Ask, Check, Erasure, Place, Redemption, Rules, Spoken, read

MOST_CHALLENGES = 10_000
"""Open at a time; the oldest are forgotten first."""


class Issuer(Protocol):
    """What the service asks the registrar; it tells no pseudonym."""

    def issued(self, scope: str, epoch: str) -> int:
        """The public counter."""

    def check(self, check: Check) -> bool:
        """Whether a token is good."""


@dataclass
class Scope:
    """What the service knows of one scope and epoch."""

    rules: Rules
    payload: Payload | None
    waiting: list[str] = field(default_factory=list)
    batches: list[list[str]] = field(default_factory=list)


@dataclass
class Profile:
    """What the service knows of one pseudonym."""

    place: Place
    key: bytes
    box: bytes
    among: int
    """How many tokens were issued when it was redeemed: who could stand behind it."""
    records: list[Record] = field(default_factory=list, repr=False)
    mail: list[str] = field(default_factory=list, repr=False)
    before: str | None = None
    """The pseudonym of an earlier epoch, where the user proved both."""
    released: bool = False
    blocked: bool = False


class PseudonymService:
    """Makes a pseudonym of each good token, keeps records under it and hands out messages for it."""

    def __init__(self, secret: bytes, journal: Journal, registrar: Issuer, *, key: bytes | None = None) -> None:
        self._key = keys.derive(secret, "pseudonyms") if key is None else key
        self._signing = keys.derive(secret, "erasures")
        self._journal, self._registrar = journal, registrar
        self._scopes: dict[Place, Scope] = {}
        self._profiles: dict[str, Profile] = {}
        self._seen: dict[str, tuple[str, str]] = {}
        """Of each token, as a keyed mark: the receipt of its redemption and its pseudonym, empty until there is one."""
        self._challenges: dict[str, str] = {}
        self.refused: Counter[str] = Counter()
        for entry in journal.entries:
            self._take(entry)
        for place in list(self._scopes):
            self._release(place)  # a kill may have come before it

    @classmethod
    def at(cls, folder: Path, registrar: Issuer) -> Self:
        """The service of a folder, with all that it did before."""
        secret = keys.secret_of(folder)
        return cls(secret, File(folder, secret), registrar)

    @classmethod
    def in_memory(cls, secret: bytes, registrar: Issuer) -> Self:
        """One that ends with the process."""
        return cls(secret, Memory(), registrar)

    @property
    def signs_as(self) -> str:
        """The public key of its signatures under erasures."""
        return keys.public_of(self._signing).hex()

    def open(self, scope: str, epoch: str, rules: Rules, recipe: str | None = None) -> None:
        """Begin to take tokens; without a recipe with criteria no records are taken, only messages handed out."""
        place = read(Ask, {"scope": scope, "epoch": epoch, "blinded": bytes(32).hex()}).place
        if recipe is not None:
            Payload(recipe)
        if place not in self._scopes:
            self._keep({"do": "open", "at": list(place), "rules": rules.model_dump(), "recipe": recipe})

    def rules(self, scope: str, epoch: str) -> Rules:
        """What wallets must keep."""
        return self._scope((scope, epoch)).rules

    def redeem(self, told: Redemption) -> str:
        """The pseudonym of a token. Repeated after a lost answer it is the same one; with other keys it is refused."""
        scope = self._scope(told.place)
        if not keys.signed(bytes.fromhex(told.key), told.signature, told.text()):
            self._refuse("bad-signature")
        mark = self._mark(told.place, told.token)
        receipt = keys.tag(self._key, b"receipt", told.text()).hex()
        known, name = self._seen.get(mark, (receipt, ""))
        if known != receipt:
            self._refuse("double-spend")
        if name:
            return name
        issued = self._registrar.issued(*told.place)
        if issued < scope.rules.n_min:
            self._refuse("too-few-issued")
        check = Check(scope=told.scope, epoch=told.epoch, token=told.token, output=told.output, receipt=receipt)
        if not self._registrar.check(check):
            self._refuse("bad-token")
        token, public = bytes.fromhex(told.token), bytes.fromhex(told.key)
        name = keys.pseudonym(self._key, *told.place, token, public)
        entry = {"do": "name", "at": list(told.place), "pseudonym": name, "key": told.key, "box": told.box}
        self._keep({**entry, "mark": mark, "receipt": receipt, "among": issued})
        self._release(told.place)
        return name

    def released(self, scope: str, epoch: str) -> list[list[str]]:
        """The pseudonyms as others see them: in batches, each in an order that tells nothing."""
        return [list(batch) for batch in self._scope((scope, epoch)).batches]

    def anonymity(self, scope: str, epoch: str) -> list[tuple[int, float]]:
        """For each batch, among how many identities its pseudonyms hide: the fewest, and the median."""
        batches = self._scope((scope, epoch)).batches
        among = [[self._profiles[name].among for name in batch if name in self._profiles] for batch in batches]
        return [(min(numbers), float(median(numbers))) for numbers in among if numbers]

    def challenge(self, pseudonym: str) -> str:
        """What must be signed to speak under a pseudonym, once; a restart makes all of them void."""
        self._profile(pseudonym)
        while len(self._challenges) >= MOST_CHALLENGES:
            del self._challenges[next(iter(self._challenges))]
        drawn = secrets.token_bytes(keys.KEY_BYTES).hex()
        self._challenges[drawn] = pseudonym
        return drawn

    def submit(self, said: Spoken) -> None:
        """Keep a record of the declared columns."""
        profile = self._heard("use", said)
        payload = self._scope(profile.place).payload
        if payload is None:
            self._refuse("no-safeguards")
        payload.check(said.record)
        self._keep({"do": "record", "pseudonym": said.pseudonym, "record": said.record})

    def post(self, pseudonym: str, text: bytes) -> None:
        """Leave a message that only the wallet can open."""
        message = keys.boxed(self._profile(pseudonym).box, text).hex()
        self._keep({"do": "mail", "pseudonym": pseudonym, "message": message})

    def collect(self, said: Spoken) -> list[str]:
        """The messages left for a pseudonym."""
        return list(self._heard("collect", said).mail)

    def block(self, pseudonym: str) -> None:
        """Exclude a pseudonym: the token is spent, so there is no other in this epoch, whoever it is."""
        self._profile(pseudonym)
        self._keep({"do": "block", "pseudonym": pseudonym})

    def follow(self, new: Spoken, old: Spoken) -> None:
        """Continue the profile of an earlier epoch: the user signs with both keys."""
        self._heard("continue", new, old.pseudonym)
        self._heard("continue", old, new.pseudonym)
        self._keep({"do": "follow", "pseudonym": new.pseudonym, "before": old.pseudonym})

    def erase(self, said: Spoken) -> Erasure:
        """Erase all that is known of a pseudonym, on its own demand; what is left is that its token is spent."""
        gone = said.pseudonym
        count = len(self._heard("erase", said, blocked=True).records)
        self._journal.rewrite(kept for entry in self._journal.entries for kept in _without(gone, entry))
        self._start_again()
        told = Erasure(pseudonym=gone, records=count, journal=self.digest, signature=bytes(64).hex())
        return told.model_copy(update={"signature": keys.sign(self._signing, told.text())})

    @property
    def digest(self) -> str:
        """Of all steps that are kept."""
        return hashlib.sha256(repr(self._journal.entries).encode()).hexdigest()

    def records(self, scope: str, epoch: str) -> list[tuple[str, Record]]:
        """What was said under released pseudonyms: for the recipe, and for nobody else."""
        place, rows = (scope, epoch), []
        for name in (name for batch in self._scope(place).batches for name in batch if name in self._profiles):
            rows += [(name, record) for record in self._profiles[name].records]
        return rows

    def payload(self, scope: str, epoch: str) -> Payload:
        """The recipe of a scope."""
        return self._scope((scope, epoch)).payload or self._refuse("no-safeguards")

    def holds(self, scope: str, epoch: str, token: str) -> str:
        """The pseudonym of a token, for whoever was shown the token by its owner."""
        name = self._seen.get(self._mark((scope, epoch), token), ("", ""))[1]
        return name or self._refuse("unknown-pseudonym")

    def close(self) -> None:
        """Let another process go on."""
        self._journal.close()

    def _heard(self, what: str, said: Spoken, other: str = "", *, blocked: bool = False) -> Profile:
        """Who speaks, when the challenge and the signature are right."""
        profile = self._profile(said.pseudonym)
        if self._challenges.pop(said.challenge, "") != said.pseudonym:
            self._refuse("stale-challenge")
        if not keys.signed(
            profile.key, said.signature, spoken(what, said.pseudonym, said.challenge, said.record, other)
        ):
            self._refuse("bad-signature")
        if profile.blocked and not blocked:
            self._refuse("blocked")
        if not profile.released:
            self._refuse("not-released")
        return profile

    def _release(self, place: Place) -> None:
        scope = self._scopes[place]
        if len(scope.waiting) >= scope.rules.batch:
            batch = list(scope.waiting)
            secrets.SystemRandom().shuffle(batch)
            self._keep({"do": "release", "at": list(place), "batch": batch})

    def _mark(self, place: Place, token: str) -> str:
        return keys.tag(self._key, b"token", *(part.encode() for part in place), bytes.fromhex(token)).hex()

    def _scope(self, place: Place) -> Scope:
        return self._scopes[place] if place in self._scopes else self._refuse("unknown-scope")

    def _profile(self, pseudonym: str) -> Profile:
        return self._profiles[pseudonym] if pseudonym in self._profiles else self._refuse("unknown-pseudonym")

    def _refuse(self, code: str) -> NoReturn:
        self.refused[code] += 1
        refuse(code)

    def _keep(self, entry: Entry) -> None:
        self._journal.append(entry)
        self._take(entry)

    def _start_again(self) -> None:
        self._scopes.clear()
        self._profiles.clear()
        self._seen.clear()
        for entry in self._journal.entries:
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        """What a step changes; the same for one that is done and one that is read again."""
        match entry:
            case {"do": "open", "at": [scope, epoch], "rules": rules, "recipe": recipe}:
                self._scopes[scope, epoch] = Scope(Rules(**rules), None if recipe is None else Payload(recipe))
            case {"do": "name", "at": [scope, epoch], "pseudonym": name, "key": key, "box": box, "among": among}:
                self._profiles[name] = Profile((scope, epoch), bytes.fromhex(key), bytes.fromhex(box), among)
                self._seen[entry["mark"]] = (entry["receipt"], name)
                self._scopes[scope, epoch].waiting.append(name)
            case {"do": "gone", "mark": mark}:
                self._seen[mark] = ("", "")
            case {"do": "release", "at": [scope, epoch], "batch": batch}:
                here = self._scopes[scope, epoch]
                here.waiting = [name for name in here.waiting if name not in set(batch)]
                here.batches.append(batch)
                for name in batch:
                    self._profiles[name].released = True
            case {"pseudonym": name}:
                self._tell(self._profiles[name], entry)

    def _tell(self, profile: Profile, entry: dict[str, Any]) -> None:
        match entry:
            case {"do": "record", "record": record}:
                profile.records.append(record)
            case {"do": "mail", "message": message}:
                profile.mail.append(message)
            case {"do": "block"}:
                profile.blocked = True
            case {"do": "follow", "before": before}:
                profile.before = before


def _without(name: str, entry: Entry) -> list[Entry]:
    """What is left of a step when a pseudonym is erased: of its token only that it is spent."""
    if entry.get("pseudonym") == name:
        return [{"do": "gone", "mark": entry["mark"]}] if entry["do"] == "name" else []
    if entry["do"] == "follow" and entry["before"] == name:
        return []
    if entry["do"] == "release":
        return [{**entry, "batch": [one for one in entry["batch"] if one != name]}]
    return [entry]
