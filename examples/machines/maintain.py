"""Machines of competing customers report under pseudonyms; advice and bills come back to whoever it is."""

from __future__ import annotations

import json
import secrets
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import schleier as sl
from schleier.extras.decoupled import attacking
from schleier.extras.decoupled.client import Client
from schleier.extras.decoupled.messages import Rules
from schleier.extras.decoupled.registrar import Registrar
from schleier.extras.decoupled.service import PseudonymService
from schleier.extras.decoupled.tickets import Tickets
from schleier.extras.decoupled.transport import Remote, RemoteRegistrar, registrar_app, service_app, serving
from schleier.extras.decoupled.wallet import Wallet, belongs

PLACE, WEEK = ("presses", "2026-q4"), 7 * 24 * 3600.0
FLEET = {"Alder": 12, "Birch": 8, "Cedar": 8}
WORN, RATE = 6.0, 3
"""Vibration from which a bearing is changed; price of an hour."""


def main() -> dict[str, Any]:
    """Everything on this machine; what came out, and what attackers found."""
    rng = sl.Run().rng("machines")
    serials = [f"{firm}-{number}" for firm, count in FLEET.items() for number in range(count)]
    registrar = Registrar.in_memory(secrets.token_bytes(32))
    registrar.open(*PLACE)
    tickets, partner = Tickets(secrets.token_bytes(32)), secrets.token_hex()
    with ExitStack() as running:
        first = running.enter_context(serving(registrar_app(registrar, tickets.identity, partner)))
        service = PseudonymService.in_memory(secrets.token_bytes(32), RemoteRegistrar(first, partner))
        recipe = Path(__file__).with_name("recipe.toml").read_text(encoding="utf-8")
        service.open(*PLACE, Rules(n_min=len(serials), window=WEEK, batch=7), recipe)
        second = running.enter_context(serving(service_app(service)))

        machines = [Client(Wallet.in_memory(), PLACE, Remote(first), Remote(second)) for _ in serials]
        for serial, machine in zip(serials, machines, strict=True):  # each machine by its delivery note
            machine.register(tickets.give(serial))
        due = np.array([machine.wait(now=0.0) for machine in machines])
        for number in np.argsort(due).tolist():
            machines[number].redeem(now=float(due[number]))

        used = [{"hours": int(rng.integers(20, 160)), "temperature": int(rng.integers(40, 90))} for _ in machines]
        worn = [round(1 + use["hours"] / 25 + float(rng.random()), 1) for use in used]
        for machine, use, vibration in zip(machines, used, worn, strict=True):
            machine.record({**use, "vibration": vibration})

        for pseudonym, record in service.records(*PLACE):  # the maker writes to pseudonyms
            advice = {"bill": RATE * record["hours"], "change bearing": record["vibration"] >= WORN}
            service.post(pseudonym, json.dumps(advice).encode())
        letters = [[json.loads(letter) for letter in machine.mail()] for machine in machines]
        release = service.payload(*PLACE).release(service.records(*PLACE))

    right = sum(
        letter == [{"bill": RATE * use["hours"], "change bearing": vibration >= WORN}]
        for letter, use, vibration in zip(letters, used, worn, strict=True)
    )
    shown = machines[0].wallet.disclose(*PLACE)  # a customer proves at the workshop which machine it is
    order = attacking.timing(np.arange(len(serials), dtype=float), due, sl.Run())
    return {
        "machines": len(serials),
        "right letters": right,
        "bearings to change": sum(letter[0]["change bearing"] for letter in letters),
        "rows for the engineers": release.report.records_released,
        "found by the order": order.found.successes,
        "link shown by its owner": belongs(shown, registrar.logged(*PLACE, serials[0])),
        "link fits another machine": belongs(shown, registrar.logged(*PLACE, serials[1])),
    }


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name}: {value}")  # noqa: T201
