"""How Spark is started on this machine; no Java is needed to say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from schleier.core.engine import Resources
from schleier.engine import _spark_session
from schleier.engine._spark_session import (
    FOR_LARGE,
    FOR_SMALL,
    OURS,
    QUICKLY,
    SMALL,
    TINY,
    TRUSTING,
    WELL,
    expect,
    local,
    spark_classes,
)

pytest.importorskip("pyspark")


def test_classes_are_written_once_and_then_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "java"
    java.touch()
    monkeypatch.setattr(_spark_session, "__file__", str(tmp_path / "one.py"))
    monkeypatch.setattr("shutil.which", lambda name, path: str(java))
    first = spark_classes()
    archive = Path(first.removeprefix("-XX:ArchiveClassesAtExit="))
    assert archive.parent == tmp_path / "__pycache__"
    assert "Verification" not in first  # Java writes down only what it verified
    archive.touch()
    assert spark_classes() == f"{TRUSTING} -XX:SharedArchiveFile={archive}"
    monkeypatch.setattr("os.access", lambda place, how: False)
    assert spark_classes() == TRUSTING
    monkeypatch.setattr("shutil.which", lambda name, path: None)
    assert spark_classes() == TRUSTING


def test_the_first_file_decides_how_java_compiles_and_how_spark_plans() -> None:
    resources = Resources(memory_limit="1GB", threads=3)
    tiny, small, large = (local(resources, size) for size in (TINY, SMALL, SMALL + 1))
    assert tiny.items() >= FOR_SMALL.items() and small.items() >= FOR_SMALL.items()
    assert large.items() >= FOR_LARGE.items()
    java = "spark.driver.extraJavaOptions"
    assert tiny[java].startswith(QUICKLY) and small[java].startswith(WELL)
    assert small["spark.master"] == "local[3]" and small["spark.driver.memory"] == "953m"


def test_java_gets_half_of_the_memory_where_no_limit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, expected in ((16 * 2**30, "8192m"), (2**30, "1024m")):
        monkeypatch.setattr(_spark_session, "memory", lambda there=there: there)
        assert local(Resources(), 0)["spark.driver.memory"] == expected
    monkeypatch.setattr(_spark_session, "memory", lambda: None)
    assert "spark.driver.memory" not in local(Resources(), 0)


class Session:
    """What a session is asked for."""

    def __init__(self, **known: str) -> None:
        self.conf: Any = self
        self.known = known

    def get(self, name: str, default: str) -> str:
        return self.known.get(name, default)

    def set(self, name: str, value: str) -> None:
        self.known[name] = value


def test_large_files_are_planned_for_in_a_session_of_ours() -> None:
    ours: Any = Session(**{OURS: "true"})
    expect(ours, SMALL)
    assert set(ours.known) == {OURS}
    expect(ours, SMALL + 1)
    assert ours.known.items() >= FOR_LARGE.items()
    theirs: Any = Session()
    expect(theirs, SMALL + 1)
    assert not theirs.known
