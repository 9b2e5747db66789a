"""The golden of a contract as Programs: read under the contract's shapes, dtypes and parameters, SPEC filling the gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from r0kit.contract.model import Contract, Tensor
from r0kit.golden import read_program
from r0kit.partition import Strategy, partition
from r0kit.spec import Case, Spec, TensorSpec
from r0kit.spec.dimension import value
from r0kit.spec.model import Dimension
from r0kit.stages.calling import calling_of
from r0kit.stages.slicing import SliceError
from r0kit.stages.source import Cut, cut

# What a contract calls the dtypes that no kernel has, and what the golden may have kept in them.
_WIDER = {"float32": ("float64",), "float8": ("float8_e4m3fn", "float8_e5m2")}
_ALGORITHMS = {"online": Strategy.ONLINE, "resident": Strategy.SINGLE_TILE}


def cut_golden(contract: Contract, golden: str, spec: Spec | None, dtypes: Mapping[str, str]) -> Cut:
    """The stage functions of `contract` over the golden in the file `golden`.

    dtypes: of the inputs for which they are not the contract's. The golden is sliced as the contract's own strategy
    rewrites it, as it stands, or, where a person has changed the contract, as another strategy rewrites it.
    InputError where the golden cannot be read, SliceError where no way of reading it has what the contract names.
    """
    known = spec_of(contract, spec, dtypes, golden)
    program = read_program(golden, known, contract.op)
    own, *others = strategies(contract)
    first = partition(program, known, own).program
    try:
        return cut(contract, [first, program])
    except SliceError as error:
        rewritten = [partition(program, known, strategy).program for strategy in others]
        try:
            return cut(contract, [first, program, *rewritten])
        except SliceError:
            raise error from None


def strategies(contract: Contract) -> list[Strategy]:
    """The strategy that the contract says it was drafted under, and then all others."""
    recorded = [module.traversal.get("algorithm") for module in contract.modules if module.traversal]
    named = contract.extra.get("strategy")
    found = [Strategy(named)] if named in {strategy.value for strategy in Strategy} else []
    found += [_ALGORITHMS[name] for name in _ALGORITHMS if name in recorded]
    return list(dict.fromkeys([*found, Strategy.CONVENTIONAL, Strategy.ONLINE, Strategy.SINGLE_TILE]))


def spec_of(contract: Contract, spec: Spec | None, dtypes: Mapping[str, str], golden: str) -> Spec:
    """What the golden is to be read under: SPEC with the inputs, shapes and parameters of the contract."""
    base = spec or Spec("", op_name=contract.op)
    inputs = tuple(_tensor(tensor, base.input(tensor.name), dtypes) for tensor in contract.primary_inputs)
    cases = _of_spec(base, {tensor.name for tensor in inputs}, golden, contract.op) or list(_cases(contract))
    params = {**base.params(cases[0] if cases else None), **contract.params}
    chosen = tuple(replace(case, params=params if case is cases[0] else case.params) for case in cases)
    return replace(base, inputs=inputs, p0_cases=chosen, default_params={**base.default_params, **contract.params})


def _of_spec(spec: Spec, names: Set[str], golden: str, op: str) -> list[Case]:
    """The p0 cases that give these inputs; they need not give the tensors that the golden's class owns."""
    given = [case.input_shapes.keys() | case.input_lists.keys() for case in spec.p0_cases]
    if names not in given and any(some < names for some in given):
        calling = calling_of(golden, op, spec)
        names = {name for name in names if spec.input(name) or not calling.owns(name)}
    return [case for case, some in zip(spec.p0_cases, given, strict=True) if some == names]


def _tensor(tensor: Tensor, spec: TensorSpec | None, dtypes: Mapping[str, str]) -> TensorSpec:
    known = spec or TensorSpec(tensor.name)
    dtype = tensor.dtype or known.dtype
    if known.dtype in _WIDER.get(dtype, ()):
        dtype = known.dtype
    shape = dimensions(tensor.shape) if tensor.shape else known.shape
    return replace(known, shape=shape, dtype=dtypes.get(tensor.name, dtype))


def _cases(contract: Contract) -> Iterator[Case]:
    """The shapes of composition_verification as p0 cases."""
    for number, bindings in enumerate(contract.verification.shapes, 1):
        shapes: dict[str, tuple[int, ...]] = {}
        for tensor in contract.primary_inputs:
            extents = [_extent(dimension, bindings) for dimension in dimensions(tensor.shape)]
            if None not in extents:
                shapes[tensor.name] = tuple(extent for extent in extents if extent is not None)
        yield Case(f"shape_{number}", input_shapes=shapes)


def dimensions(shape: str) -> tuple[Dimension, ...]:
    """The dimensions that a contract's shape text lists."""
    inner = shape.strip().removeprefix("[").removesuffix("]")
    parts = [part.strip() for part in inner.split(",") if part.strip()]
    return tuple(int(part) if part.isdecimal() else part for part in parts)


def _extent(dimension: Dimension, bindings: Mapping[str, int]) -> int | None:
    try:
        return value(dimension, bindings)
    except ValueError:
        return None
