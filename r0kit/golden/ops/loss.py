"""Losses as composites: an elementwise term, then the reduction that `reduction` names."""

from __future__ import annotations

from collections.abc import Callable

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import Dim
from r0kit.golden.dtypes import is_float
from r0kit.golden.ops.composite import expression, log_softmax_of, norm_of
from r0kit.golden.ops.elementwise import elementwise
from r0kit.golden.ops.expr import Expr
from r0kit.golden.ops.row import Call, Operation, as_scalar, row
from r0kit.golden.scalars import Constant, Extent, apply
from r0kit.golden.values import NONE, ScalarValue, Value, constant

Term = Callable[[Call, Expr, Expr], Expr]


def finished(call: Call, term: Expr) -> Expr:
    """The term reduced as `reduction` says."""
    how = call.word("reduction")
    every = tuple(range(term.rank))
    if how == "none":
        return term
    if how == "batchmean":
        batch = call.tensor("input").shape[:1]  # of the input as it is, before it is expanded to the target
        return term.over("sum", every, False) / (batch[0] if batch else 1)
    if how not in ("mean", "sum"):
        raise OperationError(f"reduction {how!r} is none of 'none', 'mean', 'sum'")
    return term.over(how, every, False)


def _weighted(call: Call, term: Expr) -> Expr:
    return term * expression(call, "weight") if call.given("weight") else term


def pointwise(name: str, term: Term) -> Callable[[Call], Value]:
    """A rule for a loss whose term is elementwise over input and target."""

    def rule(call: Call) -> Value:
        x, target = expression(call), expression(call, "target")
        with call.builder.composite(name):
            return finished(call, term(call, x, target)).value

    return rule


def where(condition: Expr, yes: Expr | float, no: Expr | float) -> Expr:
    """`torch.where`, one of the two values a tensor at least."""
    values = [side.value if isinstance(side, Expr) else constant(side) for side in (yes, no)]
    dtype = condition.builder.promote(*values)
    return Expr(condition.builder, elementwise(condition.builder, "where", condition.value, *values, dtype=dtype))


def _mse(call: Call, x: Expr, target: Expr) -> Expr:
    return _weighted(call, (x - target).op("square"))


def _l1(call: Call, x: Expr, target: Expr) -> Expr:
    return _weighted(call, (x - target).op("abs"))


def _half(scalar: Value) -> Value:
    return ScalarValue(apply("*", Constant(0.5), as_scalar(scalar, "the bound of the loss")), float)


def _smooth_l1(call: Call, x: Expr, target: Expr) -> Expr:
    """`0.5 d^2 / beta` below beta, `d - 0.5 beta` above."""
    gap, beta = (x - target).op("abs"), call["beta"]
    if isinstance(beta, ScalarValue) and beta.scalar in (Constant(0), Constant(0.0)):
        return gap
    return where(gap.op("lt", beta), gap.op("square") * 0.5 / beta, gap - _half(beta))


def _huber(call: Call, x: Expr, target: Expr) -> Expr:
    """`0.5 d^2` up to delta, `delta (d - 0.5 delta)` beyond."""
    gap, delta = (x - target).op("abs"), call["delta"]
    return _weighted(call, where(gap.op("le", delta), gap.op("square") * 0.5, (gap - _half(delta)) * delta))


def _bce(call: Call, x: Expr, target: Expr) -> Expr:
    """`-(t log x + (1 - t) log(1 - x))`, the logarithms not below -100."""
    log = x.op("log").op("clamp", -100.0, NONE, dtype=x.dtype)
    other = (1 - x).op("log").op("clamp", -100.0, NONE, dtype=x.dtype)
    return _weighted(call, (target - 1) * other - target * log)


def _bce_logits(call: Call, x: Expr, target: Expr) -> Expr:
    """`(1 - t) x - log_sigmoid(x) (1 + (pos_weight - 1) t)`."""
    log = x.op("logsigmoid")
    if call.given("pos_weight"):
        log = log * ((expression(call, "pos_weight") - 1) * target + 1)
    return _weighted(call, (1 - target) * x - log)


def _kl(call: Call, x: Expr, target: Expr) -> Expr:
    """`t (log t - x)`, zero where t is zero; with log_target `exp(t) (t - x)`."""
    if call.flag("log_target"):
        return target.op("exp") * (target - x)
    return target.op("xlogy", target) - target * x


def _hinge_embedding(call: Call, x: Expr, target: Expr) -> Expr:
    margin = (-x + call["margin"]).op("clamp", 0, NONE, dtype=x.dtype)
    return where(target.op("eq", 1), x, 0.0) + where(target.op("eq", -1), margin, 0.0)


def _soft_margin(call: Call, x: Expr, target: Expr) -> Expr:
    return (-target * x).op("exp").op("log1p")


def _poisson(call: Call, x: Expr, target: Expr) -> Expr:
    if call.flag("full"):
        raise OperationError("poisson_nll_loss with full=True is not in r0kit's tables")
    return x.op("exp") - target * x if call.flag("log_input") else x - target * (x + call["eps"]).op("log")


# Class losses


def _cross_entropy(call: Call) -> Value:
    """Log softmax over the class axis, then the negative log likelihood of the target."""
    x, target = expression(call), expression(call, "target")
    axis = 0 if x.rank == 1 else 1
    with call.builder.composite("cross_entropy"):
        logs = log_softmax_of(x.wide(), axis)
        if is_float(target.dtype):
            return _soft_targets(call, logs, target, axis).to(x.dtype).value
        return _picked(call, logs, target, axis, call["label_smoothing"]).to(x.dtype).value


def _soft_targets(call: Call, logs: Expr, target: Expr, axis: int) -> Expr:
    """Targets are probabilities: `-sum(t * log p)` over classes; the mean is over everything but the classes."""
    smooth = call["label_smoothing"]
    if not _is_zero(smooth):
        part = as_scalar(smooth, "label_smoothing")
        kept = ScalarValue(apply("-", Constant(1.0), part), float)
        classes = logs.shape[axis]
        share = apply("/", part, Constant(classes.const) if classes.const is not None else Extent(classes))
        target = target * kept + ScalarValue(share, float)
    term = -(logs * target)
    term = term * _spread(call, logs, axis) if call.given("weight") else term
    return finished(call, term.over("sum", (axis,), False))


def _spread(call: Call, logs: Expr, axis: int) -> Expr:
    """Class weights lined up with the class axis."""
    one = Dim.of(1)
    return expression(call, "weight").reshape((logs.shape[axis], *(one,) * (logs.rank - axis - 1)))


def _is_zero(value: Value) -> bool:
    return isinstance(value, ScalarValue) and value.scalar in (Constant(0), Constant(0.0))


def _nll(call: Call) -> Value:
    logs, target = expression(call), expression(call, "target")
    with call.builder.composite("nll_loss"):
        return _picked(call, logs, target, 0 if logs.rank == 1 else 1, constant(0.0)).value


def _picked(call: Call, logs: Expr, target: Expr, axis: int, smooth: Value) -> Expr:
    """`-w[t] log p[t]` over targets that are class numbers; those equal to ignore_index count for nothing."""
    builder = call.builder
    if target.rank != logs.rank - 1:
        raise OperationError(f"class numbers of {target.rank} dimensions for {logs.rank} of scores")
    kept = target.op("ne", call["ignore_index"])
    safe = where(kept, target, 0)
    one = safe.unsqueeze(axis)
    shape = one.shape
    term = -Expr(builder, builder.emit("gather", [logs.value, one.value], shape, logs.dtype, axis=axis)).squeeze(axis)
    weights = kept.to(logs.dtype)
    if call.given("weight"):
        weight = expression(call, "weight").value
        looked_up = builder.emit(
            "index", [weight, safe.value], safe.shape, logs.dtype, axes=(0,), at=0, count=safe.rank
        )
        weights = Expr(builder, looked_up) * weights
    term = term * weights
    if not _is_zero(smooth):
        term = _smoothed(call, logs, term, kept, axis, smooth)
    how = call.word("reduction")
    if how != "mean":
        return finished(call, term)
    every = tuple(range(term.rank))
    return term.over("sum", every, False) / weights.over("sum", every, False)


def _smoothed(call: Call, logs: Expr, term: Expr, kept: Expr, axis: int, smooth: Value) -> Expr:
    """`(1 - s) term + s / C * -sum(w log p)`."""
    part = as_scalar(smooth, "label_smoothing")
    weighted = logs * _spread(call, logs, axis) if call.given("weight") else logs
    uniform = -weighted.over("sum", (axis,), False) * kept.to(logs.dtype)
    rest = ScalarValue(apply("-", Constant(1.0), part), float)
    return term * rest + uniform * smooth / logs.shape[axis]


# Losses of two or three vectors


def _cosine_embedding(call: Call) -> Value:
    """`1 - cos` for target 1, `max(0, cos - margin)` for target -1."""
    a, b, target = (expression(call, name) for name in ("input1", "input2", "target"))
    with call.builder.composite("cosine_embedding_loss"):
        axis = a.rank - 1
        lengths = [x.op("square").over("sum", (axis,), False) + 1e-12 for x in (a, b)]
        cosine = (a * b).over("sum", (axis,), False) / (lengths[0] * lengths[1]).op("sqrt")
        far = (cosine - call["margin"]).op("clamp", 0, NONE, dtype=cosine.dtype)
        term = where(target.op("eq", 1), 1 - cosine, 0.0) + where(target.op("eq", -1), far, 0.0)
        return finished(call, term).value


def _margin_ranking(call: Call) -> Value:
    a, b, target = (expression(call, name) for name in ("input1", "input2", "target"))
    with call.builder.composite("margin_ranking_loss"):
        gap = -target * (a - b) + call["margin"]
        return finished(call, gap.op("clamp", 0, NONE, dtype=gap.dtype)).value


def _triplet_margin(call: Call) -> Value:
    """`max(0, |a - p| - |a - n| + margin)`; with swap, the nearer of |a - n| and |p - n|."""
    anchor, positive, negative = (expression(call, name) for name in ("anchor", "positive", "negative"))
    order = call.builder.fold(call["p"], "p")
    with call.builder.composite("triplet_margin_loss"):

        def distance(left: Expr, right: Expr) -> Expr:
            gap = left - right + call["eps"]
            return norm_of(gap, order, (gap.rank - 1,), False)

        near, far = distance(anchor, positive), distance(anchor, negative)
        if call.flag("swap"):
            far = far.op("minimum", distance(positive, negative))
        gap = near - far + call["margin"]
        return finished(call, gap.op("clamp", 0, NONE, dtype=gap.dtype)).value


def _gaussian_nll(call: Call) -> Value:
    """`0.5 (log(var) + (x - t)^2 / var)`, var at least eps."""
    x, target, var = (expression(call, name) for name in ("input", "target", "var"))
    if call.flag("full"):
        raise OperationError("gaussian_nll_loss with full=True is not in r0kit's tables")
    with call.builder.composite("gaussian_nll_loss"):
        spread = var.op("clamp", call["eps"], NONE, dtype=var.dtype)
        return finished(call, (spread.op("log") + (x - target).op("square") / spread) * 0.5).value


_OLD = "size_average=None, reduce=None, reduction='mean'"
_PLAIN = f"(input, target, {_OLD})"
_CLASS = "size_average=None, ignore_index=-100, reduce=None, reduction='mean'"
ROWS: list[Operation] = [
    row("mse_loss", "F.mse_loss", f"(input, target, {_OLD}, weight=None)", pointwise("mse_loss", _mse)),
    row("l1_loss", "F.l1_loss", f"(input, target, {_OLD}, weight=None)", pointwise("l1_loss", _l1)),
    row(
        "smooth_l1_loss",
        "F.smooth_l1_loss",
        f"(input, target, {_OLD}, beta=1.0)",
        pointwise("smooth_l1_loss", _smooth_l1),
    ),
    row(
        "huber_loss",
        "F.huber_loss",
        "(input, target, reduction='mean', delta=1.0, weight=None)",
        pointwise("huber_loss", _huber),
    ),
    row(
        "binary_cross_entropy",
        "F.binary_cross_entropy",
        f"(input, target, weight=None, {_OLD})",
        pointwise("binary_cross_entropy", _bce),
    ),
    row(
        "binary_cross_entropy_with_logits",
        "F.binary_cross_entropy_with_logits",
        f"(input, target, weight=None, {_OLD}, pos_weight=None)",
        pointwise("binary_cross_entropy_with_logits", _bce_logits),
    ),
    row("kl_div", "F.kl_div", f"(input, target, {_OLD}, log_target=False)", pointwise("kl_div", _kl)),
    row(
        "hinge_embedding_loss",
        "F.hinge_embedding_loss",
        f"(input, target, margin=1.0, {_OLD})",
        pointwise("hinge_embedding_loss", _hinge_embedding),
    ),
    row("soft_margin_loss", "F.soft_margin_loss", _PLAIN, pointwise("soft_margin_loss", _soft_margin)),
    row(
        "poisson_nll_loss",
        "F.poisson_nll_loss",
        "(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction='mean')",
        pointwise("poisson_nll_loss", _poisson),
    ),
    row(
        "gaussian_nll_loss",
        "F.gaussian_nll_loss",
        "(input, target, var, full=False, eps=1e-6, reduction='mean')",
        _gaussian_nll,
    ),
    row(
        "cross_entropy",
        "F.cross_entropy",
        f"(input, target, weight=None, {_CLASS}, label_smoothing=0.0)",
        _cross_entropy,
    ),
    row("nll_loss", "F.nll_loss", f"(input, target, weight=None, {_CLASS})", _nll),
    row(
        "cosine_embedding_loss",
        "F.cosine_embedding_loss",
        f"(input1, input2, target, margin=0, {_OLD})",
        _cosine_embedding,
    ),
    row("margin_ranking_loss", "F.margin_ranking_loss", f"(input1, input2, target, margin=0, {_OLD})", _margin_ranking),
    row(
        "triplet_margin_loss",
        "F.triplet_margin_loss",
        f"(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, {_OLD})",
        _triplet_margin,
    ),
]
