"""What stands before every request, and what is said when it is refused: never what was sent."""

from __future__ import annotations

from typing import Any

from schleier.core.errors import Problem, SchleierError

LARGEST = 4_000_000
STATUS = {"not-let-in": 401, "bad-ticket": 401, "no-open-session": 404, "too-many-sessions": 429}
STATUS |= {"wrong-role": 403, "unsure-identity": 409, "large-request": 413}
NAMES = frozenset(
    "identity tentative people domain values payload same pid into reason name role days after doubt given_name surname"
    " birth_name birth_date postcode town".split()
)
"""What places of a request are called by us; what others call them may be anything."""
STATUS |= dict.fromkeys(("unknown-pid", "unknown-doubt", "unknown-access"), 404)


class Guard:
    """Refuses bodies that are too large, however they are sent, and lets nobody keep an answer."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, more = bytearray(), True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message["type"] == "http.request" and message.get("more_body", False)
            if len(body) > LARGEST:
                problem = Problem(
                    "large-request", "body", f"a request has at most {LARGEST} bytes", "send smaller batches"
                )
                await answer(413, [problem])(scope, receive, send)
                return
        given = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def once() -> Any:
            return given.pop() if given else await receive()

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                kept = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
                message = {**message, "headers": [*message.get("headers", []), *kept]}
            await send(message)

        await self._app(scope, once, sent)


def answer(status: int, problems: list[Problem]) -> Any:
    """Problems as an answer."""
    from starlette.responses import JSONResponse

    return JSONResponse({"ok": False, "problems": [one.document for one in problems]}, status)


def shown(_: Any, error: Any) -> Any:
    """A refusal of ours."""
    assert isinstance(error, SchleierError)
    codes = [STATUS[one.code] for one in error.problems if one.code in STATUS]
    return answer(codes[0] if codes else error.http_status, list(error.problems))


def problems_of(_: Any, error: Any) -> Any:
    """What is wrong with the form of a request: where, and nothing of what stood there."""
    known = {str(part) for one in error.errors() for part in one["loc"] if str(part) in NAMES}
    where = ", ".join(sorted(known))
    hint = "openapi.json says how a request looks"
    return answer(422, [Problem("bad-request", where, "the request is not formed as it should be", hint)])
