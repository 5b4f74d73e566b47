"""A stand-in for Windows: what it lacks is taken away from this process, what it refuses is refused.

It is Linux all the same: paths, line breaks and consoles of Windows are not played. Nothing else may be imported before
``stand_in`` is called, for libraries look once at what the system has.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty")
LACKS: dict[ModuleType, tuple[str, ...]] = {
    os: (
        *("chown", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getuid"),
        *("killpg", "mkfifo", "sched_getaffinity", "setsid", "statvfs", "sysconf"),
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
    ),
    signal: ("SIGALRM", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm", "pthread_sigmask", "setitimer"),
    errno: ("EDQUOT",),
}
REMOVES = {"os.remove", "os.rename", "os.rmdir"}


def stand_in() -> None:
    """Make this process look like one on Windows, from here on."""
    import fcntl  # kept for the stand-in of msvcrt and for looking at open files
    import subprocess  # noqa: F401  # it would take the stand-in for the whole of Windows

    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]  # an import of it fails
    for owner, names in LACKS.items():
        for name in names:
            if hasattr(owner, name):
                delattr(owner, name)
    for functions in (os.supports_dir_fd, os.supports_fd):
        functions.clear()
    sys.modules["msvcrt"] = _locks(fcntl)
    flush = os.fsync

    def fsync(handle: int) -> None:
        if fcntl.fcntl(handle, fcntl.F_GETFL) & 3 == os.O_RDONLY:
            raise OSError(errno.EBADF, "only a file that may be written can be flushed")
        flush(handle)

    os.fsync = fsync
    sys.addaudithook(_refuse)


def _locks(fcntl: Any) -> ModuleType:
    """What msvcrt has of locks: bytes from where the file stands, which nobody else can then read."""
    module: Any = ModuleType("msvcrt")
    module.LK_NBLCK = 2

    def locking(handle: int, mode: int, length: int) -> None:
        at = os.lseek(handle, 0, os.SEEK_CUR)
        assert (mode, length) == (2, 1)
        assert at >= os.fstat(handle).st_size, "others could no longer read what is in the file"
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    module.locking = locking
    return module  # type: ignore[no-any-return]


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    """An open file, or a folder with one inside, cannot be removed or renamed; a folder cannot be opened."""
    if event in REMOVES and (by := _holds(Path(os.fsdecode(args[0])).absolute())):
        raise PermissionError(errno.EACCES, f"it is open: {by}")
    if event == "open" and isinstance(args[0], str | bytes) and Path(os.fsdecode(args[0])).is_dir():
        raise PermissionError(errno.EACCES, "it is a folder")


def _holds(path: Path) -> str:
    """What this process holds open, or mapped, at a path or below it."""
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of the listing itself
            found.append(str(handle.readlink()))
    with Path("/proc/self/maps").open(encoding="utf-8") as maps:
        found += [line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")]
    return next((one for one in found if one == str(path) or one.startswith(f"{path}{os.sep}")), "")
