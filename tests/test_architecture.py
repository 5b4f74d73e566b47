"""The dependency rule and the prohibitions of the architecture, read from the source without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "schleier"

# What each part may import at all. A part that is not named is a sibling: a folder of components.
SIBLING = {"kernels", "core"}
COMPONENTS = {"methods", "search", "criteria", "risk", "utility", "attacks", "engine", "formats"}
COMPONENTS |= {"sessions", "detectors", "services"}
"""Rooms in which every file is a component, unless its name begins with an underscore."""
MAY_IMPORT = {
    "kernels": set[str](),
    "core": {"kernels"},
    "flow": {"kernels", "core"},
    "report": {"kernels", "core", "flow", "lab"},
    "draft": {"kernels", "core", "flow", "report"},
    "planning": {"kernels", "core", "flow"},
    "lab": {"kernels", "core"},
    "testing": {"kernels", "core", "flow"},
    "extras": {"kernels", "core", "flow"},
}
EDGE = {
    "cli",
    "web",
    "__init__",
    "__main__",
    "pytest_plugin",
}  # the package's face, command line, web and tests of others: may import everything
# Inside a function: flow joins formats and engines and reaches the rest by name; a draft asks formats for evidence.
LAZILY = {"flow": {"formats", "engine"}, "draft": {"formats"}, "formats": {"engine"}}

DATABASES = {"duckdb", "pyspark"}
KNOW_A_DATABASE = {"engine", "formats"}
KEEPS_A_FILE = {("core", "vault", "table")}
"""Modules that keep a small file of their own with the SQLite of the standard library; no rows of data pass there."""
EXECUTES = {"execute", "executemany", "execute_query", "execute_update"}
HEAVY = {"numba", "scipy", "duckdb", "pyarrow", "pandas", "pyspark", "polars"}
FORBIDDEN = {"pickle", "cloudpickle", "dill", "shelve", "random"}
KEYED = {
    "Generator",
    "Philox",
    "BitGenerator",
    "SeedSequence",
}  # the rest of numpy.random is global or unkeyed
GENERATORS = {"np.random", "numpy.random"}
LONGEST = 300
SYSTEM = ("core", "system")
"""The one module that knows what operating systems do differently."""
OF_ONE_SYSTEM = {"fcntl", "grp", "msvcrt", "posix", "pty", "pwd", "resource", "shlex", "termios", "tty", "winreg"}
OF_ONE_SYSTEM |= {
    f"os.{name}"
    for name in "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fchmod fork fsync geteuid getpgid getuid kill "
    "killpg mkfifo path.relpath sched_getaffinity setsid startfile statvfs sysconf umask uname".split()
}
OF_ONE_SYSTEM |= {f"signal.{name}" for name in "SIGALRM SIGHUP SIGKILL SIGQUIT SIGUSR1 alarm setitimer".split()}
OF_ONE_SYSTEM |= {"errno.EDQUOT", "signal.pthread_sigmask", "stat.S_IRWXG", "stat.S_IRWXO"}
ENDS = {name.rpartition(".")[2] for name in OF_ONE_SYSTEM}


def complaints(source: Path) -> list[str]:
    """Everything in a source tree that breaks the rules."""
    return [
        f"{file.relative_to(source).as_posix()}:{line}: {text}"
        for file in sorted(source.rglob("*.py"))
        for line, text in sorted(_complaints(file, source))
    ]


def _complaints(file: Path, source: Path) -> Iterator[tuple[int, str]]:
    place = file.relative_to(source).with_suffix("")
    part = place.parts[0]
    text = file.read_text(encoding="utf-8")
    if (lines := text.count("\n")) > LONGEST:
        yield LONGEST, f"{lines} lines are more than {LONGEST}"
    tree = ast.parse(text)
    for node, module, when in _imports(tree, ("schleier", *place.parts)):
        top, _, rest = module.partition(".")
        if top == "schleier" and rest != "__version__":
            target = rest.partition(".")[0]
            if not target or not _exists(source / target):
                target = "__init__"
            allowed = _allowed(part, target, lazily=when == "call") or target in _of_wing(place.parts)
            if not allowed or _other_wing(place.parts, rest):
                yield node.lineno, f"{part} imports {target}"
        if top in DATABASES and part not in KNOW_A_DATABASE:
            yield node.lineno, f"{part} imports {top}: only engine and formats know a database"
        if hidden := _hidden(module, ("schleier", *place.parts), source):
            yield node.lineno, f"{hidden} is a helper of another room"
        if top in HEAVY and when == "import" and part != "kernels":
            yield node.lineno, f"{top} is imported at module level"
        if top in FORBIDDEN:
            yield node.lineno, f"{top} is imported"
        if module.startswith("numpy.random.") and module.split(".")[2] not in KEYED:
            yield node.lineno, f"{module} is not keyed"
        if place.parts != SYSTEM and (found := _of_one_system(module)):
            yield node.lineno, f"{found} is not on every system: only core.system asks for it"
        if module == "warnings.warn":
            yield node.lineno, "warnings.warn is imported"
    if stray := _stray(place.parts, tree):
        yield 1, stray
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in EXECUTES and _runs_no_sql(place.parts):
            yield called.lineno, f"{part} executes SQL: only engine and formats do"
        if _last(called) in ("print", "warn") and (whole := ast.unparse(called)) in ("print", "warnings.warn"):
            yield node.lineno, f"{whole} is called"
        whole = ast.unparse(node) if isinstance(node, ast.Attribute) and node.attr in ENDS else ""
        if whole in OF_ONE_SYSTEM and place.parts != SYSTEM:
            yield node.lineno, f"{whole} is not on every system: only core.system asks for it"
        if isinstance(called, ast.Attribute) and called.attr == "write_text" and not _says_line_breaks(node):
            yield called.lineno, "write_text without newline: Windows would write other line breaks"
        drawn = isinstance(node, ast.Attribute) and node.attr not in KEYED and _last(node.value) == "random"
        if drawn and ast.unparse(node.value) in GENERATORS:
            yield node.lineno, f"{ast.unparse(node)} is not keyed"


def _runs_no_sql(parts: tuple[str, ...]) -> bool:
    of_wing = parts[0] == "extras" and parts[2:] == ("_database",)
    return parts[0] not in KNOW_A_DATABASE and parts not in KEEPS_A_FILE and not of_wing


def _last(node: ast.AST | None) -> str:
    """The last part of a dotted name: to write out each of a hundred thousand would take seconds."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _of_one_system(module: str) -> str:
    """What an import brings that only some systems have; empty when there is nothing."""
    return module if module in OF_ONE_SYSTEM else top if (top := module.partition(".")[0]) in OF_ONE_SYSTEM else ""


def _says_line_breaks(call: ast.AST) -> bool:
    return isinstance(call, ast.Call) and any(keyword.arg == "newline" for keyword in call.keywords)


def _allowed(part: str, target: str, *, lazily: bool) -> bool:
    if part in EDGE or part == target:
        return True
    return target in MAY_IMPORT.get(part, SIBLING) or (lazily and target in LAZILY.get(part, ()))


def _of_wing(parts: tuple[str, ...]) -> set[str]:
    """What the commands of a wing, and its sections of the report, may import beyond the rest of it."""
    if parts[0] != "extras" or len(parts) < 3:
        return set()
    return {"report", "cli"} if parts[2:] == ("cli",) else {"report"} if parts[2] == "report" else set()


def _exists(place: Path) -> bool:
    """Whether there is such a module; a folder that holds only compiled leftovers is none."""
    return place.with_suffix(".py").is_file() or any(place.glob("**/*.py"))


def _other_wing(parts: tuple[str, ...], rest: str) -> bool:
    """Whether a wing looks into another one."""
    target = rest.split(".")
    return parts[0] == target[0] == "extras" and len(target) > 1 and parts[1] != target[1]


def _hidden(module: str, place: tuple[str, ...], source: Path) -> str:
    """The helper that is imported from outside its room; empty when there is none."""
    parts = module.split(".")
    for depth, name in enumerate(parts[1:], 1):
        at = source.joinpath(*parts[1 : depth + 1])
        helper = parts[0] == "schleier" and name.startswith("_") and not name.startswith("__") and _exists(at)
        if helper and place[:depth] != tuple(parts[:depth]):
            return ".".join(parts[: depth + 1])
    return ""


def _stray(parts: tuple[str, ...], tree: ast.Module) -> str:
    """What is wrong with a file of a component room: its class is missing, and its name does not say that it helps."""
    *rooms, name = parts[2:] if parts[0] == "extras" and len(parts) > 2 else parts
    if len(rooms) != 1 or rooms[0] not in COMPONENTS or name.startswith("_"):
        return ""
    wanted = "".join(part.capitalize() for part in name.split("_"))
    if any(isinstance(node, ast.ClassDef) and node.name == wanted for node in tree.body):
        return ""
    return f"no class {wanted}: a helper of {rooms[0]} is called _{name}.py"


def _imports(tree: ast.Module, place: tuple[str, ...]) -> Iterator[tuple[ast.stmt, str, str]]:
    """Every import with its full name, and when it happens: on import, on a call, for types only."""

    def visit(node: ast.AST, when: str) -> Iterator[tuple[ast.stmt, str, str]]:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name, when) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(place[: len(place) - node.level]) if node.level else ""
            base = ".".join(filter(None, (start, node.module)))
            yield from ((node, f"{base}.{alias.name}", when) for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for child in node.body:
                yield from visit(child, "types")
            for child in node.orelse:
                yield from visit(child, when)
        else:
            inside = "call" if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else when
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, ast.expr):  # nothing is imported there
                    yield from visit(child, inside)

    yield from visit(tree, "import")


def test_the_source_keeps_the_rules() -> None:
    found = complaints(SOURCE)
    assert not found, "\n".join(found)


GOOD = {
    "__init__.py": "from schleier.flow.recipe.recipe import Recipe\n",
    "cli/run.py": "from schleier import Recipe\nfrom schleier.methods import top_code\n",
    "kernels/ranks.py": "import numba\nimport scipy.stats\n",
    "core/data.py": "from __future__ import annotations\nimport numpy as np\nfrom ..kernels import ranks\n",
    "core/run.py": "import numpy as np\ndef rng(): return np.random.Generator(np.random.Philox(key=1))\n",
    "methods/top_code.py": "from schleier.core import data\nfrom . import _shared\nclass TopCode: ...\n",
    "methods/_shared.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas\n",
    "engine/duck.py": "class Duck:\n    def connect(self):\n        import duckdb\n",
    "formats/table.py": "class Table:\n    def read(self, link):\n        link.execute('SELECT 1')\n",
    "extras/text/methods/mask.py": "from schleier.extras.text import _words\nclass Mask: ...\n",
    "extras/text/_words.py": "",
    "extras/text/plain.py": "",
    "extras/text/_database.py": "def f(link):\n    link.execute('SELECT 1')\n",
    "extras/text/cli.py": "from schleier.cli.shared import told\nfrom schleier.report import html\n",
    "extras/text/report/spans.py": "from schleier.report import html\n",
    "cli/shared.py": "",
    "core/_secret.py": "",
    "core/vault/table.py": "def f(link):\n    link.execute('SELECT 1')\n",
    "core/system.py": "import fcntl\nimport os\nfrom signal import SIGHUP\nmine = os.getuid()\n",
    "core/text.py": "import os\ndef f(path):\n    path.write_text(os.name, newline='')\n",
    "report/html.py": "",
    "flow/release.py": "from schleier import __version__\n",
    "flow/recipe.py": "from schleier.core import registry\ndef run():\n    from schleier.formats import read\n",
    "io/read.py": "def read(console):\n    import pyarrow\n    console.print('x')\n",
    "testing/contract.py": "from schleier.flow.recipe.recipe import Recipe\n",
}

BAD = {
    "kernels imports core": ("kernels/a.py", "from schleier.core import data"),
    "core imports methods": ("core/a.py", "def f():\n    from schleier.methods import top_code"),
    "methods imports engine": ("methods/_a.py", "import schleier.engine.duck"),
    "criteria imports methods": ("criteria/_a.py", "from ..methods import top_code"),
    "risk imports formats": (
        "risk/_a.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from schleier.formats import read",
    ),
    "brand_new imports methods": ("brand_new/a.py", "from schleier.methods.top_code import TopCode"),
    "methods imports __init__": ("methods/_a.py", "from schleier import Recipe"),
    "core imports __init__": ("core/a.py", "def f():\n    import schleier"),
    "methods imports flow": ("methods/_a.py", "from schleier.flow import recipe"),
    "lab imports methods": ("lab/a.py", "from schleier.methods.top_code import TopCode"),
    "flow imports formats": ("flow/a.py", "from schleier.formats import read"),
    "flow imports methods": ("flow/a.py", "def f():\n    from schleier.methods import top_code"),
    "report imports engine": ("report/a.py", "from schleier.engine import duck"),
    "testing imports methods": ("testing/a.py", "from schleier.methods import top_code"),
    "only engine and formats know a database": ("methods/_a.py", "def f():\n    import duckdb"),
    "pyarrow is imported at module level": (
        "engine/_a.py",
        "try:\n    import pyarrow.parquet\nexcept ImportError: ...",
    ),
    "polars is imported at module level": ("cli/run.py", "class A:\n    from polars import DataFrame"),
    "pickle is imported": ("formats/_a.py", "def f():\n    from pickle import loads"),
    "random is imported": ("methods/_a.py", "import random"),
    "print is called": ("cli/run.py", "def f():\n    print('x')"),
    "warnings.warn is called": ("core/a.py", "import warnings\nwarnings.warn('x')"),
    "warnings.warn is imported": ("core/a.py", "from warnings import warn"),
    "np.random.normal is not keyed": ("methods/_a.py", "import numpy as np\nx = np.random.normal()"),
    "numpy.random.default_rng is not keyed": ("methods/_a.py", "from numpy.random import default_rng"),
    "is a helper of another room": ("flow/a.py", "from schleier.core import _secret"),
    "no class TopUp: a helper of methods is called _top_up.py": ("methods/top_up.py", "class Other: ..."),
    "core executes SQL": ("core/vault/a.py", "def f(link):\n    link.execute('SELECT 1')"),
    "extras executes SQL": ("extras/text/_more.py", "def f(link):\n    link.execute('SELECT 1')"),
    "methods executes SQL": ("methods/_a.py", "def f(link):\n    link.execute('SELECT 1')"),
    "extras imports extras": ("extras/geo/methods/_a.py", "from schleier.extras.text import plain"),
    "extras imports report": ("extras/geo/methods/_a.py", "from schleier.report import html"),
    "extras imports cli": ("extras/geo/report/a.py", "from schleier.cli import shared"),
    "no class Find: a helper of detectors": ("extras/geo/detectors/find.py", "class Other: ..."),
    "fcntl is not on every system": ("core/a.py", "def f():\n    import fcntl"),
    "pwd is not on every system": ("cli/run.py", "from pwd import getpwnam"),
    "os.getuid is not on every system": ("core/a.py", "import os\nmine = os.getuid()"),
    "signal.SIGHUP is not on every system": ("flow/a.py", "from signal import SIGHUP"),
    "write_text without newline": ("flow/a.py", "def f(path):\n    path.write_text('x', encoding='utf-8')"),
    "301 lines are more than 300": ("methods/_a.py", "\n" * 300),
}


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n", encoding="utf-8")
    return root


def test_the_checker_accepts_a_tree_that_keeps_the_rules(tmp_path: Path) -> None:
    assert complaints(plant(tmp_path, GOOD)) == []


@pytest.mark.parametrize("complaint", BAD)
def test_the_checker_finds(complaint: str, tmp_path: Path) -> None:
    file, text = BAD[complaint]
    found = complaints(plant(tmp_path, GOOD | {file: text}))
    assert len(found) == 1
    assert found[0].startswith(f"{file}:")
    assert complaint in found[0]
