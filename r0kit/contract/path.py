"""How places in a contract are named before anybody looks them up in the text."""

from typing import Any

Path = tuple[Any, ...]  # keys and indices from the root to a value; after a key, KEY or FIRST


class _Marker:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


KEY = _Marker(
    "KEY"
)  # (..., key, KEY) is the place of the key rather than of its value: the last one, if it occurs twice
FIRST = _Marker("FIRST")  # the place where the key occurs first
