"""A small part of `make fuzz`: inputs nobody would write end in a plain sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(ROOT / "fuzz" / "run.py"), *arguments], capture_output=True, text=True)


def test_a_few_recipes_and_files() -> None:
    ended = fuzz("--recipes", "80", "--files", "40", "--kills", "0")
    assert "recipes: 80 of 80" in ended.stdout and "files: 40 of 40" in ended.stdout
    assert ended.returncode == 0, ended.stdout
    assert "times 0" in ended.stdout, "some of them must be sound"


FAULTY = """
import os, signal, sys, time
sys.path[:0] = [{root!r}]
from pathlib import Path
from fuzz import workers
from fuzz.recipes import MARK

def pretend(arguments):
    match arguments[0]:
        case "tells": print(MARK, flush=True)
        case "leaves": Path(os.environ["TMPDIR"], "schleier-0123abcd").mkdir()
        case "dies": os.kill(os.getpid(), signal.SIGSEGV)
        case "hangs":
            while True: pass
    return 70 if arguments[0] == "fails" else 0

workers._run, workers.HANG = pretend, 0.3
cases = [("fine",), ("fails",), ("tells",), ("dies",), ("hangs",), ("leaves",)]
tally = workers.work(lambda number, place: iter([cases[number]]), range(6), Path({folder!r}), time.monotonic() + 120)
print(*tally.faults, f"done {{tally.done}}", sep="\\n")
"""


def test_faults_are_found(tmp_path: Path) -> None:
    program = FAULTY.format(root=str(ROOT), folder=str(tmp_path))
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == [
        "1: fails calls it a defect (70): ",
        "2: tells tells a value",
        "3: the process died (-11)",
        "4: hangs",
        "5: leaves leaves ['schleier-0123abcd']",
        "done 6",
    ]


@pytest.mark.parametrize("number", [0, 7, 1234])
def test_the_same_number_gives_the_same_input(number: int) -> None:
    program = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}]\nfrom fuzz.recipes import recipe\nprint(recipe({number}).encode())"
    )
    texts = {subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(texts) == 1
