"""A wallet that speaks with both services over HTTP; connections to them should not show the same address."""

from __future__ import annotations

from typing import Any

from schleier.extras.decoupled.messages import Issued, Place, PublicKey, Rules
from schleier.extras.decoupled.transport import Remote
from schleier.extras.decoupled.wallet import Wallet


class Client:
    """One wallet in one scope and epoch; every step may be repeated after a lost answer."""

    def __init__(self, wallet: Wallet, place: Place, registrar: Remote, service: Remote) -> None:
        self.wallet, self.place = wallet, place
        self._registrar, self._service = registrar, service

    def register(self, ticket: str) -> None:
        """Get a token for the identity of a ticket."""
        self.wallet.pin([PublicKey(**line) for line in self._registrar.ask("/keys")])
        asked = self.wallet.ask(*self.place).model_dump()
        self.wallet.accept(*self.place, Issued(**self._registrar.ask("/issue", asked, secret=ticket)))

    def wait(self, now: float) -> float:
        """When to redeem."""
        where = "/".join(self.place)
        rules = Rules(**self._service.ask(f"/rules/{where}"))
        return self.wallet.wait(*self.place, self._registrar.ask(f"/issued/{where}")["issued"], rules, now)

    def redeem(self, now: float) -> str:
        """Get the pseudonym."""
        told = self.wallet.redemption(*self.place, now).model_dump()
        pseudonym: str = self._service.ask("/redeem", told)["pseudonym"]
        self.wallet.named(*self.place, pseudonym)
        return pseudonym

    def record(self, record: dict[str, Any]) -> None:
        """Say something under the pseudonym."""
        self._say("/records", "use", record)

    def mail(self) -> list[bytes]:
        """What was sent to the pseudonym."""
        return [self.wallet.open_mail(*self.place, letter) for letter in self._say("/mail", "collect")]

    def erase(self) -> Any:
        """Have all that is known of the pseudonym erased; the answer is a signed proof."""
        return self._say("/erase", "erase")

    def _say(self, path: str, what: str, record: dict[str, Any] | None = None) -> Any:
        challenge = self._service.ask(f"/challenge/{self.wallet.pseudonym(*self.place)}", {})["challenge"]
        return self._service.ask(path, self.wallet.say(*self.place, what, challenge, record).model_dump())
