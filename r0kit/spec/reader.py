"""Single values of a SPEC: a Node -> text, number, extent; each that is not what its key wants is a finding."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from r0kit.finding import Finding, Severity
from r0kit.spec.model import Place
from r0kit.spec.node import Node, location

T = TypeVar("T")

LARGEST = 2**63 - 1  # of an extent

_PLACEHOLDER = re.compile(r"\{\{.*\}\}|<[a-z_ ]+>|TODO\b.*", re.S)
_SPECIAL_NUMBERS = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "nan": math.nan}


class Reader:
    """Reads the values of one form of the SPEC at `path` and collects what is wrong with them.

    lenient: nothing is an error, as in prose, which is written for people.
    """

    def __init__(self, path: str, lenient: bool = False) -> None:
        self.path, self.lenient = path, lenient
        self.findings: list[Finding] = []

    def text(self, node: Node, key: str) -> str:
        """The string `key` of a mapping; "" where there is none or where it still is a placeholder."""
        entry = node.get(key)
        if entry is None or not self.is_text(entry, key) or self.is_placeholder(entry):
            return ""
        return entry.text.strip()

    def is_text(self, node: Node, what: str) -> bool:
        """Whether it is a scalar, whose text then counts: YAML reads a bare `no` as a truth value."""
        if isinstance(node.value, (dict, list)):
            self.wrong(what, node, "a string")
            return False
        return True

    def is_placeholder(self, node: Node) -> bool:
        """Whether the author has still to fill it in, as templates write it; reported as a warning."""
        if not isinstance(node.value, str) or not _PLACEHOLDER.fullmatch(node.value.strip()):
            return False
        self.note(
            "placeholder", f"{node.text.strip()[:60]} is not filled in", node.place, "write the value", error=False
        )
        return True

    def truth(self, node: Node, key: str) -> bool:
        """The truth value `key` of a mapping; false where there is none."""
        entry = node.get(key)
        if entry is not None and not isinstance(entry.value, bool):
            self.wrong(key, entry, "true or false")
        return entry is not None and entry.value is True

    def number(self, node: Node, what: str, special: bool = False) -> float | None:
        """A finite number, also where it is text (YAML 1.1 reads "1e-3" so); with `special`, infinities too."""
        value = _number_in(node.value) if isinstance(node.value, str) else node.value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            number = _as_float(value)
            if math.isfinite(number) or (special and not math.isnan(number)):
                return number
        self.wrong(what, node, "a finite number")
        return None

    def extent(self, node: Node, what: str) -> int | None:
        """A positive integer that fits 64 bits."""
        if isinstance(node.value, bool) or not isinstance(node.value, int):
            self.wrong(what, node, "a positive integer")
            return None
        if not 1 <= node.value <= LARGEST:
            self.note("extent", f"{what} is {node.text[:40]}", node.place, f"an extent is between 1 and {LARGEST}")
            return None
        return node.value

    def pair(self, node: Node, what: str) -> list[Node]:
        """The two entries of a list of two; none, and a finding, of anything else."""
        if isinstance(node.value, list) and len(node.value) == 2:
            return node.value
        self.wrong(what, node, "a list of two numbers")
        return []

    def interval(self, node: Node, what: str, read: Callable[[Node, str], T | None]) -> tuple[T, T] | None:
        """[smallest, largest], each bound read by `read`."""
        bounds = [read(entry, f"a bound of {what}") for entry in self.pair(node, what)]
        if len(bounds) != 2 or bounds[0] is None or bounds[1] is None:
            return None
        low: Any = bounds[0]
        if low > bounds[1]:
            message = f"{what} begins at {bounds[0]} and ends at {bounds[1]}"
            self.note("range", message, node.place, "write [smallest, largest]")
            return None
        return bounds[0], bounds[1]

    def entries(self, node: Node | None, what: str) -> list[Node]:
        """The entries of a list; none where there is no list (a finding, unless there is nothing at all)."""
        if node is not None and not isinstance(node.value, list):
            self.wrong(what, node, "a list")
        return node.value if node is not None and isinstance(node.value, list) else []

    def mapping(self, node: Node | None, what: str, wanted: str) -> dict[str, Node]:
        """The entries of a mapping; none where there is no mapping (a finding, unless it is empty or there is none)."""
        if node is None or node.value == []:
            return {}
        if not isinstance(node.value, dict):
            self.wrong(what, node, wanted)
            return {}
        return node.value

    def wrong(self, what: str, node: Node, wanted: str) -> None:
        self.note("type", f"{what} is {shown(node)}, not {wanted}", node.place, f"write {wanted}")

    def note(self, rule: str, message: str, place: Place, hint: str, error: bool = True) -> None:
        severity = Severity.ERROR if error and not self.lenient else Severity.WARNING
        self.findings.append(Finding(f"spec.{rule}", severity, message, location(self.path, place), hint))


def parameter(node: Node) -> Any:
    """The value of a scalar parameter; JSON writes infinities and NaN as strings, YAML 1.1 reads `1e-5` as one."""
    value = node.plain()
    if not isinstance(value, str):
        return value
    if value.lower() in _SPECIAL_NUMBERS:
        return _SPECIAL_NUMBERS[value.lower()]
    return float(value) if re.fullmatch(r"[-+]?\d+(\.\d*)?[eE][-+]?\d{1,3}", value) else value


def shown(node: Node) -> str:
    """A value as a message quotes it."""
    if isinstance(node.value, (dict, list)):
        return "a mapping" if isinstance(node.value, dict) else "a list"
    return repr(node.text[:60]) if isinstance(node.value, str) else node.text[:60] or "empty"


def _number_in(text: str) -> Any:
    """The number that "1e-3", "2^-9", "2**-9" or "inf" writes; the text itself where it writes none."""
    written = text.strip().lower()
    power = re.fullmatch(r"(\d{1,3})\s*(?:\^|\*\*)\s*[({]?(-?\d{1,3})[)}]?", written)
    try:
        if power:
            return float(power.group(1)) ** int(power.group(2))
        return _SPECIAL_NUMBERS[written] if written in _SPECIAL_NUMBERS else float(written[:60])
    except (ValueError, OverflowError, ZeroDivisionError):
        return text


def _as_float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
