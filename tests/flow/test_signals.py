"""A signal ends a command like an error: nothing stays behind, in the folder of the release or elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from flow.making import SCHEMA, written
from flow.serving import Request, Server, serving
from schleier.core import leftovers
from schleier.core.interrupts import interruptible


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a recipe, its people, and an empty folder for temporary files."""
    recipe = written(tmp_path, rows=60)
    with zipfile.ZipFile(tmp_path / "people.zip", "w") as archive:
        archive.write(tmp_path / "people.parquet", "people.parquet")
    recipe.with_name("packed.toml").write_text(recipe.read_text().replace("people.parquet", "people.zip"))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    (tmp_path / "temporary").mkdir()
    (tmp_path / "out").mkdir()
    return tmp_path


def commands(place: Path) -> dict[str, tuple[str, ...]]:
    packed = str(place / "people.zip")
    return {
        "run": ("run", str(place / "packed.toml"), "--out", str(place / "out" / "release"), "--force"),
        "inspect": ("inspect", packed, "--schema", str(place / "schema.toml"), "--html", str(place / "out" / "i.html")),
        "describe": ("describe", packed, "--out", str(place / "out" / "s.toml"), "--force"),
        "verify": ("verify", packed, "--recipe", str(place / "packed.toml")),
    }


def left(place: Path) -> list[str]:
    """What lies in the temporary folder, and unfinished things beside a release."""
    unfinished = (".partial-", ".old-", ".lock")
    beside = [path.name for path in (place / "out").iterdir() if any(mark in path.name for mark in unfinished)]
    return [path.name for path in (place / "temporary").glob("schleier-*")] + beside


@pytest.mark.parametrize("command", ["run", "inspect", "describe", "verify"])
def test_a_signal_at_any_request_to_the_system_leaves_nothing(command: str, place: Path, server: Server) -> None:
    arguments, ends = commands(place)[command], set()
    says = place / "says.txt"
    for turn, at in enumerate((1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 30)):
        number = (signal.SIGTERM, signal.SIGHUP)[turn % 2]
        request = Request(arguments, number, at, {"TMPDIR": str(place / "temporary")}, str(says))
        ends.add(server.run(request))
        assert not left(place), f"{command} ended by signal {number} before request {at}"
    assert {128 + signal.SIGTERM, 128 + signal.SIGHUP} <= ends
    early = {-signal.SIGTERM, -signal.SIGHUP}  # before the command has begun
    assert ends <= {0, 3, 4, 128 + signal.SIGTERM, 128 + signal.SIGHUP} | early
    assert "the command was stopped (SIGTERM); what it had begun was taken back" in says.read_text()


@pytest.mark.parametrize("command", ["run", "inspect", "describe", "verify"])
def test_what_a_killed_command_leaves_is_swept_by_the_next(command: str, place: Path, server: Server) -> None:
    environment, seen = {"TMPDIR": str(place / "temporary")}, False
    for at in (2, 3, 4, 6, 9, 14):
        server.run(Request(commands(place)[command], signal.SIGKILL, at, environment))
        seen |= bool(left(place))
        assert server.run(Request(("methods",), environment=environment)) == 0
        assert not left(place), f"{command} killed before request {at}"
    assert seen, "some of them must have been killed with something in their hands"


def test_ctrl_c_says_a_plain_sentence(place: Path, server: Server) -> None:
    says = place / "says.txt"
    request = Request((*commands(place)["run"], "--json"), signal.SIGINT, 5, says=str(says))
    assert server.run(request) == 130
    told = json.loads(says.read_text())
    assert (told["exit_code"], [problem["code"] for problem in told["problems"]]) == (130, ["interrupted"])


def test_ctrl_c_inside_the_engine_is_no_defect(tmp_path: Path) -> None:
    from schleier.core.failures import explain_failure, reworded

    with pytest.raises(KeyboardInterrupt), reworded(explain_failure):
        raise RuntimeError("Query interrupted")


def test_a_signal_the_caller_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with interruptible():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, signal.SIG_IGN)
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_running_process_is_never_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "from schleier.core.leftovers import private_folder\n"
        "folder = private_folder(); (folder / 'rows').write_text('raw'); print(folder, flush=True); input()"
    )
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        leftovers.sweep()
        assert (folder / "rows").exists()
        process.kill()
    leftovers.sweep()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["precious", "schleier-notes", "release.old-00000000"])
def test_only_what_is_ours_is_swept(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    precious = tmp_path / name
    precious.mkdir()
    link = tmp_path / "schleier-0123abcd"
    link.symlink_to(precious)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    listed = tmp_path / "schleier-00000000.places"
    listed.write_bytes(f"{precious}\0{link}\0".encode())
    leftovers.sweep()
    assert precious.is_dir()
    link.unlink()
    shutil.rmtree(precious)
