"""The placeholders in a contract (rule11): loaded where its text has something that looks like one."""

from collections.abc import Iterator
from re import compile as pattern
from typing import Any

from r0kit.contract.path import Path
from r0kit.contract.wording import shown, spell
from r0kit.finding import Fault

# A word that stands for what is missing, anywhere in a text; or a text that is nothing else.
_PLACEHOLDER = pattern(
    r"(?<![A-Za-z0-9_])(?:TODO|FIXME|TBD|TBC|XXX)(?![A-Za-z0-9_])"
    r"|\A\s*(?:(?i:todo|fixme|tbd|tbc|xxx|placeholder|changeme)|\.\.\.|…|[?？]+|<[^<>]*>|\{[^{}:,]+\}|待定|待填写?|待补充?|待确认)\s*\Z"
)


def left_in(data: Any) -> Iterator[Fault]:
    """The texts of a contract, whose plain data this is, that still have to be filled in."""
    pending: list[tuple[Path, Any]] = [((), data)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending += (((*path, key), child) for key, child in value.items())
        elif isinstance(value, list):
            pending += (((*path, index), child) for index, child in enumerate(value))
        elif isinstance(value, str) and _PLACEHOLDER.search(value):
            yield Fault(path, f"{spell(path)} still has to be filled in: {shown(value)}")
