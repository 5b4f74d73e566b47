"""All measures of risk and utility: measures.ClassName finds one by its class name, third-party ones included."""

from __future__ import annotations

from typing import Any

from schleier.core.catalogue import Catalogue

_catalogue = Catalogue("measure")


def __getattr__(name: str) -> Any:
    return getattr(_catalogue, name)


def __dir__() -> list[str]:
    return dir(_catalogue)
