"""A whole release against the same work written by hand in DuckDB, which makes no digest, report or key check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.data import persons
from bench.harness import CORES, OUT, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000, 10_000_000)
METRIC = "wall"
SMALL = "1.5GB"
HAND, OURS = "DuckDB by hand", "Schleier"
TITLE = "{:,} x 12"
LIMIT, PEAK = 2.0, 6e9


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    from bench.release import prefix

    for rows in sizes:
        path = str(persons(rows))
        order = prefix(path)
        contestants = [_by_hand(path, order), _ours(path)]
        if rows == max(SIZES):
            contestants += [_ours(path, SMALL), _by_hand(path, order, SMALL)]
        yield Round(TITLE.format(rows), tuple(contestants), rows, largest=rows == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    same = all(results.agreed(title, "digest") for title in results.rounds)
    yield Requirement("all contestants wrote the same rows in the same order", "yes" if same else "no", same)
    title = TITLE.format(max(SIZES))
    ours, small = results.get(title, OURS), results.get(title, _name(OURS, SMALL))
    if ours and small:
        ratio, peak = results.ratio(ours, "wall"), max(ours.values("peak"))
        cpu = f"{ratio:.2f} (CPU {results.ratio(ours, 'cpu'):.2f})"
        yield Requirement(f"ratio <= {LIMIT:g} at {title}", cpu, ratio <= LIMIT)
        yield Requirement(f"peak memory < {PEAK / 1e9:g} GB at {title}", f"{peak / 1e9:.2f} GB", peak < PEAK)
        text = f"{small.median('wall'):.1f} s, {max(small.values('peak')) / 1e9:.2f} GB"
        alike = small.said("digest") == ours.said("digest") != {None}
        yield Requirement(f'memory_limit = "{SMALL}" completes with the same digest', small.failure or text, alike)


def by_hand(path: str, out: str, prefix: str, threads: int, memory: str | None = None) -> dict[str, Any]:
    """What a practised user would write."""
    import duckdb

    config: dict[str, Any] = {"temp_directory": f"{out}/spill", "threads": threads}
    if memory:
        config["memory_limit"] = memory
    connection = duckdb.connect(config=config)
    connection.execute(f"""
        CREATE TEMP VIEW released AS
        SELECT id, (age // 10 * 10) || '-' || (age // 10 * 10 + 9) AS age, sex, region[1:2] || '*' AS region,
               job[1:1] || '*' AS job, least(income, 9000.0) AS income, rent, weight, hours, edu, nat, kids
        FROM read_parquet('{path}')""")
    capped = connection.execute(f"SELECT count(*) FROM read_parquet('{path}') WHERE income > 9000").fetchone()
    smallest = connection.execute(
        "SELECT min(n) FROM (SELECT count(*) AS n FROM released GROUP BY age, sex, region, job)"
    ).fetchone()
    if smallest is None or smallest[0] < 5 or capped is None or capped[0] < 3:
        raise ValueError("not releasable")
    connection.execute(f"""
        COPY (SELECT * EXCLUDE (id) FROM released
              ORDER BY CAST(CAST('0x' || substr(sha256('{prefix}' || id), 1, 13) AS UBIGINT) AS DOUBLE), id)
        TO '{out}/hand.parquet' (FORMAT parquet)""")
    return {"k": smallest[0], "capped": capped[0]}


def _by_hand(path: str, prefix: str, memory: str | None = None) -> Contestant:
    command = call("cases.spine:by_hand", path=path, out=OUT, prefix=prefix, threads=CORES, memory=memory)
    return Contestant(_name(HAND, memory), command, call("release:digest", file=f"{OUT}/hand.parquet"))


def _ours(path: str, memory: str | None = None) -> Contestant:
    command = call("release:release", path=path, out=OUT, engine="duckdb", threads=CORES, memory=memory)
    return Contestant(_name(OURS, memory), command)


def _name(name: str, memory: str | None) -> str:
    return f"{name}, {memory}" if memory else name
