"""What a vault knows of itself: sealed like its rows, and changed together with them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from schleier.core.vault.log import BEGIN, Chain


@dataclass(frozen=True)
class Facts:
    """Nothing here tells of a single person.

    >>> Facts.read(Facts(epoch=2, second="ab", signing="cd", log_key="ef").written()).epoch
    2
    """

    epoch: int
    """New tokens belong to this one; those of earlier ones can still be revealed."""
    second: str
    """Public key of the second person; empty where one person is enough."""
    signing: str = field(repr=False)
    """What records of erasure are signed with."""
    log_key: str = field(repr=False)
    """What the lines of the log are sealed with."""
    domains: dict[str, list[str]] = field(default_factory=dict, repr=False)
    """Names of the domains, each with what was done to values before they were looked up."""
    rows: int = 0
    boxes: int = 0
    erased: int = 0
    """How many rows were ever erased."""
    last_erasure: str = ""
    copy_of: str = ""
    copied: str = ""
    """The vault this is a copy of, and when it was made."""
    log_lines: int = 0
    log_last: str = BEGIN

    @property
    def log(self) -> Chain:
        """How far the log of reversals goes."""
        return Chain(self.log_lines, self.log_last)

    @staticmethod
    def read(content: bytes) -> Facts:
        """From what was sealed."""
        return Facts(**json.loads(content))

    def written(self) -> bytes:
        """What is sealed."""
        return json.dumps(asdict(self), sort_keys=True).encode()
