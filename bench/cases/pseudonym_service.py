"""The pseudonym service on loopback: 32 clients at once, batches, kills, and who is recognised in the files of Febrl.

SQLite always, PostgreSQL where ``SCHLEIER_POSTGRES`` holds the address of a server. The files of Febrl are not part of
the project: ``SCHLEIER_FEBRL4`` names the folder with febrl_4a.csv and febrl_4b.csv.
"""

from __future__ import annotations

import csv
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (200_000,)
METRIC = "wall"
FOLDER = Path(os.environ.get("SCHLEIER_FEBRL4") or Path(__file__).parents[3] / "shared" / "data" / "febrl4")
CLIENTS, BATCH, KILLS = 32, 1000, 50
POSTGRES = "SCHLEIER_POSTGRES"
LATEST, FASTEST = 0.05, 50_000
MATCHED = {"clear text": (0.96, 1), "fields": (0.95, 3), "records": (0.88, 3)}


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        for store in ("sqlite", *(["postgres"] if os.environ.get(POSTGRES) else [])):
            for what in ("clients", "batches", "kills"):
                command = call(f"cases.pseudonym_service:{what}", store=store, requests=rows)
                yield Round(f"{what} on {store}", (Contestant(store, command),), rows, largest=True)
    if (FOLDER / "febrl_4a.csv").exists():
        yield Round("febrl 4", (Contestant("matching", call("cases.pseudonym_service:matching", folder=str(FOLDER))),))


def requirements(results: Results) -> Iterator[Requirement]:
    for entry in results.entries:
        facts, failed = entry.samples[0].facts, entry.failure
        if entry.round.startswith("clients"):
            yield Requirement(
                f"{entry.round}: none lost or doubled", failed or str(facts["wrong"]), facts.get("wrong") == 0
            )
            late = facts.get("p99", 9.0)
            yield Requirement(f"{entry.round}: p99 < {LATEST:g} s at 100/s", failed or f"{late:.3f} s", late < LATEST)
        elif entry.round.startswith("batches"):
            fast = facts.get("values_per_second", 0.0)
            yield Requirement(f"{entry.round}: {FASTEST} values/s", failed or f"{fast:,.0f}", fast >= FASTEST)
        elif entry.round.startswith("kills"):
            yield Requirement(f"{entry.round}: none lost", failed or str(facts.get("wrong")), facts.get("wrong") == 0)
        elif entry.round == "febrl 4":
            for what, (least, most) in MATCHED.items():
                certain, wrong = facts.get(what, (0.0, 99))
                told = failed or f"{certain:.1%}, {wrong} wrong"
                yield Requirement(
                    f"{what}: {least:.0%} certain, at most {most} wrong", told, certain >= least and wrong <= most
                )


@contextmanager
def served(folder: Path, store: str) -> Iterator[tuple[int, str, subprocess.Popen[bytes]]]:
    """A server process: its port, and the token of a source."""
    place, key = (str(folder) if store == "sqlite" else f"env:{POSTGRES}"), folder / "key"
    command = [sys.executable, "-m", "schleier"]
    if not key.exists():
        subprocess.run([*command, "key", "new", str(key), "--quiet"], check=True)
        granted = [
            *command,
            "pseudonyms",
            "grant",
            place,
            "--key",
            str(key),
            "--name",
            "bench",
            "--role",
            "source",
            "--json",
        ]
        made = subprocess.run(granted, check=True, capture_output=True)
        (folder / "token").write_text(json.loads(made.stdout)["token"])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen([*command, "pseudonyms", "serve", place, "--key", str(key), "--port", str(port)]) as process:
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield port, (folder / "token").read_text(), process
        finally:
            process.kill()


def asker(port: int, token: str) -> Callable[[list[str]], list[str]]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(values: list[str]) -> list[str]:
        link.request("POST", "/v1/values", json.dumps({"domain": "bench", "values": values}), headers)
        with link.getresponse() as told:
            return list(json.loads(told.read())["pids"])

    return ask


def crowd(port: int, token: str, each: Callable[[int, Callable[[list[str]], list[str]]], None]) -> None:
    threads = [threading.Thread(target=each, args=(i, asker(port, token))) for i in range(CLIENTS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def clients(store: str, requests: int) -> dict[str, Any]:
    """Every value is asked for by two clients; then single requests at a steady pace."""
    told: list[dict[str, str]] = [{} for _ in range(CLIENTS)]
    many = requests // CLIENTS
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), store) as (port, token, _):

        def each(number: int, ask: Callable[[list[str]], list[str]]) -> None:
            for step in range(many):
                value = f"{number // 2}-{step}"
                (told[number][value],) = ask([value])

        start = time.perf_counter()
        crowd(port, token, each)
        taken = time.perf_counter() - start
        ask, times = asker(port, token), []
        for number in range(min(2000, requests)):
            begun = time.perf_counter()
            ask([f"paced-{number}"])
            times.append(time.perf_counter() - begun)
            time.sleep(max(0.0, 0.01 - times[-1]))
    twins = sum(told[i] != told[i + 1] for i in range(0, CLIENTS, 2))
    pids = [pid for one in told[::2] for pid in one.values()]
    late = sorted(times)[int(0.99 * len(times))]
    return {"wrong": twins + len(pids) - len(set(pids)), "requests_per_second": requests / taken, "p99": late}


def batches(store: str, requests: int) -> dict[str, Any]:
    """New values, a thousand at a time, from four clients."""
    values = requests
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), store) as (port, token, _):

        def each(number: int, ask: Callable[[list[str]], list[str]]) -> None:
            for start in range(number * BATCH, values if number < 4 else 0, 4 * BATCH):
                ask([f"A{value:09d}" for value in range(start, start + BATCH)])

        start = time.perf_counter()
        crowd(port, token, each)
        return {"values_per_second": values / (time.perf_counter() - start)}


def kills(store: str, requests: int) -> dict[str, Any]:
    """Killed at random moments while clients ask; what was acknowledged must be there afterwards."""
    told: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        for number in range(min(KILLS, max(requests // 1000, 2))):
            with served(Path(name), store) as (port, token, process):
                moment = threading.Timer(
                    int.from_bytes(os.urandom(2), "big") / 65536, process.send_signal, [signal.SIGKILL]
                )
                moment.start()

                def each(who: int, ask: Callable[[list[str]], list[str]], number: int = number) -> None:
                    for step in range(100_000):
                        value = f"{number}-{who}-{step}"
                        try:
                            (told[value],) = ask([value])
                        except (OSError, http.client.HTTPException, ValueError):
                            return

                crowd(port, token, each)
        with served(Path(name), store) as (port, token, _):
            ask, asked = asker(port, token), list(told)
            parts = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
            again = [pid for part in parts for pid in ask(part)]
    wrong = sum(told[value] != pid for value, pid in zip(asked, again, strict=True))
    return {"wrong": wrong + len(again) - len(set(again)), "acknowledged": len(told)}


def matching(folder: str) -> dict[str, Any]:
    """Without number of social security and street, half of the partners removed: of both halves the worse."""
    import numpy as np

    from schleier.extras.pseudonyms import _veiled
    from schleier.extras.pseudonyms._fitting import scored
    from schleier.extras.pseudonyms._model import model

    here, there = (_read(Path(folder, f"febrl_4{letter}.csv")) for letter in "ab")
    found: dict[str, tuple[float, int]] = {}
    for half in (0, 1):
        held = sorted(here)[half::2]
        at = {number: i for i, number in enumerate(held)}
        place = np.array([at.get(number, -1) for number in there])
        sides = [here[number] for number in held], list(there.values())
        decided = [model().decide(one, len(held)) for one in scored(model(), *sides)]
        clear = np.array([who if how == "certain" and who is not None else -1 for how, who in decided])
        told = {"clear text": clear}
        for what, veiled in (("fields", _veiled.fields_model()), ("records", _veiled.records_model())):
            told[what] = veiled.decided(veiled.scores(*sides, bytes(range(32))))
        for what, who in told.items():
            certain = float(((who == place) & (place >= 0)).sum() / (place >= 0).sum())
            before = found.get(what, (1.0, 0))
            found[what] = min(before[0], certain), max(before[1], int(((who >= 0) & (who != place)).sum()))
    return dict(found)


def _read(path: Path) -> dict[int, Any]:
    from schleier.extras.pseudonyms._identity import Identity, word

    with path.open(encoding="utf-8") as file:
        rows = [{key.strip(): value.strip() for key, value in row.items()} for row in csv.DictReader(file)]
    columns = ("given_name", "surname", None, "date_of_birth", "postcode", "suburb")
    return {
        int(row["rec_id"].split("-")[1]): Identity(*(word(row[name]) if name else "" for name in columns))
        for row in rows
    }
