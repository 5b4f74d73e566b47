"""A release directory holds everything or nothing, whatever happens and whenever."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from schleier.core import leftovers
from schleier.core.errors import WriteError
from schleier.flow.release.release import MANIFEST, directory, is_release

VERBS = ("rename", "mkdir", "fsync", "unlink", "rmdir", "chmod", "open")
"""What the writing of a release asks of the system; every file is opened with ``io.open`` or ``os.open``."""


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Flushing is noted, not done: it asks nothing of us but time."""
    flushed: list[str] = []

    def fsync(handle: int) -> None:
        place = Path(f"/proc/self/fd/{handle}")
        flushed.append(str(place.readlink()) if place.exists() else "")

    monkeypatch.setattr(os, "fsync", fsync)
    return flushed


class Killed(BaseException):
    """What SIGKILL would be if it could be caught."""


class Fate:
    """Ends the process, or fails it, at the n-th request to the system."""

    def __init__(self, at: int, error: int | None = None) -> None:
        self.left, self.error, self.dead = at, error, False
        self.handles: set[int] = set()

    def meets(self) -> None:
        self.left -= 1
        if self.dead or self.left == 0:
            if self.error is not None:
                raise OSError(self.error, os.strerror(self.error))
            self.dead = True  # and from now on nothing is done any more, no cleanup either
            raise Killed

    @contextmanager
    def rules(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for verb in VERBS:
                patch.setattr(os, verb, self._guarded(getattr(os, verb)))
            patch.setattr(io, "open", self._guarded(io.open))
            patch.setattr(os, "close", self._closing(os.close))
            try:
                yield
            finally:
                if self.dead:  # the system closes what a dead process held, and with it frees its locks
                    for handle in [*self.handles]:
                        os.close(handle)
                    leftovers._Now.places = None  # its memory is gone as well

    def _guarded(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        def guard(*args: Any, **kwargs: Any) -> Any:
            self.meets()
            result = verb(*args, **kwargs)
            if verb.__name__ == "open" and isinstance(result, int):
                self.handles.add(result)
            return result

        return guard

    def _closing(self, close: Callable[[int], None]) -> Callable[[int], None]:
        def closing(handle: int) -> None:
            self.handles.discard(handle)
            close(handle)

        return closing


def fill(folder: Path, content: str) -> None:
    (folder / "public").mkdir()
    (folder / "restricted").mkdir(mode=0o700)
    (folder / "public" / "data.txt").write_text(content, encoding="utf-8")
    (folder / "restricted" / "key.txt").write_text(content[::-1], encoding="utf-8")


def release(out: Path, content: str = "new", force: bool = False) -> None:
    with directory(out, force=force) as partial:
        fill(partial, content)


def content(out: Path) -> str:
    """What a whole release says; a half one fails here."""
    assert is_release(out)
    text = (out / "public" / "data.txt").read_text(encoding="utf-8")
    assert (out / "restricted" / "key.txt").read_text(encoding="utf-8") == text[::-1]
    return text


def beside(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir())


def every_fate(error: int | None = None) -> Iterator[Fate]:
    """One fate after the other, until one comes too late."""
    for n in range(1, 1000):
        fate = Fate(n, error)
        yield fate
        if fate.left > 0:
            assert n > 20, "there must be many moments to fail at"
            return
    raise AssertionError("no run ever ended")


def test_a_release_killed_at_any_moment_is_whole_or_absent(tmp_path: Path) -> None:
    for n, fate in enumerate(every_fate()):
        out = tmp_path / str(n) / "release"
        out.parent.mkdir()
        try:
            with fate.rules():
                release(out)
        except Killed:
            assert not out.exists() or content(out) == "new"
        release(out, "next", force=True)
        assert content(out) == "next"
        assert beside(out) == ["release"]


def test_a_replacement_killed_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    seen = set()
    for n, fate in enumerate(every_fate()):
        out = tmp_path / str(n) / "release"
        release(out, "old")
        try:
            with fate.rules():
                release(out, "new", force=True)
        except Killed:
            waiting = [out.parent / name for name in beside(out) if ".old-" in name]
            seen.add(content(out) if out.exists() else f"{content(waiting[0])} waiting")
        expected = content(out) if out.exists() else "old"
        with directory(out, force=True) as partial:
            assert content(out) == expected, "the release before stands while the next is written"
            fill(partial, "next")
        assert content(out) == "next"
        assert beside(out) == ["release"]
    assert seen == {"old", "old waiting", "new"}


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failed_write_at_any_moment_leaves_what_stood_before(code: int, tmp_path: Path) -> None:
    failures = set()
    for n, fate in enumerate(every_fate(code)):
        out = tmp_path / str(n) / "release"
        release(out, "old")
        try:
            with fate.rules():
                release(out, "new", force=True)
        except WriteError as error:
            failures.update(problem.code for problem in error.problems)
            assert content(out) in ("old", "new")
        release(out, "next", force=True)
        assert beside(out) == ["release"]
    # An old release that cannot be read is not known to be one, and therefore not replaced.
    assert failures == {"disk-full" if code == errno.ENOSPC else "cannot-write", "not-a-release"}


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "release"
    with pytest.raises(KeyboardInterrupt), directory(out, force=False) as partial:
        fill(partial, "half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def refused(out: Path, force: bool = False) -> str:
    with pytest.raises(WriteError) as caught, directory(out, force=force):
        raise AssertionError("nothing may be written")
    assert caught.value.exit_code == 6
    (problem,) = caught.value.problems
    assert problem.where == str(out.resolve())
    return problem.code


def test_only_one_run_writes_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "release"
    with directory(out, force=False) as partial:
        assert refused(out) == refused(out, force=True) == "busy"
        release(tmp_path / "other")  # another folder is another matter
        fill(partial, "first")
    assert content(out) == "first"


def test_an_existing_folder_is_replaced_only_by_force_and_only_if_it_is_a_release(tmp_path: Path) -> None:
    out = tmp_path / "release"
    release(out, "old")
    assert refused(out) == "exists"
    foreign = tmp_path / "photos"
    foreign.mkdir()
    (foreign / "cat.jpg").write_text("meow")
    assert refused(foreign) == "exists"
    assert refused(foreign, force=True) == "not-a-release"
    (tmp_path / "file").write_text("text")
    assert refused(tmp_path / "file", force=True) == "not-a-release"
    assert (foreign / "cat.jpg").read_text() == "meow"
    assert content(out) == "old"
    assert beside(out) == ["file", "photos", "release"]


@pytest.mark.parametrize("parent", ["file", "file/deeper", "/proc/nowhere"])
def test_a_place_that_cannot_be_written_is_an_error(parent: str, tmp_path: Path) -> None:
    """Rights do not stop root: a file in the place of the folder, and /proc, stop everyone."""
    (tmp_path / "file").write_text("in the way")
    assert refused(tmp_path / parent / "release") == "cannot-write"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_of_somebody_else_cannot_be_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere: see the test above")
    tmp_path.chmod(0o500)
    try:
        assert refused(tmp_path / "release") == "cannot-write"
    finally:
        tmp_path.chmod(0o700)


def change(path: Path) -> None:
    path.write_text("changed")


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("public/data.txt", change),
        ("restricted/key.txt", change),
        ("public/data.txt", Path.unlink),
        (MANIFEST, Path.unlink),
        (MANIFEST, change),
        (MANIFEST, lambda path: path.write_text("[]")),
        (MANIFEST, lambda path: path.write_text('{"files": 3}')),
        (MANIFEST, lambda path: path.write_bytes(b"\xff")),
    ],
)
def test_a_damaged_release_is_none(file: str, damage: Callable[[Path], Any], tmp_path: Path) -> None:
    out = tmp_path / "release"
    release(out)
    assert is_release(out)
    damage(out / file)
    assert not is_release(out)
    assert refused(out, force=True) == "not-a-release"


def test_the_manifest_lists_every_file_and_nothing_outside(tmp_path: Path) -> None:
    release(tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / MANIFEST).read_text(encoding="utf-8"))
    assert sorted(manifest["files"]) == ["public/data.txt", "restricted/key.txt"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_everything_is_on_the_disk_before_the_folder_has_its_name(asked: list[str], tmp_path: Path) -> None:
    with directory(tmp_path / "release", force=False) as partial:
        fill(partial, "new")
    files = [str(partial / name) for name in ("public/data.txt", "restricted/key.txt", MANIFEST)]
    folders = {str(partial / name) for name in ("public", "restricted")}
    assert asked[:3] == files and set(asked[3:5]) == folders
    assert asked[5:] == [str(partial), str(tmp_path)], "the folder, then its name"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_nobody_else_looks_into_an_unfinished_release(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "er" / "release"
    with directory(out, force=False) as partial:
        fill(partial, "new")
        assert mode(partial) == 0o700
        assert mode(out.with_name("release.lock")) == 0o600
        assert partial.parent == out.parent, "a rename does not cross file systems"
    assert mode(out) == 0o755
    assert mode(out / "restricted") == 0o700
    assert {mode(file) for file in (out / "restricted").rglob("*") if file.is_file()} == {0o600}


@pytest.mark.parametrize("name", ["release", "rel[1]", "*", "rel?ase", "r$"])
def test_folders_of_others_are_left_alone(name: str, tmp_path: Path) -> None:
    """Only what a run itself left behind is put right, whatever signs the name contains."""
    theirs = [f"{name}.old-2023", f"{name}.partial-notes", "rel1.partial-0123abcd", "relXase.old-0123abcd"]
    ours = [f"{name}.old-0123abcd", f"{name}.partial-0123abcd"]
    for folder in (*theirs, *ours):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").write_text("content")
    release(tmp_path / name)
    assert beside(tmp_path / name) == sorted([name, *theirs])


def test_a_release_killed_while_it_was_removed_does_not_come_back(tmp_path: Path) -> None:
    out = tmp_path / "release"
    release(out)
    half = out.rename(tmp_path / "release.old-0123abcd")
    (half / "public" / "data.txt").unlink()
    release(out, "next")
    assert content(out) == "next"
    assert beside(out) == ["release"]


def test_a_link_to_a_release_stays_a_link(tmp_path: Path) -> None:
    release(tmp_path / "real" / "release", "old")
    link = tmp_path / "current"
    link.symlink_to(tmp_path / "real" / "release")
    release(link, "new", force=True)
    assert link.is_symlink() and content(link) == "new"
    assert beside(link) == ["current", "real"] and beside(tmp_path / "real" / "release") == ["release"]
