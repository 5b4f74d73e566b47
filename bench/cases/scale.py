"""How work grows with the rows, on both engines: a record recipe, two searches, a first look and an attack.

Each is compared with the bare GROUP BY of the same keys by the same engine, as whole processes: what a user waits for.
``python -m bench.scale`` runs the sizes it is told and writes docs/guide/scale.md.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.data import persons
from bench.harness import OUT, Contestant, Requirement, Results, Round, call

DUCKDB = (100_000, 1_000_000, 10_000_000, 100_000_000)
SPARK = (20_000, 100_000, 1_000_000, 20_000_000)
SIZES = (20_000, 100_000, 1_000_000, 10_000_000, 20_000_000, 100_000_000)
METRIC = "wall"
THREADS = 2
MEMORY = {"duckdb": "4GB", "spark": "4GB"}
OVERHEAD = 1.5e9
"""Bytes that Python, its libraries and the classes of a search may take beside what an engine is allowed."""
KEYS = ("age", "sex", "edu", "nat", "kids")
BARE = "GROUP BY"
SCHEMA = """
[schema]
row_key = "id"
others = "drop"
columns = [
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age" },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "edu", role = "quasi", scale = "ordinal" },
  { name = "nat", role = "quasi", scale = "nominal", hierarchy = "nat" },
  { name = "kids", role = "quasi", scale = "discrete", hierarchy = "kids" },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
  { name = "hours", role = "plain", scale = "discrete" },
]
"""
HIERARCHIES = """
[hierarchies]
age = { intervals = [5, 10, 20] }
nat = { prefix = [2, 1, 0] }
kids = { intervals = [2, 6] }
"""
STEPS = {
    "record recipe": """
[[steps]]
method = "recode"
column = "age"
level = 2
[[steps]]
method = "recode"
column = "nat"
level = 1
[[steps]]
method = "top_code"
column = "income"
upper = 9000
[[steps]]
method = "round_to"
column = "income"
base = 50
""",
    "`coarsen`": """
[[steps]]
method = "coarsen"
max_suppressed = 0.02
[[criteria]]
criterion = "k_anonymity"
k = 5
""",
    "`suppress_local`": """
[[steps]]
method = "suppress_local"
k = 5
[[criteria]]
criterion = "k_anonymity"
k = 5
""",
    "attack `exact_match`": """
[[steps]]
method = "recode"
column = "age"
level = 1
[[attacks]]
attack = "exact_match"
targets = 10_000
""",
}
INSPECT = "`inspect`"
TASKS = (BARE, *STEPS, INSPECT)


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    engines = {"duckdb": DUCKDB} if no_spark() else {"duckdb": DUCKDB, "spark": SPARK}
    for engine, possible in engines.items():
        for rows in possible:
            if rows in sizes:
                path = str(persons(rows))
                found = tuple(
                    Contestant(task, call("cases.scale:work", task=task, path=path, out=OUT, engine=engine))
                    for task in TASKS
                )
                yield Round(title(engine, rows), found, rows, largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for entry in results:
        if entry.round.startswith("duckdb"):
            peak = max(entry.values("peak"))
            allowed = int(MEMORY["duckdb"][:-2]) * 1e9 + OVERHEAD
            text = f"{entry.name} within {allowed / 1e9:g} GB: {entry.round}"
            yield Requirement(text, entry.failure or f"{peak / 1e9:.2f} GB", peak < allowed)


def title(engine: str, rows: int) -> str:
    """How a round is called.

    >>> title("duckdb", 100_000)
    'duckdb, 100,000 rows'
    """
    return f"{engine}, {rows:,} rows"


def no_spark() -> str | None:
    """Why Spark cannot run here."""
    if shutil.which("java") is None:
        return "there is no Java on the PATH"
    return "PySpark is not installed" if find_spec("pyspark") is None else None


def work(task: str, path: str, out: str, engine: str) -> dict[str, Any]:
    """One task on one engine; a release tells its digest, so that engines can be compared."""
    import schleier as sl

    if task == BARE:
        return _bare(path, engine)
    if task == INSPECT:
        schema = sl.Recipe.from_toml(SCHEMA + HIERARCHIES + STEPS["record recipe"]).schema
        return {"records": sl.inspect(path, schema, engine=engine).records}
    settings = f'\n[engine]\nname = "{engine}"\nthreads = {THREADS}\nmemory_limit = "{MEMORY[engine]}"\n'
    recipe = sl.Recipe.from_toml(SCHEMA + HIERARCHIES + STEPS[task] + settings)
    release = recipe.run(path, out=Path(out) / "release", key=bytes(range(32)))
    size = sum(file.stat().st_size for file in (Path(out) / "release" / "public").iterdir())
    return {"digest": release.report.digest, "bytes": size}


def _bare(path: str, engine: str) -> dict[str, Any]:
    """How many records are unique in all keys, by hand."""
    keys = ", ".join(KEYS)
    if engine == "duckdb":
        import duckdb

        connection = duckdb.connect(config={"threads": THREADS, "memory_limit": MEMORY[engine]})
        groups = f"SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {keys}"
        row = connection.execute(f"SELECT count(*) FROM ({groups}) WHERE n = 1").fetchone()
        return {"unique": (row or (0,))[0]}
    from schleier.core.engine import Resources
    from schleier.engine.spark import Spark

    session = Spark(Resources(memory_limit=MEMORY[engine], threads=THREADS)).session
    groups = f"SELECT count(*) AS n FROM parquet.`{path}` GROUP BY {keys}"
    return {"unique": session.sql(f"SELECT count(*) AS n FROM ({groups}) WHERE n = 1").toArrow()["n"][0].as_py()}
