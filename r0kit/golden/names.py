"""A unique name for every value of a Program: the golden's own where it has one, and outputs before all others."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from r0kit.golden.naming import Values
from r0kit.golden.program import Kind, Step

_SHORT = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u", "bool": "b"}
_RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, "torch", "math", "F", "nn", "np", "self", "float", "int"})


def names_of(steps: Sequence[Step], taken: Iterable[str], outputs: Mapping[str, str]) -> dict[str, str]:
    """A readable, unique name for each Step, those in bodies too.

    taken: names of inputs and parameters; outputs: Step -> name of the output that it is. An output has its name from
    the first: what the golden called the same before gets another (`y = a * b; return y.half()` has `y_f32` and `y`).
    """
    naming = _Naming(frozenset(taken), outputs, {step.target: step for step in steps}, Values.of(steps))
    for step in steps:
        if step.target in outputs:
            name = outputs[step.target]
            naming.give(step, f"{name}_new" if name in naming.inputs else name)
    for step in _all(steps):
        if step.target not in naming.chosen:
            naming.give(step, naming.base(step))
    return naming.chosen


def _all(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all(step.body)


class _Naming:
    """Names given so far."""

    def __init__(
        self, inputs: Collection[str], outputs: Mapping[str, str], steps: Mapping[str, Step], values: Values
    ) -> None:
        self.inputs, self.values = inputs, values
        self.returned = frozenset(outputs.values())
        self.converted = {steps[name].tensors[0] for name in outputs if name in steps and steps[name].op == "cast"}
        self.chosen: dict[str, str] = {}
        self._used = {*inputs, *_RESERVED}
        self._numbers: dict[str, int] = {}

    def give(self, step: Step, base: str) -> None:
        name = base
        while name in self._used:
            self._numbers[base] = self._numbers.get(base, 1) + 1
            name = f"{base}_{self._numbers[base]}"
        self._used.add(name)
        self.chosen[step.target] = name

    def base(self, step: Step) -> str:
        """The golden's own name; for a cast its operand's with the dtype; what the value is for all else."""
        if step.name in self.returned:
            return self._before_the_output(step)
        if step.op == "cast" and (not step.name or step.name in self.inputs):
            source = self.chosen.get(step.tensors[0], step.tensors[0]) if step.tensors else ""
            stem = step.name or (re.sub(r"_b?[fiu]\d+$", "", source) if source.isidentifier() else "cast")
            return f"{stem}_{short_dtype(step.dtype)}"
        return step.name or self.values.name(step)

    def _before_the_output(self, step: Step) -> str:
        """A value that the golden calls as it calls an output later: by its dtype, where the output is the same value in
        another, else by what it is."""
        if step.target in self.converted or step.op == "cast":
            return f"{step.name}_{short_dtype(step.dtype)}"
        loop = step.kind is Kind.LOOP or step.op == "project"
        plain = step.op if step.kind is Kind.CONTRACTION else self.values.name(step)
        what = "loop" if loop else step.origin or plain
        return f"{step.name}_{what}"


def short_dtype(dtype: str) -> str:
    """float32 -> f32, bfloat16 -> bf16, int8 -> i8, bool -> bool."""
    match = re.match(r"(bfloat|float|uint|int)(\d.*)", dtype)
    return _SHORT[match.group(1)] + match.group(2).replace("_", "") if match else dtype
