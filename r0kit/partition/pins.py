"""A person's decisions about the partition (`--pin PINS.yaml`), which the draft follows and records as `pinned`.

The file is one mapping; every key is optional:

    split_after: [m, s]            # a new Module begins after the Module that computes m, and after that of s
    keep_together: [[gate, up]]    # one Module computes all of these values
    section: {scaled: cube}        # this value's Step belongs to that section
    resident: [N]                  # this axis is held whole on chip, so that traversing it again needs no boundary

Values are called by the golden's variable names, as `r0kit steps` lists them; axes by SPEC's names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.golden.program import Program, Section
from r0kit.source import read_text

RULE = "partition.pins"
IMPOSSIBLE, UNKNOWN = "partition.impossible-pin", "partition.unknown-pin"
UNFOLLOWED = (IMPOSSIBLE, UNKNOWN)  # findings of pins that a draft leaves out
KEYS = ("split_after", "keep_together", "section", "resident")


class Pin(NamedTuple):
    """One name in the pins file: the key that it stands under, and where."""

    key: str
    name: str
    place: Location


@dataclass(frozen=True, slots=True)
class Pins:
    """What a person has decided. `resident` names axes, the others values; `pins` keeps the place of each name."""

    split_after: frozenset[str] = frozenset()
    keep_together: tuple[tuple[str, ...], ...] = ()
    section: Mapping[str, Section] = field(default_factory=dict)
    resident: frozenset[str] = frozenset()
    pins: tuple[Pin, ...] = field(default=(), compare=False)

    def together(self, left: str, right: str) -> bool:
        """Whether one Module must compute both values."""
        return any(left in group and right in group for group in self.keep_together)


NO_PINS = Pins()


def read_pins(path: str) -> Pins:
    """The pins file `path`. InputError where it is unreadable or has anything but the keys above."""
    reader = _Reader(path)
    root = reader.root(read_text(path, RULE))
    entries = reader.entries(root) if root else {}
    pins = Pins(
        frozenset(reader.names("split_after", entries.get("split_after"))),
        tuple(reader.groups("keep_together", entries.get("keep_together"))),
        reader.sections("section", entries.get("section")),
        frozenset(reader.names("resident", entries.get("resident"))),
        tuple(reader.pins),
    )
    if reader.findings:
        raise InputError(reader.findings)
    return pins


def check_pins(
    pins: Pins, program: Program, axes: frozenset[str], golden: Program | None = None
) -> tuple[Finding, ...]:
    """A warning for each pin whose name is no value of the Program or, under `resident`, none of `axes`.

    golden: the Program as it was read; `program` may have been rewritten for the strategy, without some of its values.
    """
    values = _values(program)
    known = {key: axes if key == "resident" else values for key in KEYS}
    lost = _values(golden or program) - values
    return tuple(
        _rewritten(pin) if pin.key != "resident" and pin.name in lost else _unknown(pin, known[pin.key])
        for pin in pins.pins
        if pin.name not in known[pin.key]
    )


def _values(program: Program) -> set[str]:
    names = {name for step in program.steps for name in (step.target, step.name) if name}
    return names | {name for output in program.outputs for name in (output.name, output.value)}


def _rewritten(pin: Pin) -> Finding:
    message = f"{pin.key} pins {pin.name}, which this strategy computes in another form; this pin is left out"
    return Finding(IMPOSSIBLE, Severity.WARNING, message, pin.place, "try --strategy conventional")


def _unknown(pin: Pin, known: frozenset[str] | set[str]) -> Finding:
    what = "axis" if pin.key == "resident" else "computed value"
    near = get_close_matches(pin.name, sorted(known), 1)
    hint = f"did you mean {near[0]}?" if near else "`r0kit steps` lists the values and their axes"
    message = f"{pin.key} pins {pin.name}, which is no {what} of the golden; this pin is left out"
    return Finding(UNKNOWN, Severity.WARNING, message, pin.place, hint)


class _Reader:
    """Nodes of the file -> names with places; keeps what is wrong so that all of it is reported at once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.pins: list[Pin] = []

    def root(self, text: str) -> Node | None:
        try:
            node: Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Location(self.path, mark.line + 1, mark.column + 1) if mark else Location(self.path)
            self._fault(place, f"not YAML: {error.problem or error.context}", "correct the syntax")
        except (yaml.YAMLError, RecursionError) as error:
            self._fault(Location(self.path), f"not YAML: {str(error).splitlines()[0]}", "correct the syntax")
        else:
            return node
        return None

    def entries(self, root: Node) -> dict[str, Node]:
        """The values of the mapping `root` by key, each key known and named once."""
        found: dict[str, Node] = {}
        for key, node in self._pairs(root, "the file", "split_after: [m]"):
            if key.value in found:
                self._fault(self._place(key), f"{key.value} stands here for the second time", "join the two")
            elif key.value not in KEYS:
                near = get_close_matches(key.value, KEYS, 1)
                hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(KEYS)}"
                self._fault(self._place(key), f"unknown key {key.value}", hint)
            found[key.value] = node
        return found

    def names(self, key: str, node: Node | None) -> list[str]:
        """One name, or a list of names."""
        items = node.value if isinstance(node, SequenceNode) else [] if node is None else [node]
        return [name for item in items if (name := self._name(key, item))]

    def groups(self, key: str, node: Node | None) -> list[tuple[str, ...]]:
        """A list of lists of at least two names."""
        if node is None:
            return []
        items = node.value if isinstance(node, SequenceNode) else [node]
        groups = [tuple(self.names(key, item)) for item in items if isinstance(item, SequenceNode)]
        if len(groups) < len(items) or any(len(group) < 2 for group in groups):
            self._fault(self._place(node), f"{key} must list groups of two or more values", f"{key}: [[m, s]]")
        return groups

    def sections(self, key: str, node: Node | None) -> dict[str, Section]:
        """A mapping of names to `cube` or `vector`."""
        found: dict[str, Section] = {}
        for name, choice in self._pairs(node, key, f"{key}: {{scaled: cube}}") if node else []:
            if choice.value in ("cube", "vector"):
                found[name.value] = Section(choice.value)
                self.pins.append(Pin(key, name.value, self._place(name)))
            else:
                self._fault(self._place(choice), f"the section of {name.value} must be cube or vector", "choose one")
        return found

    def _pairs(self, node: Node, what: str, example: str) -> list[tuple[ScalarNode, Node]]:
        if isinstance(node, MappingNode):
            pairs = [pair for pair in node.value if isinstance(pair[0], ScalarNode)]
            if len(pairs) == len(node.value):
                return pairs
        self._fault(self._place(node), f"{what} must be a mapping of names", f"such as `{example}`")
        return []

    def _name(self, key: str, node: Node) -> str:
        if isinstance(node, ScalarNode) and node.value:
            self.pins.append(Pin(key, node.value, self._place(node)))
            return str(node.value)
        self._fault(self._place(node), f"{key} must list names", f"{key}: [m]")
        return ""

    def _place(self, node: Node) -> Location:
        start, end = node.start_mark, node.end_mark
        return Location(self.path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _fault(self, place: Location, message: str, hint: str) -> None:
        self.findings.append(Finding(RULE, Severity.ERROR, message, place, hint))
