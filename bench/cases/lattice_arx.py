"""The lattice of the adult census extract, 4 % left out, by each loss and criterion: Schleier against ARX.

Needs the extract in ``../shared/data/adult``. ARX takes part where ``SCHLEIER_ARX`` names its jar:
classes as a path of several jars are fine, too. Without it a reference workload is timed in the same run, and what ARX
took for each setting, as a multiple of that workload on the machine where both were measured, stands in for it. Work is
CPU time of the search alone, compiled: the third run of ARX in one process, the second of Schleier.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (4,)
"""Per cent of the records that may be left out."""
METRIC = "work"
FOLDER = Path(__file__).parents[3] / "shared" / "data" / "adult"
JAR = os.environ.get("SCHLEIER_ARX", "")
HARNESS = Path(__file__).with_name("ArxLattice.java")
KEYS = "sex age race marital-status education native-country workclass occupation salary-class".split()
SENSITIVE = "occupation"
ARX, SCALED, OURS = "ARX", "ARX (scaled)", "Schleier"
SIZE: dict[str, Any] = {"criterion": "k_anonymity", "k": 5}
LOSS: dict[str, Any] = {"measure": "generalised_loss"}
SETTINGS: dict[str, tuple[dict[str, Any], list[dict[str, Any]], float]] = {
    "mean": (LOSS, [SIZE], 3.6),
    "geometric": (LOSS | {"aggregate": "geometric"}, [SIZE], 5.7),
    "l_diversity": (LOSS, [SIZE, {"criterion": "l_diversity", "l": 3}], 2.5),
    "t_equal": (LOSS, [SIZE, {"criterion": "t_closeness", "t": 0.2}], 6.0),
    "t_hierarchical": (LOSS, [SIZE, {"criterion": "t_closeness", "t": 0.2, "distance": "hierarchical"}], 5.6),
    "delta": (LOSS, [SIZE, {"criterion": "delta_disclosure", "delta": 1.5}], 5.6),
    "delta_arx": (
        LOSS,
        [SIZE, {"criterion": "delta_disclosure", "delta": 1.0397, "absent": "ignore", "baseline": "original"}],
        5.6,
    ),
    "beta_arx": (LOSS, [SIZE, {"criterion": "beta_likeness", "beta": 3, "baseline": "original"}], 5.4),
    "beta": (LOSS, [SIZE, {"criterion": "beta_likeness", "beta": 3}], 5.4),
    "discernibility": ({"measure": "discernibility_loss"}, [SIZE], 0),
    "class_size": ({"measure": "class_size_loss"}, [SIZE], 0),
    "ambiguity": ({"measure": "ambiguity_loss"}, [SIZE], 0),
    "divergence": ({"measure": "divergence_loss"}, [SIZE], 0),
    "entropy": ({"measure": "entropy_loss"}, [SIZE], 0),
    "precision": ({"measure": "precision_loss"}, [SIZE], 0),
    "uniques": (LOSS, [{"criterion": "sample_uniqueness", "threshold": 0.01}], 0),
    "population_dankar": (
        LOSS,
        [
            {
                "criterion": "population_uniqueness",
                "threshold": 0.01,
                "fraction": 0.1,
                "model": "dankar",
                "confident": False,
            }
        ],
        17.8,
    ),
    "population": (LOSS, [{"criterion": "population_uniqueness", "threshold": 0.01, "fraction": 0.1}], 17.8),
    "average": (LOSS, [{"criterion": "average_risk", "threshold": 0.05}], 7.9),
}
"""Loss, criteria, and what ARX 3.9.2 took as a multiple of the reference workload.

For population uniqueness that is 5.7 seconds, by what the workload takes according to seconds of the other settings.
"""
FASTER, SHORT = 2.0, 0.5
"""How many times as fast as ARX, and the seconds of ARX below which as fast is enough."""


def skip() -> str | None:
    return None if (FOLDER / "adult.csv").is_file() else f"there is no {FOLDER}"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for share in sizes:
        for name in SETTINGS:
            arguments = {"setting": name, "share": share / 100}
            peer = (
                Contestant(ARX, call("cases.lattice_arx:arx", **arguments))
                if JAR and shutil.which("java")
                else Contestant(SCALED, call("cases.lattice_arx:scaled", setting=name))
            )
            yield Round(
                f"{name}, {share} % left out", (peer, Contestant(OURS, call("cases.lattice_arx:ours", **arguments)))
            )


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        peer, own = results.get(title, ARX) or results.get(title, SCALED), results.get(title, OURS)
        if peer and own and not (peer.failure or own.failure):
            wanted = FASTER if peer.median("work") > SHORT else 1.0
            times = 1 / results.ratio(own, "work")
            yield Requirement(f"{wanted:g} times as fast as {peer.name}: {title}", f"{times:.1f}", times >= wanted)
            yield Requirement(f"proven: {title}", str(own.said("proven")), own.said("proven") == {True})


def ours(setting: str, share: float) -> dict[str, Any]:
    """The search on built classes."""
    import schleier as sl
    from schleier.core import registry
    from schleier.core.hierarchy import parse
    from schleier.search._goals import demands_of, request_of
    from schleier.search._optimum import Search

    loss, criteria, _ = SETTINGS[setting]
    sensitive = SENSITIVE if len(criteria) > 1 else ""
    keys = [name for name in KEYS if name != sensitive]
    columns = [
        sl.Column(name=n, role="quasi" if n in keys else "sensitive", scale="nominal", hierarchy=n) for n in KEYS
    ]
    hierarchies = {name: parse({"table": f"adult_hierarchy_{name}.csv"}).located(FOLDER) for name in KEYS}
    data = sl.read(FOLDER / "adult.csv", sl.Schema(columns=columns, hierarchies=hierarchies))

    def made(kind: str, given: dict[str, Any]) -> Any:
        return registry.get(kind, given[kind])(**{name: value for name, value in given.items() if name != kind})

    demands = demands_of([made("criterion", one) for one in criteria], (), data.schema, keys)
    measure = made("measure", loss).about(data.schema, keys)
    classes = data.classes(request_of(keys, demands))
    for _ in range(2):
        start = time.process_time()
        search = Search(classes, demands, measure, int(share * classes.records), measure.columns)
        best = search.best()
        work = time.process_time() - start
    assert best is not None
    return {"work": work, "proven": best.cost <= search.bound, "loss": round(best.cost, 9), "gone": best.suppressed}


def arx(setting: str, share: float) -> dict[str, Any]:
    """The same in ARX, the last of three times."""
    command = ["java", "-cp", JAR, str(HARNESS), str(FOLDER), setting, str(share), "3"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    return {"work": found["seconds"][-1], "gone": found["suppressed"], "levels": found["levels"]}


def scaled(setting: str) -> dict[str, Any]:
    """What it would take here, by the reference workload."""
    return {"work": SETTINGS[setting][2] * reference_seconds()}


def reference_seconds() -> float:
    """Sorting and grouping whole numbers, in one thread: the median of three."""
    import numpy as np

    numbers = np.random.Generator(np.random.Philox(7)).integers(0, 1 << 40, 1_000_000)
    found = []
    for _ in range(3):
        start = time.process_time()
        for shift in range(4):
            np.unique(numbers >> shift, return_inverse=True)
        found.append(time.process_time() - start)
    return sorted(found)[1]
