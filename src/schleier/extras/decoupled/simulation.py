"""A population that registers, waits and redeems: the real parties, in a time of their own."""

from __future__ import annotations

import hashlib
import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schleier.core.run import Run
from schleier.extras.decoupled.messages import Place, Rules
from schleier.extras.decoupled.registrar import Registrar
from schleier.extras.decoupled.service import PseudonymService
from schleier.extras.decoupled.wallet import Wallet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PLACE: Place = ("population", "1")


@dataclass(frozen=True)
class Plan:
    """How many register, over how long a time, and by which rules they redeem."""

    persons: int
    registration: float
    rules: Rules
    recipe: str | None = field(default=None, repr=False)
    careless: bool = False
    """Wallets whose secret follows from the identity: what an attack must find, to show that it would."""


@dataclass
class Outcome:
    """The parties afterwards, and what happened when; person ``i`` has wallet ``i``."""

    plan: Plan
    registrar: Registrar
    service: PseudonymService
    wallets: list[Wallet] = field(repr=False)
    issued_at: Floats = field(repr=False)
    redeemed_at: Floats = field(repr=False)

    @property
    def pseudonyms(self) -> list[str]:
        """Of each person: the truth, which no attacker has."""
        return [wallet.pseudonym(*PLACE) for wallet in self.wallets]


def identity(person: int) -> str:
    """What the registrar calls a person."""
    return f"person {person}"


def simulate(plan: Plan, run: Run) -> Outcome:
    """Everybody registers at a time drawn evenly; the delays are those that the wallets draw."""
    import numpy as np

    registrar = Registrar.in_memory(run.subkey("registrar"))
    service = PseudonymService.in_memory(run.subkey("service"), registrar)
    registrar.open(*PLACE)
    service.open(*PLACE, plan.rules, plan.recipe)
    wallets = [Wallet.in_memory(_careless(i) if plan.careless else None) for i in range(plan.persons)]
    issued_at = run.rng("registration").random(plan.persons) * plan.registration
    redeemed_at = np.full(plan.persons, np.nan)
    lines, queue = registrar.key_list(), list[tuple[float, int]]()
    for done, person in enumerate(np.argsort(issued_at, kind="stable").tolist(), 1):
        _redeem(queue, float(issued_at[person]), service, wallets, redeemed_at)
        wallet = wallets[person]
        wallet.pin(lines)
        wallet.accept(*PLACE, registrar.issue(identity(person), wallet.ask(*PLACE)))
        if done >= plan.rules.n_min:
            for one in [person] if done > plan.rules.n_min else np.flatnonzero(issued_at <= issued_at[person]).tolist():
                due = wallets[one].wait(*PLACE, done, plan.rules, float(issued_at[person]))
                heapq.heappush(queue, (due, one))
    _redeem(queue, float("inf"), service, wallets, redeemed_at)
    return Outcome(plan, registrar, service, wallets, issued_at, redeemed_at)


def _redeem(
    queue: list[tuple[float, int]], until: float, service: PseudonymService, wallets: list[Wallet], times: Floats
) -> None:
    while queue and queue[0][0] <= until:
        now, person = heapq.heappop(queue)
        wallets[person].named(*PLACE, service.redeem(wallets[person].redemption(*PLACE, now)))
        times[person] = now


def _careless(person: int) -> bytes:
    return hashlib.sha256(identity(person).encode()).digest()
