"""Kinds of change, one row each: what it says, and which rounds build on what has changed."""

from typing import NamedTuple


class Kind(NamedTuple):
    """says: the sentence, with places for value, before and after. rounds: () where no later round builds on it."""

    says: str
    rounds: tuple[str, ...] = ()


_ALL = ("R1", "R4", "R6", "R8")
_CHANGED = "{after} (was {before})"

KINDS: dict[str, Kind] = {
    "operator": Kind(f"operator {_CHANGED}", _ALL),
    "parameter": Kind(f"parameter {{value}}: {_CHANGED}", _ALL),
    "symbol": Kind(f"run-time symbol {{value}}: {_CHANGED}", _ALL),
    "primary_input_added": Kind("new primary input {value}: {after}", _ALL),
    "primary_input_removed": Kind("primary input {value} is gone", _ALL),
    "primary_input_renamed": Kind("primary input {before} is now called {after}", _ALL),
    "primary_input_shape": Kind(f"primary input {{value}}: shape {_CHANGED}", _ALL),
    "primary_input_dtype": Kind(f"primary input {{value}}: dtype {_CHANGED}", _ALL),
    "primary_input_order": Kind(f"primary inputs in the order {_CHANGED}", _ALL),
    "final_output_added": Kind("new final output {value}, from {after}", _ALL),
    "final_output_removed": Kind("final output {value} is gone (came from {before})", _ALL),
    "final_output_producer": Kind("final output {value} comes from {after} (was from {before})", _ALL),
    "final_output_order": Kind(f"final outputs in the order {_CHANGED}", _ALL),
    "module_added": Kind("new {after} Module; gives {value}", _ALL),
    "module_removed": Kind("this {before} Module is gone; gave {value}", _ALL),
    "module_moved": Kind("runs {after} (ran {before})", _ALL),
    "section": Kind(f"section {_CHANGED}", _ALL),
    "input_added": Kind("reads {value} too, from {after}", ("R1", "R6")),
    "input_removed": Kind("no longer reads {value} (from {before})", ("R1", "R6")),
    "input_producer": Kind("reads {value} from {after} (was from {before})", ("R1", "R6")),
    "input_order": Kind(f"inputs in the order {_CHANGED}", ("R1",)),
    "output_added": Kind("gives {value} too: {after}", ("R1", "R6")),
    "output_removed": Kind("no longer gives {value}", ("R1", "R6")),
    "output_renamed": Kind("output {before} is now called {after}", ("R1", "R6")),
    "output_taken_over": Kind("gives {value} now, as {before} did", ("R1", "R6")),
    "output_handed_over": Kind("no longer gives {value}, {after} does", ("R1", "R6")),
    "output_shape": Kind(f"output {{value}}: shape {_CHANGED}", ("R1", "R4", "R6")),
    "output_dtype": Kind(f"output {{value}}: dtype {_CHANGED}", ("R1", "R4", "R6")),
    "output_order": Kind(f"outputs in the order {_CHANGED}", ("R1",)),
    "traversal": Kind(f"traversal, {{value}}: {_CHANGED}", ("R4", "R8")),
    "state_added": Kind("new state {value}: {after}", ("R4", "R8")),
    "state_removed": Kind("state {value} is gone", ("R4", "R8")),
    "state": Kind(f"state {{value}}: {_CHANGED}", ("R4", "R8")),
    "handoff_added": Kind("new handoff of {value}: {after}", ("R6", "R8")),
    "handoff_removed": Kind("handoff of {value} is gone", ("R6", "R8")),
    "handoff": Kind(f"handoff of {{value}}: {_CHANGED}", ("R6", "R8")),
    "api": Kind(f"API chain of {{value}}: {_CHANGED}", ("R1",)),
    "reduction": Kind(f"reduction axis {{value}}: {_CHANGED}", ("R4", "R8")),
    "dimension": Kind(f"kernel side of {{value}}: {_CHANGED}", ("R1",)),
    "wrapper": Kind(f"operations outside the kernel: {_CHANGED}", ("R1",)),
    "name": Kind(f"name {_CHANGED}"),
    "description": Kind(f"description {_CHANGED}"),
    "golden_steps": Kind(f"golden steps {_CHANGED}"),
    "golden_stage_fn": Kind(f"stage function {_CHANGED}"),
    "boundary": Kind(f"reasons to start here: {_CHANGED}"),
    "source_lines": Kind(f"golden lines {_CHANGED}"),
    "reduction_figures": Kind(f"figures of reduction axis {{value}}: {_CHANGED}"),
    "verification": Kind(f"verification, {{value}}: {_CHANGED}"),
    "other": Kind(f"{{value}}: {_CHANGED}"),
}
