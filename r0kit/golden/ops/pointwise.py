"""Rows of elementwise operations whose call is more than `op(input)` or `op(input, other)`."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.golden.builder import OperationError
from r0kit.golden.dtypes import BOOL, is_float
from r0kit.golden.ops.elementwise import cast, elementwise
from r0kit.golden.ops.row import Call, Operation, as_dtype, is_number, row
from r0kit.golden.scalars import Constant
from r0kit.golden.values import DtypeValue, LibraryValue, ScalarValue, TensorValue, Value


def _is_constant(value: Value, number: float) -> bool:
    return isinstance(value, ScalarValue) and isinstance(value.scalar, Constant) and value.scalar.value == number


def _scaled(call: Call, value: Value) -> Value:
    """`alpha * value`; the value itself where alpha is 1."""
    alpha = call["alpha"]
    return value if _is_constant(alpha, 1) else elementwise(call.builder, "mul", value, alpha)


def _add(call: Call) -> Value:
    return elementwise(call.builder, "add", call["input"], _scaled(call, call["other"]))


def _sub(call: Call) -> Value:
    return elementwise(call.builder, "sub", call["input"], _scaled(call, call["other"]))


def _rsub(call: Call) -> Value:
    return elementwise(call.builder, "sub", call["other"], _scaled(call, call["input"]))


def _div(call: Call) -> Value:
    modes = {None: "div", "floor": "floor_divide", "trunc": "div_trunc"}
    mode = call.builder.fold(call["rounding_mode"], "rounding_mode")
    if mode not in modes:
        raise OperationError(f"rounding_mode {mode!r} is neither 'floor' nor 'trunc'")
    return elementwise(call.builder, modes[mode], call["input"], call["other"])


def _pow(call: Call) -> Value:
    return elementwise(call.builder, "pow", call["input"], call["exponent"])


def _float_power(call: Call) -> Value:
    base, exponent = (
        cast(call.builder, value, "float64") if isinstance(value, TensorValue) else value
        for value in (call["input"], call["exponent"])
    )
    return elementwise(call.builder, "pow", base, exponent)


def _round(call: Call) -> Value:
    decimals = call.integer("decimals")
    if not decimals:
        return elementwise(call.builder, "round", call["input"])
    return elementwise(call.builder, "round_decimals", call["input"], decimals=decimals)


def _clamp(call: Call) -> Value:
    bounds = call["min"], call["max"]
    given = [bound for bound in bounds if isinstance(bound, TensorValue) or is_number(bound)]
    if not given:
        raise OperationError("clamp needs a minimum or a maximum")
    builder, value = call.builder, call.tensor("input")
    if not any(isinstance(bound, TensorValue) for bound in given):
        return elementwise(builder, "clamp", value, *bounds, dtype=builder.promote(value, *given))
    for bound, op in zip(bounds, ("maximum", "minimum"), strict=True):
        if bound in given:
            value = elementwise(builder, op, value, bound)
    return value


def _where(call: Call) -> Value:
    """The three-operand form; `where(condition)` alone counts data-dependent positions and is refused."""
    if not call.given("input"):
        raise OperationError("torch.where(condition) has a data-dependent extent", "use the form with two values")
    operands = call["condition"], call["input"], call["other"]
    dtype = call.builder.promote(*operands[1:])
    return elementwise(call.builder, "where", *operands, dtype=dtype)


def _where_method(call: Call) -> Value:
    operands = call["condition"], call["input"], call["other"]
    return elementwise(call.builder, "where", *operands, dtype=call.builder.promote(call["input"], call["other"]))


def _masked_fill(call: Call) -> Value:
    value, mask = call.tensor("input"), call.tensor("mask")
    if mask.dtype != BOOL:
        raise OperationError(f"masked_fill needs a bool mask, not {mask.dtype}", "compare, or use .bool()")
    return elementwise(call.builder, "masked_fill", value, mask, call["value"], dtype=value.dtype)


def _gelu(call: Call) -> Value:
    return elementwise(call.builder, "gelu", call["input"], approximate=call.word("approximate"))


def _with_numbers(op: str, *names: str) -> Callable[[Call], Value]:
    """A rule for activations with scalar settings, which stay operands and take no part in the dtype."""

    def rule(call: Call) -> Value:
        value = call.tensor("input")
        if not is_float(value.dtype) and op in ("elu", "celu", "softplus", "hardshrink", "softshrink"):
            raise OperationError(f"torch has no {op} on {value.dtype}")
        return elementwise(call.builder, op, value, *(call[name] for name in names), dtype=value.dtype)

    return rule


def _logit(call: Call) -> Value:
    value = call.tensor("input")
    dtype = value.dtype if is_float(value.dtype) else "float32"
    return elementwise(call.builder, "logit", value, call["eps"], dtype=dtype)


def _nan_to_num(call: Call) -> Value:
    value = call.tensor("input")
    return elementwise(
        call.builder, "nan_to_num", value, call["nan"], call["posinf"], call["neginf"], dtype=value.dtype
    )


def _lerp(call: Call) -> Value:
    return elementwise(call.builder, "lerp", call["input"], call["end"], call["weight"])


def _add_product(op: str) -> Callable[[Call], Value]:
    """addcmul and addcdiv: `input + value * (tensor1 op tensor2)`."""

    def rule(call: Call) -> Value:
        builder = call.builder
        with builder.composite("addcmul" if op == "mul" else "addcdiv"):
            term: Value = elementwise(builder, op, call["tensor1"], call["tensor2"])
            if not _is_constant(call["value"], 1):
                term = elementwise(builder, "mul", term, call["value"])
            return elementwise(builder, "add", call["input"], term)

    return rule


def _polygamma(call: Call) -> Value:
    return elementwise(call.builder, "polygamma", call["input"], call["n"], dtype="float32")


def _ldexp(call: Call) -> Value:
    return elementwise(call.builder, "ldexp", call["input"], call["other"])


def _triangle(op: str) -> Callable[[Call], Value]:
    def rule(call: Call) -> Value:
        value = call.tensor("input")
        if value.rank < 2:
            raise OperationError(f"{op} needs at least two dimensions, not {value.rank}")
        diagonal = call["diagonal"]
        return elementwise(call.builder, op, value, dtype=value.dtype, diagonal=getattr(diagonal, "scalar", diagonal))

    return rule


# Casts

NAMED_CASTS = {
    "float": "float32",
    "half": "float16",
    "bfloat16": "bfloat16",
    "double": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
}


def _to(call: Call) -> Value:
    """`to(dtype)`, `to(device)`, `to(device, dtype)`, `to(other)`; a device alone changes nothing."""
    value = call.tensor("input")
    for argument in (call["dtype"], call["first"], call["second"]):
        if isinstance(argument, ScalarValue) and isinstance(call.builder.fold(argument, "dtype"), float):
            raise OperationError("`to` takes a dtype, a device or a tensor", "name the dtype")
        if isinstance(argument, TensorValue):
            return cast(call.builder, value, argument.dtype)
        if isinstance(argument, DtypeValue) or _names_dtype(argument):
            return cast(call.builder, value, as_dtype(argument))
    return value


def _names_dtype(value: Value) -> bool:
    if not isinstance(value, LibraryValue):
        return False
    try:
        return bool(as_dtype(value))
    except OperationError:
        return False


def _named_cast(dtype: str) -> Callable[[Call], Value]:
    return lambda call: cast(call.builder, call.tensor("input"), dtype)


def _type(call: Call) -> Value:
    if not call.given("dtype"):
        raise OperationError("x.type() without a dtype is a string", "use x.dtype")
    return cast(call.builder, call.tensor("input"), as_dtype(call["dtype"]))


def _type_as(call: Call) -> Value:
    return cast(call.builder, call.tensor("input"), call.tensor("other").dtype)


def _identity(call: Call) -> Value:
    return call.tensor("input")


ROWS: list[Operation] = [
    row("add", "both.add op.add", "(input, other, *, alpha=1)", _add),
    row("sub", "both.sub both.subtract op.sub", "(input, other, *, alpha=1)", _sub),
    row("rsub", "torch.rsub", "(input, other, *, alpha=1)", _rsub),
    row("div", "both.div both.divide", "(input, other, *, rounding_mode=None)", _div),
    row("pow", "both.pow op.pow", "(input, exponent)", _pow),
    row("float_power", "both.float_power", "(input, exponent)", _float_power),
    row("round", "both.round special.round builtins.round", "(input, decimals=0)", _round),
    row("clamp", "both.clamp both.clip", "(input, min=None, max=None)", _clamp),
    row("clamp", "both.clamp_min", "(input, min, max=None)", _clamp),
    row("clamp", "both.clamp_max", "(input, max, min=None)", _clamp),
    row("where", "torch.where", "(condition, input=None, other=None)", _where),
    row("where", "T.where", "(input, condition, other)", _where_method),
    row("masked_fill", "both.masked_fill", "(input, mask, value)", _masked_fill),
    row("gelu", "F.gelu", "(input, approximate='none')", _gelu),
    row("softplus", "F.softplus", "(input, beta=1, threshold=20)", _with_numbers("softplus", "beta", "threshold")),
    row(
        "leaky_relu",
        "F.leaky_relu",
        "(input, negative_slope=0.01, inplace=False)",
        _with_numbers("leaky_relu", "negative_slope"),
    ),
    row("elu", "F.elu", "(input, alpha=1.0, inplace=False)", _with_numbers("elu", "alpha")),
    row("celu", "F.celu torch.celu", "(input, alpha=1.0, inplace=False)", _with_numbers("celu", "alpha")),
    row(
        "hardtanh",
        "F.hardtanh",
        "(input, min_val=-1.0, max_val=1.0, inplace=False)",
        _with_numbers("hardtanh", "min_val", "max_val"),
    ),
    row("hardshrink", "F.hardshrink both.hardshrink", "(input, lambd=0.5)", _with_numbers("hardshrink", "lambd")),
    row("softshrink", "F.softshrink", "(input, lambd=0.5)", _with_numbers("softshrink", "lambd")),
    row(
        "threshold",
        "F.threshold torch.threshold",
        "(input, threshold, value, inplace=False)",
        _with_numbers("threshold", "threshold", "value"),
    ),
    row("logit", "both.logit special.logit", "(input, eps=None)", _logit),
    row("nan_to_num", "both.nan_to_num", "(input, nan=0.0, posinf=None, neginf=None)", _nan_to_num),
    row("lerp", "both.lerp", "(input, end, weight)", _lerp),
    row("addcmul", "both.addcmul", "(input, tensor1, tensor2, *, value=1)", _add_product("mul")),
    row("addcdiv", "both.addcdiv", "(input, tensor1, tensor2, *, value=1)", _add_product("div")),
    row("polygamma", "torch.polygamma special.polygamma", "(n, input)", _polygamma),
    row("ldexp", "both.ldexp", "(input, other)", _ldexp),
    row("tril", "both.tril", "(input, diagonal=0)", _triangle("tril")),
    row("triu", "both.triu", "(input, diagonal=0)", _triangle("triu")),
    row("cast", "T.to", "(input, first=None, second=None, third=None, *, dtype=None)", _to),
    row("cast", "T.type", "(input, dtype=None)", _type),
    row("cast", "T.type_as", "(input, other)", _type_as),
    *(row("cast", f"T.{name}", "(input)", _named_cast(dtype)) for name, dtype in NAMED_CASTS.items()),
    row(
        "identity",
        "T.contiguous both.clone both.detach T.cpu T.cuda T.npu T.requires_grad_ T.share_memory_ T.pin_memory "
        "both.conj both.resolve_conj both.resolve_neg T.numpy torch.from_numpy",
        "(input, *rest)",
        _identity,
    ),
]
