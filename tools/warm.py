"""Compile every kernel once, so that no command has to: each method and criterion runs on its own example."""

from __future__ import annotations

import sys
import time


def main() -> int:
    """Run all examples; what fails is the business of the tests."""
    from schleier.core import registry
    from schleier.core.data import Dataset
    from schleier.core.errors import SchleierError
    from schleier.core.run import Run
    from schleier.testing import example_populations, example_schema, example_table

    start, slow = time.monotonic(), 0.0
    data = Dataset.from_frame(example_table(), example_schema())
    for kind in ("method", "criterion"):
        for word in registry.names(kind):
            component = registry.get(kind, word)
            begun = time.monotonic()
            try:
                if kind == "method":
                    component(**component.example).apply(data, Run(key=bytes(32))).to_arrow()
                else:
                    from dataclasses import replace

                    component(**component.example).check(replace(data, populations=example_populations()))
            except SchleierError:
                continue
            slow = max(slow, time.monotonic() - begun)
    sys.stdout.write(f"kernels are compiled: {time.monotonic() - start:.0f} s, the slowest component {slow:.1f} s\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
