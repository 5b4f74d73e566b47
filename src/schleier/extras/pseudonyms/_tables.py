"""The tables of both stores: identities and payloads never share one."""

from __future__ import annotations

IDENTITY = (
    "CREATE TABLE IF NOT EXISTS person (pid TEXT PRIMARY KEY, state TEXT NOT NULL, root TEXT)",
    "CREATE TABLE IF NOT EXISTS writing (id INTEGER PRIMARY KEY, pid TEXT NOT NULL,"
    " exact BLOB NOT NULL, sealed BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS writing_exact ON writing (exact)",
    "CREATE INDEX IF NOT EXISTS writing_pid ON writing (pid)",
    "CREATE TABLE IF NOT EXISTS trace (tag BLOB NOT NULL, writing INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS trace_tag ON trace (tag)",
    "CREATE INDEX IF NOT EXISTS trace_writing ON trace (writing)",
    "CREATE TABLE IF NOT EXISTS doubt (id INTEGER PRIMARY KEY, pid TEXT NOT NULL, other TEXT NOT NULL,"
    " state TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS known (tag BLOB PRIMARY KEY, pid TEXT NOT NULL UNIQUE)",
    "CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, did TEXT,"
    " many INTEGER NOT NULL, subject BLOB NOT NULL, chain BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS access (name TEXT PRIMARY KEY, digest BLOB NOT NULL, role TEXT NOT NULL,"
    " until INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS head (name TEXT PRIMARY KEY, content BLOB NOT NULL)",
)
PAYLOAD = (
    "CREATE TABLE IF NOT EXISTS payload (id INTEGER PRIMARY KEY, pid TEXT NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS payload_pid ON payload (pid)",
)
