"""Kill the parties at every write and flush, one run each, and let them go on: run as a program, in one thread."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extras.decoupled.parties import CARS, services
from schleier.extras.decoupled.wallet import Wallet, belongs

PEOPLE = "abc"
REAL: dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in ("write", "fsync", "replace", "rename")}


def drive(folder: Path, tell: Callable[[str, str], None]) -> None:
    """All steps of all parties; what was done before is done again, as after a lost answer."""
    registrar, service = services(folder)
    wallets = {name: Wallet.at(folder / name) for name in PEOPLE}
    for name, wallet in wallets.items():
        wallet.pin(registrar.key_list())
        wallet.accept(*CARS, registrar.issue(name, wallet.ask(*CARS)))
        tell("issued", name)
    for name, wallet in wallets.items():
        due = wallet.wait(*CARS, registrar.issued(*CARS), service.rules(*CARS), 0.0)
        pseudonym = service.redeem(wallet.redemption(*CARS, due))
        tell(name, pseudonym)
        wallet.named(*CARS, pseudonym)
    for name in "ab":
        wallet = wallets[name]
        if not any(whose == wallet.pseudonym(*CARS) for whose, _ in service.records(*CARS)):
            said = wallet.say(*CARS, "use", service.challenge(wallet.pseudonym(*CARS)), {"speed": 90, "fuel": 6.5})
            service.submit(said)
        tell("record", wallet.pseudonym(*CARS))
    for party in (registrar, service, *wallets.values()):
        party.close()


def killed(folder: Path, moment: int) -> list[list[str]] | None:
    """What was acknowledged by a run that was killed at a moment; nothing when it came to its end."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        count = 0

        def counting(name: str) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                nonlocal count
                count += 1
                if count == moment:
                    if name == "write":
                        REAL["write"](args[0], args[1][: len(args[1]) // 2])
                    os.kill(os.getpid(), signal.SIGKILL)
                return REAL[name](*args, **kwargs)

            return call

        for name in REAL:
            setattr(os, name, counting(name))
        drive(folder, lambda what, which: REAL["write"](write, json.dumps([what, which]).encode() + b"\n"))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        told = [json.loads(line) for line in file]
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return told
    assert status == 0, status
    return None


def after(folder: Path, told: list[list[str]]) -> None:
    """Go on after a kill, and compare with what was acknowledged before it."""
    again: list[list[str]] = []
    drive(folder, lambda what, which: again.append([what, which]))
    assert [one for one in told if one not in again] == [], "what was acknowledged stays so"
    registrar, service = services(folder)
    names = [which for what, which in again if what in PEOPLE]
    assert registrar.issued(*CARS) == len(set(names)) == len(PEOPLE), "one each"
    assert len(service._profiles) == len(PEOPLE) and len(service.records(*CARS)) == 2, "nothing lost or doubled"
    released = [name for batch in service.released(*CARS) for name in batch]
    assert sorted(released) == sorted(names[:2])
    for name, pseudonym in zip(PEOPLE, names, strict=True):
        wallet = Wallet.at(folder / name)
        shown = wallet.disclose(*CARS)
        assert belongs(shown, registrar.logged(*CARS, name)) and service.holds(*CARS, shown.token) == pseudonym
        wallet.close()
    registrar.close()
    service.close()


if __name__ == "__main__":
    moment, home = 0, Path(sys.argv[1])
    while (told := killed(home / str(moment := moment + 1), moment)) is not None:
        after(home / str(moment), told)
    sys.stdout.write(str(moment - 1))
