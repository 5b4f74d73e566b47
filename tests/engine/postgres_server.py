"""A real PostgreSQL server for the tests: started when first asked for, reachable from this machine only."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "Passwort-GEHEIM-4711"
ACCOUNT = "postgres"


@dataclass(frozen=True)
class Server:
    """Where the server is, and a quick way to talk to it."""

    port: int
    folder: Path

    def string(self, *, user: str = ACCOUNT, password: str = PASSWORD, database: str = "postgres") -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def do(self, *statements: str) -> None:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.string(), autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.string(), autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return [tuple(row) for row in cursor.fetchall()]


def programs() -> Path | None:
    """The folder with initdb and pg_ctl; the newest when there are several."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    places = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((place.parent for place in places), key=lambda place: int(place.parent.name), default=None)


def _as_server(command: Sequence[object]) -> None:
    """PostgreSQL refuses to run as root: then it runs as the account its package made."""
    words = [str(word) for word in command]
    if os.geteuid() == 0:
        words = ["runuser", "-u", ACCOUNT, "--", *words]
    # Not through a pipe: the server would keep it open.
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server with one account and a password; the tests that need it are skipped when there is none."""
    pytest.importorskip("adbc_driver_postgresql", reason="needs adbc-driver-postgresql: pip install schleier[database]")
    bin = programs()
    if bin is None:
        pytest.skip("needs a PostgreSQL server: no initdb on PATH or in /usr/lib/postgresql")
    if os.geteuid() == 0 and not shutil.which("runuser"):
        pytest.skip("needs runuser: PostgreSQL does not run as root")
    folder = Path(tempfile.mkdtemp(prefix="schleier-pg-"))  # a short path: a socket has one of 107 bytes at most
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, ACCOUNT)
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        made = [bin / "initdb", "-D", folder / "data", "-U", ACCOUNT, "-A", "scram-sha-256", f"--pwfile={secret}"]
        _as_server([*made, "-E", "UTF8", "--locale=C", "--no-sync"])
        port = _free_port()
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=20"
        control = [bin / "pg_ctl", "-D", folder / "data", "-w"]
        _as_server([*control, "-l", folder / "log", "-o", options, "start"])
        try:
            yield Server(port, folder)
        finally:
            _as_server([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
