"""What the parties keep: sealed, chained, one process at a time, and there after a kill at any moment."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rbcl")
from schleier.core.errors import WriteError
from schleier.core.system import POSIX
from schleier.extras.decoupled import _journal
from schleier.extras.decoupled._journal import File
from schleier.extras.decoupled._keys import secret_of
from schleier.extras.decoupled._refusals import Refused

TESTS = Path(__file__).parents[2]
KEY = bytes(32)


def kept(folder: Path, key: bytes = KEY) -> list[dict[str, object]]:
    journal = File(folder, key)
    journal.close()
    return journal.entries


def filled(folder: Path) -> Path:
    journal = File(folder, KEY)
    for number in range(4):
        journal.append({"do": "planted", "number": number})
    journal.close()
    return journal.path


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of itself")
def test_a_kill_at_any_write_or_flush_loses_and_doubles_nothing(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "extras.decoupled.killing", str(tmp_path)]
    done = subprocess.run(program, cwd=TESTS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 60, "moments at which it was killed"


def test_steps_come_back_in_their_order_and_nobody_reads_them(tmp_path: Path) -> None:
    path = filled(tmp_path)
    assert [entry["number"] for entry in kept(tmp_path)] == [0, 1, 2, 3]
    assert b"planted" not in path.read_bytes()
    assert not POSIX or stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(Refused, match="was changed"):
        kept(tmp_path, bytes([1]) * 32)


def test_half_a_line_is_cut_off_and_the_next_step_follows(tmp_path: Path) -> None:
    path = filled(tmp_path)
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    for cut in range(1, len(last) + 1):
        path.write_bytes(whole[:-cut])
        assert [entry["number"] for entry in kept(tmp_path)] == [0, 1, 2]
    journal = File(tmp_path, KEY)
    journal.append({"number": 9})
    journal.close()
    assert [entry["number"] for entry in kept(tmp_path)] == [0, 1, 2, 9]


@pytest.mark.parametrize("order", [(1, 2, 3), (0, 2, 3), (1, 0, 2, 3), (0, 0, 1, 2, 3), (0, 1, 3)])
def test_lines_cannot_be_taken_out_doubled_or_moved(order: tuple[int, ...], tmp_path: Path) -> None:
    path = filled(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[place] for place in order))
    with pytest.raises(Refused, match="was changed"):
        kept(tmp_path)
    path.write_bytes(b"".join(lines))
    assert len(kept(tmp_path)) == 4, "and the lock was let go"


def test_one_process_has_a_folder(tmp_path: Path) -> None:
    journal = File(tmp_path, KEY)
    with pytest.raises(Refused, match="another process"):
        File(tmp_path, KEY)
    journal.close()
    assert kept(tmp_path) == []


def test_a_full_disk_leaves_no_half_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path)
    journal, before = File(tmp_path, KEY), path.read_bytes()

    def full(file: int, text: bytes) -> int:
        if len(text) < 20:
            raise OSError(28, "No space left on device")
        return real(file, text[:10])

    real = os.write
    with monkeypatch.context() as patched:
        patched.setattr(_journal.os, "write", full)
        with pytest.raises(WriteError, match="no space left"):
            journal.append({"number": 4})
    assert path.read_bytes() == before and len(journal.entries) == 4
    journal.append({"number": 4})
    journal.close()
    assert len(kept(tmp_path)) == 5


@pytest.mark.skipif(not POSIX, reason="modes do not tell")
def test_a_secret_is_for_its_owner_alone(tmp_path: Path) -> None:
    secret = secret_of(tmp_path / "party")
    file = tmp_path / "party" / "secret"
    assert secret == secret_of(tmp_path / "party") and stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o640)
    with pytest.raises(Refused, match="other users"):
        secret_of(tmp_path / "party")
    file.chmod(0o600)
    file.write_text("planted", encoding="ascii")
    with pytest.raises(Refused) as error:
        secret_of(tmp_path / "party")
    assert "planted" not in str(error.value)
