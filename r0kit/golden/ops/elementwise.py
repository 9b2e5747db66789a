"""Elementwise Steps: one row each with its dtype rule, its torch text and its spellings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dtypes import BOOL, category, is_float
from r0kit.golden.ops.row import Call, Operation, row
from r0kit.golden.values import TensorValue, Value, constant

DtypeRule = Callable[[Builder, Sequence[Value]], str]


def promoted(builder: Builder, operands: Sequence[Value]) -> str:
    return builder.promote(*operands)


def floating(builder: Builder, operands: Sequence[Value]) -> str:
    """Integers become float32, torch's default."""
    dtype = builder.promote(*operands)
    return dtype if is_float(dtype) else "float32"


def truth(builder: Builder, operands: Sequence[Value]) -> str:
    builder.promote(*operands)
    return BOOL


def only_float(builder: Builder, operands: Sequence[Value]) -> str:
    dtype = builder.promote(*operands)
    if not is_float(dtype):
        raise OperationError(f"torch has no such operation on {dtype}", "cast the operand to a float dtype first")
    return dtype


def no_bool(builder: Builder, operands: Sequence[Value]) -> str:
    dtype = builder.promote(*operands)
    if dtype == BOOL:
        raise OperationError("torch has no such operation on bool", "cast the operands, or use a logical operation")
    return dtype


def integral(builder: Builder, operands: Sequence[Value]) -> str:
    dtype = builder.promote(*operands)
    if category(dtype) > 1:
        raise OperationError(
            f"torch has no bitwise operation on {dtype}", "cast the operands to an integer dtype first"
        )
    return dtype


def squared(builder: Builder, operands: Sequence[Value]) -> str:
    """As the power 2, an integer: it makes int64 of bool."""
    return builder.promote(*operands, constant(2))


def first(builder: Builder, operands: Sequence[Value]) -> str:
    return next(operand.dtype for operand in operands if isinstance(operand, TensorValue))


# op: dtype rule, spellings, torch text ("" where it is torch.<op>(...)).
UNARY: dict[str, tuple[DtypeRule, str, str]] = {
    "neg": (no_bool, "both.neg both.negative op.neg", "(-{0})"),
    "abs": (no_bool, "both.abs both.absolute op.abs builtins.abs", ""),
    "sign": (promoted, "both.sign both.sgn", ""),
    "square": (squared, "both.square", ""),
    "positive": (no_bool, "both.positive op.pos", ""),
    "floor": (promoted, "both.floor", ""),
    "ceil": (promoted, "both.ceil", ""),
    "trunc": (promoted, "both.trunc both.fix", ""),
    "frac": (only_float, "both.frac", ""),
    "relu": (no_bool, "both.relu F.relu", ""),
    "relu6": (no_bool, "F.relu6", "torch.nn.functional.relu6({0})"),
    "bitwise_not": (integral, "both.bitwise_not op.invert op.inv", ""),
    "logical_not": (truth, "both.logical_not", ""),
    "isnan": (truth, "both.isnan", ""),
    "isinf": (truth, "both.isinf", ""),
    "isfinite": (truth, "both.isfinite", ""),
    "isposinf": (truth, "both.isposinf", ""),
    "isneginf": (truth, "both.isneginf", ""),
    "signbit": (truth, "both.signbit", ""),
    "exp": (floating, "both.exp", ""),
    "exp2": (floating, "both.exp2 special.exp2", ""),
    "expm1": (floating, "both.expm1 special.expm1", ""),
    "log": (floating, "both.log", ""),
    "log2": (floating, "both.log2", ""),
    "log10": (floating, "both.log10", ""),
    "log1p": (floating, "both.log1p special.log1p", ""),
    "sqrt": (floating, "both.sqrt", ""),
    "rsqrt": (floating, "both.rsqrt", ""),
    "reciprocal": (floating, "both.reciprocal", ""),
    "sin": (floating, "both.sin", ""),
    "cos": (floating, "both.cos", ""),
    "tan": (floating, "both.tan", ""),
    "asin": (floating, "both.asin both.arcsin", ""),
    "acos": (floating, "both.acos both.arccos", ""),
    "atan": (floating, "both.atan both.arctan", ""),
    "sinh": (floating, "both.sinh", ""),
    "cosh": (floating, "both.cosh", ""),
    "tanh": (floating, "both.tanh F.tanh", ""),
    "asinh": (floating, "both.asinh both.arcsinh", ""),
    "acosh": (floating, "both.acosh both.arccosh", ""),
    "atanh": (floating, "both.atanh both.arctanh", ""),
    "sinc": (floating, "both.sinc special.sinc", ""),
    "sigmoid": (floating, "both.sigmoid F.sigmoid special.expit", ""),
    "erf": (floating, "both.erf special.erf", ""),
    "erfc": (floating, "both.erfc special.erfc", ""),
    "erfinv": (floating, "both.erfinv special.erfinv", ""),
    "lgamma": (floating, "both.lgamma special.gammaln", ""),
    "digamma": (floating, "both.digamma special.digamma special.psi", ""),
    "i0": (floating, "both.i0 special.i0", ""),
    "ndtr": (floating, "special.ndtr", "torch.special.ndtr({0})"),
    "i0e": (floating, "special.i0e", "torch.special.i0e({0})"),
    "i1": (floating, "special.i1", "torch.special.i1({0})"),
    "i1e": (floating, "special.i1e", "torch.special.i1e({0})"),
    "erfcx": (floating, "special.erfcx", "torch.special.erfcx({0})"),
    "ndtri": (floating, "special.ndtri", "torch.special.ndtri({0})"),
    "log_ndtr": (floating, "special.log_ndtr", "torch.special.log_ndtr({0})"),
    "entr": (floating, "special.entr", "torch.special.entr({0})"),
    "deg2rad": (floating, "both.deg2rad", ""),
    "rad2deg": (floating, "both.rad2deg", ""),
    "silu": (only_float, "F.silu", "torch.nn.functional.silu({0})"),
    "mish": (only_float, "F.mish", "torch.nn.functional.mish({0})"),
    "hardswish": (only_float, "F.hardswish", "torch.nn.functional.hardswish({0})"),
    "hardsigmoid": (only_float, "F.hardsigmoid", "torch.nn.functional.hardsigmoid({0})"),
    "selu": (only_float, "torch.selu F.selu", ""),
    "logsigmoid": (only_float, "F.logsigmoid", "torch.nn.functional.logsigmoid({0})"),
    "softsign": (floating, "F.softsign", "torch.nn.functional.softsign({0})"),
    "tanhshrink": (floating, "F.tanhshrink", "torch.nn.functional.tanhshrink({0})"),
    "cbrt": (floating, "torch._prims.cbrt", "torch._prims.cbrt({0})"),
}

BINARY: dict[str, tuple[DtypeRule, str, str]] = {
    "mul": (promoted, "both.mul both.multiply op.mul", "({0} * {1})"),
    "div": (floating, "both.true_divide op.truediv", "({0} / {1})"),
    "floor_divide": (no_bool, "both.floor_divide op.floordiv", "({0} // {1})"),
    "remainder": (no_bool, "both.remainder op.mod", "({0} % {1})"),
    "fmod": (no_bool, "both.fmod", ""),
    "maximum": (promoted, "both.maximum", ""),
    "minimum": (promoted, "both.minimum", ""),
    "fmax": (promoted, "both.fmax", ""),
    "fmin": (promoted, "both.fmin", ""),
    "atan2": (floating, "both.atan2 both.arctan2", ""),
    "hypot": (only_float, "both.hypot", ""),
    "logaddexp": (only_float, "both.logaddexp", ""),
    "logaddexp2": (only_float, "both.logaddexp2", ""),
    "copysign": (floating, "both.copysign", ""),
    "nextafter": (only_float, "both.nextafter", ""),
    "gcd": (integral, "both.gcd", ""),
    "lcm": (integral, "both.lcm", ""),
    "heaviside": (promoted, "both.heaviside", ""),
    "xlogy": (floating, "both.xlogy special.xlogy", "torch.xlogy({0}, {1})"),
    "igamma": (only_float, "both.igamma special.gammainc", ""),
    "igammac": (only_float, "both.igammac special.gammaincc", ""),
    "zeta": (floating, "special.zeta", "torch.special.zeta({0}, {1})"),
    "xlog1py": (floating, "special.xlog1py", "torch.special.xlog1py({0}, {1})"),
    "eq": (truth, "both.eq op.eq", "({0} == {1})"),
    "ne": (truth, "both.ne both.not_equal op.ne", "({0} != {1})"),
    "lt": (truth, "both.lt both.less op.lt", "({0} < {1})"),
    "le": (truth, "both.le both.less_equal op.le", "({0} <= {1})"),
    "gt": (truth, "both.gt both.greater op.gt", "({0} > {1})"),
    "ge": (truth, "both.ge both.greater_equal op.ge", "({0} >= {1})"),
    "logical_and": (truth, "both.logical_and", ""),
    "logical_or": (truth, "both.logical_or", ""),
    "logical_xor": (truth, "both.logical_xor", ""),
    "bitwise_and": (integral, "both.bitwise_and op.and_", "({0} & {1})"),
    "bitwise_or": (integral, "both.bitwise_or op.or_", "({0} | {1})"),
    "bitwise_xor": (integral, "both.bitwise_xor op.xor", "({0} ^ {1})"),
    "left_shift": (integral, "both.bitwise_left_shift op.lshift", "({0} << {1})"),
    "right_shift": (integral, "both.bitwise_right_shift op.rshift", "({0} >> {1})"),
}

# Elementwise Steps that other rows emit: op: dtype rule, torch text.
OTHER: dict[str, tuple[DtypeRule, str]] = {
    "add": (promoted, "({0} + {1})"),
    "sub": (no_bool, "({0} - {1})"),
    "pow": (promoted, "({0} ** {1})"),
    "div_trunc": (no_bool, "torch.div({0}, {1}, rounding_mode='trunc')"),
    "where": (promoted, "torch.where({0}, {1}, {2})"),
    "masked_fill": (first, "{0}.masked_fill({1}, {2})"),
    "clamp": (promoted, "torch.clamp({0}, {1}, {2})"),
    "cast": (first, "{0}.to({out_dtype})"),
    "bitcast": (first, "{0}.view({out_dtype})"),
    "round": (promoted, "torch.round({0})"),
    "round_decimals": (only_float, "torch.round({0}, decimals={decimals})"),
    "gelu": (only_float, "torch.nn.functional.gelu({0}, approximate={approximate})"),
    "softplus": (only_float, "torch.nn.functional.softplus({0}, {1}, {2})"),
    "leaky_relu": (no_bool, "torch.nn.functional.leaky_relu({0}, {1})"),
    "elu": (only_float, "torch.nn.functional.elu({0}, {1})"),
    "celu": (only_float, "torch.nn.functional.celu({0}, {1})"),
    "hardtanh": (no_bool, "torch.nn.functional.hardtanh({0}, {1}, {2})"),
    "hardshrink": (only_float, "torch.nn.functional.hardshrink({0}, {1})"),
    "softshrink": (only_float, "torch.nn.functional.softshrink({0}, {1})"),
    "threshold": (no_bool, "torch.nn.functional.threshold({0}, {1}, {2})"),
    "logit": (floating, "torch.logit({0}, {1})"),
    "nan_to_num": (promoted, "torch.nan_to_num({0}, {1}, {2}, {3})"),
    "lerp": (only_float, "torch.lerp({0}, {1}, {2})"),
    "ldexp": (floating, "torch.ldexp({0}, {1})"),
    "polygamma": (floating, "torch.polygamma({1}, {0})"),
    "tril": (first, "torch.tril({0}, {diagonal})"),
    "triu": (first, "torch.triu({0}, {diagonal})"),
    "full_like": (first, "torch.full_like({0}, {1}, dtype={out_dtype})"),
}

DTYPES: dict[str, DtypeRule] = {
    **{op: known[0] for op, known in (*UNARY.items(), *BINARY.items())},
    **{op: known[0] for op, known in OTHER.items()},
}
TEXTS: dict[str, str] = {
    **{op: text or f"torch.{op}({{0}})" for op, (_, _, text) in UNARY.items()},
    **{op: text or f"torch.{op}({{0}}, {{1}})" for op, (_, _, text) in BINARY.items()},
    **{op: text for op, (_, text) in OTHER.items()},
}


def elementwise(builder: Builder, op: str, *operands: Value, dtype: str = "", **attrs: Any) -> TensorValue:
    """The Step `op` over broadcast operands; `dtype` overrides the row's dtype rule."""
    shapes = [operand.shape for operand in operands if isinstance(operand, TensorValue)]
    if not shapes:
        raise OperationError(f"{op} needs a tensor operand")
    result = dtype or _dtype(builder, op, operands)
    return builder.emit(op, operands, builder.broadcast(*shapes), result, **attrs)


def _dtype(builder: Builder, op: str, operands: Sequence[Value]) -> str:
    try:
        return DTYPES[op](builder, operands)
    except OperationError as error:
        raise OperationError(f"{op}: {error.message}", error.hint) from None


def cast(builder: Builder, value: TensorValue, dtype: str) -> TensorValue:
    """The tensor in another dtype; itself where it already has that one."""
    if value.dtype == dtype:
        return value
    return builder.emit("cast", [value], value.shape, dtype)


def _unary(op: str) -> Callable[[Call], Value]:
    return lambda call: elementwise(call.builder, op, call["input"])


def _binary(op: str) -> Callable[[Call], Value]:
    return lambda call: elementwise(call.builder, op, call["input"], call["other"])


ROWS: list[Operation] = [
    *(row(op, spellings, "(input)", _unary(op)) for op, (_, spellings, _) in UNARY.items()),
    *(row(op, spellings, "(input, other)", _binary(op)) for op, (_, spellings, _) in BINARY.items()),
]
