"""Progress is for those who watch a terminal; everybody else gets the same output, however long a run takes."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from pathlib import Path

import pytest

import schleier
from schleier.progress import Watch
from schleier.report.language import Words


class Terminal(io.StringIO):
    """An error stream somebody watches."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.progress.PATIENCE", 0.0)


def said(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, quiet: bool = False) -> str:
    """What a run of two parts leaves on the error stream when every part takes too long."""
    monkeypatch.setattr(sys, "stderr", stream)
    with Watch(quiet=quiet) as watch:
        watch("reading", 0, None)
        for timer in [one for one in threading.enumerate() if isinstance(one, threading.Timer)]:
            timer.join()
        watch("reading", 1, 1)
        watch("step [red]", 0, None)
        watch("step [red]", 1, 1)
    return stream.getvalue()


def test_on_a_terminal_the_part_under_way_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = said(monkeypatch, Terminal())
    assert "step [red] ..." in shown


def test_what_comes_next_is_shown_in_the_language_of_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with Watch(Words.of("de")) as watch:
        watch.expect(["reading", "step 1 of 1", "judging", "measuring: moments", "writing"])
        watch("reading", 0, None)
        for timer in [one for one in threading.enumerate() if isinstance(one, threading.Timer)]:
            timer.join()
        watch("reading", 1, 1)
        watch("step 1 of 1: drop", 0, None)
        watch("grouping: inside", 0, None)
        watch("grouping: inside", 1, 1)
        watch("step 1 of 1: drop", 1, 1)
        watch("measuring: moments", 0, None)
        assert watch._shown.tasks[0].completed == 2
        assert watch._shown.tasks[0].total == 4  # nothing was judged
    assert "Messung: moments ... (danach: Die Ergebnisse werden geschrieben)" in " ".join(stream.getvalue().split())


def test_a_part_that_failed_ends_with_what_it_was_part_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Watch() as watch:
        for what, done in (("outer", 0), ("inner", 0), ("outer", 1)):
            watch(what, done, None)
        assert (watch._open, watch._done) == ([], 1)


def test_nobody_else_is_told_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, io.StringIO()) == ""


def test_nothing_is_shown_any_more_when_the_run_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    show = Watch._show

    def late(watch: Watch) -> None:
        begun.set()
        time.sleep(0.2)
        show(watch)

    monkeypatch.setattr(Watch, "_show", late)
    monkeypatch.setattr(sys, "stderr", Terminal())
    begun = threading.Event()
    with Watch() as watch:
        begun.wait()
    assert watch._shown is not None
    assert watch._shown.finished or not watch._shown.live.is_started


def test_who_wants_quiet_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, Terminal(), quiet=True) == ""


def test_every_part_of_a_run_has_words_and_no_words_are_idle() -> None:
    source = Path(schleier.__file__).parent
    found = {
        one.strip().replace(" ", "_")
        for file in source.rglob("*.py")
        for one in re.findall(r'\.progress\(\s*f?"([a-z ]+)', file.read_text(encoding="utf-8"))
    }
    told = {key.partition(".")[2] for key in Words.of("de").table if key.startswith("progress.")}
    # Measures and attacks are told by the same line, with a word of its own; some parts are told as a whole.
    whole = {"comparing_changes", "writing_records", "making_persons"}
    assert found | {"measuring", "attacking", "next"} | whole == told
