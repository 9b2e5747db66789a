"""Rows of formulas."""

from r0kit.finding import Severity
from r0kit.lint.checks import formulas
from r0kit.lint.rows.examples import define, kernel
from r0kit.rulebook import Rule

_TWO = (
    "pred: pypto.Tensor((64, 64), pypto.DT_FP32)",
    "target: pypto.Tensor((64, 64), pypto.DT_FP32)",
    "out: pypto.Tensor((64, 64), pypto.DT_FP32)",
)
_THREE = tuple(f"{name}: pypto.Tensor((64, 64), pypto.DT_FP32)" for name in ("a", "p", "n"))
_ROWS = "out: pypto.Tensor((64, 1), pypto.DT_FP32)"
_ROOTS = """def distance(u, v):
    d = u - v
    return pypto.sqrt(pypto.sum(d * d, dim=1, keepdim=True) + 0.000001)


"""
_CLIPPED = "a = pypto.abs(pred - target)\nc = pypto.minimum(a, 2.0)\n"
_MEAN = (
    "mean = pypto.sum(x, dim=1, keepdim=True) * (1.0 / 64)\n"
    "squares = pypto.sum(x * x, dim=1, keepdim=True) * (1.0 / 64)\n"
)

FORMULAS: tuple[Rule, ...] = (
    Rule(
        id="P09",
        title="a distance has its square root, and eps inside it",
        why="sum(d * d) is the square of the L2 distance. Losses such as TripletMarginLoss compare distances; and the root "
        "of a sum that may be zero takes eps inside, as torch adds it to the difference.",
        severity=Severity.WARNING,
        good=define(
            """d1 = a - p
d2 = a - n
near = pypto.sqrt(pypto.sum(d1 * d1, dim=1, keepdim=True) + 0.000001)
far = pypto.sqrt(pypto.sum(d2 * d2, dim=1, keepdim=True) + 0.000001)
out[:] = pypto.maximum(near - far + 1.0, 0.0)""",
            *_THREE,
            _ROWS,
        ),
        bad=define(
            """d1 = a - p
d2 = a - n
near = pypto.sum(d1 * d1, dim=1, keepdim=True)
far = pypto.sum(d2 * d2, dim=1, keepdim=True)
out[:] = pypto.maximum(near - far + 1.0, 0.0)""",
            *_THREE,
            _ROWS,
        ),
        hint="write pypto.sqrt(sum_of_squares + eps)",
        check=formulas.squared_distance,
        evidence="pypto 0.2.0 computes another value than torch's triplet margin loss without the root, and the same with it; "
        "eps matters at distance zero alone",
    ),
    Rule(
        id="P15",
        title="what is built in is not written by hand",
        why="sigmoid, softmax, abs and minimum exist. By hand they take more operations and lines, and every line can be "
        "wrong.",
        severity=Severity.NOTE,
        good=kernel("out[:] = pypto.sigmoid(x)"),
        bad=kernel("out[:] = 1.0 / (pypto.exp(x * (-1.0)) + 1.0)"),
        hint="call the built-in function",
        check=formulas.built_in,
        evidence="pypto 0.2.0 compiles both forms of all four, with the values of torch; the claim is one of form",
    ),
    Rule(
        id="P18",
        title="maximum(x, f(x)) is no condition",
        why="maximum takes the larger value, not the branch of the sign: exp(x) - 1 exceeds x for every x but 0, so ELU "
        "comes out wrong for all positive x, and x * slope does for a slope beyond 1.",
        severity=Severity.ERROR,
        good=kernel("out[:] = pypto.maximum(x, 0.0) + (pypto.exp(pypto.minimum(x, 0.0)) - 1.0) * 0.5"),
        bad=kernel("out[:] = pypto.maximum(x, (pypto.exp(x) - 1.0) * 0.5)"),
        hint="ELU: maximum(x, 0.0) + (exp(minimum(x, 0.0)) - 1.0) * alpha; LeakyReLU: maximum(x, 0.0) + minimum(x, 0.0) * "
        "slope",
        check=formulas.conditional_maximum,
        evidence="pypto 0.2.0 computes another value than torch's elu; maximum(x, x * slope) with 0 <= slope <= 1 is right, "
        "and nothing is said about it",
    ),
    Rule(
        id="P19",
        title="a variance is the mean of the squares minus the square of the mean",
        why="var = E[x^2] - E[x]^2. The other way round it is negative, and its root is not a number.",
        severity=Severity.ERROR,
        good=kernel(_MEAN + "out[:] = pypto.sqrt(squares - mean * mean)", out="(64, 1)"),
        bad=kernel(_MEAN + "out[:] = pypto.sqrt(mean * mean - squares)", out="(64, 1)"),
        hint="write sq_sum * inv_count - mean * mean",
        check=formulas.variance_sign,
        evidence="pypto 0.2.0 computes NaN for the wrong order, and torch's value for the right one",
    ),
    Rule(
        id="P28",
        title="a Huber loss has its clamp and its delta",
        why="With c = min(|d|, delta) the loss is 0.5 c^2 + delta (|d| - c) for every delta. The short form 0.5 c^2 + |d| - c "
        "holds for delta = 1 alone, and without the clamp it is a squared loss.",
        severity=Severity.ERROR,
        good=define(_CLIPPED + "out[:] = c * c * 0.5 + (a - c) * 2.0", *_TWO),
        bad=define(_CLIPPED + "out[:] = c * c * 0.5 + a - c", *_TWO),
        hint="write c = pypto.minimum(a, delta) and c * c * 0.5 + (a - c) * delta",
        check=formulas.huber,
        evidence="pypto 0.2.0 computes torch's huber_loss with delta = 2 for the general form and another value for the short",
    ),
    Rule(
        id="P29",
        title="the direction of a divergence is that of the golden",
        why="F.kl_div(log(pred), target) is target * (log(target) - log(pred)): the target is the reference. The arguments "
        "are not symmetric, the first is a logarithm already, and batchmean divides by the batch alone.",
        severity=Severity.WARNING,
        good=define("out[:] = target * (pypto.log(target) - pypto.log(pred))", *_TWO, name="kl_div_kernel")
        + "\n\nkernel = kl_div_kernel\n",
        bad=define("out[:] = pred * (pypto.log(pred) - pypto.log(target))", *_TWO, name="kl_div_kernel")
        + "\n\nkernel = kl_div_kernel\n",
        hint="write the formula of the golden's forward first: which tensor weighs, which are logarithms, what is divided by",
        check=formulas.kl_direction,
        evidence="pypto 0.2.0 computes another value than torch's kl_div; which tensor is meant is told by the names alone",
    ),
    Rule(
        id="P30",
        title="adjacent axes are reduced at once",
        why="A sum over H of a sum over W keeps an intermediate tensor and schedules twice. Merged by a reshape in forward, "
        "H and W are one axis and one reduction.",
        severity=Severity.NOTE,
        good=kernel("out[:] = pypto.sum(x, dim=1, keepdim=True)", "(8, 1024)", "4, 1024", "(8, 1)"),
        bad=kernel("rows = pypto.sum(x, dim=2)\nout[:] = pypto.sum(rows, dim=1)", "(8, 32, 32)", "4, 32, 32", "(8,)"),
        hint="merge the axes in forward with reshape, and reduce once",
        check=formulas.chained_reductions,
        evidence="both compile on pypto 0.2.0 and give the values of torch; the claim is one of speed. Silent where the "
        "intermediate is used elsewhere or something that is not linear stands between",
    ),
)
