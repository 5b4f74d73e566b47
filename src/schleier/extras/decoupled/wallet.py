"""The wallet: the one secret that links an identity to a pseudonym, on the device of whoever it is about.

A wallet remembers each step before it sends anything, so that it can be killed at any moment and go on.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any, Self

from schleier.extras.decoupled import _blind as blind
from schleier.extras.decoupled import _group as group
from schleier.extras.decoupled import _keys as keys
from schleier.extras.decoupled._journal import Entry, File, Journal, Memory
from schleier.extras.decoupled._refusals import refuse
from schleier.extras.decoupled._speech import spoken
from schleier.extras.decoupled.messages import (
    Ask,
    Disclosure,
    Issued,
    Place,
    PublicKey,
    Redemption,
    Rules,
    Spoken,
)
from schleier.extras.decoupled.registrar import START, digest_of

FINE = 2**53


class Wallet:
    """One secret, and for each scope and epoch how far its pseudonym has come."""

    def __init__(self, secret: bytes, journal: Journal) -> None:
        self._secret, self._journal = secret, journal
        self._steps: dict[Place, dict[str, Any]] = {}
        self._pinned: list[PublicKey] = []
        for entry in journal.entries:
            self._take(entry)

    @classmethod
    def at(cls, folder: Path, passphrase: str | None = None) -> Self:
        """The wallet of a folder; its secret sealed under a passphrase, or in a file only its owner may read."""
        from schleier.extras.decoupled._backup import secret_under

        secret = keys.secret_of(folder) if passphrase is None else secret_under(folder, passphrase)
        return cls(secret, File(folder, secret))

    @classmethod
    def in_memory(cls, secret: bytes | None = None) -> Self:
        """One that ends with the process."""
        return cls(secret or secrets.token_bytes(keys.KEY_BYTES), Memory())

    def pin(self, lines: list[PublicKey]) -> None:
        """Remember the public list of keys; it may only ever grow."""
        before, places = START, set[Place]()
        for line in lines:
            if line.before != before or line.place in places:
                refuse("other-key-list")
            before = digest_of(line)
            places.add(line.place)
        if lines[: len(self._pinned)] != self._pinned:
            refuse("other-key-list")
        if len(lines) > len(self._pinned):
            self._keep({"do": "pin", "lines": [line.model_dump() for line in lines]})

    def ask(self, scope: str, epoch: str, *, factor: bytes | None = None) -> Ask:
        """The question for the registrar; after a lost answer the same one again."""
        if (scope, epoch) not in self._steps:
            hidden = blind.blind(self._token(scope, epoch), factor=factor)
            entry = {"do": "ask", "at": [scope, epoch], "factor": hidden.factor.hex(), "blinded": hidden.element.hex()}
            self._keep(entry)
        return Ask(scope=scope, epoch=epoch, blinded=self._steps[scope, epoch]["blinded"])

    def accept(self, scope: str, epoch: str, answer: Issued) -> None:
        """Take the answer, if it was made with the key that all wallets see."""
        step = self._step(scope, epoch, "blinded")
        public = next((line.public for line in self._pinned if line.place == (scope, epoch)), None)
        if public is None:
            refuse("other-key-list")
        asked, given = bytes.fromhex(step["blinded"]), bytes.fromhex(answer.evaluated)
        if not blind.proven(bytes.fromhex(public), [asked], [given], bytes.fromhex(answer.proof)):
            refuse("bad-proof")
        output = blind.unblinded(self._token(scope, epoch), bytes.fromhex(step["factor"]), given)
        self._keep({"do": "hold", "at": [scope, epoch], "output": output.hex()})

    def wait(self, scope: str, epoch: str, issued: int, rules: Rules, now: float) -> float:
        """When to redeem: once enough are issued, after a delay that is drawn once."""
        step = self._step(scope, epoch, "output")
        if "due" not in step:
            if issued < rules.n_min:
                refuse("too-few-issued")
            delay = rules.window * secrets.randbelow(FINE) / FINE
            self._keep({"do": "wait", "at": [scope, epoch], "due": now + delay})
        due: float = step["due"]
        return due

    def redemption(self, scope: str, epoch: str, now: float) -> Redemption:
        """What the service gets, over a connection that does not tell who is there; before its time nothing."""
        step = self._step(scope, epoch, "due")
        if now < step["due"]:
            refuse("too-early")
        speaking = self._derived("key", scope, epoch)
        told = Redemption(
            scope=scope,
            epoch=epoch,
            token=self._token(scope, epoch).hex(),
            output=step["output"],
            key=keys.public_of(speaking).hex(),
            box=keys.box_of(self._derived("box", scope, epoch)).hex(),
            signature=bytes(64).hex(),
        )
        return told.model_copy(update={"signature": keys.sign(speaking, told.text())})

    def named(self, scope: str, epoch: str, pseudonym: str) -> None:
        """Remember what the service answered."""
        self._step(scope, epoch, "due")
        self._keep({"do": "name", "at": [scope, epoch], "pseudonym": pseudonym})

    def pseudonym(self, scope: str, epoch: str) -> str:
        """The pseudonym there."""
        name: str = self._step(scope, epoch, "pseudonym")["pseudonym"]
        return name

    def say(
        self, scope: str, epoch: str, what: str, challenge: str, record: dict[str, Any] | None = None, other: str = ""
    ) -> Spoken:
        """Something said under the pseudonym: ``use`` with a record, ``collect``, ``erase``, ``continue`` another."""
        name = self.pseudonym(scope, epoch)
        text = spoken(what, name, challenge, record, other)
        signature = keys.sign(self._derived("key", scope, epoch), text)
        return Spoken(pseudonym=name, challenge=challenge, signature=signature, record=record)

    def open_mail(self, scope: str, epoch: str, message: str) -> bytes:
        """What was sent to the pseudonym."""
        return keys.unboxed(self._derived("box", scope, epoch), bytes.fromhex(message))

    def disclose(self, scope: str, epoch: str) -> Disclosure:
        """What restores the link, for whoever the user chooses to show it."""
        step = self._step(scope, epoch, "output")
        token = self._token(scope, epoch).hex()
        return Disclosure(scope=scope, epoch=epoch, token=token, factor=step["factor"], output=step["output"])

    def backup(self, passphrase: str) -> bytes:
        """Everything, sealed under a passphrase; the user keeps it, and without it a lost wallet is lost."""
        from schleier.extras.decoupled._backup import packed

        return packed(self._secret, self._journal.entries, passphrase)

    @classmethod
    def restored(cls, backup: bytes, passphrase: str, folder: Path | None = None) -> Self:
        """The wallet of a backup, in a new folder or in memory."""
        from schleier.extras.decoupled._backup import keep_under, unpacked

        secret, entries = unpacked(backup, passphrase)
        if folder is not None:
            keep_under(folder, secret, passphrase)
        journal: Journal = Memory() if folder is None else File(folder, secret)
        journal.rewrite(entries)
        return cls(secret, journal)

    def close(self) -> None:
        """Let another process go on."""
        self._journal.close()

    def _derived(self, what: str, scope: str, epoch: str) -> bytes:
        return keys.derive(self._secret, f"{what}|{scope}|{epoch}")

    def _token(self, scope: str, epoch: str) -> bytes:
        return self._derived("token", scope, epoch)

    def _step(self, scope: str, epoch: str, reached: str) -> dict[str, Any]:
        step = self._steps.get((scope, epoch), {})
        return step if reached in step else refuse("wrong-step")

    def _keep(self, entry: Entry) -> None:
        self._journal.append(entry)
        self._take(entry)

    def _take(self, entry: Entry) -> None:
        if entry["do"] == "pin":
            self._pinned = [PublicKey(**line) for line in entry["lines"]]
            return
        scope, epoch = entry["at"]
        self._steps.setdefault((scope, epoch), {}).update({k: v for k, v in entry.items() if k not in ("do", "at")})


def belongs(disclosure: Disclosure, blinded: str) -> bool:
    """Whether a disclosure opens a request in the registrar's log: another one would take a discrete logarithm."""
    token, factor = bytes.fromhex(disclosure.token), group.scalar(bytes.fromhex(disclosure.factor), "factor")
    return blind.blind(token, factor=factor).element.hex() == blinded
