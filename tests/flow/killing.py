"""A run that is killed again and again, at moments drawn at random and before requests to the system."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import numpy as np

from flow.making import RECIPE, SCHEMA, written
from flow.serving import Request, serving
from schleier.core.schema import Schema
from schleier.flow.recipe.parents import load
from schleier.flow.release.digest import digest_of
from schleier.flow.release.documents import Report
from schleier.flow.release.edge import batches
from schleier.flow.release.release import is_release


def whole(out: Path) -> bool:
    """Every file is there as the manifest says, and the rows are those the report speaks of."""
    if not is_release(out):
        return False
    report = Report.model_validate(json.loads((out / "public" / "report.json").read_text(encoding="utf-8")))
    schema = Schema.model_validate(load((out / "public" / "schema.toml").read_text(encoding="utf-8"))["schema"])
    return digest_of(batches(out / "public" / report.file), schema).hexdigest() == report.digest


def kill(folder: Path, kills: int) -> list[int]:
    """How the runs ended that were killed; fails where one leaves half a release, or the next start leaves anything."""
    out, temporary = folder / "place" / "release", folder / "temporary"
    temporary.mkdir()
    recipe, ends = written(folder, RECIPE, rows=240), []
    arguments = ("run", str(recipe), "--out", str(out), "--force", "--quiet")
    request = Request(arguments, environment={"TMPDIR": str(temporary)})
    random = np.random.default_rng(kills)
    with serving() as server:
        server.run(request, killed_after=0.05)  # the first child of a process is slower than the others
        start = time.monotonic()
        assert server.run(request) == 0
        took = time.monotonic() - start
        for moment in (*random.uniform(0, 1, kills // 2), *random.uniform(0.75, 1, kills - kills // 2)):
            ends.append(server.run(request, killed_after=moment * took))
            took *= 1.02 if ends[-1] else 0.85  # other work on the machine makes runs slower and faster
            assert whole(out) or not out.exists()
        # Any command sweeps, not only one that writes to the same folder.
        assert server.run(Request(("methods",), environment=request.environment)) == 0
        assert not [path.name for path in temporary.iterdir()]
        assert server.run(request) == 0
    assert set(ends) <= {0, -signal.SIGKILL}
    assert whole(out)
    assert [path.name for path in out.parent.iterdir()] == ["release"]
    assert sorted(path.name for path in out.iterdir()) == ["public", "release.json", "restricted"]
    return ends


def interrupt(folder: Path, count: int) -> list[int]:
    """How commands ended that got a signal before a request to the system; fails where one leaves anything behind."""
    (folder / "temporary").mkdir()
    (folder / "out").mkdir()
    recipe, ends = written(folder, RECIPE, rows=60), []
    schema, environment = recipe.with_name("schema.toml"), {"TMPDIR": str(folder / "temporary")}
    schema.write_text(SCHEMA)
    people = str(folder / "people.parquet")
    commands = (
        ("run", str(recipe), "--out", str(folder / "out" / "release"), "--force"),
        ("inspect", people, "--schema", str(schema)),
        ("describe", people),
        ("verify", people, "--recipe", str(recipe)),
    )
    signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)
    random = np.random.default_rng(count)
    with serving() as server:
        for turn in range(count):
            command, number = commands[turn % 4], signals[turn // 4 % 4]
            at = int(random.integers(1, 60 if command[0] == "run" else 20))
            ends.append(server.run(Request(command, number, at, environment)))
            if number == signal.SIGKILL:
                assert server.run(Request(("methods",), environment=environment)) == 0
            left = [path.name for path in (folder / "temporary").glob("schleier-*")]
            left += [path.name for word in ("partial-*", "lock") for path in (folder / "out").glob(f"release.{word}")]
            assert not left, f"{command[0]} left {left} when signal {number} came before request {at}"
    assert not {1, 2, 5, 6, 70} & set(ends)
    return ends
