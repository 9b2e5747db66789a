"""A new draft joined with the contract that people have worked on (`gen --update OLD.yaml`).

What people choose stays (`KEPT`, and every key that the draft does not know); what follows from the golden and SPEC is
taken from the draft; wherever the two differ, a finding says what the old file had. Modules are matched by what they write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from r0kit.contract.comments import Comment, carried, comments_of
from r0kit.contract.path import Path
from r0kit.contract.read import Document
from r0kit.contract.structure import CONTRACT, Listing, Record
from r0kit.contract.typed import contract_of
from r0kit.contract.wording import spell
from r0kit.contract.write import data_text
from r0kit.finding import Finding, Location, Severity

# What people choose; `*` is any index.
KEPT = (
    ("modules", "*", "name"),
    ("modules", "*", "description"),
    ("composition_verification", "seeds"),
    ("composition_verification", "shapes"),
    ("dimensions", "*", "kernel"),
    ("dimensions", "*", "mapping"),
    ("wrapper",),
)
# Records that the draft writes whole: one finding for each that differs, not one for every value in it.
WHOLE = ("golden_steps", "boundary", "traversal", "handoff", "api", "reduction", "symbols", "dimensions")
# Positions, counts and numbers of Modules: they move whenever the golden does, and nobody chooses them.
MOVING = frozenset(
    ("id", "line", "source_lines", "module_count", "schema_version", "golden_stage_fn", "source", "from", "module")
)
_IDENTITY = ("name", "kind", "value", "op", "axis", "direction")
_PLACEHOLDER = re.compile(r"(?<!\w)(TODO|TBD|FIXME)(?!\w)")
_LONGEST = 160  # characters of an old value that a message repeats


class Update(NamedTuple):
    """The text of the contract with what stays of the old one, and what a person must know."""

    text: str
    findings: tuple[Finding, ...]


def update(new: Mapping[str, Any], old: Document, comments: Mapping[Path, str] | None = None) -> Update:
    """The contract `new`, as plain data with its comments, with what people wrote into `old`, which may be unfinished.

    InputError where `old` is no mapping at all.
    """
    if not isinstance(old.data, dict):
        contract_of(old)
    merge = _Merge(old)
    data = merge.record(new, old.data, (), (), CONTRACT)
    _tell_names_apart(data["modules"])
    kept = carried(comments_of(old.text), merge.moved, comments or {})
    text = kept.above + data_text(data, kept.comments) + kept.below
    return Update(text, (*merge.findings(), *(_lost(comment, old) for comment in kept.lost)))


def _lost(comment: Comment, old: Document) -> Finding:
    what = f"the comment has no place in the new contract: {comment.text}"
    return Finding("gen.dropped", Severity.WARNING, what, Location(old.path, comment.line), "copy it where it belongs")


class _Said(NamedTuple):
    """A finding that waits for its place."""

    rule: str
    severity: Severity
    message: str
    hint: str


class _Merge:
    """One walk over both contracts. `moved` maps paths of the old one to paths of the new one."""

    def __init__(self, old: Document) -> None:
        self.old = old
        self.moved: dict[Path, Path] = {}
        self.said: dict[Path, _Said] = {}
        self.modules: dict[str, str] = {}

    def findings(self) -> tuple[Finding, ...]:
        places = self.old.locate(self.said)
        return tuple(Finding(s.rule, s.severity, s.message, places[path], s.hint) for path, s in self.said.items())

    def record(self, new: Any, old: Any, at: Path, to: Path, kind: Record | None) -> dict[str, Any]:
        """Both mappings as one: keys of the draft first, then those that only the old file has."""
        merged = {key: self._value(new[key], old.get(key), (*at, key), (*to, key)) for key in new}
        for key, value in old.items():
            if key not in new and not _is_empty(value):
                if _may_stay(kind, at, key):
                    merged[key] = value
                    self._stay(value, (*at, key), (*to, key))
                else:
                    self._drop((*at, key), value)
        return merged

    def _value(self, new: Any, old: Any, at: Path, to: Path) -> Any:
        self.moved[at] = to
        if _is_empty(old):
            return new
        if _is_kept(at):
            return self._keep(new, old, at, to)
        if isinstance(new, dict) and isinstance(old, dict):
            return self.record(new, old, at, to, _kind(at))
        if _is_entries(new) and _is_entries(old):
            return self._entries(new, old, at, to)
        if self._same(new, old):
            self._stay(old, at, to)
        else:
            self._replace(at, old, new)
        return new

    def _stay(self, value: Any, at: Path, to: Path) -> None:
        """All parts of a value are where they were."""
        self.moved[at] = to
        parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for step, part in parts:
            self._stay(part, (*at, step), (*to, step))

    def _keep(self, new: Any, old: Any, at: Path, to: Path) -> Any:
        if at == ("composition_verification", "shapes"):
            return self._shapes(new, old, at)
        self._stay(old, at, to)
        if isinstance(new, list) and isinstance(old, list) and at[-1] == "wrapper":
            return old + [entry for entry in new if entry not in old]
        return old

    def _shapes(self, new: Any, old: Any, at: Path) -> Any:
        """The old cases, but for those that do not bind what the contract's shapes need now."""
        needed = set().union(*new) if _is_entries(new) else set()
        kept: list[Any] = []
        for index, case in enumerate(old if isinstance(old, list) else ()):
            if isinstance(case, dict) and needed <= case.keys():
                self._stay(case, (*at, index), (*at, len(kept)))
                kept.append(case)
            else:
                self._drop((*at, index), case)
        return kept or new

    def _entries(self, new: list[Any], old: list[Any], at: Path, to: Path) -> list[Any]:
        """Lists of mappings, matched by what they are about; Modules by what they write."""
        pairs = _module_pairs(new, old) if at == ("modules",) else _pairs(new, old)
        if at == ("modules",):
            self.modules = {f"module_{old[b].get('id')}": f"module_{new[a]['id']}" for a, b in pairs.items()}
        merged = []
        for index, entry in enumerate(new):
            match = pairs.get(index)
            if match is not None:
                self.moved[(*at, match)] = (*to, index)
                entry = self.record(entry, old[match], (*at, match), (*to, index), _kind((*at, match)))
            merged.append(entry)
        for index, entry in enumerate(old):
            if index not in pairs.values() and not _is_unfinished(entry):
                self._drop((*at, index), entry)
        return merged

    def _same(self, new: Any, old: Any) -> bool:
        """Whether the two differ in spelling or in the numbers of Modules alone."""
        return bool(_squeezed(new) == _squeezed(self.modules.get(old, old) if isinstance(old, str) else old))

    def _replace(self, at: Path, old: Any, new: Any) -> None:
        if at[-1] in MOVING and not (isinstance(old, str) and self.modules.get(old, new) != new):
            return
        what = f"{self._label(at)} is {_cut(new)} now; {self.old.path} had {_cut(old)}"
        hint = "it follows from the golden, SPEC and the options of `gen`; change it there, or edit the new file"
        self._say(at, _Said("gen.replaced", Severity.WARNING, what, hint))

    def _drop(self, at: Path, value: Any) -> None:
        what = f"{self._label(at)} has no place in the new contract: {_cut(value)}"
        self._say(at, _Said("gen.dropped", Severity.WARNING, what, "copy what is still needed from the old file"))

    def _say(self, at: Path, said: _Said) -> None:
        """One finding; inside a record that the draft writes whole, one for the record."""
        depth = next((n for n, step in enumerate(at) if step in WHOLE), None)
        if depth is not None:
            at = at[: depth + 1]
            what = f"{self._label(at)} is written anew; {self.old.path} had {_cut(self._old(at))}"
            said = _Said("gen.replaced", Severity.NOTE, what, said.hint)
        self.said[at] = said

    def _label(self, at: Path) -> str:
        """`golden_steps of Module 2 (normalize)`, or the plain path outside Modules."""
        if at[:1] != ("modules",) or len(at) < 2:
            return spell(at)
        module = self._old(at[:2])
        if not isinstance(module, dict):
            return spell(at)
        name = f"Module {module.get('id')} ({module.get('name')})"
        return f"{spell(at[2:])} of {name}" if len(at) > 2 else name

    def _old(self, at: Path) -> Any:
        value = self.old.data
        for step in at:
            value = value[step]
        return value


def _is_kept(at: Path) -> bool:
    return any(
        len(at) == len(kept) and all(wanted in ("*", step) for wanted, step in zip(kept, at, strict=True))
        for kept in KEPT
    )


def _may_stay(kind: Record | None, at: Path, key: Any) -> bool:
    """Whether a key that the draft does not write stays: people chose it, or r0kit does not know it. Parameters it knows."""
    if kind is not None and not kind.is_open:
        return key not in kind.fields or _is_kept((*at, key))
    return at != ("params",)


def _kind(at: Path) -> Record | None:
    """The row of the structure table for the mapping at a path; None where it may have any keys."""
    kind: Any = CONTRACT
    for step in at:
        if isinstance(kind, Listing):
            kind = kind.of
        elif isinstance(kind, Record):
            kind = kind.fields.get(step)
        else:
            return None
    return kind if isinstance(kind, Record) else None


def _is_entries(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(entry, dict) for entry in value)


def _numbered_entries(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The mappings of a list with their indices; an unfinished file may have other things between them."""
    entries = value if isinstance(value, list) else []
    return ((index, entry) for index, entry in enumerate(entries) if isinstance(entry, dict))


def _is_empty(value: Any) -> bool:
    """Nothing, or a text that is still to be filled in."""
    return value in (None, "", [], {}) or (isinstance(value, str) and bool(_PLACEHOLDER.search(value)))


def _is_unfinished(entry: Any) -> bool:
    """Whether nothing in it has been filled in but its number."""
    values = (value for key, value in entry.items() if key != "id") if isinstance(entry, dict) else (entry,)
    return all(map(_is_empty, values))


def _squeezed(value: Any) -> Any:
    """A value without its blanks: `[M,N]` as text or as a list is one shape."""
    if isinstance(value, list):
        return "".join(f"[{', '.join(map(str, value))}]".split())
    return "".join(value.split()) if isinstance(value, str) else value


def _pairs(new: list[Any], old: list[Any]) -> dict[int, int]:
    """Index in `new` -> index in `old` of the entry about the same thing."""
    waiting: dict[Any, list[int]] = {}
    for index, entry in _numbered_entries(old):
        waiting.setdefault(_identity(entry), []).append(index)
    found = {}
    for index, entry in enumerate(new):
        candidates = waiting.get(_identity(entry))
        if candidates:
            found[index] = candidates.pop(0)
    return found


def _identity(entry: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((key, str(entry[key])) for key in _IDENTITY if key in entry)


def _module_pairs(new: list[Any], old: list[Any]) -> dict[int, int]:
    """Modules that write the same values; of several, those that agree in most, in the order of the new contract."""
    scored = sorted(_scores(new, old), key=lambda score: (-score[0], score[1], score[2]))
    found: dict[int, int] = {}
    for _, index, match in scored:
        if index not in found and match not in found.values():
            found[index] = match
    return found


def _scores(new: list[Any], old: list[Any]) -> Iterator[tuple[float, int, int]]:
    for index, entry in enumerate(new):
        for match, other in _numbered_entries(old):
            here, there = _written(entry), _written(other)
            if here & there:
                yield len(here & there) / len(here | there), index, match


def _written(module: Mapping[str, Any]) -> set[str]:
    return {str(output.get("name")) for _, output in _numbered_entries(module.get("outputs"))}


def _tell_names_apart(modules: list[Any]) -> None:
    """A drafted name that a kept one has taken gets a number."""
    taken: set[str] = set()
    for module in modules:
        name, number = str(module["name"]), 2
        while str(module["name"]) in taken:
            module["name"] = f"{name}_{number}"
            number += 1
        taken.add(str(module["name"]))


def _cut(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else _flow(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else str(value)
