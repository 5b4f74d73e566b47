"""A system that is not POSIX gets the same releases: what Windows lacks is taken away, what it refuses is refused.

This is Linux, dressed up (tests/windows.py); nobody has run it on Windows itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from schleier.core import system
from schleier.core.leftovers import held

ROOT = Path(__file__).parent.parent.parent
DRESSED = f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r}); import windows; windows.stand_in()\n"
EXAMPLE = ROOT / "examples" / "first_release"
COMMANDS = """
import json, sys
from schleier.cli import app

for line in json.loads(sys.argv[1]):
    try:
        app(line)
    except SystemExit as end:
        print("exit", end.code, flush=True)
"""
LINES = [
    ["describe", "people.csv", "-o", "draft/schema.toml"],
    ["decide", "draft/schema.toml"],
    ["run", "recipe.toml", "--out", "release", "--key-file", "key", "--quiet"],
    ["run", "recipe.toml", "--out", "release", "--key-file", "key", "--force"],
    ["verify", "release/public/data.csv", "--recipe", "recipe.toml"],
    ["replay", "release", "people.csv", "--out", "again"],
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a recipe, its people and a key, and an empty one for temporary files."""
    here = tmp_path / "here"
    shutil.copytree(EXAMPLE, here)
    (here / "draft").mkdir()
    (here / "key").write_text("5e" * 32)
    (here / "key").chmod(0o600)
    (tmp_path / "temporary").mkdir()
    return here


def ended(program: str, place: Path, *arguments: str) -> str:
    """What a program says, in a process of its own."""
    environment = os.environ | {"TMPDIR": str(place.parent / "temporary"), "COLUMNS": "200"}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_same_release_without_anything_that_posix_alone_has(place: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(place, other)
    says, dressed = (
        ended(program, folder, json.dumps(LINES))
        for program, folder in ((COMMANDS, place), (DRESSED + COMMANDS, other))
    )
    assert says.count("exit 0") == len(LINES), says
    assert dressed == says, "every command says and ends the same"
    assert len(set(re.findall(r"digest ([0-9a-f]{64})", dressed))) == 1, "also after a replacement and a replay"
    for file in ("release/public/data.csv", "again/public/data.csv", "release/public/schema.toml", "draft/recipe.toml"):
        assert (other / file).read_bytes() == (place / file).read_bytes(), file
    assert [path.name for path in other.iterdir() if re.search(r"\.(partial|old)-|\.lock$", path.name)] == []
    assert list((tmp_path / "temporary").iterdir()) == []


HOLDS = """
from pathlib import Path
from schleier.core.leftovers import private_folder
from schleier.flow.release.release import directory
folder = private_folder()
(folder / "rows").write_text("raw")
with directory(Path("release"), force=False) as partial:
    (partial / "half").write_text("raw")
    print(folder, flush=True)
    input()
"""
FOLLOWS = """
from pathlib import Path
from schleier.core.errors import WriteError
from schleier.core.leftovers import sweep
from schleier.flow.release.release import directory
sweep()
try:
    with directory(Path("release"), force=False) as partial:
        (partial / "whole").write_text("all of it")
except WriteError as error:
    print(error.problems[0].code)
"""


@pytest.fixture
def holder(place: Path) -> Iterator[subprocess.Popen[str]]:
    """Somebody who is writing a release, and waits."""
    environment = os.environ | {"TMPDIR": str(place.parent / "temporary")}
    command = [sys.executable, "-c", DRESSED + HOLDS]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=place, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        yield process
        process.kill()


def test_a_lock_holds_until_its_process_is_killed(place: Path, holder: subprocess.Popen[str]) -> None:
    assert holder.stdout is not None
    folder = Path(holder.stdout.readline().strip())
    assert ended(DRESSED + FOLLOWS, place) == "busy\n"
    assert (folder / "rows").exists(), "a running process is never swept"
    holder.kill()
    holder.wait()
    assert ended(DRESSED + FOLLOWS, place) == ""
    assert (place / "release" / "whole").exists()
    assert list((place.parent / "temporary").iterdir()) == []
    assert [path.name for path in place.iterdir() if path.name.startswith("release.")] == []


SYSTEM = """
import os
from pathlib import Path
from schleier.cli.shared import key_of
from schleier.core import system
print(system.POSIX, [signal.name for signal in system.SIGNALS])
print(system.as_typed("inspect", "C:/my file.csv", "a", 'say "no"'))
key = Path("key")
key.chmod(0o644)
print(len(key_of(key)))
with key.open() as open_file:
    try:
        key.unlink()
    except PermissionError:
        print("refused")
try:
    import fcntl
except ImportError:
    print("blocked")
"""


def test_what_windows_cannot_tell_is_not_asked_and_the_stand_in_refuses(place: Path) -> None:
    typed = 'inspect "C:/my file.csv" a "say \\"no\\""'
    told, before = ["False ['SIGINT', 'SIGTERM']", typed, "32", "refused", "blocked"], held()
    assert ended(DRESSED + SYSTEM, place).splitlines() == told
    assert held() == before


def test_a_container_has_the_memory_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setattr(system, "CONTAINER", tmp_path / "memory.max")
    assert system.memory() == whole
    for text, expected in (("max\n", whole), ("1048576\n", 2**20), (f"{10 * whole}\n", whole)):
        system.CONTAINER.write_text(text, encoding="ascii")
        assert system.memory() == expected
    monkeypatch.setattr(system, "POSIX", False)
    system.CONTAINER.unlink()
    assert system.memory() is None


@pytest.mark.parametrize("line", [["methods", "top_code"], ["methods", "top_code", "--json"]])
def test_an_output_that_holds_western_letters_only_stops_no_command(line: list[str], tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    program = "from schleier.cli import main; main()"
    command = [sys.executable, "-c", program, *line]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    said = done.stdout.decode("cp1252")
    if "--json" in line:
        assert "≥" in json.dumps(json.loads(said), ensure_ascii=False)
    else:
        assert "whole number, ? 3" in said
