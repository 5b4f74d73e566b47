"""The registrar: knows who takes part, gives each one token in an epoch, and cannot tell whose it is when it comes."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, Self

from schleier.extras.decoupled import _blind as blind
from schleier.extras.decoupled import _keys as keys
from schleier.extras.decoupled._journal import Entry, File, Journal, Memory
from schleier.extras.decoupled._refusals import refuse
from schleier.extras.decoupled.messages import Ask, Check, Issued, Place, PublicKey, read

START = bytes(32).hex()


@dataclass
class Epoch:
    """What the registrar knows of one scope and epoch."""

    key: blind.KeyPair
    served: dict[str, str] = field(default_factory=dict, repr=False)
    """The blinded element of each identity; of identities only keyed marks."""
    blinded: set[str] = field(default_factory=set, repr=False)
    spent: dict[str, str] = field(default_factory=dict, repr=False)
    """The receipt of each token that came back."""


class Registrar:
    """Issues and checks tokens. Who an identity is was settled before: identities come authenticated.

    Each scope and epoch has a key of its own. With one key for all, a token of one scope would be good in another.
    """

    def __init__(self, secret: bytes, journal: Journal) -> None:
        self._seed, self._marks = keys.derive(secret, "registrar"), keys.derive(secret, "identities")
        self._journal, self._epochs = journal, dict[Place, Epoch]()
        self.refused: Counter[str] = Counter()
        for entry in journal.entries:
            self._take(entry)

    @classmethod
    def at(cls, folder: Path) -> Self:
        """The registrar of a folder, with all that it did before."""
        secret = keys.secret_of(folder)
        return cls(secret, File(folder, secret))

    @classmethod
    def in_memory(cls, secret: bytes) -> Self:
        """One that ends with the process."""
        return cls(secret, Memory())

    def open(self, scope: str, epoch: str) -> None:
        """Begin to issue tokens; doing it again changes nothing."""
        place = read(Ask, {"scope": scope, "epoch": epoch, "blinded": START}).place
        if place not in self._epochs:
            self._keep({"do": "open", "at": list(place)})

    def key_list(self) -> list[PublicKey]:
        """The public list of keys: a wallet that pinned it notices when a line is changed later."""
        lines: list[PublicKey] = []
        for (scope, epoch), held in self._epochs.items():
            before = digest_of(lines[-1]) if lines else START
            lines.append(PublicKey(scope=scope, epoch=epoch, public=held.key.public.hex(), before=before))
        return lines

    def issued(self, scope: str, epoch: str) -> int:
        """The public counter of tokens."""
        return len(self._held((scope, epoch)).served)

    def issue(self, identity: str, ask: Ask) -> Issued:
        """One token for one identity: kept before it is answered, and the same question gets the same answer."""
        held = self._held(ask.place)
        mark = keys.tag(self._marks, *(part.encode() for part in (*ask.place, identity))).hex()
        evaluated = blind.evaluate_blind(held.key, (asked := bytes.fromhex(ask.blinded)))
        if mark in held.served and held.served[mark] != ask.blinded:
            self._refuse("double-issue")
        if mark not in held.served:
            if ask.blinded in held.blinded:
                self._refuse("foreign-request")
            self._keep({"do": "issue", "at": list(ask.place), "who": mark, "blinded": ask.blinded})
        proof = blind.prove(held.key, [asked], [evaluated])
        return Issued(evaluated=evaluated.hex(), proof=proof.hex())

    def check(self, check: Check) -> bool:
        """Whether a token is one of ours that nobody else has spent; yes once, and again to the same receipt."""
        held = self._held(check.place)
        output = blind.evaluate(held.key, bytes.fromhex(check.token))
        if not hmac.compare_digest(output, bytes.fromhex(check.output)):
            self.refused["foreign-token"] += 1
            return False
        if check.token not in held.spent:
            self._keep({"do": "spend", "at": list(check.place), "token": check.token, "receipt": check.receipt})
        if not hmac.compare_digest(held.spent[check.token], check.receipt):
            self.refused["double-spend"] += 1
            return False
        return True

    def logged(self, scope: str, epoch: str, identity: str) -> str:
        """The request an identity was served with: what its owner points at to restore the link."""
        mark = keys.tag(self._marks, *(part.encode() for part in (scope, epoch, identity))).hex()
        served = self._held((scope, epoch)).served
        return served[mark] if mark in served else self._refuse("not-served")

    def close(self) -> None:
        """Let another process go on."""
        self._journal.close()

    def _held(self, place: Place) -> Epoch:
        return self._epochs[place] if place in self._epochs else self._refuse("unknown-scope")

    def _refuse(self, code: str) -> NoReturn:
        self.refused[code] += 1
        refuse(code)

    def _keep(self, entry: Entry) -> None:
        self._journal.append(entry)
        self._take(entry)

    def _take(self, entry: Entry) -> None:
        """What a step changes; the same for one that is done and one that is read again."""
        scope, epoch = entry["at"]
        match entry:
            case {"do": "open"}:
                key = blind.derive_key_pair(self._seed, f"registrar|{scope}|{epoch}".encode())
                self._epochs[scope, epoch] = Epoch(key)
            case {"do": "issue", "who": mark, "blinded": blinded}:
                self._epochs[scope, epoch].served[mark] = blinded
                self._epochs[scope, epoch].blinded.add(blinded)
            case {"do": "spend", "token": token, "receipt": receipt}:
                self._epochs[scope, epoch].spent[token] = receipt


def digest_of(line: PublicKey) -> str:
    """What the next line of a key list holds of this one."""
    return hashlib.sha256(line.model_dump_json().encode()).hexdigest()
