"""May these two anchors share a Module, and why not: design.md sections 6.4 and 6.10, on one screen.

The algorithm that uses the answers is in `levels` and `modules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from r0kit.golden.axes import Atoms
from r0kit.golden.program import Kind, Section
from r0kit.partition.flow import Flow
from r0kit.partition.model import BoundaryKind
from r0kit.partition.pins import NO_PINS, Pins

NONE: Atoms = frozenset()


@dataclass(frozen=True, slots=True)
class Policy:
    """What was decided before Modules are drawn.

    resident: axes held whole on chip, which may be run over again; covered: pairs (reduction, dependent anchor) whose
    re-traversal a recurrence makes good; pins: a person's decisions.
    """

    flow: Flow
    resident: Atoms = NONE
    covered: frozenset[tuple[str, str]] = frozenset()
    pins: Pins = NO_PINS

    def needed_whole(self, anchor: str) -> Atoms:
        """Axes whose end a reader of the anchor has to wait for, if it runs over them again."""
        return self.flow.axes.whole(self.flow.steps[anchor]) - self.resident

    def boundary(self, source: str, anchor: str, carried: Mapping[str, Atoms]) -> tuple[BoundaryKind, Atoms] | None:
        """Why `anchor` cannot run in the Module of `source`, which it reads; None where it can.

        carried: per anchor upstream of `source` in the same Module (itself included), the axes it needed whole.
        """
        flow = self.flow
        if flow.steps[anchor].op == "project":
            return None  # a result of the loop itself, which its last trip leaves
        if source in self.pins.split_after:
            return BoundaryKind.PINNED, NONE
        if flow.section(source) is not flow.section(anchor):
            return BoundaryKind.SECTION, NONE
        if flow.section(anchor) is Section.CUBE:
            step = flow.steps[anchor]
            return (BoundaryKind.INDEPENDENT_STAGE, flow.axes.whole(step)) if step.kind is Kind.CONTRACTION else None
        if source in flow.cones[anchor].telling:
            return BoundaryKind.DATA_DEPENDENCE, NONE
        again = self.retraversed(source, anchor, carried)
        return (BoundaryKind.DATA_DEPENDENCE, again) if again and not self.pins.together(source, anchor) else None

    def retraversed(self, source: str, anchor: str, carried: Mapping[str, Atoms]) -> Atoms:
        """Axes that `anchor` runs over again although `source`, or an anchor behind it, has needed them whole."""
        spans = self.flow.cones[anchor].spans[source]
        waiting = [axes for name, axes in carried.items() if (name, anchor) not in self.covered]
        return frozenset().union(*waiting) & spans

    def carried(self, members: Iterable[str]) -> dict[str, dict[str, Atoms]]:
        """Per anchor of one Module, in the Program's order: itself and those upstream of it there, with what they needed
        whole."""
        found: dict[str, dict[str, Atoms]] = {}
        for anchor in members:
            own = self.needed_whole(anchor)
            found[anchor] = {anchor: own} if own else {}
            for source in self.flow.cones[anchor].spans:
                found[anchor] |= found.get(source, {})
        return found

    def writable(self, cheap: Iterable[str], members: Sequence[str]) -> list[str]:
        """Cheap Steps that a Module of these anchors has the final values of while it runs over its axes once."""
        carried = self.carried(members)
        if not any(carried.values()):
            return list(cheap)
        waiting = {name: frozenset().union(*needed.values()) for name, needed in carried.items()}
        early: set[str] = set()
        for name in cheap:
            behind = self.flow.operands[name]
            waiting[name] = frozenset().union(*(waiting.get(operand, NONE) for operand in behind))
            if not early.isdisjoint(behind) or waiting[name] & self.flow.spaces[name]:
                early.add(name)  # it runs again over an axis that an anchor behind it has to have seen whole
        return [name for name in cheap if name not in early]
