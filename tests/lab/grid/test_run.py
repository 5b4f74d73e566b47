"""A grid in several processes: the same whoever does it, gone on with after a kill, and silent about persons."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lab.grids import DOORS, GRID, KEY, MARKER, told_everywhere, write_grid
from schleier.core.errors import SchleierError
from schleier.lab.grid.run import GridRun, run_grid
from schleier.lab.grid.store import CELLS, open_store


def ran(path: Path, out: Path, **options: Any) -> GridRun:
    return run_grid(path, DOORS, lambda report, place: None, out=out, **{"key": KEY, **options})


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no groups of processes")
def test_a_killed_grid_goes_on_and_ends_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, temporary, key = write_grid(tmp_path), tmp_path / "temporary", tmp_path / "key"
    temporary.mkdir()
    key.write_text(KEY.hex())
    key.chmod(0o600)
    command = [sys.executable, "-m", "schleier", "lab", str(path), "--out", str(tmp_path / "killed"), "--jobs", "1"]
    with subprocess.Popen(
        [*command, "--key-file", str(key)],
        env={**os.environ, "TMPDIR": str(temporary)},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        while process.poll() is None and not list((tmp_path / "killed" / CELLS).glob("*.json")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        said = process.communicate()[0].decode()
    done = list((tmp_path / "killed" / CELLS).glob("*.json"))
    assert done and MARKER not in said
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    parts = list[str]()
    again = ran(path, tmp_path / "killed", jobs=2, listener=lambda what, done, total: parts.append(f"{what} {done}"))
    assert again.done + again.skipped == 4 and again.skipped >= len(done)
    assert len(parts) == 2 * again.done
    whole = ran(path, tmp_path / "whole", jobs=1)
    assert (whole.done, whole.skipped) == (4, 0)
    assert whole.report == again.report
    for name in ("restricted/results.json", "public/grid.json", "restricted/grid.json"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert list(temporary.iterdir()) == []  # nothing raw is left of the killed one
    assert MARKER not in told_everywhere(tmp_path / "killed")
    assert (tmp_path / "killed" / "restricted").stat().st_mode & 0o777 == 0o700
    counts = json.loads((tmp_path / "killed" / "public" / "grid.json").read_text())["cells"][0]
    assert set(counts) & {"correct", "claims", "targets", "contained", "records"} == set()
    assert ran(path, tmp_path / "killed", key=None).done == 0  # its own key is known, and all is done


def test_folders_that_are_not_for_this_grid(tmp_path: Path) -> None:
    path = write_grid(tmp_path)

    def refused(out: Path, **options: Any) -> list[str]:
        with pytest.raises(SchleierError) as caught:
            ran(path, out, **options)
        return [problem.code for problem in caught.value.problems]

    with open_store(tmp_path / "other", KEY) as store:
        store.claim(["another cell"])
        assert refused(tmp_path / "other") == ["busy"]
    assert refused(tmp_path / "other") == ["other-grid"]
    assert refused(tmp_path / "other", key=bytes(32)) == ["other-key"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    assert refused(tmp_path / "mine") == ["not-a-grid"]
    for linked in ("public", "restricted"):  # what is written there would go elsewhere
        (tmp_path / f"to-{linked}").mkdir()
        (tmp_path / f"link-{linked}" / "restricted").mkdir(parents=True)
        if linked == "restricted":
            (tmp_path / f"link-{linked}" / linked).rmdir()
        (tmp_path / f"link-{linked}" / linked).symlink_to(tmp_path / f"to-{linked}")
        assert refused(tmp_path / f"link-{linked}") == ["not-a-grid"]
        assert list((tmp_path / f"to-{linked}").iterdir()) == []
    assert refused(tmp_path / "grid.toml" / "below") == ["cannot-write"]
    assert refused(tmp_path / "new", jobs=0) == ["bad-option"]
    assert not (tmp_path / "new").exists()


def test_what_fails_is_said_once_and_without_a_value(tmp_path: Path) -> None:
    path = write_grid(tmp_path, GRID.replace("targets = 100", "targets = 1000"))
    with pytest.raises(SchleierError) as caught:
        ran(path, tmp_path / "out", jobs=1)
    assert [problem.code for problem in caught.value.problems] == ["too-many-targets"] * 2
    assert MARKER not in str(caught.value)


def test_a_page_of_a_grown_grid_tells_again_what_was_told(tmp_path: Path) -> None:
    """In the JSON and on the page, although what came later stands before it, and claims almost the same."""
    from schleier.report.laboratory.page import write_page

    def published(grid: str) -> tuple[dict[str, Any], set[str]]:
        path = write_grid(tmp_path, grid)
        run_grid(path, DOORS, lambda report, out: write_page(report, "en", out), out=tmp_path / "lab", key=KEY, jobs=1)
        told = json.loads((tmp_path / "lab" / "public" / "grid.json").read_text(encoding="utf-8"))
        page = (tmp_path / "lab" / "public" / "grid.html").read_text(encoding="utf-8")
        rows = re.findall(r"<tr>.*?</tr>", page, re.DOTALL)
        axes = ("release", "technique", "keys", "knowledge", "method", "threshold")
        return {str([one.pop(axis) for axis in axes]): one for one in told["cells"]}, set(rows)

    small = GRID[: GRID.index('[[releases]]\nname = "coarse"')] + GRID[GRID.index("[[techniques]]") :]
    small = small.replace("targets = 100", 'targets = "all"')
    cells, rows = published(small)
    first = '[[techniques]]\nattack = "exact_match"\nname = "again"\ntargets = 299\n'
    grown, more = published(small.replace("[[techniques]]", f"{first}[[techniques]]"))
    assert len(grown) == 2 * len(cells) and all(grown[place] == one for place, one in cells.items())
    assert rows - more == set() and len(more) > len(rows)
    assert any(one["as_at"] is not None for place, one in grown.items() if place not in cells)
