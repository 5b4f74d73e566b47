"""Both services over HTTP on this machine: the same steps, the same refusals, and nothing repeated to strangers."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("rbcl")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
from extras.decoupled.parties import CARS, RECIPE, RULES
from schleier.extras.decoupled._refusals import Refused
from schleier.extras.decoupled.messages import Issued, PublicKey, Rules
from schleier.extras.decoupled.registrar import Registrar
from schleier.extras.decoupled.service import PseudonymService
from schleier.extras.decoupled.tickets import Tickets
from schleier.extras.decoupled.transport import LARGEST, Remote, RemoteRegistrar, registrar_app, service_app, serving
from schleier.extras.decoupled.wallet import Wallet

PLACE, PARTNER = "/".join(CARS), "a word between both services"
TICKETS = Tickets(bytes(32))


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Remote, Remote]]:
    registrar = Registrar.in_memory(bytes(32))
    registrar.open(*CARS)
    with serving(registrar_app(registrar, TICKETS.identity, PARTNER)) as first:
        service = PseudonymService.in_memory(bytes(32), RemoteRegistrar(first, PARTNER))
        service.open(*CARS, RULES, RECIPE)
        with serving(service_app(service)) as second:
            yield Remote(first), Remote(second)


def sent(remote: Remote, method: str, path: str, body: bytes = b"", secret: str = "") -> tuple[int, str]:
    link = http.client.HTTPConnection(remote._host, timeout=60)
    link.request(method, path, body, {"Authorization": f"Bearer {secret}"})
    answer = link.getresponse()
    told = answer.status, answer.read().decode()
    link.close()
    return told


def test_a_whole_pseudonym_over_two_connections(both: tuple[Remote, Remote]) -> None:
    registrar, service = both
    wallets = {name: Wallet.in_memory() for name in ("Anna", "Ben")}
    for name, wallet in wallets.items():
        wallet.pin([PublicKey(**line) for line in registrar.ask("/keys")])
        asked = wallet.ask(*CARS).model_dump()
        wallet.accept(*CARS, Issued(**registrar.ask("/issue", asked, secret=TICKETS.give(name))))
    rules = Rules(**service.ask(f"/rules/{PLACE}"))
    for wallet in wallets.values():
        due = wallet.wait(*CARS, registrar.ask(f"/issued/{PLACE}")["issued"], rules, 0.0)
        wallet.named(*CARS, service.ask("/redeem", wallet.redemption(*CARS, due).model_dump())["pseudonym"])
    (batch,) = service.ask(f"/released/{PLACE}")
    wallet, other = wallets.values()
    assert sorted(batch) == sorted([wallet.pseudonym(*CARS), other.pseudonym(*CARS)])

    def said(what: str, record: dict[str, Any] | None = None) -> dict[str, Any]:
        challenge = service.ask(f"/challenge/{wallet.pseudonym(*CARS)}", {})["challenge"]
        return wallet.say(*CARS, what, challenge, record).model_dump()

    record = said("use", {"speed": 90, "fuel": 6.5})
    assert service.ask("/records", record) == {"kept": True}
    for path, document, code in (("/records", record, "stale-challenge"), ("/mail", said("use"), "bad-signature")):
        with pytest.raises(Refused) as refused:
            service.ask(path, document)
        assert refused.value.code == code
    assert service.ask("/mail", said("collect")) == []
    assert service.ask("/erase", said("erase"))["records"] == 1
    with pytest.raises(Refused, match="already served"):
        registrar.ask("/issue", Wallet.in_memory().ask(*CARS).model_dump(), secret=TICKETS.give("Anna"))


@pytest.mark.parametrize("secret", ["", TICKETS.give("x")[:-1] + "g", Tickets(bytes([1]) * 32).give("x"), "é", "...."])
def test_nobody_gets_a_token_or_a_check_without_a_ticket(secret: str, both: tuple[Remote, Remote]) -> None:
    asked = json.dumps(Wallet.in_memory().ask(*CARS).model_dump()).encode()
    for path in ("/issue", "/check"):
        status, _ = sent(both[0], "POST", path, asked, secret)
        assert status == 401
    status, _ = sent(both[0], "POST", "/check", asked, TICKETS.give("x"))
    assert status == 401, "a ticket is no word between services"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"token": "planted"}',
        b"[" * 30_000,
        b'{"scope": "planted\\u0000"}',
        b"\xff\xfe",
        b"1e999",
    ],
)
@pytest.mark.parametrize("path", ["/redeem", "/records", "/mail", "/erase", "/follow"])
def test_what_is_no_message_is_refused_and_not_repeated(path: str, body: bytes, both: tuple[Remote, Remote]) -> None:
    status, told = sent(both[1], "POST", path, body)
    assert status == 409 and json.loads(told)["problems"][0]["code"] == "bad-message" and "planted" not in told


def test_what_is_too_large_or_unknown_is_refused(both: tuple[Remote, Remote]) -> None:
    assert sent(both[1], "POST", "/redeem", b" " * (LARGEST + 1))[0] == 413
    for path, status in (("/rules/none/1", 409), ("/rules/%27%3B--/1", 409), ("/docs", 404), ("/openapi.json", 404)):
        assert sent(both[1], "GET", path)[0] == status
    assert sent(both[1], "GET", "/redeem")[0] == 405
    assert sent(both[1], "POST", "/challenge/" + "a" * 26)[0] == 409
