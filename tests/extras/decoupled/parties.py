"""Parties for tests: a registrar, a service and wallets, in memory or in folders."""

from __future__ import annotations

from pathlib import Path

from schleier.extras.decoupled.messages import Rules
from schleier.extras.decoupled.registrar import Registrar
from schleier.extras.decoupled.service import PseudonymService
from schleier.extras.decoupled.wallet import Wallet

CARS = ("cars", "2026")
RULES = Rules(n_min=2, window=1.0, batch=2)
RECIPE = """
[schema]
columns = [
    { name = "pseudonym", role = "unit", scale = "nominal" },
    { name = "speed", role = "quasi", scale = "discrete" },
    { name = "fuel", role = "sensitive", scale = "continuous", decimals = 1 },
]
[[criteria]]
criterion = "k_anonymity"
k = 2
"""


def services(
    folder: Path | None = None, rules: Rules = RULES, recipe: str | None = RECIPE
) -> tuple[Registrar, PseudonymService]:
    """Both services, with the scope opened."""
    if folder is None:
        registrar = Registrar.in_memory(bytes([1]) * 32)
        service = PseudonymService.in_memory(bytes([2]) * 32, registrar)
    else:
        registrar = Registrar.at(folder / "registrar")
        service = PseudonymService.at(folder / "service", registrar)
    registrar.open(*CARS)
    service.open(*CARS, rules, recipe)
    return registrar, service


def holding(registrar: Registrar, identity: str, place: tuple[str, str] = CARS) -> Wallet:
    """A wallet that got its token."""
    wallet = Wallet.in_memory()
    wallet.pin(registrar.key_list())
    wallet.accept(*place, registrar.issue(identity, wallet.ask(*place)))
    return wallet


def named(registrar: Registrar, service: PseudonymService, identities: str) -> list[Wallet]:
    """Wallets with a pseudonym, one for each letter."""
    wallets = [holding(registrar, identity) for identity in identities]
    for wallet in wallets:
        due = wallet.wait(*CARS, registrar.issued(*CARS), service.rules(*CARS), 0.0)
        wallet.named(*CARS, service.redeem(wallet.redemption(*CARS, due)))
    return wallets
