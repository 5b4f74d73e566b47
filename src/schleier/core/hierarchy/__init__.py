"""Hierarchies: how the values of a column are coarsened, level by level.

Every kind is one file of this package, named like the recipe key that announces it; a new kind is a new file.

>>> parse({"intervals": [5, 10, 20]}).depth
4
"""

from schleier.core.hierarchy.contract import ROOT, Hierarchy
from schleier.core.hierarchy.kinds import AnyHierarchy, kinds, parse

__all__ = ["ROOT", "AnyHierarchy", "Hierarchy", "kinds", "parse"]
