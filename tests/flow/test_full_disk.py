"""On a full disk a run ends with an error, and what stood before still stands."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from flow.making import COMMAND, written
from schleier.core.errors import WriteError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.release import is_release

SIZE = 512 * 1024


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk so small that it is soon full."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip("needs the right to mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def filled(disk: Path, free: int) -> Path:
    """A file that leaves so many bytes free."""
    left = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    filler = disk / "filler"
    filler.write_bytes(bytes(max(left - free, 0)))
    return filler


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_however_little_is_free_the_old_release_stays_whole(disk: Path, tmp_path: Path, key: bytes) -> None:
    recipe, out = Recipe.from_file(written(tmp_path)), disk / "release"
    recipe.run(out=out, key=key)
    before = contents(out)
    codes = []
    for free in (0, 4096, 8192, 16384, 20480, 28672, 32768, 65536, 262144):
        filler = filled(disk, free)
        try:
            recipe.run(out=out, key=bytes(32), force=True)
            codes.append("enough")
        except WriteError as error:
            codes.extend(problem.code for problem in error.problems)
            assert contents(out) == before
        assert is_release(out)
        assert {path.name for path in disk.iterdir()} == {"release", "filler"}
        filler.unlink()
    assert set(codes) == {"disk-full", "enough"}
    assert codes[0] == "disk-full" and codes[-1] == "enough"


def test_the_command_line_says_so_with_its_exit_code(disk: Path, tmp_path: Path) -> None:
    recipe = written(tmp_path)
    filled(disk, 8192)
    command = [*COMMAND, "run", str(recipe), "--out", str(disk / "release")]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 6
    assert "there is no space left on the disk" in ended.stderr
    assert [path.name for path in disk.iterdir()] == ["filler"]
