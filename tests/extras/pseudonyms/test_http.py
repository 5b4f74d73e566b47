"""The service over HTTP: what it answers, and whom it lets in."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from schleier.core.key_files import new_file
from schleier.extras.pseudonyms._access import ROLES, grant
from schleier.extras.pseudonyms._guard import LARGEST
from schleier.extras.pseudonyms._pid import valid
from schleier.extras.pseudonyms._serving import application, granted, opened

pytest.importorskip("fastapi", reason="needs FastAPI: pip install schleier[serve]")

ANNA = {
    "given_name": "Xantippe",
    "surname": "Geheimrat",
    "birth_date": "1990-10-03",
    "postcode": "55116",
    "town": "Mainz",
}
OTTO = {"given_name": "Otto", "surname": "Kurz", "birth_date": "1950-01-01", "postcode": "10115", "town": "Berlin"}
SIMILAR = {"given_name": "Xantippe", "surname": "Geheimrat", "postcode": "10115", "town": "Berlin"}
FORM = {
    "vorname": "Xantippe", "nachname": "Geheimrat", "geburtstag": "3", "geburtsmonat": "10", "geburtsjahr": "1990",
    "plz": "55116", "ort": "Mainz",
}  # fmt: skip


class Client:
    """Asks in one role after the other."""

    def __init__(self, app: Any, tokens: dict[str, str]) -> None:
        from starlette.testclient import TestClient

        self.app, self.tokens, self.http = app, tokens, TestClient(app, raise_server_exceptions=False)

    def ask(self, role: str, method: str, path: str, **sent: Any) -> Any:
        headers = {"authorization": f"Bearer {self.tokens.get(role, role)}", **sent.pop("headers", {})}
        return self.http.request(method, path, headers=headers, **sent)

    def post(self, role: str, path: str, body: Any) -> Any:
        return self.ask(role, "POST", path, json=body)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    key = tmp_path / "key"
    new_file(key)
    tokens = {role: granted(str(tmp_path), key, f"{role}-1", role, 1) for role in ROLES}
    app = application(str(tmp_path), key, frozenset({"diagnosis", "stay"}))
    yield Client(app, tokens)
    app.state.house.desk.close()
    app.state.house.payloads.store.close()


def test_a_case_from_coming_to_erasing(client: Client) -> None:
    told = client.post("source", "/v1/cases", {"identity": ANNA, "payload": {"diagnosis": "J45", "stay": 3}})
    assert told.status_code == 200 and told.json()["decision"] == "new" and valid(pid := told.json()["pid"])
    again = client.post("source", "/v1/persons", {"identity": {**ANNA, "surname": "Gehemrat"}})
    assert again.json() == {"pid": pid, "decision": "certain"}
    people = client.post("source", "/v1/persons/batch", {"people": [OTTO, ANNA, OTTO]}).json()["answers"]
    assert people[1]["pid"] == pid and people[0]["pid"] == people[2]["pid"] != pid
    assert client.post("data", "/v1/payloads", {"pid": pid}).json() == {"payloads": [{"diagnosis": "J45", "stay": 3}]}
    assert client.post("reveal", "/v1/reveals", {"pid": pid, "reason": "ward calls"}).json()["writings"][0] == ANNA
    assert client.post("admin", "/v1/erasures", {"pid": pid, "reason": "request"}).json() == {"pseudonyms": 1}
    assert client.post("data", "/v1/payloads", {"pid": pid}).status_code == 404
    entries = client.ask("audit", "GET", "/v1/audit").json()
    assert entries["whole"] and [one["did"] for one in entries["entries"]][-3:-1] == ["payload", "reveal: ward calls"]


def test_clerks_merge_and_split(client: Client) -> None:
    one = client.post("source", "/v1/persons", {"identity": ANNA}).json()["pid"]
    assert client.post("source", "/v1/persons", {"identity": SIMILAR, "tentative": False}).status_code == 409
    other = client.post("source", "/v1/persons", {"identity": SIMILAR}).json()
    assert other["decision"] == "tentative"
    (doubt,) = client.ask("clerk", "GET", "/v1/doubts").json()["doubts"]
    assert client.post("clerk", f"/v1/doubts/{doubt['id']}", {"same": True}).json() == {"pid": one}
    assert client.post("clerk", "/v1/splits", {"pid": other["pid"]}).json() == {"pid": other["pid"]}
    assert client.post("clerk", "/v1/merges", {"pid": one, "into": other["pid"]}).json() == {"pid": other["pid"]}
    assert client.post("source", "/v1/persons", {"identity": ANNA}).json()["pid"] == other["pid"]


REQUESTS = (
    ("source", "POST", "/v1/persons", {"identity": ANNA}),
    ("source", "POST", "/v1/persons/batch", {"people": [ANNA]}),
    ("source", "POST", "/v1/values", {"domain": "ward", "values": ["1"]}),
    ("source", "POST", "/v1/cases", {"identity": ANNA, "payload": {}}),
    ("data", "POST", "/v1/payloads", {"pid": "22222222"}),
    ("clerk", "GET", "/v1/doubts", None),
    ("clerk", "POST", "/v1/doubts/1", {"same": True}),
    ("clerk", "POST", "/v1/merges", {"pid": "22222222", "into": "22222223"}),
    ("clerk", "POST", "/v1/splits", {"pid": "22222222"}),
    ("reveal", "POST", "/v1/reveals", {"pid": "22222222", "reason": "because"}),
    ("admin", "POST", "/v1/erasures", {"pid": "22222222", "reason": "because"}),
    ("audit", "GET", "/v1/audit", None),
    ("admin", "POST", "/v1/access", {"name": "new", "role": "admin", "days": 1}),
    ("admin", "DELETE", "/v1/access/source-1", None),
)


def test_every_request_is_refused_to_every_other_role_and_to_foreign_tokens(client: Client) -> None:
    paths = client.http.get("/openapi.json").json()["paths"]
    assert len(REQUESTS) + 1 == sum(len(methods) for methods in paths.values()), "every request is tried here"
    for role, method, path, body in REQUESTS:
        for wrong in (*(one for one in ROLES if one != role), "foreign", ""):
            told = client.ask(wrong, method, path, json=body)
            assert told.status_code == (403 if wrong in ROLES else 401), (wrong, path)
    assert client.http.get("/v1/audit").status_code == 401
    assert client.http.get("/v1/health").json() == {"ok": True}


def test_tokens_end(client: Client) -> None:
    door = client.app.state.house.door
    token = client.tokens["audit"]
    assert door.caller(token).name == "audit-1"
    assert door.caller(token, now=2**40) is None, "after its last day"
    assert client.ask("admin", "DELETE", "/v1/access/audit-1").json() == {"ok": True}
    assert client.ask("audit", "GET", "/v1/audit").status_code == 401
    new = client.post("admin", "/v1/access", {"name": "second", "role": "audit", "days": 1}).json()["token"]
    assert client.ask(new, "GET", "/v1/audit").status_code == 200
    assert client.post("admin", "/v1/access", {"name": "third", "role": "root", "days": 1}).status_code == 422


@pytest.mark.parametrize(
    "evil", ["' OR '1'='1", "22222222'; DROP TABLE person; --", "2222222%", "../../etc", "\x00" * 8]
)
def test_injected_text_finds_and_breaks_nothing(evil: str, client: Client) -> None:
    kept = client.post("source", "/v1/persons", {"identity": OTTO}).json()["pid"]
    assert client.post("data", "/v1/payloads", {"pid": evil}).status_code == 422
    assert client.post("source", "/v1/persons", {"identity": {**ANNA, "town": evil}}).status_code in (200, 422)
    assert client.post("source", "/v1/values", {"domain": evil, "values": ["1"]}).status_code == 422
    assert client.post("source", "/v1/values", {"domain": "ward", "values": [evil]}).status_code == 200
    header = {"mainzellisteApiKey": evil.replace("\x00", "\r\n")}
    with_header = {key: value for key, value in header.items() if value.isprintable()}
    assert client.http.post("/sessions", headers=with_header).status_code == 401
    assert client.http.get("/patients", params={"tokenId": evil}).status_code == 401
    assert client.post("source", "/v1/persons", {"identity": OTTO}).json() == {"pid": kept, "decision": "certain"}


def test_bodies_that_are_too_large_or_too_odd_are_refused(client: Client) -> None:
    assert client.ask("source", "POST", "/v1/persons", content=b"x" * (LARGEST + 1)).status_code == 413
    parts = (b"x" * 1_000_000 for _ in range(5))
    assert client.ask("source", "POST", "/v1/persons", content=parts).status_code == 413, "without a length, too"
    assert client.post("source", "/v1/values", {"domain": "ward", "values": ["1"] * 1001}).status_code == 422
    for odd in (
        b"",
        b"{",
        b"[" * 100_000,
        b"\xff",
        b'{"identity": {"surname": "\\ud800", "given_name": "A", "town": "B"}}',
    ):
        told = client.ask("source", "POST", "/v1/persons", content=odd, headers={"content-type": "application/json"})
        assert told.status_code in (400, 422), odd[:20]
    told = client.post("source", "/v1/persons", {"identity": {**ANNA, "birth_date": "Geheimtag"}, "Geheimrat": 1})
    assert told.status_code == 422 and "Geheim" not in told.text


def test_a_payload_holds_what_was_declared_and_nobodys_name(client: Client) -> None:
    for payload, code in (
        ({"diagnosis": "visit of Mrs. Geheimrat"}, "identity-in-payload"),
        ({"coordinates": "49.9,8.2"}, "undeclared-column"),
        ({"diagnosis": "x" * 201}, "long-payload"),
    ):
        told = client.post("source", "/v1/cases", {"identity": ANNA, "payload": payload})
        assert told.status_code == 422 and [one["code"] for one in told.json()["problems"]] == [code]


def test_planted_identities_are_in_no_log_error_or_payload_store(
    client: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = [client.post("source", "/v1/cases", {"identity": ANNA, "payload": {"diagnosis": "J45"}}).text]
    said += [client.post(role, path, {"identity": ANNA}).text for role, _, path, _ in REQUESTS]
    house = client.app.state.house
    house.desk.ask(lambda at: at.store.ask(f"SELECT '{ANNA['surname']}' FROM nowhere"))
    broken = house.desk.ask(lambda at: at.store.ask(f"SELECT * FROM {ANNA['surname']}"))
    said += [str(broken.exception(60)), str([record.getMessage() for record in caplog.records])]
    files = [file for file in tmp_path.iterdir() if file.name.startswith(("payload", "identity"))]
    for value in (ANNA["surname"], ANNA["given_name"], ANNA["birth_date"]):
        assert not [text for text in said if value.lower() in text.lower()]
        assert not [file for file in files if value.lower().encode() in file.read_bytes().lower()]


def test_patient_list_conventions(client: Client) -> None:
    http, key = client.http, {"mainzellisteApiKey": client.tokens["list"], "mainzellisteApiVersion": "3.1"}
    assert http.post("/sessions").status_code == 401
    opened = http.post("/sessions", headers=key)
    assert opened.status_code == 201 and opened.headers["location"] == opened.json()["uri"]
    session = f"/sessions/{opened.json()['sessionId']}"
    assert http.get(session, headers=key).json() == opened.json()

    def ticket(kind: str, data: dict[str, Any], **more: Any) -> Any:
        made = http.post(f"{session}/tokens", headers=key, json={"type": kind, "data": data, **more})
        assert made.status_code == 201 and made.json()["type"] == kind
        return made.json()

    adding = ticket("addPatient", {"idtypes": ["pid"]}, allowedUses="2")
    assert (adding["allowedUses"], adding["remainingUses"]) == (2, 2)
    assert adding["uri"] == f"{session}/tokens/{adding['id']}"
    assert http.get("/validate/token", params={"tokenId": adding["id"]}).json()["valid"]
    added = http.post("/patients", params={"tokenId": adding["id"]}, data=FORM)
    assert added.status_code == 201
    (patient,) = added.json()
    assert patient["idType"] == "pid" and valid(patient["idString"]) and patient["tentative"] is False
    doubtful = {"vorname": "Xantippe", "nachname": "Geheimrat", "plz": "10115", "ort": "Berlin"}
    assert http.post("/patients", params={"tokenId": adding["id"]}, data=doubtful).status_code == 409
    sure = http.post("/patients", params={"tokenId": adding["id"]}, data={**doubtful, "sureness": "true"})
    assert sure.status_code == 201 and sure.json()[0]["tentative"] is True
    assert http.post("/patients", params={"tokenId": adding["id"]}, data=FORM).status_code == 401, "used up"
    asked = {"searchIds": [{"idType": "pid", "idString": patient["idString"]}], "resultFields": ["nachname", "ort"]}
    reading = ticket("readPatients", asked)
    assert http.get(f"/patients/tokenId/{reading['id']}").json() == [
        {
            "fields": {"nachname": "Geheimrat", "ort": "Mainz"},
            "ids": [{"idType": "pid", "idString": patient["idString"]}],
        }
    ]
    assert http.get("/monitoring/patients", headers=key).json() == {"patients": 2, "tentative": 1}
    deleting = ticket("deletePatient", {"patientId": {"idType": "pid", "idString": patient["idString"]}})
    other = sure.json()[0]["idString"]
    assert http.delete(f"/patients/{deleting['id']}/pid/{other}").status_code == 401, "another than it was made for"
    assert http.delete(f"/patients/{deleting['id']}/pid/{patient['idString']}").status_code == 204
    assert http.delete(session, headers=key).status_code == 204
    assert http.get(session, headers=key).status_code == 404


def test_clients_at_once_lose_and_double_nothing(client: Client) -> None:
    """Many small requests of many clients, of which many ask for the same."""

    async def all_of_them() -> list[list[str]]:
        import httpx

        headers = {"authorization": f"Bearer {client.tokens['source']}"}
        transport = httpx.ASGITransport(client.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://x", headers=headers, timeout=60) as http:

            async def one(number: int) -> list[str]:
                found = []
                for step in range(12):
                    body = {"domain": "ward", "values": [str((number * 7 + step) % 40)]}
                    found += (await http.post("/v1/values", json=body)).json()["pids"]
                return found

            return await asyncio.gather(*(one(number) for number in range(32)))

    with ThreadPoolExecutor(1) as pool:
        answers = pool.submit(asyncio.run, all_of_them()).result(120)
    found: dict[int, set[str]] = {}
    for number, told in enumerate(answers):
        for step, pid in enumerate(told):
            found.setdefault((number * 7 + step) % 40, set()).add(pid)
    assert [len(one) for one in found.values()] == [1] * 40 and len(set.union(*found.values())) == 40


def test_no_request_of_the_schema_is_answered_with_a_defect(client: Client) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings

    schema = schemathesis.openapi.from_asgi("/openapi.json", client.app)
    roles = {
        (method, path.rpartition("/")[0] if path.endswith("/1") else path): role for role, method, path, _ in REQUESTS
    }
    quick = settings(
        max_examples=6, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    for found in schema.get_all_operations():
        operation = found.ok()
        path = operation.path.partition("/{")[0]
        if operation.method.upper() == "DELETE":
            continue  # it would shut the door behind the others
        token = client.tokens.get(roles.get((operation.method.upper(), path), "source"), "")

        @quick
        @given(case=operation.as_strategy())
        def tried(case: Any) -> None:
            told = case.call(headers={"authorization": f"Bearer {token}"})  # noqa: B023
            assert told.status_code < 500, (case.method, case.path, told.status_code)

        tried()


def test_a_store_is_opened_by_its_own_key(tmp_path: Path) -> None:
    new_file(tmp_path / "key")
    register = opened(str(tmp_path), tmp_path / "key")
    assert grant(register.store, "a", "audit", 1) != grant(register.store, "a", "audit", 1)
    assert json.dumps(register.store.ask("SELECT count(*) FROM access")) == "[[1]]"
    register.store.close()
