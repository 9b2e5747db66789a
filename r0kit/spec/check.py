"""Whether a Spec agrees with itself: names, dtypes, dimensions, and each p0 case against the shapes and ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from r0kit.finding import Finding, Severity
from r0kit.spec.dimension import readable, symbols, value
from r0kit.spec.dtypes import DECLARED, VOCABULARY, known
from r0kit.spec.model import Case, Dimension, Place, Sizes, Spec, TensorSpec
from r0kit.spec.node import Key, location, place_of
from r0kit.spec.suggest import listed, meant

_DIMENSION_HINT = "write an integer, or names, integers and + - * // with parentheses"


def check(spec: Spec, places: Mapping[Key, Place]) -> Iterator[Finding]:
    """Every contradiction in `spec`; `places` says where its items stand, by path of keys and indices."""
    yield from _names(spec)
    yield from _dimensions(spec)
    yield from _dtypes(spec, places)
    yield from _ranges(spec, places)
    for index, case in enumerate(spec.p0_cases):
        yield from _CaseCheck(spec, case, spec.bindings(case), ("p0_cases", index), places).findings()


# Names, dimensions, dtypes


def _names(spec: Spec) -> Iterator[Finding]:
    for what, named in (
        ("input", [(tensor.name, tensor.place) for tensor in spec.inputs]),
        ("output", [(tensor.name, tensor.place) for tensor in spec.outputs]),
        ("p0 case", [(case.name, case.place) for case in spec.p0_cases]),
    ):
        first: dict[str, Place] = {}
        for name, place in named:
            if name in first:
                message = f"the {what} {name} occurs twice; the first is at line {first[name].line}"
                yield _error(spec, "repeated", message, place, "give each its own name")
            first.setdefault(name, place)


def _dimensions(spec: Spec) -> Iterator[Finding]:
    for tensor in (*spec.inputs, *spec.outputs):
        for dimension in tensor.shape or ():
            if isinstance(dimension, int):
                if dimension < 1:
                    message = f"a dimension of {tensor.name} is {dimension}"
                    yield _error(spec, "dimension", message, tensor.place, "a dimension is a positive integer")
            elif not readable(dimension):
                message = f"a dimension of {tensor.name} is {dimension[:60]!r}, which is no expression"
                yield _error(spec, "dimension", message, tensor.place, _DIMENSION_HINT)


def _dtypes(spec: Spec, places: Mapping[Key, Place]) -> Iterator[Finding]:
    named = [(f"the dtype of {t.name}", t.dtype, t.place) for t in (*spec.inputs, *spec.outputs) if t.dtype]
    spot = place_of(places, ("supported_dtypes",))
    named += [("a supported dtype", dtype, spot) for dtype in spec.supported_dtypes]
    for index, case in enumerate(spec.p0_cases):
        at = place_of(places, ("p0_cases", index, "dtypes"))
        named += [(f"the dtype of {name} in {case.name}", dtype, at) for name, dtype in case.dtypes.items()]
    for what, dtype, place in named:
        if not known(dtype):
            yield _error(
                spec, "dtype", f"{what} is {dtype[:40]!r}", place, meant(dtype, VOCABULARY) or listed(VOCABULARY)
            )
        elif dtype == "float64" and what != "a supported dtype":
            message = f"{what} is float64; the contract declares {DECLARED[dtype]}"
            yield _warning(spec, "float64", message, place, "the NPU has no float64; name the dtype of the kernel")
    yield from _unsupported(spec)


def _unsupported(spec: Spec) -> Iterator[Finding]:
    for tensor in spec.inputs:
        if spec.supported_dtypes and tensor.dtype and tensor.dtype not in spec.supported_dtypes:
            message = f"{tensor.name} is {tensor.dtype}, which supported_dtypes does not list"
            yield _warning(spec, "supported-dtypes", message, tensor.place, f"add {tensor.dtype!r} to supported_dtypes")


def _ranges(spec: Spec, places: Mapping[Key, Place]) -> Iterator[Finding]:
    """Symbols with a range that no shape has. Without any shape, as in bare front matter, nothing can be said."""
    shapes = [tensor.shape for tensor in (*spec.inputs, *spec.outputs) if tensor.shape is not None]
    used = {name for shape in shapes for name in _symbols_of(shape)}
    for name in spec.dynamic_axes_ranges if used else ():
        if name not in used:
            place = place_of(places, ("dynamic_axes_ranges", name))
            message = f"dynamic_axes_ranges names {name}, which no shape has"
            yield _warning(spec, "axes", message, place, meant(name, used) or "remove it, or use it in a shape")


# Cases


@dataclass(frozen=True, slots=True)
class _CaseCheck:
    """One p0 case against the tensors, parameters and ranges of its SPEC."""

    spec: Spec
    case: Case
    bindings: Mapping[str, int]
    key: Key
    places: Mapping[Key, Place]

    def findings(self) -> Iterator[Finding]:
        yield from self.unknown_names()
        yield from self.missing_shapes()
        yield from self.ranks()
        yield from self.extents()
        yield from self.outside_ranges()
        yield from self.unbound()

    def at(self, *key: str | int) -> Place:
        return place_of(self.places, (*self.key, *key))

    def unknown_names(self) -> Iterator[Finding]:
        inputs, outputs = _named(self.spec.inputs), _named(self.spec.outputs)
        for kind, given, allowed in (
            ("input_shapes", {**self.case.input_shapes, **self.case.input_lists}, inputs),
            ("output_shapes", {**self.case.output_shapes, **self.case.output_lists}, outputs),
            ("dtypes", self.case.dtypes, inputs + outputs),
            ("input_special_values", self.case.input_special_values, inputs),
        ):
            for name in given:
                if allowed and name not in allowed:
                    message = f"{kind} of {self.case.name} names {name}, which SPEC does not declare"
                    yield _error(
                        self.spec, "case-name", message, self.at(kind, name), meant(name, allowed) or listed(allowed)
                    )
        defaults = tuple(self.spec.default_params)
        for name in self.case.params:
            if name not in defaults:
                message = f"params of {self.case.name} sets {name}, which default_params does not have"
                hint = meant(name, defaults) or f"add {name} to default_params if the golden has a default for it"
                yield _warning(self.spec, "params", message, self.at("params", name), hint)

    def missing_shapes(self) -> Iterator[Finding]:
        given = {**self.case.input_shapes, **self.case.input_lists}
        for tensor in self.spec.inputs if given else ():
            if tensor.name not in given:
                message = f"{self.case.name} gives no shape to the input {tensor.name}"
                yield _warning(
                    self.spec, "case-shape", message, self.at("input_shapes"), f"add {tensor.name} to input_shapes"
                )

    def shapes(self) -> Iterator[tuple[str, TensorSpec, Sizes, tuple[int, ...]]]:
        """(kind, tensor, extents, index of the list member) of each tensor that the case gives a shape."""
        for kind, tensors, shapes, lists in (
            ("input_shapes", self.spec.inputs, self.case.input_shapes, self.case.input_lists),
            ("output_shapes", self.spec.outputs, self.case.output_shapes, self.case.output_lists),
        ):
            for tensor in tensors:
                if tensor.name in shapes:
                    yield kind, tensor, shapes[tensor.name], ()
                for index, member in enumerate(lists.get(tensor.name, ())):
                    yield kind, tensor, member, (index,)

    def ranks(self) -> Iterator[Finding]:
        for kind, tensor, sizes, member in self.shapes():
            if tensor.shape is not None and len(sizes) != len(tensor.shape):
                message = (
                    f"{self.case.name} gives {tensor.name} the shape {_text(sizes)}, "
                    f"but SPEC declares {_text(tensor.shape)} (line {tensor.place.line})"
                )
                place = self.at(kind, tensor.name, *member)
                yield _error(self.spec, "rank", message, place, f"give {len(tensor.shape)} extents, or mend the shape")

    def equations(self) -> Iterator[tuple[str, TensorSpec, int, Dimension, int, Place]]:
        for kind, tensor, sizes, member in self.shapes():
            if tensor.shape is not None and len(sizes) == len(tensor.shape):
                for axis, (dimension, size) in enumerate(zip(tensor.shape, sizes, strict=True)):
                    yield kind, tensor, axis, dimension, size, self.at(kind, tensor.name, *member, axis)

    def extents(self) -> Iterator[Finding]:
        equations = list(self.equations())
        owners: dict[Dimension, str] = {}
        for kind, tensor, axis, dimension, size, place in equations:
            owners.setdefault(dimension, f"{tensor.name} (line {place.line})")
            if isinstance(dimension, str) and not readable(dimension):
                continue
            expected = value(dimension, self.bindings)
            if expected is not None and expected != size:
                message = f"{self.case.name} gives dimension {axis} of {tensor.name} the extent {size}"
                message += _why(dimension, expected, owners[dimension], self.bindings)
                rule = "output-shape" if kind == "output_shapes" else "extent"
                yield _error(self.spec, rule, message, place, "make the case agree with the shapes")

    def outside_ranges(self) -> Iterator[Finding]:
        seen: set[str] = set()
        for _, _, _, dimension, _, place in self.equations():
            for name in _symbols_of([dimension]):
                low, high = self.spec.dynamic_axes_ranges.get(name, (0, 0))
                if name in self.bindings and name not in seen and high and not low <= self.bindings[name] <= high:
                    message = f"{self.case.name} has {name} = {self.bindings[name]}, outside its range [{low}, {high}]"
                    yield _warning(
                        self.spec, "axes", message, place, f"widen dynamic_axes_ranges.{name}, or change the case"
                    )
                seen.add(name)

    def unbound(self) -> Iterator[Finding]:
        """Symbols of the inputs that the case leaves open. Without any extents (missing shapes), the rest says why."""
        for tensor in self.spec.inputs if self.bindings else ():
            given = tensor.name in self.case.input_shapes or tensor.name in self.case.input_lists
            for name in _symbols_of(tensor.shape or ()) if given else ():
                if name not in self.bindings:
                    message = f"{self.case.name} does not determine {name} of {tensor.name}"
                    hint = f"let an input have {name} as a dimension of its own"
                    yield _warning(self.spec, "unbound", message, self.at("input_shapes", tensor.name), hint)


def _why(dimension: Dimension, expected: int, owner: str, bindings: Mapping[str, int]) -> str:
    if isinstance(dimension, int):
        return f", but SPEC fixes it at {dimension}"
    if dimension in bindings:
        return f", but {dimension} is {expected} by {owner}"
    values = ", ".join(f"{name} = {bindings[name]}" for name in symbols(dimension))
    return f", but {dimension} is {expected} where {values}"


def _named(tensors: Iterable[TensorSpec]) -> tuple[str, ...]:
    return tuple(tensor.name for tensor in tensors)


def _symbols_of(shape: Iterable[Dimension]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for dimension in shape if readable(dimension) for name in symbols(dimension)))


def _text(shape: Sequence[Dimension]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _error(spec: Spec, rule: str, message: str, place: Place, hint: str) -> Finding:
    return Finding(f"spec.{rule}", Severity.ERROR, message, location(spec.path, place), hint)


def _warning(spec: Spec, rule: str, message: str, place: Place, hint: str) -> Finding:
    return Finding(f"spec.{rule}", Severity.WARNING, message, location(spec.path, place), hint)
