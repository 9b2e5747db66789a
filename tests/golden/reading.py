"""Goldens written into tests: read with a SPEC made of shapes, and held against torch in numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from r0kit.golden import program_of
from r0kit.golden.dims import shape_text
from r0kit.golden.program import Program, Step
from r0kit.golden.show import operand_text
from r0kit.spec import Case, Spec, TensorSpec


@dataclass(frozen=True, slots=True)
class Snippet:
    """A golden with what SPEC would say of it.

    shapes: per input its extents ("M N"), with a dtype behind a colon ("M N: int8"); sizes: of the first p0 case;
    params: SPEC's default_params; lists: number of tensors in each list input; optional: inputs that no case gives.
    """

    source: str
    shapes: Mapping[str, str]
    sizes: Mapping[str, int] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    lists: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "import math\nimport torch\nimport torch.nn.functional as F\n" + textwrap.dedent(self.source)

    @property
    def extents(self) -> dict[str, int]:
        """The sizes given, and small distinct ones for the other symbols."""
        names = dict.fromkeys(name for shape in self.shapes.values() for name in _parts(shape)[0] if not name.isdigit())
        spare = iter((3, 5, 7, 4, 6, 9, 11))
        return {name: self.sizes.get(name) or next(spare) for name in names}

    def spec(self) -> Spec:
        inputs = tuple(
            TensorSpec(name, _shape(_parts(shape)[0]), _parts(shape)[1], is_list=name in self.lists)
            for name, shape in self.shapes.items()
        )
        sizes = {name: self._sizes(name) for name in self.shapes}
        case = Case(
            "p0",
            {},
            {name: size for name, size in sizes.items() if name not in self.lists},
            input_lists={name: (sizes[name],) * count for name, count in self.lists.items()},
        )
        return Spec("SPEC.md", inputs=inputs, default_params=self.params, p0_cases=(case,))

    def _sizes(self, name: str) -> tuple[int, ...]:
        return tuple(self.extents.get(part) or int(part) for part in _parts(self.shapes[name])[0])

    def read(self) -> Program:
        return program_of(self.text, "f_golden.py", self.spec())

    def tensors(self, seed: int = 0) -> dict[str, Any]:
        """Random tensors for the inputs. Needs torch."""
        import torch

        torch.manual_seed(seed)
        made = {}
        for name, shape in self.shapes.items():
            draw = [_random(self._sizes(name), _parts(shape)[1]) for _ in range(self.lists.get(name, 1))]
            made[name] = draw if name in self.lists else draw[0]
        return made

    def run(self) -> list[Any]:
        """What torch makes of the golden. Needs torch."""
        module: dict[str, Any] = {}
        exec(compile(self.text, "f_golden.py", "exec"), module)
        function = next(value for name, value in module.items() if name.endswith("_golden"))
        result = function(**self.tensors(), **self.params)
        return list(_leaves(result))


def _parts(shape: str) -> tuple[list[str], str]:
    extents, _, dtype = shape.partition(":")
    return extents.split(), dtype.strip() or "float32"


def _shape(names: Sequence[str]) -> tuple[str | int, ...]:
    return tuple(int(name) if name.isdigit() else name for name in names)


def _random(sizes: Sequence[int], dtype: str) -> Any:
    import torch

    kind = getattr(torch, dtype)
    if kind is torch.bool:
        return torch.rand(*sizes) < 0.5
    if not kind.is_floating_point:
        return torch.randint(0, 3, tuple(sizes)).to(kind)
    return torch.randn(*sizes).to(kind)


def _leaves(value: Any) -> Any:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value


def written(program: Program) -> list[str]:
    """Each Step as `target = op(operands): [shape] dtype`."""
    return [line(step) for step in program.steps]


def line(step: Step) -> str:
    operands = ", ".join(map(operand_text, step.operands))
    return f"{step.target} = {step.op}({operands}): {shape_text(step.shape)} {step.dtype}"
