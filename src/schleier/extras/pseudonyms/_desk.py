"""The one who writes: takes what has come, does it in one transaction, and answers when the disk has it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from schleier.core.errors import EngineError, InternalError, Problem, SchleierError, WriteError
from schleier.extras.pseudonyms._register import Register

T = TypeVar("T")
GROUP = 256
"""How many requests share a transaction at most."""
Job = Callable[[Register], object]
Asked = tuple[Job | None, Future[object]]


class Desk:
    """A thread that does what it is asked, one after the other, and commits for many at once."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._queue: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
        self._held: list[Asked | None] = []
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def ask(self, job: Callable[[Register], T]) -> Future[T]:
        """Something to be done; the future is done when it is on the disk."""
        future: Future[T] = Future()
        self._queue.put((job, future))  # type: ignore[arg-type]  # its result is that of the job
        return future

    def forget(self) -> Future[object]:
        """Wipe what was deleted from the disk, between two transactions."""
        future: Future[object] = Future()
        self._queue.put((None, future))
        return future

    def close(self) -> None:
        """Do what has come, then end."""
        self._queue.put(None)
        self._thread.join()
        self._register.store.close()

    def _work(self) -> None:
        while (first := self._held.pop() if self._held else self._queue.get()) is not None:
            if first[0] is None:
                self._wipe(first[1])
            else:
                self._do(self._group(first[0], first[1]))

    def _group(self, job: Job, future: Future[object]) -> list[tuple[Job, Future[object]]]:
        """What has come meanwhile, up to something that is no job."""
        group = [(job, future)]
        while len(group) < GROUP and not self._held:
            try:
                more = self._queue.get_nowait()
            except queue.Empty:
                break
            if more is None or more[0] is None:
                self._held.append(more)
            else:
                group.append((more[0], more[1]))
        return group

    def _wipe(self, future: Future[object]) -> None:
        try:
            self._register.store.forget()
        except Exception as error:
            future.set_exception(_told(error))
        else:
            future.set_result(None)

    def _do(self, group: list[tuple[Job, Future[object]]]) -> None:
        """All in one transaction; when one of them fails for an unknown reason, each in its own."""
        store = self._register.store
        answers: list[tuple[Future[object], object, SchleierError | None]] = []
        try:
            store.begin()
            for job, future in group:
                try:
                    answers.append((future, job(self._register), None))
                except SchleierError as refused:  # told before anything of this job was written
                    answers.append((future, None, refused))
            store.commit()
        except Exception as error:
            self._undo()
            if len(group) > 1:
                for one in group:
                    self._do([one])
            else:
                group[0][1].set_exception(_told(error))
            return
        for future, result, refusal in answers:
            future.set_exception(refusal) if refusal else future.set_result(result)

    def _undo(self) -> None:
        try:
            self._register.store.rollback()
        except Exception:
            return  # the next transaction tells


def _told(error: Exception) -> SchleierError:
    """What a database said may quote values, and is not shown."""
    if isinstance(error, SchleierError):
        return error
    if "full" in str(error).lower():
        return WriteError(Problem("store-not-written", "store", "the store cannot be written", "free some space"))
    if type(error).__module__.partition(".")[0] in ("sqlite3", "psycopg"):
        hint = "check the disk and the server; nothing was acknowledged"
        return EngineError(Problem("store-failed", "store", "the store failed", hint))
    return InternalError(Problem("service-defect", "service", f"a defect of the service ({type(error).__name__})"))
