"""Vehicles send how they are driven under pseudonyms nobody can resolve; the insurer gets a table of groups of five."""

from __future__ import annotations

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
from schleier.extras.decoupled.wallet import Wallet

PLACE, VEHICLES, HOUR = ("driving", "2026-11"), 40, 3600.0
COLUMNS = ("acceleration", "over_limit", "engine_speed", "load")


def driving(rng: np.random.Generator) -> dict[str, float]:
    """How one invented vehicle is driven: no route, no place."""
    hurry = rng.random()
    values = (1 + 3 * hurry, 20 * hurry, 1500 + 2000 * hurry, 20 + 60 * rng.random(), 4 + 5 * hurry)
    noisy = [float(value * (0.8 + 0.4 * rng.random())) for value in values]
    rounded = [round(noisy[0], 1), round(noisy[1], 1), round(noisy[2]), round(noisy[3]), round(noisy[4], 1)]
    return dict(zip((*COLUMNS, "fuel"), rounded, strict=True))


def main() -> dict[str, Any]:
    """Everything on this machine; what came out, and what attackers found."""
    rng = sl.Run().rng("vehicles")
    registrar = Registrar.in_memory(secrets.token_bytes(32))
    registrar.open(*PLACE)
    tickets, partner = Tickets(secrets.token_bytes(32)), secrets.token_hex()
    with ExitStack() as running:
        first = running.enter_context(serving(registrar_app(registrar, tickets.identity, partner)))
        service = PseudonymService.in_memory(secrets.token_bytes(32), RemoteRegistrar(first, partner))
        recipe = Path(__file__).with_name("recipe.toml").read_text(encoding="utf-8")
        service.open(*PLACE, Rules(n_min=VEHICLES, window=24 * HOUR, batch=10), recipe)
        second = running.enter_context(serving(service_app(service)))

        vehicles = [Client(Wallet.in_memory(), PLACE, Remote(first), Remote(second)) for _ in range(VEHICLES)]
        for number, vehicle in enumerate(vehicles):  # on one day each shows who it is
            vehicle.register(tickets.give(f"WDB-{number}"))
        due = np.array([vehicle.wait(now=0.0) for vehicle in vehicles])
        for number in np.argsort(due).tolist():  # on the next day they come back, nobody knows which
            vehicles[number].redeem(now=float(due[number]))
        profiles = [driving(rng) for _ in vehicles]
        for vehicle, profile in zip(vehicles, profiles, strict=True):
            vehicle.record(profile)
        release = service.payload(*PLACE).release(service.records(*PLACE))
        proof = vehicles[0].erase()

    order = attacking.timing(np.arange(VEHICLES, dtype=float), due, sl.Run())
    stored = np.array([[profile[name] for name in COLUMNS] for profile in profiles], dtype=float)
    seen = stored * (0.99 + 0.02 * rng.random(stored.shape))  # an attacker followed every vehicle for a while
    known = attacking.payload(stored, seen, range(VEHICLES))
    groups = release.data.to_arrow().select(COLUMNS).to_pylist()
    smallest = min(sum(row == other for other in groups) for row in groups)
    return {
        "pseudonyms": sum(len(batch) for batch in service.released(*PLACE)),
        "smallest group": smallest,
        "found by the order": order.found.successes,
        "found by behaviour at the service": known.found.successes,
        "erased records": proof["records"],
        "left": len(service.records(*PLACE)),
    }


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name}: {value}")  # noqa: T201
