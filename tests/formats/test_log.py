"""Logs of servers become tables; a line that cannot be read is counted, never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

import schleier as sl
from schleier.core.errors import DataError
from schleier.flow.run.reader import read_header

ACCESS = [
    r'203.0.113.7 - anna [10/Oct/2000:13:55:36 -0700] "GET /a?b=\"c\" HTTP/1.0" 200 2326',
    '2001:db8::1 - - [11/Oct/2000:00:00:01 +0100] "-" 408 - "-" "-"',
    '203.0.113.9 - - [11/Oct/2000:00:00:02 +0100] "GET / HTTP/1.1" 200 5 "a.example" "Browser (X)" "198.51.100.2"',
]
SYSLOG = [
    "<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8",
    "Oct  1 02:14:15 web sshd[4711]: Accepted publickey for anna from 203.0.113.7",
]
SYSLOG_5424 = [
    "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - 'su root' failed for lonvick on /dev/pts/8",
    '<165>1 2003-10-11T22:14:15.003Z host app 12 ID47 [example@32473 iut="3" eventID="1\\]"][x y="z"] An event',
]
ERRORS = ["2024/05/01 12:00:00 [error] 123#45: *6 open() failed, client: 203.0.113.7"]
APACHE = ["[Wed Oct 11 14:32:52 2000] [error] [client 127.0.0.1] client denied by server configuration: /a"]


def read(tmp_path: Path, lines: list[str]) -> dict[str, list[object]]:
    path = tmp_path / "server.log"
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    names = list(read_header(path)[0])
    schema = sl.Schema(columns=[sl.Column(name=name, scale="text") for name in names])
    return sl.read(path, schema).to_arrow().select(names).to_pydict()  # type: ignore[no-any-return]


def test_access_logs_of_apache_and_nginx(tmp_path: Path) -> None:
    found = read(tmp_path, ACCESS)
    assert found["address"] == ["203.0.113.7", "2001:db8::1", "203.0.113.9"]
    assert found["user"] == ["anna", None, None]
    assert [str(one)[:19] for one in found["time"]] == [
        "2000-10-10 13:55:36",
        "2000-10-11 00:00:01",
        "2000-10-11 00:00:02",
    ]
    assert found["zone"] == ["-0700", "+0100", "+0100"] and found["forwarded"][2] == "198.51.100.2"
    assert found["request"][:2] == [r"GET /a?b=\"c\" HTTP/1.0", None]


def test_system_logs(tmp_path: Path) -> None:
    """The examples of RFC 3164 and RFC 5424."""
    old, new = read(tmp_path, SYSLOG), read(tmp_path, SYSLOG_5424)
    assert (old["program"], old["process"], old["host"]) == (["su", "sshd"], [None, "4711"], ["mymachine", "web"])
    assert old["message"][1] == "Accepted publickey for anna from 203.0.113.7"
    assert new["message"] == ["'su root' failed for lonvick on /dev/pts/8", "An event"]
    assert new["data"] == [None, '[example@32473 iut="3" eventID="1\\]"][x y="z"]']


def test_logs_of_errors(tmp_path: Path) -> None:
    assert read(tmp_path, ERRORS)["message"] == ["*6 open() failed, client: 203.0.113.7"]
    assert read(tmp_path, APACHE)["client"] == ["127.0.0.1"]


def test_keys_and_values_and_objects(tmp_path: Path) -> None:
    """The first line is that of the specification; keys may come late."""
    lines = [
        "user=anna action=update field=email old=anna@x.de new=a.berg@y.de",
        'user="bert \\"b\\"" action= why="a = b"',
    ]
    found = read(tmp_path, lines)
    assert list(found) == ["user", "action", "field", "old", "new", "why"]
    assert found["user"] == ["anna", 'bert "b"'] and found["action"] == ["update", None] and found["why"][1] == "a = b"
    assert read(tmp_path, ['{"user": "anna"}', '{"n": 1}'])["user"] == ["anna", None]


@pytest.mark.parametrize("lines", [ACCESS, SYSLOG, SYSLOG_5424, ERRORS, APACHE, ["user=anna n=1"]])
def test_odd_lines_are_counted_and_not_shown(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("\n".join([*lines * 3, "SECRET of a person", "\x00", *lines]))
    with pytest.raises(DataError) as caught:
        read_header(path)
    (problem,) = caught.value.problems
    at = 3 * len(lines)
    assert (problem.code, problem.message) == (
        "odd-lines",
        f"2 lines are not built like the others: {at + 1}, {at + 2}",
    )
    assert "SECRET" not in f"{caught.value!r}{caught.value}"


def test_what_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("Dear diary,\nSECRET\n")
    with pytest.raises(DataError) as caught:
        read_header(path)
    assert caught.value.problems[0].code == "unknown-log" and "SECRET" not in str(caught.value)


def test_bytes_that_are_no_text_stay_to_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"user=an\xff\xfena n=1\n" * 3)
    schema = sl.Schema(columns=[sl.Column(name="user", scale="text"), sl.Column(name="n", scale="discrete")])
    assert sl.read(path, schema).to_arrow()["user"].to_pylist() == ["an\\xff\\xfena"] * 3
