"""Every step of a first contact, on files of all kinds, through the command line: ``python -m bench.first_contact``.

Writes bench/first_contact.json and the tables of docs/guide/first-contact.md. Takes half an hour; names of files
as arguments walk these alone, and keep what is known of the others.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.first_contact_files import Brought, bring, told_files
from bench.first_contact_page import write_page

STORED = Path(__file__).with_suffix(".json")
STEPS = ("describe", "decide", "inspect", "suggest", "run", "verify", "report")
LIMIT = 300
"""Seconds of processor time that a step may take."""
PROFILE = "internal"


def main(names: Sequence[str]) -> None:
    """Walk through the files and write what was seen."""
    known: dict[str, Any] = {}
    for told in told_files():
        if names and told["name"] not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            walked = walk(bring(told, Path(folder)), typed) | {"kind": told["kind"]}
        print(told["name"], json.dumps(walked["steps"]), flush=True)
        known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
        order = [one["name"] for one in told_files()]
        known = dict(sorted((known | {told["name"]: walked}).items(), key=lambda entry: order.index(entry[0])))
        STORED.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    write_page(known)


def walk(brought: Brought, ended_with: Callable[[Sequence[str], Path], dict[str, Any]]) -> dict[str, Any]:
    """What each step ended with, and the guesses beside the truth."""
    folder = brought.path.parent
    steps: dict[str, Any] = {}
    guesses: dict[str, Any] = {}
    for step in STEPS:
        ended = [ended_with(command, folder) for command in commands(step, brought)]
        worst = max(ended, key=lambda one: abs(one["exit"]))
        steps[step] = worst | {"seconds": round(sum(one["seconds"] for one in ended), 1)}
        if step == "describe" and worst["exit"] == 0:
            guesses = judged(folder / "schema.toml", brought.truth)
        if worst["exit"] != 0 and step != "suggest":
            break
    return {"steps": steps} | guesses


def commands(step: str, brought: Brought) -> Iterator[list[str]]:
    """What somebody types for a step."""
    file = brought.path.name
    if step == "describe":
        yield ["describe", file, "-o", "schema.toml"]
    elif step == "decide":
        yield from deciding(brought.path.parent / "schema.toml", brought.truth)
        yield ["decide", "schema.toml"]
    elif step == "inspect":
        yield ["inspect", file, "--schema", "schema.toml"]
    elif step == "suggest":
        yield ["suggest", file, "--profile", PROFILE, "--schema", "schema.toml", "-o", "suggested.toml"]
    elif step == "run":
        proposed = (brought.path.parent / "suggested.toml").exists()  # else the draft of "describe" is there to be run
        yield ["run", "suggested.toml" if proposed else "recipe.toml", "-o", "release"]
    elif step == "verify":
        yield ["verify", "release"]
    else:
        yield ["report", "release", "-o", "report.html"]


def deciding(schema: Path, truth: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Give every column that was guessed otherwise the role that it has."""
    alike = {name.lower(): roles for name, roles in truth.items()}
    wrong: dict[str, list[str]] = {}
    for name, guess in guessed(schema).items():
        fitting = alike.get(name.lower(), ("identifier",))
        if guess not in fitting and guess != "key":
            wrong.setdefault(fitting[0], []).append(name)
    for role, names in wrong.items():
        yield ["decide", "schema.toml", "--role", role, "--", *names]


def guessed(schema: Path) -> dict[str, str]:
    """The role of each column; the row key is called so."""
    table = tomllib.loads(schema.read_text(encoding="utf-8"))["schema"]
    found = {column["name"]: column.get("role", "plain") for column in table["columns"]}
    return found | ({table["row_key"]: "key"} if table.get("row_key") else {})


def judged(schema: Path, truth: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Right guesses counted by role, and each other one beside the truth."""
    alike = {name.lower(): roles for name, roles in truth.items()}
    right: Counter[str] = Counter()
    wrong: list[list[str]] = []
    for name, guess in guessed(schema).items():
        fitting = alike.get(name.lower(), ("identifier",))
        role = "identifier" if guess == "key" else guess
        if role in fitting:
            right[role] += 1
        else:
            wrong.append([name, fitting[0], role])
    return {"right": dict(sorted(right.items())), "wrong": wrong}


def typed(arguments: Sequence[str], folder: Path) -> dict[str, Any]:
    """The exit code of a command and its processor time; what it said where it did not go well."""
    with (folder / "said.txt").open("wb+") as said:
        command = [sys.executable, "-m", "schleier", *arguments]
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, preexec_fn=_bound)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        words = said.read().decode("utf-8", "replace").strip()
    ended: dict[str, Any] = {"exit": process.returncode, "seconds": used.ru_utime + used.ru_stime}
    return ended if process.returncode == 0 else ended | {"said": words[-300:]}


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)


if __name__ == "__main__":
    main(sys.argv[1:])
