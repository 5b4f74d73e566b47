"""All components of one kind by class name, for Python users."""

from __future__ import annotations

from typing import Any

from schleier.core import registry
from schleier.core.names import camel, snake
from schleier.core.registry import Kind
from schleier.core.validation import nearest


class Catalogue:
    """Attribute access to components, third-party ones included.

    >>> Catalogue("method").TopCode.__name__
    'TopCode'
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        if name == camel(snake(name)) and snake(name) in registry.names(self._kind):
            return registry.get(self._kind, snake(name))
        hint = nearest(name, dir(self)) or f"there are: {', '.join(dir(self))}"
        raise AttributeError(f"there is no {self._kind} '{name}' ({hint})")

    def __dir__(self) -> list[str]:
        return [camel(name) for name in registry.names(self._kind)]
