"""What a stretch of code did, found out by running it and taking its changes back."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from r0kit.golden.evaluate.flow import Flow
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import ABSENT, Change, Scope
from r0kit.golden.values import TensorValue, Value

Place = tuple[int, Any]  # identity of a container and the key in it; the key is None for a list


@dataclass(slots=True)
class Outcome:
    """flow: how the code left its block; entries: what it left in names and dictionary entries that it changed.

    lists: the items it left in lists; tensors: what tensors from before it hold after it, by ref;
    before: what the changed places held first (ABSENT: nothing); the containers themselves are in `containers`.
    """

    flow: Flow | None = None
    entries: dict[Place, Value] = field(default_factory=dict)
    lists: dict[Place, list[Value]] = field(default_factory=dict)
    tensors: dict[str, TensorValue] = field(default_factory=dict)
    before: dict[Place, Any] = field(default_factory=dict)
    containers: dict[Place, Any] = field(default_factory=dict)


def on_trial(run: Run, statements: Sequence[ast.stmt], scope: Scope) -> Outcome:
    """Run `statements`, take every change of names and containers back, and say what they were. Steps stay."""
    with run.journal.trial() as mark:
        steps = len(run.builder.steps)
        outcome = Outcome(run.block(statements, scope))
        collect(run, outcome, run.journal.changes[mark:], steps)
        run.journal.undo(mark)
    return outcome


def collect(run: Run, outcome: Outcome, changes: Sequence[Change], steps: int) -> None:
    """Fill `outcome` from the journal's `changes`; tensors of Steps from `steps` on are not from before."""
    for target, key, old in changes:
        if target is run.storage.superseded:
            if run.builder.is_older(key, steps):
                outcome.tensors[key] = run.storage.latest(run.builder.value_of(key))
            continue
        if target is run.storage.origins or target is run.module.pending:
            continue
        place = (id(target), key)
        if place not in outcome.before:
            outcome.before[place], outcome.containers[place] = old, target
        if isinstance(target, list):
            outcome.lists[place] = list(target)
        else:
            outcome.entries[place] = target.get(key, ABSENT)
