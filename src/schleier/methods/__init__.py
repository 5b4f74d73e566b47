"""All transformations: methods.ClassName finds a component by its class name, third-party ones included."""

from __future__ import annotations

from typing import Any

from schleier.core.catalogue import Catalogue

_catalogue = Catalogue("method")


def __getattr__(name: str) -> Any:
    return getattr(_catalogue, name)


def __dir__() -> list[str]:
    return dir(_catalogue)
