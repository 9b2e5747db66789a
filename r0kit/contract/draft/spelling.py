"""How an operation is spelled in the mathematics of a contract, where it is neither an operator nor a plain call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from r0kit.golden.attributes import Part, Point
from r0kit.golden.dims import Dim, Shape, shape_text
from r0kit.golden.program import Kind, Step
from r0kit.golden.scalars import Apply, Constant, Extent, Parameter, Reading, Scalar


@dataclass(frozen=True, slots=True)
class Term:
    """An expression: its text and how tightly its outermost operator binds."""

    text: str
    binding: int = 10


COMPARE, OR, XOR, AND, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 11)

# op -> (operator, how tightly it binds)
BINARY: dict[str, tuple[str, int]] = {
    "add": ("+", SUM),
    "sub": ("-", SUM),
    "mul": ("*", PRODUCT),
    "div": ("/", PRODUCT),
    "floor_divide": ("//", PRODUCT),
    "remainder": ("%", PRODUCT),
    "pow": ("**", POWER),
    "lt": ("<", COMPARE),
    "le": ("<=", COMPARE),
    "gt": (">", COMPARE),
    "ge": (">=", COMPARE),
    "eq": ("==", COMPARE),
    "ne": ("!=", COMPARE),
    "logical_and": ("&", AND),
    "bitwise_and": ("&", AND),
    "logical_or": ("|", OR),
    "bitwise_or": ("|", OR),
    "logical_xor": ("^", XOR),
    "bitwise_xor": ("^", XOR),
    "bitwise_left_shift": ("<<", SHIFT),
    "bitwise_right_shift": (">>", SHIFT),
}
UNARY = {"neg": "-", "logical_not": "~", "bitwise_not": "~"}
SCALAR = {symbol: (symbol, binding) for symbol, binding in BINARY.values()}
# Attributes that the text of a Step does not show because its axes or its shape say it already.
SILENT = ("axes", "axis", "keepdim", "labels", "compute_dtype", "dtype", "shape", "windows", "order", "sorted")
DEFAULTS = {
    "largest": True,
    "approximate": "none",
    "correction": 0,
    "exclusive": False,
    "descending": False,
    "diagonal": Constant(0),
    "groups": Dim.of(1),
    "ceil_mode": False,
    "count_include_pad": True,
    "accumulate": False,
    "mode": "constant",
}


def scalar_term(scalar: Scalar) -> Term:
    """A scalar expression; `math.` is left out."""
    match scalar:
        case Constant(value):
            return Term(_number(value), SIGN if isinstance(value, (int, float)) and value < 0 else ATOM)
        case Parameter(name):
            return Term(name)
        case Extent(dim):
            return Term(str(dim), ATOM if dim.symbol or dim.const is not None else SUM)
        case Reading(tensor):
            return Term(tensor)
        case Apply("neg", (argument,)):
            return Term(f"-{inside(scalar_term(argument), SIGN)}", SIGN)
        case Apply(function, (left, right)) if function in SCALAR:
            return infix(*SCALAR[function], scalar_term(left), scalar_term(right))
        case Apply(function, arguments):
            return call(function.removeprefix("math."), [scalar_term(argument).text for argument in arguments])


def infix(symbol: str, binding: int, left: Term, right: Term) -> Term:
    tight = binding + (symbol == "**")
    return Term(f"{inside(left, tight)} {symbol} {inside(right, binding + (symbol != '**'))}", binding)


def inside(term: Term, binding: int) -> str:
    return term.text if term.binding >= binding else f"({term.text})"


def call(name: str, arguments: Sequence[str]) -> Term:
    return Term(f"{name}({', '.join(arguments)})")


def _number(value: Any) -> str:
    return repr(value).strip("'") if not isinstance(value, str) else value


def attributes(step: Step) -> list[str]:
    shown = {name: value for name, value in step.attrs.items() if name not in SILENT}
    return [
        f"{name}={_attribute(value)}"
        for name, value in shown.items()
        if value not in (DEFAULTS.get(name), None, ()) and not (name.endswith("padding") and _is_zero(value))
    ]


def _is_zero(value: Any) -> bool:
    parts = value if isinstance(value, (tuple, list)) else (value,)
    return all(str(part) == "0" for part in parts)


def _attribute(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_attribute, value))}]"
    if isinstance(value, (Constant, Parameter, Extent, Reading, Apply)):
        return scalar_term(value).text
    return value if isinstance(value, str) else str(value)


def axis_text(shape: Shape, axis: int) -> str:
    """An axis by the name of its extent; by its number where the extent has none, or another axis has the same."""
    if axis >= len(shape):
        return f"dim={axis}"
    named = bool(shape[axis].symbols) and shape.count(shape[axis]) == 1
    return str(shape[axis]) if named else f"dim={axis}"


def over_axes(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    axes = step.attrs.get("axes", (step.attrs["axis"],) if "axis" in step.attrs else ())
    whole = step.kind is Kind.REDUCTION and len(axes) == len(shape) > 1
    names = [] if whole else [axis_text(shape, axis) for axis in axes]
    op = step.op.removesuffix("_values")
    return call(op, [operand.text for operand in operands] + names + attributes(step))


def _matmul(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return infix("@", PRODUCT, operands[0], operands[1])


def _einsum(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    """A matrix product where it is one, of operands that may be transposed; else with letters that SPEC's axes begin with."""
    labels = [tuple(part) for part in step.attrs.get("labels", ())]
    if len(labels) != 3 or len(operands) != 2:
        return call("einsum", [operand.text for operand in operands])
    product = _as_product(labels, operands)
    if product:
        return product
    extents = dict(zip(labels[2], step.shape, strict=False)) | dict(zip(labels[0], shape, strict=False))
    letters = _letters(dict.fromkeys(chain(*labels)), extents)
    words = ["".join(letters[label] for label in part) for part in labels]
    return call("einsum", [f"{','.join(words[:-1])}->{words[-1]}", *(operand.text for operand in operands)])


def _as_product(labels: Sequence[tuple[int, ...]], operands: Sequence[Term]) -> Term | None:
    """`a @ b`, `a @ b.T` or `a.T @ b` where the labels are those of a matrix product with the same batch everywhere."""
    left, right, result = labels
    batch = result[:-2]
    if len(result) < 2 or not len(left) == len(right) == len(result) or not left[:-2] == right[:-2] == batch:
        return None
    row, column = result[-2:]
    summed = [label for label in left if label not in result]
    if len(summed) != 1:
        return None
    first = {(row, summed[0]): "", (summed[0], row): ".T"}.get((left[-2], left[-1]))
    second = {(summed[0], column): "", (column, summed[0]): ".T"}.get((right[-2], right[-1]))
    if first is None or second is None:
        return None
    terms = [Term(f"{inside(o, ATOM)}{t}") if t else o for o, t in zip(operands, (first, second), strict=True)]
    return infix("@", PRODUCT, *terms)


def _letters(labels: Iterable[int], extents: Mapping[int, Dim]) -> dict[int, str]:
    """A letter per label: of the name of its extent the first that is free, else any."""
    found: dict[int, str] = {}
    for label in labels:
        name = str(extents.get(label, "")).lower()
        wanted = [*(c for c in name if c.isascii() and c.isalpha()), *ascii_lowercase, *ascii_uppercase]
        found[label] = next((letter for letter in wanted if letter not in found.values()), "z")
    return found


def _cast(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return call(step.dtype, [operands[0].text])


def _permute(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    order = tuple(step.attrs.get("order", ()))
    rank = len(order)
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    if rank >= 2 and order == swapped:
        return Term(f"{inside(operands[0], ATOM)}.T")
    return call("permute", [operands[0].text, *map(str, order)])


def _reshape(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    if _without_ones(step.shape) == _without_ones(shape):
        return operands[0]
    return call("reshape", [operands[0].text, shape_text(step.shape)])


def _without_ones(shape: Shape) -> list[Dim]:
    return [extent for extent in shape if extent.const != 1]


def _created(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return call(step.op, [*(operand.text for operand in operands), shape_text(step.shape)])


def _slice(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    start, stop, stride = (step.attrs.get(name) for name in ("start", "stop", "step"))
    axis = step.attrs["axis"]
    first = "" if start in (None, Dim.of(0), 0) else str(start)
    last = "" if stop is None or (axis < len(shape) and stop == shape[axis]) else str(stop)
    by = "" if stride in (None, Dim.of(1), 1) else f":{stride}"
    return _indexed(operands[0], axis, len(shape), f"{first}:{last}{by}")


def _select(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    return _indexed(operands[0], step.attrs["axis"], len(shape), str(step.attrs["index"]))


def _indexed(operand: Term, axis: int, rank: int, item: str) -> Term:
    before = ["..."] if axis == rank - 1 and axis > 1 else [":"] * axis
    return Term(f"{inside(operand, ATOM)}[{', '.join([*before, item])}]")


def _joined(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    axis = step.attrs["axis"]
    return call(step.op, [f"[{', '.join(operand.text for operand in operands)}]", axis_text(step.shape, axis)])


def _stored(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    """A tensor with new values in a region: `store(cache[:, 3:S + 3], new)`."""
    places = [_place(part, extent) for part, extent in zip(step.attrs.get("region", ()), shape, strict=False)]
    where = f"[{', '.join(places)}]" if places else ""
    return call("store", [f"{inside(operands[0], ATOM)}{where}", *(operand.text for operand in operands[1:])])


def _place(part: Part, extent: Dim) -> str:
    if isinstance(part, Point):
        return str(part.at)
    first = "" if str(part.start) == "0" else str(part.start)
    last = "" if part.stop == extent else str(part.stop)
    return f"{first}:{last}" + ("" if str(part.step) == "1" else f":{part.step}")


def _indexed_by(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    if step.attrs.get("at") == 0 and step.attrs.get("count") == 1 and len(operands) == 2:
        return Term(f"{inside(operands[0], ATOM)}[{operands[1].text}]")
    return over_axes(step, operands, shape)


def _padded(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    """`pad(x, L=[3, 0])`: elements before and behind, along the axes that get any."""
    pads = zip(step.attrs.get("pads", ()), enumerate(shape), strict=False)
    grown = [(axis, pad) for pad, (axis, _) in pads if not _is_zero(pad)]
    named = [(axis_text(shape, axis).replace("dim=", "dim"), pad) for axis, pad in grown]
    texts = [
        f"{name if name.isidentifier() else f'dim{axis}'}={_attribute(pad)}"
        for (axis, _), (name, pad) in zip(grown, named, strict=True)
    ]
    filled = [f"value={operand.text}" for operand in operands[1:2] if operand.text not in ("0", "0.0")]
    mode = step.attrs.get("mode", "constant")
    return call("pad", [operands[0].text, *texts, *filled, *([f"mode={mode}"] if mode != "constant" else [])])


def _softplus(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    texts = [operand.text for operand in operands]
    return call("softplus", texts[:1] if texts[1:] in (["1", "20"], ["1.0", "20.0"]) else texts)


def _project(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    """One of the results of a loop."""
    return Term(f"{inside(operands[0], ATOM)}[{step.attrs.get('index', 0)}]")


def _clamp(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    value, low, high = (operand.text for operand in (*operands, Term("None"), Term("None"))[:3])
    if "None" in (low, high):
        return call("max", [value, low]) if high == "None" else call("min", [value, high])
    return call("clamp", [value, low, high])


def _arange(step: Step, operands: Sequence[Term], shape: Shape) -> Term:
    texts = [operand.text for operand in operands]
    return call("arange", texts[1:2] if texts[:1] == ["0"] and texts[2:] in ([], ["1"]) else texts)


Speller = Callable[[Step, Sequence[Term], Shape], Term]

# Operations whose text is neither an operator nor `op(operands, axes, attributes)`.
SPELLED: dict[str, Speller] = {
    "clamp": _clamp,
    "project": _project,
    "arange": _arange,
    "matmul": _matmul,
    "einsum": _einsum,
    "cast": _cast,
    "permute": _permute,
    "reshape": _reshape,
    "slice": _slice,
    "slice_store": _stored,
    "index": _indexed_by,
    "pad": _padded,
    "softplus": _softplus,
    "select": _select,
    "cat": _joined,
    "stack": _joined,
    **dict.fromkeys(("zeros", "ones", "full", "empty", "eye"), _created),
}
