"""How much work one golden may cost: a file made to hurt ends in a finding, not in a wait."""

from __future__ import annotations

import time

from r0kit.golden.builder import MOST_STEPS

NODES = 2_000_000
SECONDS = 5.0  # of this process, so that a busy machine changes nothing
DEPTH = 40  # inlined calls inside each other; Python's own stack holds about twice as many
_LOOK_AT_CLOCK = 4096  # nodes between two looks


class Exhausted(Exception):
    """The budget is used up; what was read so far stands."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Budget:
    """Counts evaluated nodes, and looks at the clock now and then."""

    def __init__(self, nodes: int = NODES, seconds: float = SECONDS) -> None:
        self.left = nodes
        self.deadline = time.process_time() + seconds

    def spend(self, steps: int) -> None:
        """One node more, with `steps` Steps emitted so far. Raises Exhausted."""
        self.left -= 1
        if self.left & (_LOOK_AT_CLOCK - 1) == 0:
            self.look()
        if steps >= MOST_STEPS:
            raise Exhausted(f"more than {MOST_STEPS} Steps")

    def look(self) -> None:
        """Raises Exhausted where the nodes or the time are used up."""
        if self.left <= 0:
            raise Exhausted(f"more than {NODES} evaluated expressions")
        if time.process_time() > self.deadline:
            raise Exhausted(f"more than {SECONDS:.0f} seconds")
