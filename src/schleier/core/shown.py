"""What shows itself at the end of a cell of a notebook."""

from __future__ import annotations


class Shown:
    """A thing with a card: what it is in words, for a person, and never a value of a protected column.

    How a card looks is not known here: the renderer of the house is found by its name.
    """

    def _repr_html_(self) -> str:
        from schleier.core import registry

        return str(registry.get("renderer", "html")().card(self))
