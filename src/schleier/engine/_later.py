"""Arrow looks for pandas when it makes its first array, which takes a third of a second; here it waits for somebody
who uses pandas."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

PANDAS = "pandas"


class _Doorkeeper(MetaPathFinder):
    """Turns Arrow away when it asks for pandas on its own account, and tells it when somebody else brings it in."""

    def __init__(self) -> None:
        self.asking: int | None = None

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Nothing but for pandas: see ``importlib.abc.MetaPathFinder``."""
        if name != PANDAS:
            return None
        if self.asking == threading.get_ident():
            raise ModuleNotFoundError(name)
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Telling(spec.loader)
        return spec


class _Telling(Loader):
    """Loads pandas and lets Arrow know; without that, Arrow would take a series of pandas for any list."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the loader does."""
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """As the loader does, and then let Arrow look again."""
        import pyarrow as pa

        if module.__spec__ is not None:  # the module is the loader's: resources are looked for there
            module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        pa.chunked_array([], pa.int8()).to_pandas()


def let_pandas_wait() -> None:
    """Spare Arrow the import of pandas until somebody imports it; without effect once it is there.

    >>> let_pandas_wait()
    >>> import pandas, pyarrow
    >>> pyarrow.array(pandas.Series([1.0, float("nan")])).null_count  # as Arrow always takes a series
    1
    """
    import pyarrow as pa

    if PANDAS in sys.modules or any(isinstance(one, _Doorkeeper) for one in sys.meta_path):
        return
    keeper = _Doorkeeper()
    sys.meta_path.insert(0, keeper)
    keeper.asking = threading.get_ident()
    try:
        pa.scalar(0)  # the first look, which finds nothing; Arrow looks again when it is asked for pandas itself
    finally:
        keeper.asking = None
