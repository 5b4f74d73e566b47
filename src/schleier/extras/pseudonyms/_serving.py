"""Open the stores with the key, and serve."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from schleier.core.errors import DataError, EngineError, stop
from schleier.core.key_files import read_secrets
from schleier.extras.pseudonyms._access import grant
from schleier.extras.pseudonyms._database import store_at
from schleier.extras.pseudonyms._payload import Payloads
from schleier.extras.pseudonyms._register import Register
from schleier.extras.pseudonyms._seal import Seal
from schleier.extras.pseudonyms._tables import IDENTITY, PAYLOAD

VARIABLE = "env:"


def opened(store: str, key: Path, *, doubt_names: bool = False) -> Register:
    """The register of a store, with its key; the first epoch is the one it was made with."""
    secrets = read_secrets(key, str(key))
    tables = store_at(_address(store), "identity", IDENTITY)
    return Register(tables, Seal(secrets[min(secrets)]), doubt_names=doubt_names)


def _address(store: str) -> str:
    """Where a store is; the address of a server stands in a variable, for it holds a password."""
    if not store.startswith(VARIABLE):
        if "://" in store:
            hint = "put it into a variable and give its name: env:NAME"
            stop(DataError, "open-address", "store", "an address with a password is not given as an argument", hint)
        return store
    found = os.environ.get(store.removeprefix(VARIABLE), "")
    if not found:
        stop(DataError, "open-address", "store", "the variable with the address is empty", "set it")
    return found


def application(store: str, key: Path, columns: frozenset[str], *, doubt_names: bool = False) -> Any:
    """The application over opened stores."""
    from schleier.extras.pseudonyms._http import app_of

    register = opened(store, key, doubt_names=doubt_names)
    return app_of(register, Payloads(store_at(_address(store), "payload", PAYLOAD), columns))


def serve(store: str, key: Path, host: str, port: int, columns: frozenset[str], *, doubt_names: bool = False) -> None:
    """Listen until somebody stops it. No request is logged: its path could tell a pseudonym."""
    try:
        import uvicorn
    except ModuleNotFoundError:
        hint = "pip install schleier[serve]"
        stop(EngineError, "missing-extra", "serve", "the service needs FastAPI, which is not installed", hint)
    app = application(store, key, columns, doubt_names=doubt_names)
    uvicorn.run(app, host=host, port=port, access_log=False, log_level="warning", server_header=False)


def granted(store: str, key: Path, name: str, role: str, days: int) -> str:
    """A token for a program."""
    register = opened(store, key)
    try:
        register.store.begin()
        token = grant(register.store, name, role, days)
        register.audit.write("command line", "grant", 1)
        register.store.commit()
    finally:
        register.store.close()
    return token
