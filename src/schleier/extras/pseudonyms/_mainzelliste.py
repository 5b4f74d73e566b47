"""The conventions of the Mainzelliste's REST interface: sessions, tokens for one use, patients."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from schleier.core.errors import DataError, stop
from schleier.extras.pseudonyms import _clerk as clerk
from schleier.extras.pseudonyms._access import Caller
from schleier.extras.pseudonyms._register import Person

if TYPE_CHECKING:
    from schleier.extras.pseudonyms._http import House
    from schleier.extras.pseudonyms._register import Register

NAMES = {"vorname": "given_name", "nachname": "surname", "geburtsname": "birth_name", "plz": "postcode", "ort": "town"}
BIRTH = ("geburtsjahr", "geburtsmonat", "geburtstag")
TYPES = ("addPatient", "readPatients", "deletePatient")
IDLE, MOST, USES = 600.0, 1000, 1000
VERSION = "3.1"


@dataclass
class Ticket:
    """A token: what its bearer may do, and how often."""

    id: str
    type: str
    data: dict[str, Any] = field(repr=False)
    uses: int
    left: int

    def document(self, base: str) -> dict[str, Any]:
        """As it is told to who made it."""
        uri = f"{base}/tokens/{self.id}"
        counted = {"allowedUses": self.uses, "remainingUses": self.left}
        return {"id": self.id, "type": self.type, **counted, "data": self.data, "uri": uri}


@dataclass
class Session:
    """Tokens of one program, forgotten when it is silent for a while."""

    who: Caller
    seen: float
    tickets: dict[str, Ticket] = field(default_factory=dict)


class Sessions:
    """All that are open."""

    def __init__(self) -> None:
        self._open: dict[str, Session] = {}

    def new(self, who: Caller) -> str:
        """Open one."""
        now = time.monotonic()
        self._open = {name: one for name, one in self._open.items() if now - one.seen < IDLE}
        if len(self._open) >= MOST:
            stop(DataError, "too-many-sessions", "sessions", "too many sessions are open", "close some")
        name = secrets.token_urlsafe(24)
        self._open[name] = Session(who, now)
        return name

    def of(self, name: str, who: Caller) -> Session:
        """One of a program's own; foreign ones are not even there."""
        found = self._open.get(name)
        if found is None or found.who != who or time.monotonic() - found.seen >= IDLE:
            stop(DataError, "no-open-session", "sessions", "there is no such session", "open one")
        found.seen = time.monotonic()
        return found

    def close(self, name: str, who: Caller) -> None:
        """Forget one and its tokens."""
        self.of(name, who)
        del self._open[name]

    def ticket(self, name: str, kind: str) -> tuple[Caller, Ticket]:
        """A token that may still be used for something."""
        for one in self._open.values():
            found = one.tickets.get(name)
            if found and found.type == kind and found.left > 0 and time.monotonic() - one.seen < IDLE:
                return one.who, found
        return stop(DataError, "bad-ticket", "tokenId", "this token opens nothing here", "make one in a session")


def written(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """The fields of an identity from those of a form."""
    given = dict(pairs)
    found = {NAMES[name]: value for name, value in given.items() if name in NAMES and value}
    born = [given.get(name, "").strip() for name in BIRTH]
    if any(born):
        found["birth_date"] = "-".join((born[0], born[1].zfill(2), born[2].zfill(2)))
    return found


def told(fields: dict[str, str]) -> dict[str, str]:
    """The same, the other way."""
    found = {name: fields[ours] for name, ours in NAMES.items() if ours in fields}
    return found | ({"geburtsdatum": fields["birth_date"]} if "birth_date" in fields else {})


def patient_list(app: Any, house: House) -> None:
    """Add the routes."""
    sessions = Sessions()
    _for_programs(app, house, sessions)
    _for_bearers(app, house, sessions)


def _for_programs(app: Any, house: House, sessions: Sessions) -> None:
    from starlette.responses import JSONResponse, Response

    def program(request: Any) -> Caller:
        return house.let_in(f"bearer {request.headers.get('mainzellisteapikey', '')}", "list")

    async def new_session(request: Any) -> Any:
        name = sessions.new(program(request))
        uri = f"/sessions/{name}/"
        return JSONResponse({"sessionId": name, "uri": uri}, 201, {"Location": uri})

    async def one_session(request: Any) -> Any:
        name, who = request.path_params["session"], program(request)
        if request.method == "DELETE":
            sessions.close(name, who)
            return Response(status_code=204)
        sessions.of(name, who)
        return JSONResponse({"sessionId": name, "uri": f"/sessions/{name}/"})

    async def new_ticket(request: Any) -> Any:
        name = request.path_params["session"]
        session, body = sessions.of(name, program(request)), _object(await request.body())
        kind, data, uses = body.get("type"), body.get("data", {}), str(body.get("allowedUses", 1))
        fits = isinstance(data, dict) and uses.isascii() and uses.isdigit() and 1 <= int(uses[:9]) <= USES
        if kind not in TYPES or not fits or len(session.tickets) >= MOST:
            stop(DataError, "bad-ticket", "tokens", "no such token can be made", f"types are: {', '.join(TYPES)}")
        made = Ticket(secrets.token_urlsafe(24), str(kind), data, int(uses), int(uses))
        session.tickets[made.id] = made
        document = made.document(f"/sessions/{name}")
        return JSONResponse(document, 201, {"Location": document["uri"]})

    async def one_ticket(request: Any) -> Any:
        name = request.path_params["session"]
        found = sessions.of(name, program(request)).tickets.get(request.path_params["ticket"])
        if found is None:
            stop(DataError, "bad-ticket", "tokens", "this token opens nothing here", "make one in a session")
        return JSONResponse(found.document(f"/sessions/{name}"))

    async def monitoring(request: Any) -> Any:
        who = program(request)
        rows = await house.ask(
            who, "monitor", lambda at: at.store.ask("SELECT state, count(*) FROM person GROUP BY state")
        )
        counts = {str(state): int(many) for state, many in rows}
        return JSONResponse({"patients": sum(counts.values()), "tentative": counts.get("tentative", 0)})

    for path, handler, methods in (
        ("/sessions", new_session, ["POST"]),
        ("/sessions/{session}", one_session, ["GET", "DELETE"]),
        ("/sessions/{session}/tokens", new_ticket, ["POST"]),
        ("/sessions/{session}/tokens/{ticket}", one_ticket, ["GET"]),
        ("/monitoring/patients", monitoring, ["GET"]),
    ):
        app.add_route(path, handler, methods=methods, include_in_schema=False)


def _for_bearers(app: Any, house: House, sessions: Sessions) -> None:
    from starlette.responses import JSONResponse, Response

    async def add(request: Any) -> Any:
        who, ticket = sessions.ticket(request.query_params.get("tokenId", ""), "addPatient")
        pairs = parse_qsl((await request.body()).decode("utf-8", "replace"), max_num_fields=50)
        one, sure = Person.of(written(pairs)), dict(pairs).get("sureness") == "true"
        ticket.left -= 1  # before waiting: two requests at once must not both use the last one
        try:
            (found,) = await house.ask(who, "enrol", lambda at: at.enrol([one], tentative=sure))
        except BaseException:
            ticket.left += 1
            raise
        document = {"idType": "pid", "idString": found.pid, "tentative": found.decision == "tentative"}
        return JSONResponse([{**document, "uri": f"/patients/pid/{found.pid}"}], 201)

    async def read(request: Any) -> Any:
        name = request.path_params.get("ticket") or request.query_params.get("tokenId", "")
        who, ticket = sessions.ticket(name, "readPatients")
        asked, shown = ticket.data.get("searchIds", []), ticket.data.get("resultFields", [])
        pids = [one.get("idString") for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
        fields = shown if isinstance(shown, list) else []
        ticket.left -= 1
        found = []
        for pid in [str(one) for one in pids][:100]:
            rows = await house.ask(who, "read", partial(_written, pid=pid), pid)
            known = {key: value for key, value in told(rows[-1]).items() if key in fields} if rows else {}
            found.append({"fields": known, "ids": [{"idType": "pid", "idString": pid}]})
        return JSONResponse(found)

    async def delete(request: Any) -> Any:
        who, ticket = sessions.ticket(request.path_params["ticket"], "deletePatient")
        pid, meant = request.path_params["pid"], ticket.data.get("patientId")
        if not isinstance(meant, dict) or meant.get("idString") != pid:
            stop(DataError, "bad-ticket", "tokenId", "this token opens nothing here", "make one in a session")
        ticket.left -= 1
        gone = await house.ask(who, "erase", lambda at: clerk.erase(at, pid), pid)
        await house.apart(lambda: house.payloads.forget(gone))
        await asyncio.wrap_future(house.desk.forget())
        return Response(status_code=204)

    async def validate(request: Any) -> Any:
        name = request.query_params.get("tokenId", "")
        _, found = sessions.ticket(name, request.query_params.get("type", "addPatient"))
        return JSONResponse({"valid": True, "remainingUses": found.left})

    for path, handler, methods in (
        ("/patients", add, ["POST"]),
        ("/patients", read, ["GET"]),
        ("/patients/tokenId/{ticket}", read, ["GET"]),
        ("/patients/{ticket}/pid/{pid}", delete, ["DELETE"]),
        ("/validate/token", validate, ["GET"]),
    ):
        app.add_route(path, handler, methods=methods, include_in_schema=False)


def _written(register: Register, pid: str) -> list[dict[str, str]]:
    return clerk.written(register, register.root(pid))


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        stop(DataError, "bad-request", "body", "the request is not formed as it should be", "send a JSON object")
    return found
