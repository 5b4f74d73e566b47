"""The equivalence-class table, one GROUP BY away from the rows, and what else is counted by class."""

from schleier.core.classes.table import Classes

__all__ = ["Classes"]
