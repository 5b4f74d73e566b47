"""Compile every kernel once, so that no command has to: each component runs on its own example."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any


def main() -> int:
    """Run all examples; what fails is the business of the tests."""
    from schleier.core import registry
    from schleier.core.data import Dataset
    from schleier.core.errors import SchleierError
    from schleier.core.measure import Case
    from schleier.core.registry import Kind
    from schleier.core.run import Run
    from schleier.testing import example_populations, example_schema, example_table

    start, slow = time.monotonic(), 0.0
    data = Dataset.from_frame(example_table(), example_schema())
    data = replace(data, populations=example_populations())

    def used(kind: Kind, component: Any) -> None:
        if kind == "method":
            component.apply(data, Run(key=bytes(32))).to_arrow()
        elif kind == "criterion":
            component.check(data)
        else:
            component.measure(Case(data, data), Run(key=bytes(32)))

    kinds: tuple[Kind, ...] = ("method", "criterion", "measure", "attack")
    for kind in kinds:
        for word in registry.names(kind):
            begun = time.monotonic()
            # A wing whose stack is not installed has nothing to compile.
            with suppress(SchleierError, ModuleNotFoundError):
                declared = registry.get(kind, word)
                used(kind, declared(**declared.example))
            slow = max(slow, time.monotonic() - begun)
    sys.stdout.write(f"kernels are compiled: {time.monotonic() - start:.0f} s, the slowest component {slow:.1f} s\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
