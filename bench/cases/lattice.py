"""The lattice of the adult census extract against looking at every node; sizes are the shares that may be left out.

Needs the extract in ``../shared/data/adult``. Ratios are of the search alone, from built classes, compiled.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (0, 4, 100)
"""Per cent of the records that may be left out."""
METRIC = "work"
FOLDER = Path(__file__).parents[3] / "shared" / "data" / "adult"
KEYS = "sex age race marital-status education native-country workclass occupation salary-class".split()
MODELS = {
    "k = 5": [{"criterion": "k_anonymity", "k": 5}],
    "k = 5, l = 3, t = 0.2": [
        {"criterion": "k_anonymity", "k": 5},
        {"criterion": "l_diversity", "l": 3},
        {"criterion": "t_closeness", "t": 0.2},
    ],
}


def skip() -> str | None:
    return None if (FOLDER / "adult.csv").is_file() else f"there is no {FOLDER}"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for share in sizes:
        for title, criteria in MODELS.items():
            arguments = {"criteria": criteria, "share": share / 100}
            contestants = (
                Contestant("every node", call("cases.lattice:every_node", **arguments)),
                Contestant("search", call("cases.lattice:searched", **arguments)),
            )
            yield Round(f"{title}, {share} % left out", contestants, share)


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        found = results.agreed(title, "loss")
        yield Requirement(f"the same least loss: {title}", f"{found}", found is not None)


def prepared(criteria: list[dict[str, Any]], share: float) -> Any:
    """The search on built classes; compiled by a first run on them."""
    import schleier as sl
    from schleier.core import registry
    from schleier.core.hierarchy import parse
    from schleier.search._goals import demands_of, request_of
    from schleier.search._optimum import Search
    from schleier.utility.generalised_loss import GeneralisedLoss

    sensitive = "occupation" if len(criteria) > 1 else ""
    keys = [name for name in KEYS if name != sensitive]
    hierarchies = {name: parse({"table": f"adult_hierarchy_{name}.csv"}).located(FOLDER) for name in KEYS}
    columns = [
        sl.Column(
            name=name,
            role="sensitive" if name == sensitive else "quasi",
            scale="discrete" if name == "age" else "nominal",
            hierarchy=name,
        )
        for name in KEYS
    ]
    data = sl.read(FOLDER / "adult.csv", sl.Schema(columns=columns, hierarchies=hierarchies))
    chosen = [registry.get("criterion", one["criterion"])(**{k: v for k, v in one.items() if k != "criterion"})
              for one in criteria]  # fmt: skip
    demands = demands_of(chosen, (), data.schema, keys)
    classes = data.classes(request_of(keys, demands))
    budget = min(int(share * classes.records), classes.records - 1)
    return lambda: Search(classes, demands, GeneralisedLoss(), budget, keys)


def searched(criteria: list[dict[str, Any]], share: float) -> dict[str, Any]:
    make = prepared(criteria, share)
    make().best()
    start = time.perf_counter()
    search = make()
    best = search.best()
    work = time.perf_counter() - start
    return {"work": work, "loss": round(best.cost, 9), "nodes": search.looked_at, "lattice": search.nodes}


def every_node(criteria: list[dict[str, Any]], share: float) -> dict[str, Any]:
    """Every node's table from the classes, judged by the criteria."""
    import itertools

    search = prepared(criteria, share)()
    start = time.perf_counter()
    levels = list(itertools.product(*(range(key.top + 1) for key in search.keys)))
    nodes = [search.judged(one) for one in levels]
    best = min(node.cost for node in nodes if node.holds)
    return {"work": time.perf_counter() - start, "loss": round(best, 9), "nodes": len(nodes), "lattice": len(nodes)}
