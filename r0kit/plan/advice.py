"""Advice on tiles as data: `advice.json`, where each number has its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(Path(__file__).with_name("advice.json").read_text("utf-8"))
    return table


def number(name: str) -> int:
    """A number of the table."""
    return int(_table()[name]["value"])


def numbers(name: str) -> tuple[int, ...]:
    """A list of numbers of the table, in order of preference."""
    return tuple(map(int, _table()[name]["value"]))
