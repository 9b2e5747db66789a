"""What is run: shapes, dtypes, parameters, value ranges and seeds, from the contract and SPEC. Without torch.

Every p0 case of SPEC and every binding of `composition_verification.shapes` is one shape; each runs with every seed.
Beside them, small shapes that kernels trip over are derived from SPEC's dynamic ranges (`derived.py`), with one seed, and
the first shape is run once in each further dtype that SPEC supports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from r0kit.contract.model import Contract, Tensor
from r0kit.finding import Fault, Severity
from r0kit.spec import Case, Spec, TensorSpec
from r0kit.spec.dimension import solve, value
from r0kit.verify.derived import derived_bindings

DEFAULT_SEEDS = (42,)
FLOAT_RANGE, SIGNED_RANGE, UNSIGNED_RANGE = (-1.0, 1.0), (-8.0, 7.0), (0.0, 15.0)

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the golden's source says about its inputs.

    indices: integer input -> extents that its values must stay below; constraints: equalities of extents that torch or
    the golden requires; folded: parameters on whose value the contract depends; owned: inputs that are tensors of the
    golden's class, so that no caller gives them.
    """

    indices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constraints: tuple[str, ...] = ()
    folded: Mapping[str, Any] = field(default_factory=dict)
    owned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TensorPlan:
    """One input of one case. shapes: one, or one for each member of a list; values lie in low..high, both included.

    owned: the golden's class gives it its values.
    """

    name: str
    shapes: tuple[Sizes, ...]
    dtype: str
    low: float
    high: float
    is_list: bool = False
    special: Any = None
    owned: bool = False


@dataclass(frozen=True, slots=True)
class CasePlan:
    """One run. shape: name of its shape case; variant: its dtypes where they are not the contract's; derived: by us."""

    shape: str
    seed: int
    bindings: Mapping[str, int]
    params: Mapping[str, Any]
    tensors: tuple[TensorPlan, ...]
    variant: str = ""
    derived: bool = False

    @property
    def id(self) -> str:
        """Its name in reports: `p0_small-seed42`, `p0_small-float32-seed42`."""
        return "-".join(part for part in (self.shape, self.variant, f"seed{self.seed}") if part)


@dataclass(frozen=True, slots=True)
class Variant:
    """Dtypes of inputs that differ from those of the contract; the name says which."""

    name: str
    dtypes: Mapping[str, str]


def plan(
    contract: Contract, spec: Spec | None, facts: Facts, seeds: Sequence[int] = ()
) -> tuple[tuple[CasePlan, ...], tuple[Fault, ...]]:
    """Every case to run, p0 cases first, and what is wrong with those that cannot be run."""
    planner = _Planner(contract, spec, facts)
    shapes = planner.shapes()
    chosen = tuple(seeds) or contract.verification.seeds or DEFAULT_SEEDS
    cases = [replace(case, seed=seed) for case in shapes if not case.derived for seed in chosen]
    cases += [replace(case, seed=chosen[0]) for case in planner.other_dtypes(shapes)]
    cases += [replace(case, seed=chosen[0]) for case in shapes if case.derived]
    return tuple(cases), tuple(planner.faults)


def dimensions(shape: str) -> list[str]:
    """The dimensions that a contract's shape text lists."""
    inner = shape.strip().removeprefix("[").removesuffix("]")
    return [part.strip() for part in inner.split(",") if part.strip()]


def sizes(shape: str, bindings: Mapping[str, int]) -> list[int | None]:
    """Extents of a shape under `bindings`; None where only running the golden can tell."""
    return [_extent(dimension, bindings) for dimension in dimensions(shape)]


def variants(contract: Contract, spec: Spec | None) -> tuple[Variant, ...]:
    """Dtype cases beside the contract's own: those of p0 cases, and the other floats that SPEC supports.

    A supported dtype takes the place of the first input's where that is a supported one of the same kind; SPEC says no
    more than that about which inputs it means.
    """
    if spec is None:
        return ()
    found = {variant.name: variant for case in spec.p0_cases if (variant := _overrides(contract, case))}
    for variant in _supported(contract, spec):
        found.setdefault(variant.name, variant)
    return tuple(found.values())


class _Planner:
    def __init__(self, contract: Contract, spec: Spec | None, facts: Facts) -> None:
        self.contract, self.spec, self.facts = contract, spec, facts
        self.faults: list[Fault] = []
        self.specs = {tensor.name: tensor for tensor in spec.inputs} if spec else {}

    def shapes(self) -> list[CasePlan]:
        """One case per shape, with seed 0."""
        found: list[CasePlan] = []
        if self.spec:
            found += [case for source in self.spec.p0_cases if (case := self._of_spec(source))]
        known = [dict(case.bindings) for case in found]
        for index, bindings in enumerate(self.contract.verification.shapes):
            case = self._of_bindings(f"shape_{index + 1}", bindings, ("composition_verification", "shapes", index))
            if case and not any(_same(case.bindings, other) for other in known):
                found.append(case)
        return self._unique(found) + self._derived(found)

    def other_dtypes(self, shapes: Sequence[CasePlan]) -> Iterator[CasePlan]:
        """The first shape in every further dtype."""
        first = next((case for case in shapes if not case.variant and not case.derived), None)
        done = {case.variant for case in shapes}
        for variant in variants(self.contract, self.spec):
            if first and variant.name not in done:
                tensors = (replace(t, dtype=variant.dtypes.get(t.name, t.dtype)) for t in first.tensors)
                yield replace(first, tensors=tuple(tensors), variant=variant.name)

    def _of_spec(self, source: Case) -> CasePlan | None:
        left_out = self._left_out(source)
        if left_out or self.spec is None:
            self.faults.append(Fault(("composition_verification",), left_out, severity=Severity.WARNING))
            return None
        shapes = {name: (extents,) for name, extents in source.input_shapes.items()} | dict(source.input_lists)
        equations = self._equations(source)
        if equations is None:
            return None
        bindings = solve(equations)
        variant = _overrides(self.contract, source)
        shapes |= {
            t.name: (self._buffer(t, source, bindings),) for t in self.contract.primary_inputs if not self._is_given(t)
        }
        tensors = [self._tensor(t, shapes[t.name], bindings, source, variant) for t in self.contract.primary_inputs]
        name = variant.name if variant else ""
        return CasePlan(source.name, 0, bindings, self.spec.params(source), tuple(tensors), name)

    def _left_out(self, source: Case) -> str:
        """Why a p0 case is not one of this contract; "" where it is."""
        given = source.input_shapes.keys() | source.input_lists.keys()
        wanted = {tensor.name for tensor in self.contract.primary_inputs if self._is_given(tensor)}
        if given != wanted:
            others = ", ".join(sorted(given ^ wanted))
            return f"p0 case {source.name} is left out: it differs from the contract in its inputs ({others})"
        params = self.spec.params(source) if self.spec else {}
        for name, chosen in self.facts.folded.items():
            if name in params and params[name] != chosen:
                return (
                    f"p0 case {source.name} is left out: the contract holds for {name} = {chosen!r}, "
                    f"and the case has {params[name]!r}"
                )
        return ""

    def _is_given(self, tensor: Tensor) -> bool:
        """Whether a p0 case of SPEC has to say how large a primary input is."""
        return not self._is_buffer(tensor) and (tensor.name in self.specs or tensor.name not in self.facts.owned)

    def _is_buffer(self, tensor: Tensor) -> bool:
        """Whether a primary input is what the golden stores a result into, which SPEC lists as an output alone."""
        return self.spec is not None and tensor.name not in self.specs and self.spec.output(tensor.name) is not None

    def _buffer(self, tensor: Tensor, source: Case, bindings: Mapping[str, int]) -> Sizes:
        return source.output_shapes.get(tensor.name) or tuple(e or 0 for e in sizes(tensor.shape, bindings))

    def _equations(self, source: Case) -> list[tuple[str | int, int]] | None:
        """What the case's shapes say about the contract's symbols; None where a rank does not fit."""
        equations: list[tuple[str | int, int]] = []
        for index, tensor in enumerate(self.contract.primary_inputs):
            declared, given = dimensions(tensor.shape), source.input_shapes.get(tensor.name)
            if not tensor.shape or given is None:
                continue
            if len(declared) != len(given):
                what = f"{tensor.name} is declared {tensor.shape}, and p0 case {source.name} gives it {list(given)}"
                self.faults.append(Fault(("primary_inputs", index, "shape"), what, "correct the shape"))
                return None
            equations += zip(declared, given, strict=True)
        return equations

    def _of_bindings(self, name: str, bindings: Mapping[str, Any], path: tuple[Any, ...]) -> CasePlan | None:
        known = {key: extent for key, extent in bindings.items() if type(extent) is int}
        tensors: list[TensorPlan] = []
        for tensor in self.contract.primary_inputs:
            extents = [extent for extent in sizes(tensor.shape, known) if extent is not None]
            if len(extents) != len(dimensions(tensor.shape)) or (not tensor.shape and not self._is_scalar(tensor)):
                what = f"the shape {dict(bindings)} does not say how large {tensor.name} {tensor.shape} is"
                self.faults.append(Fault(path, what, "bind every symbol of the primary inputs"))
                return None
            tensors.append(self._tensor(tensor, (tuple(extents),), known))
        params = {**self.contract.params, **(self.spec.params() if self.spec else {})}
        return CasePlan(name, 0, known, params, tuple(tensors))

    def _is_scalar(self, tensor: Tensor) -> bool:
        spec = self.specs.get(tensor.name)
        return spec is not None and spec.shape == ()

    def _tensor(
        self,
        tensor: Tensor,
        shapes: tuple[Sizes, ...],
        bindings: Mapping[str, int],
        source: Case | None = None,
        variant: Variant | None = None,
    ) -> TensorPlan:
        spec = self.specs.get(tensor.name, TensorSpec(tensor.name))
        dtype = tensor.dtype or spec.dtype or "float32"
        if variant:
            dtype = variant.dtypes.get(tensor.name, dtype)
        low, high = self._range(spec, dtype, bindings) if not self._is_buffer(tensor) else (0.0, 0.0)
        special = source.input_special_values.get(tensor.name) if source else None
        owned = tensor.name in self.facts.owned and spec.value_range is None and special is None
        return TensorPlan(tensor.name, shapes, dtype, low, high, spec.is_list, special, owned)

    def _range(self, spec: TensorSpec, dtype: str, bindings: Mapping[str, int]) -> tuple[float, float]:
        """SPEC's range; an index stays inside what it points into."""
        low, high = spec.value_range or _usual_range(dtype)
        extents = [_extent(dimension, bindings) for dimension in self.facts.indices.get(spec.name, ())]
        known = [extent for extent in extents if extent is not None]
        if not known:
            return low, high
        top = float(max(min(known) - 1, 0))
        return (min(max(low, 0.0), top), min(high, top)) if spec.value_range else (0.0, top)

    def _derived(self, shapes: Sequence[CasePlan]) -> list[CasePlan]:
        first = next((case for case in shapes if not case.variant), None)
        if first is None or self.spec is None or any(tensor.is_list for tensor in first.tensors):
            return []
        requirements = [*self.spec.shape_constraints, *self.facts.constraints]
        found = derived_bindings(self.spec.dynamic_axes_ranges, first.bindings, requirements, first.params)
        cases = [self._of_bindings(name, bindings, ()) for name, bindings in found.items()]
        return [replace(case, params=first.params, derived=True) for case in cases if case]

    def _unique(self, cases: Iterable[CasePlan]) -> list[CasePlan]:
        """The same cases with different names."""
        taken: set[str] = set()
        result: list[CasePlan] = []
        for case in cases:
            name, number = case.shape, 1
            while name in taken:
                number += 1
                name = f"{case.shape}_{number}"
            taken.add(name)
            result.append(replace(case, shape=name))
        return result


def _overrides(contract: Contract, case: Case) -> Variant | None:
    """The dtypes of a p0 case that are not the contract's."""
    declared = {tensor.name: tensor.dtype for tensor in contract.primary_inputs}
    return _variant({n: d for n, d in case.dtypes.items() if n in declared and d != declared[n]})


def _supported(contract: Contract, spec: Spec) -> Iterator[Variant]:
    leading = next((tensor.dtype for tensor in contract.primary_inputs), "")
    if leading not in spec.supported_dtypes or "float" not in leading:
        return
    for dtype in spec.supported_dtypes:
        if dtype != leading and "float" in dtype:
            chosen = {tensor.name: dtype for tensor in contract.primary_inputs if tensor.dtype == leading}
            yield Variant(dtype, chosen)


def _variant(dtypes: Mapping[str, str]) -> Variant | None:
    if not dtypes:
        return None
    distinct = set(dtypes.values())
    return Variant(distinct.pop() if len(distinct) == 1 else "+".join(f"{n}.{d}" for n, d in dtypes.items()), dtypes)


def _usual_range(dtype: str) -> tuple[float, float]:
    if "int" not in dtype:
        return FLOAT_RANGE
    return UNSIGNED_RANGE if dtype.startswith("u") else SIGNED_RANGE


def _extent(dimension: str, bindings: Mapping[str, int]) -> int | None:
    try:
        return value(dimension, bindings)
    except ValueError:
        return None


def _same(left: Mapping[str, int], right: Mapping[str, int]) -> bool:
    """Whether two bindings agree on every symbol that both have, and share one."""
    shared = left.keys() & right.keys()
    return bool(shared) and all(left[symbol] == right[symbol] for symbol in shared)
