"""What attackers try on a simulated population, each against the chance of a guess."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from schleier.core.run import Run
from schleier.extras.decoupled import _blind as blind
from schleier.extras.decoupled import _group as group
from schleier.extras.decoupled import _keys as keys
from schleier.extras.decoupled._refusals import Refused
from schleier.extras.decoupled.messages import Check
from schleier.extras.decoupled.registrar import Registrar
from schleier.extras.decoupled.simulation import PLACE, Outcome, identity
from schleier.extras.decoupled.wallet import Wallet
from schleier.kernels.statistics.trials import Trials

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TRIES = 20
"""How often each forbidden step is tried."""
Knowledge = Literal["registrar", "service", "both"]


@dataclass(frozen=True)
class Result:
    """How often an attack came through, and how often a guess would."""

    attack: str
    found: Trials
    baseline: float

    @property
    def at_chance(self) -> bool:
        """Whether chance is inside the interval."""
        low, high = self.found.interval()
        return low <= self.baseline <= high


def every(outcome: Outcome, run: Run) -> list[Result]:
    """All attacks on one population."""
    return [
        *(collusion(outcome, run, known) for known in ("both", "registrar", "service")),
        timing(outcome.issued_at, outcome.redeemed_at, run),
        *forbidden(outcome),
    ]


def collusion(outcome: Outcome, run: Run, known: Knowledge = "both") -> Result:
    """Thieves of both databases and keys, or of one, try every pair of a request and a token.

    For each pair there is exactly one factor that fits, so all that can be tried is to guess factors, and secrets of
    wallets, from everything that is known. Who is left after that is guessed.
    """
    import numpy as np

    persons = outcome.plan.persons
    held = outcome.registrar._epochs[PLACE]
    requests = [bytes.fromhex(outcome.registrar.logged(*PLACE, identity(i))) for i in range(persons)]
    tokens = [bytes.fromhex(wallet.disclose(*PLACE).token) for wallet in outcome.wallets]
    order = run.rng(f"attacker with {known}").permutation(persons)  # the attacker has the tokens in an order of its own
    claimed = np.full(persons, -1)
    if known != "service":
        place = {request: i for i, request in enumerate(requests)}
        for j in order.tolist():
            told = [held.key.secret, held.key.public, tokens[j]]
            told += [outcome.service._key, outcome.pseudonyms[j].encode()] if known == "both" else []
            for factor in _factors(told):
                if (i := place.get(blind.blind(tokens[j], factor=factor).element)) is not None:
                    claimed[i] = j
    by_token = {token: j for j, token in enumerate(tokens)}
    for i in range(persons):
        for secret in _secrets(identity(i)):
            if (j := by_token.get(keys.derive(secret, f"token|{PLACE[0]}|{PLACE[1]}"))) is not None:
                claimed[i] = j
    left = [j for j in order.tolist() if j not in set(claimed.tolist())]
    open_ = np.flatnonzero(claimed < 0)
    claimed[open_] = left[: len(open_)]
    return Result(f"collusion-{known}", Trials(int((claimed == np.arange(persons)).sum()), persons), 1 / persons)


def timing(issued_at: Floats, redeemed_at: Floats, run: Run) -> Result:
    """Whoever sees both doors matches the order in which tokens went out with the order in which they came back.

    Of all assignments this one has the least sum of differences in time.
    """
    import numpy as np

    mixed = run.rng("ties").permutation(len(issued_at))
    first = mixed[np.argsort(issued_at[mixed], kind="stable")]
    mixed = run.rng("other ties").permutation(len(issued_at))
    second = mixed[np.argsort(redeemed_at[mixed], kind="stable")]
    return Result("timing", Trials(int((first == second).sum()), len(first)), 1 / len(first))


def forbidden(outcome: Outcome) -> list[Result]:
    """Steps that must never come through, tried again and again."""
    registrar, service, wallets = outcome.registrar, outcome.service, outcome.wallets
    persons = [i % outcome.plan.persons for i in range(TRIES)]
    stranger = Registrar.in_memory(bytes(keys.KEY_BYTES))
    stranger.open(*PLACE)
    lines = registrar.key_list()

    def tagged(i: int) -> None:
        wallet = Wallet.in_memory()
        wallet.pin(lines)
        wallet.accept(*PLACE, stranger.issue(identity(i), wallet.ask(*PLACE)))

    def doubled(i: int) -> None:
        registrar.issue(identity(i), Wallet.in_memory().ask(*PLACE))

    def spent(i: int) -> None:
        told = wallets[i].redemption(*PLACE, float("inf"))
        key = bytes([i % 255 + 1]) * keys.KEY_BYTES
        told = told.model_copy(update={"key": keys.public_of(key).hex()})
        service.redeem(told.model_copy(update={"signature": keys.sign(key, told.text())}))

    def minted(i: int) -> None:
        told = wallets[i].redemption(*PLACE, float("inf"))
        token = hashlib.sha256(told.token.encode()).hexdigest()
        if not registrar.check(
            Check(scope=told.scope, epoch=told.epoch, token=token, output=told.output, receipt=token)
        ):
            raise _No

    def replayed(i: int) -> None:
        released = {name for batch in service.released(*PLACE) for name in batch}
        wallet = wallets[i]
        name = wallet.pseudonym(*PLACE)
        said = wallet.say(*PLACE, "collect", service.challenge(name))
        if name in released:
            service.collect(said)
        service.collect(said)

    steps = {"tagging": tagged, "double-issue": doubled, "double-spend": spent, "minting": minted, "replay": replayed}
    return [Result(name, Trials(_came_through(step, persons), TRIES), 0.0) for name, step in steps.items()]


def payload(profiles: Floats, known: Floats, truth: Sequence[int]) -> Result:
    """Whoever knows how a person behaves takes the profile that is nearest; columns count alike.

    >>> import numpy as np
    >>> payload(np.array([[1.0, 9.0], [5.0, 2.0]]), np.array([[4.0, 2.5], [1.0, 8.0]]), [1, 0]).found.share
    1.0
    """
    import numpy as np

    spread = profiles.std(axis=0)
    scaled = np.where(spread > 0, spread, 1.0)
    distance = ((known[:, None, :] / scaled - profiles[None, :, :] / scaled) ** 2).sum(axis=2)
    hits = int((distance.argmin(axis=1) == np.asarray(truth)).sum())
    return Result("payload", Trials(hits, len(known)), 1 / len(profiles))


class _No(Exception):
    """A token was not accepted."""


def _came_through(step: Callable[[int], None], persons: Sequence[int]) -> int:
    count = 0
    for person in persons:
        try:
            step(person)
            count += 1
        except (Refused, _No):
            pass
    return count


def _factors(told: Sequence[bytes]) -> list[bytes]:
    """Factors that a bad wallet could have taken: small numbers, and what follows from what is known."""
    small = [number.to_bytes(group.SIZE, "little") for number in (1, 2, 3)]
    return small + [group.hashed_to_scalar(text, b"") for text in told]


def _secrets(name: str) -> list[bytes]:
    """Secrets that a bad wallet could have taken from an identity that everybody can enumerate."""
    text = name.encode()
    return [
        hashlib.sha256(text).digest(),
        keys.derive(text, "wallet"),
        text[: keys.KEY_BYTES].ljust(keys.KEY_BYTES, b"\0"),
    ]
