"""A file is there as a whole or not at all, and nobody sees it grow."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from schleier.core.atomic import whole_file
from schleier.core.errors import WriteError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    out.write_text("old")
    with whole_file(out) as place:
        place.write_text("new")
        assert out.read_text() == "old"
        assert place.parent.parent == tmp_path and mode(place.parent) == 0o700
    assert out.read_text() == "new" and list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(("private", "wanted"), [(True, 0o600), (False, 0o640)])
def test_a_private_file_is_for_its_owner_alone(tmp_path: Path, private: bool, wanted: int) -> None:
    before = os.umask(0o027)
    try:
        with whole_file(tmp_path / "a", private=private) as place:
            place.write_text("x")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a") == wanted


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), ValueError("x")])
def test_what_fails_leaves_nothing_behind(tmp_path: Path, error: BaseException) -> None:
    out = tmp_path / "a"
    out.write_text("old")
    with pytest.raises(type(error)), whole_file(out) as place:
        place.write_text("half")
        raise error
    assert out.read_text() == "old" and list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, "disk-full"), (errno.EIO, "cannot-write")])
def test_a_failing_disk_is_told(tmp_path: Path, number: int, code: str) -> None:
    with pytest.raises(WriteError) as caught, whole_file(tmp_path / "a"):
        raise OSError(number, "x")
    assert [(problem.code, problem.where) for problem in caught.value.problems] == [(code, str(tmp_path / "a"))]
    assert list(tmp_path.iterdir()) == []


def test_no_folder_and_a_folder_in_its_place_are_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for out in (tmp_path / "none" / "a", tmp_path / "folder"):
        with pytest.raises(WriteError, match="the file cannot be written"), whole_file(out) as place:
            place.write_text("x")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_the_content_is_on_the_disk_before_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    real, replace = os.fsync, Path.replace

    def fsync(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        real(handle)

    def renamed(self: Path, target: Path) -> Path:
        done.append("name")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", renamed)
    with whole_file(tmp_path / "a") as place:
        place.write_text("x")
    assert done == ["file", "name", "folder"]


def test_no_file_takes_the_place_of_a_device_or_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(WriteError, match="no regular file"), whole_file(pipe) as place:
        place.write_text("x")
    assert stat.S_ISFIFO(pipe.lstat().st_mode) and list(tmp_path.iterdir()) == [pipe]
