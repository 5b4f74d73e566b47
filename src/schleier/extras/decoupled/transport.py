"""Both services over HTTP: thin, on this machine only, and without a log of who asked.

Operators put TLS before it, and before the service something that hides addresses. What is sent is bounded, read by the
same messages as everywhere, and not repeated in an answer. Opening scopes, blocking and posting stay with the operator.
"""

from __future__ import annotations

import hmac
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from schleier.core.errors import EngineError, InternalError, SchleierError, stop
from schleier.extras.decoupled._refusals import refuse
from schleier.extras.decoupled.messages import Ask, Check, Redemption, Spoken, read
from schleier.extras.decoupled.registrar import Registrar
from schleier.extras.decoupled.service import PseudonymService

if TYPE_CHECKING:
    from fastapi import FastAPI

LARGEST = 64 * 1024
"""Bytes of a request."""
HERE = "127.0.0.1"
NOT_ALLOWED, TOO_LARGE = 401, 413
Work = Callable[[Any, dict[str, str], dict[str, str]], Any]
"""What an address does: with the document, the parts of the address and the headers."""


def registrar_app(registrar: Registrar, identity: Callable[[str], str | None], partner: str) -> FastAPI:
    """The registrar; ``identity`` tells whose ticket it is, ``partner`` is what the service shows."""

    def issue(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        who = identity(headers.get("authorization", "").removeprefix("Bearer "))
        if who is None:
            refuse("not-allowed")
        return registrar.issue(who, read(Ask, document)).model_dump()

    def check(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        shown = headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(shown.encode(), partner.encode()):
            refuse("not-allowed")
        return {"good": registrar.check(read(Check, document))}

    def issued(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return {"issued": registrar.issued(parts["scope"], parts["epoch"])}

    def lines(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return [line.model_dump() for line in registrar.key_list()]

    get: dict[str, Work] = {"/keys": lines, "/issued/{scope}/{epoch}": issued}
    return _app(get, {"/issue": issue, "/check": check})


def service_app(service: PseudonymService) -> FastAPI:
    """The pseudonym service."""

    def rules(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return service.rules(parts["scope"], parts["epoch"]).model_dump()

    def released(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return service.released(parts["scope"], parts["epoch"])

    def redeem(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return {"pseudonym": service.redeem(read(Redemption, document))}

    def challenge(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return {"challenge": service.challenge(parts["pseudonym"])}

    def submit(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        service.submit(read(Spoken, document))
        return {"kept": True}

    def collect(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return service.collect(read(Spoken, document))

    def erase(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        return service.erase(read(Spoken, document)).model_dump()

    def follow(document: Any, parts: dict[str, str], headers: dict[str, str]) -> Any:
        both = document if isinstance(document, dict) else {}
        service.follow(read(Spoken, both.get("new")), read(Spoken, both.get("old")))
        return {"kept": True}

    get: dict[str, Work] = {"/rules/{scope}/{epoch}": rules, "/released/{scope}/{epoch}": released}
    post: dict[str, Work] = {
        "/redeem": redeem,
        "/challenge/{pseudonym}": challenge,
        "/records": submit,
        "/mail": collect,
        "/erase": erase,
        "/follow": follow,
    }
    return _app(get, post)


@contextmanager
def serving(app: FastAPI, port: int = 0) -> Iterator[str]:
    """The address of an app that listens on this machine, until the block ends."""
    import uvicorn

    config = uvicorn.Config(app, HERE, port, access_log=False, log_level="critical", server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                stop(EngineError, "no-port", "", "the port is in use or may not be used", "choose another one")
            thread.join(0.01)
        yield f"http://{HERE}:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def _app(get: dict[str, Work], post: dict[str, Work]) -> FastAPI:
    try:
        from fastapi import FastAPI
    except ImportError:
        hint = 'pip install "schleier[serve]"'
        stop(EngineError, "not-installed", "", "services need FastAPI, which is not installed", hint)
    app, lock = FastAPI(openapi_url=None), threading.Lock()
    for method, works in (("GET", get), ("POST", post)):
        for path, work in works.items():
            app.add_route(path, _answering(work, lock), methods=[method])
    return app


def _answering(work: Work, lock: threading.Lock) -> Any:
    """One address: the state machines take one step at a time."""
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import JSONResponse

    async def answer(request: Any) -> Any:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > LARGEST:
                return JSONResponse({"problems": []}, TOO_LARGE)

        def step() -> Any:
            document = None
            if body:
                try:
                    document = json.loads(body)
                except (ValueError, RecursionError):
                    refuse("bad-message")
            with lock:
                return work(document, dict(request.path_params), dict(request.headers))

        try:
            return JSONResponse(await run_in_threadpool(step))
        except SchleierError as error:
            status = NOT_ALLOWED if error.problems[0].code == "not-allowed" else error.http_status
            return JSONResponse({"problems": [problem.document for problem in error.problems]}, status)
        except Exception:  # a defect: what it says may hold a secret
            return JSONResponse({"problems": []}, InternalError.http_status)

    return answer


class Remote:
    """The other side of an address: what it refuses is refused here in the same words."""

    def __init__(self, address: str, secret: str = "") -> None:
        self._host, self._secret = address.removeprefix("http://"), secret

    def ask(self, path: str, document: Any = None, *, secret: str | None = None) -> Any:
        """What is answered; a document is posted."""
        from http.client import HTTPConnection, HTTPException

        headers = {"Authorization": f"Bearer {self._secret if secret is None else secret}"}
        link = HTTPConnection(self._host, timeout=60)
        try:
            body = None if document is None else json.dumps(document).encode()
            link.request("GET" if body is None else "POST", path, body, headers)
            answer = link.getresponse()
            status, told = answer.status, json.loads(answer.read())
        except (OSError, HTTPException, ValueError):
            stop(EngineError, "no-answer", "", "the other side does not answer", "nothing is lost, ask again later")
        finally:
            link.close()
        if status == 200:
            return told
        codes = [problem["code"] for problem in told.get("problems", [])]
        try:
            refuse(codes[0] if codes else "bad-message")
        except StopIteration:
            stop(EngineError, "no-answer", "", "the other side does not answer", "nothing is lost, ask again later")


class RemoteRegistrar(Remote):
    """The registrar, as the service sees it."""

    def issued(self, scope: str, epoch: str) -> int:
        """The public counter."""
        count: int = self.ask(f"/issued/{scope}/{epoch}")["issued"]
        return count

    def check(self, check: Check) -> bool:
        """Whether a token is good."""
        good: bool = self.ask("/check", check.model_dump())["good"]
        return good
