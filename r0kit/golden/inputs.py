"""The arguments with which a golden is read: tensors with SPEC's symbolic shapes, scalars with SPEC's values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from r0kit.golden.candidates import is_static
from r0kit.golden.dims import Dim, Shape, parse_dim
from r0kit.golden.dtypes import BYTES, canonical
from r0kit.golden.evaluate import modules
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.program import Input, Program, ScalarParameter
from r0kit.golden.scalars import Parameter as ParameterScalar
from r0kit.golden.signature import GoldenFunction, Parameter, Passing, Role, Style
from r0kit.golden.values import (
    NONE,
    DictValue,
    DtypeValue,
    ScalarValue,
    SequenceValue,
    UnknownValue,
    Value,
    constant,
    is_none,
)
from r0kit.spec import Case, Spec, TensorSpec

LISTED = 2  # tensors in a list whose length no p0 case says


class Arguments:
    """Binds every parameter of the golden; `inputs` and `parameters` are those of the Program.

    overwritten: tensor parameters that the golden only writes to; inputs too, where it does not write to all of them.
    mappings: its dict parameters, which it may change.
    """

    def __init__(self, run: Run, golden: GoldenFunction, spec: Spec) -> None:
        self.run, self.builder, self.golden, self.spec = run, run.builder, golden, spec
        self.case: Case | None = next(iter(spec.p0_cases), None)
        self.inputs: list[Input] = []
        self.overwritten: list[Input] = []
        self.mappings: dict[str, DictValue] = {}
        self.parameters: list[ScalarParameter] = []
        self._defaults = dict(_defaults(golden))

    def bind(self, scope: Scope) -> None:
        """Bind the parameters in `scope`; keys of a dict, `*args` and `**kwargs` are put together again."""
        gathered = self.mappings
        listed: dict[str, list[Value]] = {}
        for parameter in self.golden.parameters:
            value = self._value(parameter)
            if parameter.passing is Passing.VARIADIC:
                listed.setdefault(parameter.key_of or parameter.name, []).append(value)
            elif parameter.key_of:
                gathered.setdefault(parameter.key_of, DictValue()).items[parameter.name] = value
            else:
                scope.names[parameter.name] = value
        scope.names.update(gathered)
        scope.names.update({name: SequenceValue(items) for name, items in listed.items()})
        self._bind_rest(scope)

    def _bind_rest(self, scope: Scope) -> None:
        """Parameters that no caller gives: bound by a partial, or empty."""
        given = self.golden.node.args
        for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            if argument.arg not in scope.names:
                scope.names[argument.arg] = UnknownValue(f"`{argument.arg}` is given where the golden is made")
        if given.vararg is not None:
            scope.names.setdefault(given.vararg.arg, SequenceValue([]))
        if given.kwarg is not None:
            scope.names.setdefault(given.kwarg.arg, DictValue())

    def bind_module(self, scope: Scope) -> None:
        """Bind `self` of a `forward` to the module that the file makes."""
        owner, node = self.golden.owner, self.golden.node
        named = [*node.args.posonlyargs, *node.args.args]
        method = self.golden.style is Style.MODEL and isinstance(node, ast.FunctionDef) and not is_static(node)
        if method and owner is not None and named:
            scope.names[named[0].arg] = modules.instance_of(self.run, owner)

    def _value(self, parameter: Parameter) -> Value:
        if not parameter.tensor:
            return self._scalar(parameter)
        tensor = self.spec.input(parameter.name)
        if tensor is None and parameter.written and not parameter.read:
            tensor = self.spec.output(parameter.name)
        if tensor is None and parameter.default:
            return self._default(parameter)
        if self._left_out(parameter, tensor):
            return NONE
        shape, dtype = self._shape(parameter, tensor), self._dtype(tensor)
        found = Input(parameter.name, shape, dtype, parameter.role is Role.TENSORS)
        (self.inputs if parameter.read else self.overwritten).append(found)
        whole = self.builder.input(parameter.name, shape, dtype)
        if parameter.role is not Role.TENSORS:
            return whole
        count = len(self.case.input_lists.get(parameter.name, ())) if self.case else 0
        with self.builder.at(parameter.span, parameter.name):
            items = [self.builder.emit("item", [whole], shape, dtype, index=n) for n in range(count or LISTED)]
        return SequenceValue(list(items), is_list=True)

    def _left_out(self, parameter: Parameter, tensor: TensorSpec | None) -> bool:
        """Whether an optional tensor is None in the first p0 case, which gives shapes for others but not for it."""
        if tensor is None or self.case is None or not parameter.optional:
            return False
        known = {**self.case.input_shapes, **self.case.input_lists}
        return bool(known) and parameter.name not in known

    def _dtype(self, tensor: TensorSpec | None) -> str:
        if tensor is None:
            return "float32"
        over = self.case.dtypes.get(tensor.name, "") if self.case else ""
        return canonical(tensor.dtype or over or "float32")

    # Shapes

    def _shape(self, parameter: Parameter, tensor: TensorSpec | None) -> Shape:
        if tensor is not None and tensor.shape is not None:
            try:
                return tuple(parse_dim(extent) for extent in tensor.shape)
            except ValueError as error:
                self._note(parameter, f"the shape of {parameter.name} in SPEC cannot be read: {error}")
        sizes = self.case.input_shapes.get(parameter.name) if self.case is not None else None
        if sizes is not None:
            return self._of_sizes(parameter, sizes)
        return self._guessed(parameter)

    def _of_sizes(self, parameter: Parameter, sizes: Sequence[int]) -> Shape:
        """The names that the golden's text gives the extents of the first p0 case, where there are as many of them.

        Else one symbol for each extent; tensors with equal extents share theirs.
        """
        stated = _written_shape(parameter.name, self._text()) or _unpacked(parameter.name, self.golden.node)
        case = self.builder.case
        if len(stated) == len(sizes) and all(
            name.isidentifier() and case.get(name, size) == size for name, size in zip(stated, sizes, strict=True)
        ):
            case.update(zip(stated, sizes, strict=True))
            return tuple(map(Dim.of, stated))
        names = [
            f"d{place}_{size}" if self.builder.case.get(f"d{place}", size) != size else f"d{place}"
            for place, size in enumerate(sizes)
        ]
        self.builder.case.update(zip(names, sizes, strict=True))
        return tuple(map(Dim.of, names))

    def _guessed(self, parameter: Parameter) -> Shape:
        """The shape that the golden's text states; else as many symbols as the golden unpacks, else two."""
        written = _written_shape(parameter.name, self._text())
        names = written or _unpacked(parameter.name, self.golden.node)
        if not written:
            hint = "give SPEC.md the shape, or write it in the docstring: x [M, N]"
            self._note(
                parameter, f"the shape of {parameter.name} is not known; a rank of {len(names) or 2} is taken", hint
            )
        return tuple(map(parse_dim, names or (f"{parameter.name}_0", f"{parameter.name}_1")))

    def _text(self) -> str:
        first, last = self.golden.node.lineno, self.golden.node.end_lineno or self.golden.node.lineno
        return "\n".join(self.golden.lines[first - 1 : last])

    def _note(self, parameter: Parameter, message: str, hint: str = "correct SPEC.md") -> None:
        with self.builder.at(parameter.span, parameter.name):
            self.builder.note("golden.shape", message, hint)

    # Scalars

    def _scalar(self, parameter: Parameter) -> Value:
        """SPEC's value, else the default; a default of None that SPEC does not list is None."""
        default = self._default(parameter)
        given = self.spec.params()
        if parameter.name not in given:
            known = self._known(default)
            if known is _NOTHING:
                return self._without_value(parameter, default)
        else:
            known = given[parameter.name]
        self.parameters.append(ScalarParameter(parameter.name, parameter.default, known))
        if isinstance(default, DtypeValue) and isinstance(known, str) and canonical(known) in BYTES:
            return DtypeValue(canonical(known))
        if isinstance(known, (bool, int, float, str)):
            self.builder.parameters[parameter.name] = known
            return ScalarValue(ParameterScalar(parameter.name), type(known))
        return _plain(known)

    def _without_value(self, parameter: Parameter, default: Value) -> Value:
        if not isinstance(default, UnknownValue):
            return default
        if parameter.optional:
            return NONE
        self._note(
            parameter, f"nothing says what {parameter.name} is", f"give {parameter.name} in SPEC's default_params"
        )
        kind = _NUMBERS.get(parameter.annotation.strip("'\""))
        if kind is None:
            return default
        self.parameters.append(ScalarParameter(parameter.name, parameter.default, None, known=False))
        return ScalarValue(ParameterScalar(parameter.name), kind)

    def _known(self, default: Value) -> Any:
        """A default as the number or string it is; _NOTHING where it is none."""
        if not isinstance(default, ScalarValue) or is_none(default):
            return _NOTHING
        return self.builder.fold(default, "a default")

    def _default(self, parameter: Parameter) -> Value:
        node = self._defaults.get(parameter.name)
        if node is None:
            return (
                NONE if parameter.passing is Passing.KEY and parameter.optional else UnknownValue("it has no default")
            )
        return self.run.value(node, self.run.module.scope)


_NOTHING = object()
_NUMBERS: dict[str, type] = {"float": float, "int": int}  # annotations of numbers that stay symbolic without a value


def _plain(value: Any) -> Value:
    """A value of SPEC's JSON as an abstract value."""
    if isinstance(value, list | tuple):
        return SequenceValue([_plain(item) for item in value])
    if isinstance(value, dict):
        return DictValue({name: _plain(item) for name, item in value.items()})
    return constant(value)


def _defaults(golden: GoldenFunction) -> Iterator[tuple[str, ast.expr]]:
    """Default expressions by parameter; those that a partial binds count as such."""
    given = golden.node.args
    positional = [*given.posonlyargs, *given.args]
    yield from zip((argument.arg for argument in reversed(positional)), reversed(given.defaults), strict=False)
    yield from ((a.arg, node) for a, node in zip(given.kwonlyargs, given.kw_defaults, strict=True) if node is not None)
    yield from golden.bound.items()
    for parameter in golden.parameters:
        if parameter.passing is Passing.KEY and parameter.default:
            yield parameter.name, ast.parse(parameter.default, mode="eval").body


_DIMENSIONS = r"\[\s*([\w*+/ -]+(?:,\s*[\w*+/ -]+)*)\s*\]"


def _written_shape(name: str, text: str) -> tuple[str, ...]:
    """The shape that a comment or docstring gives: `x: [M, N]`, `x [B, S, D]`, `x: torch.Tensor,  # [B, S, D]`."""
    for pattern in (
        rf"\b{re.escape(name)}\b\s*:?\s*{_DIMENSIONS}",
        rf"\b{re.escape(name)}\b[^\n\[\]]*#[^\n\[\]]*{_DIMENSIONS}",
    ):
        for match in re.finditer(pattern, text):
            parts = tuple(part.strip() for part in match.group(1).split(","))
            if all(map(_is_extent, parts)) and not all(part.isdigit() for part in parts):
                return parts
    return ()


def _is_extent(text: str) -> bool:
    try:
        parse_dim(text)
    except ValueError:
        return False
    return True


def _unpacked(name: str, node: ast.AST) -> tuple[str, ...]:
    """Names of `B, S, D = x.shape`."""
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Assign) or not isinstance(inner.targets[0], ast.Tuple):
            continue
        value = inner.value.func if isinstance(inner.value, ast.Call) else inner.value
        shape = isinstance(value, ast.Attribute) and value.attr in ("shape", "size")
        if shape and isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == name:
            names = [target.id for target in inner.targets[0].elts if isinstance(target, ast.Name) and target.id != "_"]
            if len(names) == len(inner.targets[0].elts):
                return tuple(names)
    return ()


def symbols_of(spec: Spec) -> dict[str, int]:
    """Extents of SPEC's symbols in its first p0 case."""
    case = next(iter(spec.p0_cases), None)
    return spec.bindings(case) if case is not None else {}


def with_shapes_of_cases(spec: Spec, program: Program) -> Spec:
    """SPEC with a shape for every input of which only its p0 cases say one: that with which the golden was read."""
    case = next(iter(spec.p0_cases), None)
    if case is None:
        return spec
    dtype = next(iter(spec.supported_dtypes), "")
    found: list[TensorSpec] = []
    for value in program.inputs:
        if value.path:  # the golden itself says its shape
            continue
        known = spec.input(value.name) or TensorSpec(value.name, dtype=dtype)
        if known.shape is None and value.name in case.input_shapes:
            shape = tuple(str(extent) if extent.const is None else extent.const for extent in value.shape)
            known = replace(known, shape=shape, dtype=known.dtype or dtype)
        found.append(known)
    names = {value.name for value in program.inputs}
    others = [tensor for tensor in spec.inputs if tensor.name not in names]
    return replace(spec, inputs=(*found, *others))
