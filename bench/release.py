"""The recipe of ``spine.toml`` through Schleier, and the digest of a file somebody else wrote by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

RECIPE = Path(__file__).parent / "spine.toml"
KEY = bytes(range(32))


def release(path: str, out: str, engine: str, threads: int, memory: str | None = None) -> dict[str, Any]:
    """Make a release; its digest proves that every contestant wrote the same rows in the same order."""
    import schleier as sl

    settings = f'\n[engine]\nname = "{engine}"\nthreads = {threads}\n'
    if memory:
        settings += f'memory_limit = "{memory}"\n'
    recipe = sl.Recipe.from_toml(RECIPE.read_text(encoding="utf-8") + settings)
    return {"digest": recipe.run(path, out=Path(out) / "release", key=KEY).report.digest}


def digest(file: str) -> dict[str, Any]:
    """The digest of a Parquet file that claims to be this release."""
    import schleier as sl
    from schleier.flow.release.digest import digest_of
    from schleier.flow.release.edge import batches

    schema = sl.Recipe.from_file(RECIPE).after()
    return {"digest": digest_of(batches(Path(file)), schema).hexdigest()}


def prefix(path: str) -> str:
    """The text before the row key in the draws that order this release of a file.

    It follows from the released rows, which whoever writes them by hand has to be told.
    """
    import schleier as sl
    from schleier.core.engine import draw_prefix
    from schleier.flow.release.edge import STEP, canonical
    from schleier.flow.release.fingerprint import fingerprint
    from schleier.flow.run.reader import read

    recipe, run = sl.Recipe.from_file(RECIPE), sl.Run(key=KEY)
    data = read(path, recipe.schema)
    for step in recipe.steps:
        data = step.apply(data, run)
    content = fingerprint(canonical(data), run)
    with run.within(STEP):
        return draw_prefix(run.subkey(f"row order {content}"))
