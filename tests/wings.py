"""Two small wings: lace hides and looks for things, knot counts and passes on. Their method and attack are those of
CONTRIBUTING.md under other names."""

from __future__ import annotations

from copies import ROOT
from fenced import blocks

TEXTS = {
    block.title: block.code for block in blocks((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) if block.title
}
RENAMED = {
    "RoundDown": "Blur",
    "round_down": "blur",
    "Rounding down": "Blurred like lace",
    "Abrunden": "Verwischt wie Spitze",
    "LostRemainder": "Peek",
    "lost_remainder": "peek",
    "lost remainder": "A peek through lace",
    "Verlorener Rest": "Ein Blick durch die Spitze",
}


def renamed(name: str) -> str:
    text = TEXTS[name]
    for old, new in RENAMED.items():
        text = text.replace(old, new)
    return text


def page(word: str) -> str:
    return f"# {word}\n\nOf a wing.\n\n<!-- parameters -->\n<!-- /parameters -->\n"


DETECTOR = '''"""Digits in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from schleier.core.detector import Detector, Hit


class DigitRuns(Detector):
    """Find runs of digits that are long enough to be a number of somebody.

    >>> DigitRuns(digits=3).find("Room 12, phone 12345")
    [Hit(label='digits', place=(15, 20), score=1.0)]
    """

    reference: ClassVar[str] = "made up for a test"
    example: ClassVar[dict[str, object]] = {"digits": 3}
    labels: ClassVar[tuple[str, ...]] = ("digits",)

    digits: int = 4
    """How many digits make a number."""

    def find(self, content: Any) -> Sequence[Hit]:
        """Runs of digits."""
        return [Hit("digits", found.span()) for found in re.finditer(rf"\\d{{{self.digits},}}", content)]
'''
SESSION = '''"""A count of questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.errors import BudgetError, stop
from schleier.core.session import OpenSession, Session

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class Counting(Session):
    """Answer a number of questions, whatever they are.

    >>> Counting(questions=2).questions
    2
    """

    reference: ClassVar[str] = "made up for a test"
    example: ClassVar[dict[str, object]] = {"questions": 2}

    questions: int
    """How many."""

    def open(self, data: Dataset, run: Run) -> OpenSession:
        """Begin."""
        return Opened(self.questions, data.rows)


class Opened:
    """Counts down."""

    def __init__(self, questions: int, rows: int) -> None:
        self.questions, self.rows = questions, rows

    def ask(self, question: Any) -> Any:
        """The number of rows, always."""
        if not self.questions:
            stop(BudgetError, "too-many-questions", "", "all questions were asked")
        self.questions -= 1
        return self.rows

    def left(self) -> Mapping[str, float]:
        """Questions."""
        return {"questions": self.questions}
'''
SERVICE = '''"""One asks, one answers."""

from __future__ import annotations

from typing import ClassVar

from schleier.core.service import Service, Transport


class Relay(Service):
    """The asker sends a word, the answerer sends it back in capitals.

    >>> Relay(word_sent="lace").word_sent
    'lace'
    """

    reference: ClassVar[str] = "made up for a test"
    example: ClassVar[dict[str, object]] = {"word_sent": "lace"}
    roles: ClassVar[tuple[str, ...]] = ("asker", "answerer")

    word_sent: str
    """What is sent."""

    def play(self, role: str, transport: Transport) -> None:
        """Send, or answer."""
        if role == "asker":
            transport.send("answerer", self.word_sent.encode())
        else:
            who, message = transport.receive()
            transport.send(who, message.upper())
'''
SECTION = '''"""What lace has to say about a release."""

from __future__ import annotations

from markupsafe import Markup

from schleier.flow.release.documents import Report


class ThreadCount:
    """Counts steps as threads."""

    def render(self, report: Report, lang: str) -> Markup:
        """A heading and a number."""
        return Markup("<h2>{}</h2><p>{}</p>").format("Fäden" if lang == "de" else "Threads", len(report.steps))
'''
COMMANDS = '''"""Look through lace and count its holes."""

from __future__ import annotations

import typer

from schleier.cli.shared import Json, Language, print_json, say, with_exit_code
from schleier.core.errors import InfeasibleError, stop

app = typer.Typer(no_args_is_help=True)


@app.callback()
def lace() -> None:
    """Look through lace and count its holes."""


@app.command()
@with_exit_code
def holes(count: int, lang: Language = None, as_json: Json = False) -> None:
    """Say how many holes there are."""
    if count > 9:
        stop(InfeasibleError, "too-many-holes", "count", "lace cannot have so many holes")
    print_json({"holes": count}) if as_json else say(f"{count} holes")
'''
HELP = """["Look through lace and count its holes."]
de = "Durch Spitze schauen und ihre Löcher zählen."
["Say how many holes there are."]
de = "Sagen, wie viele Löcher es sind."
"""
PROBLEMS = {
    "too-many-holes": ("Spitze hat nicht so viele Löcher.", "Nennen Sie eine kleinere Zahl."),
    "too-many-questions": ("Alle Fragen sind gestellt.", "Beginnen Sie eine neue Sitzung."),
}
TEST = '''"""The parts of lace."""

from __future__ import annotations

from schleier.extras.lace.detectors.digit_runs import DigitRuns


def test_digits() -> None:
    assert [hit.place for hit in DigitRuns(digits=2).find("a 12 b 3")] == [(2, 4)]
'''

KNOT_TEST = '''"""The parts of knot."""

from __future__ import annotations

from collections import deque

import pytest

from schleier.core.data import Dataset
from schleier.core.errors import BudgetError
from schleier.core.run import Run
from schleier.extras.knot.services.relay import Relay
from schleier.extras.knot.sessions.counting import Counting
from schleier.testing import example_schema, example_table


class Memory(deque[tuple[str, bytes]]):
    """Two parties in one process."""

    def send(self, role: str, message: bytes) -> None:
        self.append(("asker" if role == "answerer" else "answerer", message))

    def receive(self) -> tuple[str, bytes]:
        return self.popleft()


def test_counting() -> None:
    session = Counting(questions=1).open(Dataset.from_frame(example_table(), example_schema()), Run())
    assert (session.ask("how many?"), session.left()) == (240, {"questions": 0})
    with pytest.raises(BudgetError):
        session.ask("and now?")


def test_relay() -> None:
    transport = Memory()
    for role in Relay.roles:
        Relay(word_sent="lace").play(role, transport)
    assert transport.receive() == ("answerer", b"LACE")
'''


def problems(code: str) -> str:
    text, hint = PROBLEMS[code]
    return f'[{code}]\nde.text = "{text}"\nde.hint = "{hint}"\n'


def wing(name: str, files: dict[str, str]) -> dict[str, str]:
    home = f"src/schleier/extras/{name}"
    return {f"{home}/__init__.py": f'"""The wing {name}."""\n', **{f"{home}/{file}": files[file] for file in files}}


LACE = wing(
    "lace",
    {
        "cli.py": COMMANDS,
        "help.toml": HELP,
        "problems.toml": problems("too-many-holes"),
        "methods/blur.py": renamed("src/schleier/methods/round_down.py"),
        "methods/blur.toml": renamed("src/schleier/methods/round_down.toml"),
        "attacks/peek.py": renamed("src/schleier/attacks/lost_remainder.py"),
        "attacks/peek.toml": renamed("src/schleier/attacks/lost_remainder.toml"),
        "detectors/digit_runs.py": DETECTOR,
        "report/thread_count.py": SECTION,
    },
)
LACE |= {
    "docs/methods/blur.md": page("blur"),
    "docs/attacks/peek.md": page("peek"),
    "docs/detectors/digit_runs.md": page("digit_runs"),
    "tests/extras/lace/test_digit_runs.py": TEST,
    "tests/extras/lace/test_blur.py": renamed("tests/methods/test_round_down.py").replace(
        "schleier.methods", "schleier.extras.lace.methods"
    ),
    "tests/extras/lace/test_peek.py": renamed("tests/attacks/test_lost_remainder.py").replace(
        "schleier.attacks", "schleier.extras.lace.attacks"
    ),
}
KNOT = wing(
    "knot",
    {
        "problems.toml": problems("too-many-questions"),
        "sessions/counting.py": SESSION,
        "services/relay.py": SERVICE,
    },
)
KNOT |= {
    "docs/sessions/counting.md": page("counting"),
    "docs/services/relay.md": page("relay"),
    "tests/extras/knot/test_knot.py": KNOT_TEST,
}
