"""The service over HTTP: our own interface under /v1, and the conventions of patient lists beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from schleier.core.errors import DataError, SchleierError, stop
from schleier.extras.pseudonyms import _clerk as clerk
from schleier.extras.pseudonyms._access import Caller, Door, Role, grant, revoke
from schleier.extras.pseudonyms._bodies import (
    AccessBody,
    CaseBody,
    DoubtBody,
    IdentityBody,
    MergeBody,
    PeopleBody,
    PersonBody,
    PidBody,
    ReasonBody,
    ValuesBody,
)
from schleier.extras.pseudonyms._desk import Desk
from schleier.extras.pseudonyms._guard import Guard, problems_of, shown
from schleier.extras.pseudonyms._mainzelliste import patient_list
from schleier.extras.pseudonyms._payload import Payloads
from schleier.extras.pseudonyms._register import Person, Register

if TYPE_CHECKING:
    from fastapi import FastAPI

T = TypeVar("T")


class House:
    """What the requests share."""

    def __init__(self, register: Register, payloads: Payloads) -> None:
        self.door, self.desk, self.payloads = Door(register.store), Desk(register), payloads
        self._of_payloads = asyncio.Lock()

    async def ask(self, who: Caller, did: str, job: Callable[[Register], T], pid: str = "", many: int = 1) -> T:
        """Do something at the desk, with its entry in the audit."""

        def with_entry(register: Register) -> T:
            found = job(register)
            register.audit.write(who.name, did, many, register.seal.tag("subject", pid) if pid else b"")
            return found

        return await asyncio.wrap_future(self.desk.ask(with_entry))

    async def apart(self, job: Callable[[], T]) -> T:
        """Do something in the store of payloads."""
        async with self._of_payloads:
            return await asyncio.to_thread(job)

    def let_in(self, authorization: str, role: Role) -> Caller:
        """The program that asks, if it may."""
        kind, _, token = authorization.partition(" ")
        caller = self.door.caller(token) if kind.lower() == "bearer" else None
        if caller is None:
            hint = "ask the administrator of the service for one"
            stop(DataError, "not-let-in", "authorization", "this token opens nothing here", hint)
        if caller.role != role:
            stop(DataError, "wrong-role", "authorization", "this token is for another role", "send the one for this")
        return caller


def person_of(body: IdentityBody) -> Person:
    """The person of a request."""
    return Person.of(body.model_dump(exclude_none=True))


def app_of(register: Register, payloads: Payloads) -> Any:
    """The application, ready to be served."""
    try:
        import fastapi
        from fastapi.exceptions import RequestValidationError
    except ModuleNotFoundError:
        from schleier.core.errors import EngineError

        hint = "pip install schleier[serve]"
        stop(EngineError, "missing-extra", "serve", "the service needs FastAPI, which is not installed", hint)

    house = House(register, payloads)
    app = fastapi.FastAPI(title="Schleier pseudonyms", version="1", docs_url=None, redoc_url=None)
    app.state.house = house
    app.add_middleware(Guard)
    app.add_exception_handler(SchleierError, shown)
    app.add_exception_handler(RequestValidationError, problems_of)

    for part in (_for_sources, _for_data, _for_clerks, _for_administrators):
        part(app, house)
    patient_list(app, house)
    return app


def _of(house: House, role: Role) -> Any:
    """Lets in one role alone."""
    from fastapi import Depends, Header

    async def let_in(authorization: str = Header(default="")) -> Caller:
        return house.let_in(authorization, role)

    return Depends(let_in)


def _for_sources(app: FastAPI, house: House) -> None:
    source = _of(house, "source")

    @app.get("/v1/health")
    async def health() -> dict[str, bool]:
        await asyncio.wrap_future(house.desk.ask(lambda at: at.store.ask("SELECT 1")))
        return {"ok": True}

    @app.post("/v1/persons")
    async def persons(body: PersonBody, who: Caller = source) -> dict[str, str]:
        one, tentative = person_of(body.identity), body.tentative
        (answer,) = await house.ask(who, "enrol", lambda at: at.enrol([one], tentative=tentative))
        return {"pid": answer.pid, "decision": answer.decision}

    @app.post("/v1/persons/batch")
    async def batch(body: PeopleBody, who: Caller = source) -> dict[str, list[dict[str, str]]]:
        people = [person_of(one) for one in body.people]
        answers = await house.ask(who, "enrol", lambda at: at.enrol(people), many=len(people))
        return {"answers": [{"pid": one.pid, "decision": one.decision} for one in answers]}

    @app.post("/v1/values")
    async def values(body: ValuesBody, who: Caller = source) -> dict[str, list[str]]:
        many = len(body.values)
        return {"pids": await house.ask(who, "values", lambda at: at.values(body.domain, body.values), many=many)}

    @app.post("/v1/cases")
    async def cases(body: CaseBody, who: Caller = source) -> dict[str, str]:
        one = person_of(body.identity)
        house.payloads.check(body.payload, one)
        (answer,) = await house.ask(who, "case", lambda at: at.enrol([one]))
        await house.apart(lambda: house.payloads.add(answer.pid, body.payload))
        return {"pid": answer.pid, "decision": answer.decision}


def _for_data(app: FastAPI, house: House) -> None:
    data = _of(house, "data")

    @app.post("/v1/payloads")
    async def payload(body: PidBody, who: Caller = data) -> dict[str, list[dict[str, Any]]]:
        pids = await house.ask(who, "payload", lambda at: clerk.family(at, at.root(body.pid)), body.pid)
        return {"payloads": await house.apart(lambda: house.payloads.of(pids))}


def _for_clerks(app: FastAPI, house: House) -> None:
    clerks = _of(house, "clerk")

    @app.get("/v1/doubts")
    async def doubts(after: int = 0, who: Caller = clerks) -> dict[str, list[dict[str, Any]]]:
        after = min(max(after, 0), 2**62)
        return {"doubts": await house.ask(who, "doubts", lambda at: clerk.doubts(at, after))}

    @app.post("/v1/doubts/{doubt}")
    async def settle(doubt: int, body: DoubtBody, who: Caller = clerks) -> dict[str, str]:
        number = min(max(doubt, 0), 2**62)
        return {"pid": await house.ask(who, "settle", lambda at: clerk.settle(at, number, same=body.same))}

    @app.post("/v1/merges")
    async def merge(body: MergeBody, who: Caller = clerks) -> dict[str, str]:
        return {"pid": await house.ask(who, "merge", lambda at: clerk.merge(at, body.pid, body.into), body.pid)}

    @app.post("/v1/splits")
    async def split(body: PidBody, who: Caller = clerks) -> dict[str, str]:
        return {"pid": await house.ask(who, "split", lambda at: clerk.split(at, body.pid), body.pid)}


def _for_administrators(app: FastAPI, house: House) -> None:
    revealing, admin, auditor = (_of(house, role) for role in ("reveal", "admin", "audit"))

    @app.post("/v1/reveals")
    async def reveal(body: ReasonBody, who: Caller = revealing) -> dict[str, list[dict[str, str]]]:
        did = f"reveal: {body.reason}"
        return {"writings": await house.ask(who, did, lambda at: clerk.written(at, at.root(body.pid)), body.pid)}

    @app.post("/v1/erasures")
    async def erase(body: ReasonBody, who: Caller = admin) -> dict[str, int]:
        gone = await house.ask(who, f"erase: {body.reason}", lambda at: clerk.erase(at, body.pid), body.pid)
        await house.apart(lambda: house.payloads.forget(gone))
        await asyncio.wrap_future(house.desk.forget())
        return {"pseudonyms": len(gone)}

    @app.get("/v1/audit")
    async def audit(after: int = 0, who: Caller = auditor) -> dict[str, Any]:
        after = min(max(after, 0), 2**62)
        found = await house.ask(who, "audit", lambda at: (at.audit.entries(after, 1000), at.audit.whole()))
        return {"entries": found[0], "whole": found[1]}

    @app.post("/v1/access")
    async def access(body: AccessBody, who: Caller = admin) -> dict[str, str]:
        def let_in(at: Register) -> str:
            token = grant(at.store, body.name, body.role, body.days)
            house.door.look(at.store)
            return token

        return {"token": await house.ask(who, "grant", let_in)}

    @app.delete("/v1/access/{name}")
    async def shut(name: str, who: Caller = admin) -> dict[str, bool]:
        def out(at: Register) -> bool:
            revoke(at.store, name)
            house.door.look(at.store)
            return True

        return {"ok": await house.ask(who, "revoke", out)}
