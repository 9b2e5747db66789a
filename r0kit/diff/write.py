"""A Difference as text, Markdown or JSON. `show` makes a value safe for the place it goes to."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from r0kit.diff.kinds import KINDS
from r0kit.diff.model import Change, Difference
from r0kit.finding import Finding, Location

Show = Callable[[object], str]
Places = Callable[[Change], Location]

WHOLE = "contract"


def status(difference: Difference) -> str:
    """SAME, COMPATIBLE (nothing that later rounds build on), or INTERFACE."""
    if difference.interface:
        return "INTERFACE"
    return "COMPATIBLE" if difference.changes else "SAME"


def summary(difference: Difference) -> str:
    """The verdict in one line."""
    if not difference.changes:
        return "SAME: no difference"
    others = len(difference.changes) - difference.interface
    counts = (_counted(difference.interface, "interface change"), _counted(others, "other change"))
    return f"{status(difference)}: {', '.join(counts)}"


def as_text(difference: Difference, places: Places, show: Show) -> str:
    """Under each Module its changes with their places, `!` before those that later rounds must see."""
    lines: list[str] = []
    for name, changes in _grouped(difference):
        lines.append(f"{show(name)}:")
        lines += (f"  {'!' if c.interface else ' '} {sentence(c, show)}  [{_where(places(c), show)}]" for c in changes)
    return "".join(f"{line}\n" for line in (*lines, summary(difference)))


def as_markdown(difference: Difference, places: Places, show: Show) -> str:
    """A table for the comment of a review."""
    lines = [f"**{summary(difference)}**"]
    if difference.changes:
        lines += ["", "| Module | change | rounds | place |", "| --- | --- | --- | --- |"]
    for name, changes in _grouped(difference):
        for change in changes:
            said = f"**{sentence(change, show)}**" if change.interface else sentence(change, show)
            rounds = ", ".join(KINDS[change.kind].rounds) or "—"
            lines.append(f"| {show(name)} | {said} | {rounds} | {show(_where(places(change), str))} |")
    return "".join(f"{line}\n" for line in lines)


def as_json(difference: Difference | None, old: str, new: str, places: Places, findings: Iterable[Finding] = ()) -> str:
    """All changes as data; without a difference, what is wrong with the files, in the shape that `validate` has."""
    changes = difference.changes if difference else ()
    data = {
        "status": status(difference) if difference else "FAIL",
        "old": old,
        "new": new,
        "interface_changes": difference.interface if difference else 0,
        "other_changes": len(changes) - difference.interface if difference else 0,
        "changes": [_data(change, difference, places(change)) for change in changes if difference],
        "findings": [finding.record() for finding in findings],
    }
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode() + "\n"


def sentence(change: Change, show: Show) -> str:
    """What the change says, its values made safe."""
    parts = {key: show(getattr(change, key)) for key in ("value", "before", "after")}
    return KINDS[change.kind].says.format(**parts)


def _grouped(difference: Difference) -> Iterator[tuple[str, list[Change]]]:
    for key, changes in groupby(difference.changes, lambda change: (change.old, change.new)):
        yield difference.names.get(key, WHOLE), list(changes)


def _where(place: Location, show: Show) -> str:
    return ":".join((show(place.path), *(str(number) for number in (place.line, place.column) if number)))


def _data(change: Change, difference: Difference, place: Location) -> dict[str, Any]:
    name = difference.names.get((change.old, change.new))
    return {
        "kind": change.kind,
        "interface": change.interface,
        "rounds": KINDS[change.kind].rounds,
        "module": {"name": name, "old": change.old, "new": change.new} if name is not None else None,
        "value": change.value,
        "before": change.before,
        "after": change.after,
        "message": sentence(change, str),
        "path": place.path,
        "line": place.line,
        "column": place.column,
    }


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
