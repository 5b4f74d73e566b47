"""What operating systems do differently: everything that POSIX has and Windows has not is asked for here alone.

A system with ``fcntl`` is a POSIX system. One without it has no owners, modes or folders that can be flushed, its locks
come from ``msvcrt``, and an open file cannot be removed.
"""

from __future__ import annotations

import errno
import os
import shlex
import signal
import stat
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

fcntl: Any = None
with suppress(ImportError):
    fcntl = import_module("fcntl")
POSIX = fcntl is not None

NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""Open nothing that is only a link."""
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
"""Do not wait for somebody to write into a pipe."""
BINARY: int = getattr(os, "O_BINARY", 0)
"""Change no line break."""
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
"""What asks a command to end."""
FULL = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
CONTAINER = Path("/sys/fs/cgroup/memory.max")
"""Where Linux tells the bytes a container may take."""
BEYOND = 2**30
"""Where Windows locks a byte: behind all content, for nobody else can read what is locked there."""


def locked(handle: int) -> bool:
    """Whether an open file could be locked for this process; the system lets go of the lock of a killed one."""
    try:
        if POSIX:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            windows = import_module("msvcrt")
            os.lseek(handle, BEYOND, os.SEEK_SET)
            windows.locking(handle, windows.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
    except OSError:
        return False
    return True


def let_go(handle: int, path: Path) -> None:
    """Remove a locked file, and its lock; what could not be removed the next start removes."""
    if not POSIX:
        os.close(handle)  # an open file cannot be removed, so nobody can have taken the lock of one that is gone
    with suppress(OSError):
        path.unlink()
    if POSIX:
        os.close(handle)  # only now: nobody may take the lock of a file that goes


def same_file(handle: int, path: Path) -> bool:
    """Whether an open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; Windows flushes no folders."""
    if not POSIX and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if POSIX else os.O_RDWR | BINARY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_mine(about: os.stat_result) -> bool:
    """Whether a file belongs to this user; on Windows temporary files lie where only he comes."""
    return not POSIX or about.st_uid == os.getuid()


def open_to_others(about: os.stat_result) -> bool:
    """Whether other users have rights to a file; on Windows its mode does not tell, and nothing is said."""
    return POSIX and bool(about.st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def disk_full(error: BaseException | None) -> bool:
    """Whether the system has no room left, on the disk or for this user.

    >>> disk_full(OSError(errno.ENOSPC, "x")), disk_full(OSError(errno.ENOENT, "x"))
    (True, False)
    """
    return isinstance(error, OSError) and error.errno in FULL


def memory() -> int | None:
    """Bytes of memory there are for this process, of a container too; None where the system does not say."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if POSIX else None
    except (OSError, ValueError):
        return None
    with suppress(OSError, ValueError):  # "max" is no number
        allowed = int(CONTAINER.read_text(encoding="ascii"))
        return allowed if found is None else min(found, allowed)
    return found


def as_typed(*words: str) -> str:
    """Words of a command as one types them on this system.

    >>> as_typed("inspect", "my file.csv")
    "inspect 'my file.csv'"
    """
    if POSIX:
        return shlex.join(words)
    odd = set(" \"&()[]{}^=;!'+,`~|<>")
    return " ".join('"{}"'.format(one.replace('"', '\\"')) if not one or set(one) & odd else one for one in words)


def seen_from(folder: Path, path: Path) -> str:
    """The way from a folder to a path, with slashes on every system; from another drive its whole path.

    >>> seen_from(Path("out"), Path("data") / "people.csv")
    '../data/people.csv'
    """
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def user_name() -> str:
    """Who runs this, as the system knows him: not what a variable of the environment says."""
    if POSIX:
        number = os.getuid()
        with suppress(KeyError, ImportError):
            return str(import_module("pwd").getpwuid(number).pw_name)
        return str(number)
    import getpass

    return getpass.getuser()
