"""What a SPEC.md says, typed and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from r0kit.spec.dimension import solve

Dimension = str | int  # an expression of symbols and `+ - * //`, or an extent
Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Line and column (from 1, in code points) of an item in the SPEC; line 0 where it stands nowhere."""

    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """An input or output. `shape` is None where SPEC does not say, () for a 0-d tensor; `dtype` "" where it does not say.

    dtype: as torch prints it, without "torch.". is_list: a list of tensors, each of this shape. any_rank: the shape is
    ["..."], so that only the cases say it.
    """

    name: str
    shape: tuple[Dimension, ...] | None = None
    dtype: str = ""
    value_range: tuple[float, float] | None = None
    is_list: bool = False
    any_rank: bool = False
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a result may be off: absolute and relative, or by the name of a policy ("pro_scheme_a")."""

    atol: float | None = None
    rtol: float | None = None
    policy: str = ""
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Case:
    """A p0 case: the extents of each tensor, and the parameters that differ from the defaults.

    input_lists, output_lists: for a list of tensors, the extents of each of them.
    dtypes: of the tensors for which the case overrides SPEC. special_values: per input, as SPEC writes them.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    input_shapes: Mapping[str, Sizes] = field(default_factory=dict)
    output_shapes: Mapping[str, Sizes] = field(default_factory=dict)
    input_lists: Mapping[str, tuple[Sizes, ...]] = field(default_factory=dict)
    output_lists: Mapping[str, tuple[Sizes, ...]] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    input_special_values: Mapping[str, Any] = field(default_factory=dict)
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Spec:
    """Everything a SPEC.md states. What it leaves out is empty: a SPEC need not say anything.

    training: the mode of a golden that is an nn.Module, which is not in the SPEC.md but said with `--eval`.
    """

    path: str
    op_name: str = ""
    formula: str = ""
    supported_dtypes: tuple[str, ...] = ()
    inputs: tuple[TensorSpec, ...] = ()
    outputs: tuple[TensorSpec, ...] = ()
    default_params: Mapping[str, Any] = field(default_factory=dict)
    tolerance: Tolerance = Tolerance()
    dynamic_axes_ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    shape_constraints: tuple[str, ...] = ()
    p0_cases: tuple[Case, ...] = ()
    training: bool = True

    def input(self, name: str) -> TensorSpec | None:
        """The input `name`, or None."""
        return next((tensor for tensor in self.inputs if tensor.name == name), None)

    def output(self, name: str) -> TensorSpec | None:
        """The output `name`, or None."""
        return next((tensor for tensor in self.outputs if tensor.name == name), None)

    def params(self, case: Case | None = None) -> dict[str, Any]:
        """Scalar parameters by name: the defaults, overridden by those of `case` (the first p0 case by default)."""
        chosen = case or next(iter(self.p0_cases), None)
        return {**self.default_params, **(chosen.params if chosen else {})}

    def bindings(self, case: Case) -> dict[str, int]:
        """Extent of each symbol of the inputs' and outputs' shapes that `case` determines.

        An expression such as `2*D` determines its symbol where that has exactly one solution. Where two places of the
        case disagree the first one decides; `read_spec` reports it.
        """
        return solve(self.equations(case))

    def equations(self, case: Case) -> list[tuple[Dimension, int]]:
        """(dimension, extent) pairs of every tensor, and member of a list of tensors, that `case` gives extents for."""
        pairs: list[tuple[Dimension, int]] = []
        for tensor, sizes in self.sized(case):
            if tensor.shape is not None and len(sizes) == len(tensor.shape):
                pairs.extend(zip(tensor.shape, sizes, strict=True))
        return pairs

    def sized(self, case: Case) -> list[tuple[TensorSpec, Sizes]]:
        """(tensor, extents) of everything that `case` gives extents for, inputs first; a list's members one by one."""
        found: list[tuple[TensorSpec, Sizes]] = []
        for tensors, shapes, lists in (
            (self.inputs, case.input_shapes, case.input_lists),
            (self.outputs, case.output_shapes, case.output_lists),
        ):
            for tensor in tensors:
                found.extend((tensor, sizes) for sizes in (shapes.get(tensor.name),) if sizes is not None)
                found.extend((tensor, sizes) for sizes in lists.get(tensor.name, ()))
        return found


def in_eval(spec: Spec | None, path: str) -> Spec:
    """SPEC for a golden that is an nn.Module in eval mode; `path` names the golden where there is no SPEC."""
    return replace(spec or Spec(path), training=False)
