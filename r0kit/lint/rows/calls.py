"""Rows of what the API does not have in this form."""

from r0kit.finding import Severity
from r0kit.lint.checks import calls, models
from r0kit.lint.rows.examples import define, factory, kernel
from r0kit.rulebook import Rule

CALLS: tuple[Rule, ...] = (
    Rule(
        id="P00",
        title="the file is Python that can be read",
        why="What cannot be read hides every pitfall in it: no file, no UTF-8, no Python, more than 4 MiB, or nested "
        "deeper than any kernel.",
        severity=Severity.ERROR,
        good="import pypto\n",
        bad="import pypto\ndef kernel(x:\n",
        hint="repair the file",
        check=lambda _: (),
        evidence="Python's own parser",
    ),
    Rule(
        id="P01",
        title="the tensor stands left of -, / and *",
        why="Before 0.2.0 a tensor had no reflected operator but that of +: `1.0 - x`, `1.0 / x` and `2.0 * x` end in a "
        "TypeError.",
        severity=Severity.ERROR,
        good=kernel("out[:] = x * (-1.0) + 1.0"),
        bad=kernel("out[:] = 1.0 - x"),
        hint="write `x * (-1.0) + 1.0`, `pypto.reciprocal(x)`, `x * 2.0`",
        check=calls.scalar_left,
        versions="<0.2.0",
        evidence="pypto 0.1.3 raises TypeError; 0.2.0 has __rsub__, __rtruediv__ and __rmul__, compiles all three and the "
        "values are those of torch",
    ),
    Rule(
        id="P02",
        title="the tensor stands left of **, // and %",
        why="These have no reflected operator: Python finds nothing that takes a number and a tensor, and the kernel ends "
        "in a TypeError.",
        severity=Severity.ERROR,
        good=kernel("out[:] = pypto.exp(x * 0.6931471805599453)"),
        bad=kernel("out[:] = 2.0 ** x"),
        hint="write c ** x as `pypto.exp(x * log(c))`, and the others with `pypto.full` for the number",
        check=calls.scalar_left_of_power,
        evidence="pypto 0.2.0: TypeError, unsupported operand type(s)",
    ),
    Rule(
        id="P03",
        title="the first argument of add, sub, mul, div and pow is a tensor",
        why="The functions take (Tensor, Tensor) or (Tensor, number). A number first is a TypeError, although the operator "
        "`1.0 + x` works.",
        severity=Severity.ERROR,
        good=kernel("out[:] = pypto.add(x, 1.0)"),
        bad=kernel("out[:] = pypto.add(1.0, x)"),
        hint="put the tensor first, or write the operator",
        check=calls.scalar_first_argument,
        evidence="pypto 0.2.0: TypeError, incompatible function arguments; maximum and minimum take a number first",
    ),
    Rule(
        id="P04",
        title="numbers are computed with by Python, not by pypto",
        why="A closure such as eps or delta is a Python number. The functions of pypto take tensors and end in a TypeError "
        "or an AttributeError.",
        severity=Severity.ERROR,
        good=factory("out[:] = pypto.maximum(x, -delta)", "delta: float", "0.5"),
        bad=factory("out[:] = pypto.maximum(x, pypto.mul(delta, -1.0))", "delta: float", "0.5"),
        hint="write `-delta`, `delta * 0.5`, `math.sqrt(delta)`",
        check=calls.arithmetic_on_closures,
        evidence="pypto 0.2.0: 'float' object has no attribute 'dtype' (mul), incompatible function arguments (neg, exp)",
    ),
    Rule(
        id="P05",
        title="the called name exists",
        why="The graph API is not torch: some names are missing, some are called otherwise (clamp is clip), some came after "
        "the version in use.",
        severity=Severity.ERROR,
        good=kernel("out[:] = pypto.clip(x, 0.0, 1.0)"),
        bad=kernel("out[:] = pypto.clamp(x, 0.0, 1.0)"),
        hint="look it up in the API table of the version in use",
        check=calls.unknown_names,
        evidence="pypto 0.2.0: AttributeError; the names come from the wheels 0.1.0, 0.1.3 and 0.2.0 and from the public "
        "source after them. That pypto.where is missing, as once was said, holds for none of these",
    ),
    Rule(
        id="P06",
        title="numbers reach a kernel as closures",
        why="A scalar such as eps or slope is fixed when the kernel is made: the factory takes it and the kernel closes "
        "over it.",
        severity=Severity.WARNING,
        good=factory("out[:] = x + eps", "eps: float", "0.25"),
        bad=define(
            "out[:] = x + eps",
            "x: pypto.Tensor((64, 64), pypto.DT_FP32)",
            "out: pypto.Tensor((64, 64), pypto.DT_FP32)",
            "eps: float = 0.25",
        ),
        hint="make it a parameter of the factory",
        check=models.scalar_arguments,
        versions="<0.1.3",
        evidence="0.1.3 compiles a scalar argument, 0.2.0 also computes the right values, and the official examples use it; "
        "not decidable for what came before",
    ),
    Rule(
        id="P07",
        title="a factory takes a flattened extent as one number",
        why="Where forward flattens (N, M, K) to (N * M, K) before the kernel, the kernel knows one extent. Two parameters "
        "of which only the product is read invite a call with extents that do not fit the tensor.",
        severity=Severity.WARNING,
        good="""import pypto


def make_kernel(nm):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor((nm, 64), pypto.DT_FP32), out: pypto.Tensor((nm, 64), pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 64)
        out[:] = x * (1.0 / nm)

    return kernel


kernel = make_kernel(64)
""",
        bad="""import pypto


def make_kernel(n, m):
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor((n * m, 64), pypto.DT_FP32), out: pypto.Tensor((n * m, 64), pypto.DT_FP32)):
        pypto.set_vec_tile_shapes(32, 64)
        out[:] = x * (1.0 / (n * m))

    return kernel


kernel = make_kernel(8, 8)
""",
        hint="let forward flatten, and give the factory nm = n * m",
        check=models.separate_extents,
        evidence="pypto 0.2.0 compiles both, with the values of torch; the claim is one of form",
    ),
    Rule(
        id="P24",
        title="the module is called pypto",
        why="pto, pyto and pytorch are other packages or none.",
        severity=Severity.ERROR,
        good=kernel("out[:] = pypto.abs(x)"),
        bad=kernel("out[:] = pto.abs(x)"),
        hint="write `import pypto` and `pypto.`",
        check=calls.misspelt_module,
        evidence="Python: ModuleNotFoundError, or NameError when the kernel is compiled",
    ),
)
