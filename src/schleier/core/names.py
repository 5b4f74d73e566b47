"""One rule from file name to class name and back."""

from __future__ import annotations

import re


def camel(word: str) -> str:
    """Class name of a recipe word.

    >>> camel("rank_swap")
    'RankSwap'
    """
    return "".join(part.capitalize() for part in word.split("_"))


def snake(name: str) -> str:
    """Recipe word of a class name.

    >>> snake("KAnonymity"), snake("RankSwap")
    ('k_anonymity', 'rank_swap')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
