"""Calls one function in a process of its own and prints the facts it returns: ``contest.py module:function JSON``."""

from __future__ import annotations

import json
import sys
from importlib import import_module


def main() -> None:
    module, _, function = sys.argv[1].partition(":")
    facts = getattr(import_module(f"bench.{module}"), function)(**json.loads(sys.argv[2]))
    print(json.dumps(facts or {}))


if __name__ == "__main__":
    main()
