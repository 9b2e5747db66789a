"""Which function is the golden, and what its parameters and results are, for every signature seen in public files."""

import sys
import textwrap
from pathlib import Path

import pytest

from r0kit.finding import InputError
from r0kit.golden.signature import GoldenFunction, Passing, Role, Style, find_golden, read_interface
from r0kit.spec import Spec, TensorSpec, read_spec

GOLDENS = sorted((Path(__file__).parents[1] / "goldens").glob("*/*_golden*.py"))


def golden(
    source: str, path: str = "f_golden_cpu.py", op: str | None = None, spec: Spec | None = None
) -> GoldenFunction:
    return find_golden(textwrap.dedent(source), path, op, spec)


def shown(function: GoldenFunction) -> str:
    """Parameters as "name:role=default", those of a mapping or `*args` in the same way."""
    return ", ".join(
        f"{parameter.name}:{parameter.role.value}" + (f"={parameter.default}" if parameter.default else "")
        for parameter in function.parameters
    )


def results(function: GoldenFunction) -> list[str]:
    return [value.name for value in function.returns]


# The ways in which a regular expression fails: (source, parameters, results).
SIGNATURES = {
    "parenthesis in a default": (
        """
        def f_golden_cpu(image, window=(3, 3), step=(1, 2)):
            return F.avg_pool2d(image, window, step)
        """,
        "image:tensor, window:scalar=(3, 3), step:scalar=(1, 2)",
        ["out"],
    ),
    "comma in an annotation": (
        """
        def f_golden_cpu(a: Tensor, sizes: Dict[str, int], b: Tensor):
            c = a.reshape(sizes["rows"], -1) + b
            return c
        """,
        "a:tensor, sizes:scalar, b:tensor",
        ["c"],
    ),
    "annotation with brackets, default with a call": (
        """
        def f_golden_cpu(a, act: Callable[[Tensor], Tensor] = nn.SiLU(), times: int = 2):
            return act(a) * times
        """,
        "a:tensor, act:scalar=nn.SiLU(), times:scalar=2",
        ["out"],
    ),
    "comments with brackets and commas": (
        """
        def f_golden_cpu(
            query,  # [B, N, S, D), the (first) input
            key):   # ) trailing, too
            return query @ key
        """,
        "query:tensor, key:tensor",
        ["out"],
    ),
    "trailing comma": (
        """
        def f_golden_cpu(
            rows,
            weight,
        ):
            return rows * weight
        """,
        "rows:tensor, weight:tensor",
        ["out"],
    ),
    "positional-only and keyword-only": (
        """
        def f_golden_cpu(a, /, gain, *, eps=1e-6, bias=None):
            total = (a * gain).sum(-1) + eps
            return total if bias is None else total + bias
        """,
        "a:tensor, gain:tensor, eps:scalar=1e-6, bias:tensor=None",
        ["total"],
    ),
    "keyword arguments read by name": (
        """
        def f_golden_cpu(**kwargs):
            a = kwargs.get("a")
            scale = kwargs.get("scale", 0.5)
            bias = kwargs.pop("bias", None)
            return a.float() * scale + kwargs["shift"].float()
        """,
        "a:tensor, scale:scalar=0.5, bias:tensor=None, shift:tensor",
        ["out"],
    ),
    "one dict of tensors": (
        """
        def f_golden_cpu(tensors):
            tensors["out"][:] = tensors["left"] @ tensors["right"]
            tensors["count"][:] += 1
        """,
        "out:tensor, left:tensor, right:tensor, count:tensor",
        ["out", "count"],
    ),
    "static method": (
        """
        class Reference:
            scale = 2

            @staticmethod
            def f_golden_cpu(a, b):
                return a * b
        """,
        "a:tensor, b:tensor",
        ["out"],
    ),
    "method": (
        """
        class Reference:
            def _half(self, value):
                return value.half()

            def f_golden_cpu(self, a):
                return self._half(a)
        """,
        "a:tensor",
        ["out"],
    ),
    "nested": (
        """
        def test_everything():
            def f_golden_cpu(a):
                return a.exp()
            assert f_golden_cpu
        """,
        "a:tensor",
        ["out"],
    ),
    "under a condition": (
        """
        if torch.__version__ > "2":
            def f_golden_cpu(a, b):
                return a + b
        else:
            def f_golden_cpu(a, b):
                return torch.add(a, b)
        """,
        "a:tensor, b:tensor",
        ["out"],
    ),
    "another naming convention": ("def compute_golden_f(a, b):\n    return a / b\n", "a:tensor, b:tensor", ["out"]),
    "def in a docstring": (
        '''
        """Replaces the old

        def older_golden_cpu(alpha, beta, gamma):
        """
        def f_golden_cpu(a):
            return a
        ''',
        "a:tensor",
        ["a"],
    ),
    "separators in a string default": (
        """
        def f_golden_cpu(a, b, equation="mk,nk->mn", label="g(y)"):
            return torch.einsum(equation, a, b)
        """,
        """a:tensor, b:tensor, equation:scalar="mk,nk->mn", label:scalar="g(y)\"""",
        ["out"],
    ),
    "list and lambda defaults": (
        """
        def f_golden_cpu(a, axes=[0, -1], merge=lambda u, v: u):
            return a.amax(axes)
        """,
        "a:tensor, axes:scalar=[0, -1], merge:scalar=lambda u, v: u",
        ["out"],
    ),
    "nested optional": (
        """
        def f_golden_cpu(a, masks: Optional[Tuple[Tensor, Tensor]] = None):
            return a if masks is None else a * masks[0] + masks[1]
        """,
        "a:tensor, masks:tensors=None",
        ["a"],
    ),
    "type parameters": (
        """
        def f_golden_cpu[T: (float,
                             int)](a: Tensor, k: T) -> T:
            return a * k
        """,
        "a:tensor, k:tensor",
        ["out"],
    ),
    "continued line": ("def \\\n        f_golden_cpu(a):\n    return a.abs()\n", "a:tensor", ["out"]),
    "helper above the golden": (
        """
        def norm_golden_cpu(v, g):
            return v * g

        def f_golden_cpu(q, k):
            return norm_golden_cpu(q, k)
        """,
        "q:tensor, k:tensor",
        ["out"],
    ),
    "class": (
        """
        class Model(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.linear = nn.Linear(size, size)

            def forward(self, a, mask=None):
                a = self.linear(a)
                return a if mask is None else a.masked_fill(mask, 0)

        def get_inputs():
            return [torch.rand(2, 3)]
        """,
        "a:tensor, mask:tensor=None",
        ["a"],
    ),
    "numbers in arithmetic": (
        """
        def f_golden_cpu(a, size, heads, axis, at):
            axis = axis if axis >= 0 else axis + 2
            return a[at * size:at * size + 1].sum(axis) + torch.zeros(size * heads)
        """,
        "a:tensor, size:scalar, heads:scalar, axis:scalar, at:scalar",
        ["out"],
    ),
    "partial": (
        """
        import functools

        def _impl(first, a, weight, eps=1e-3, axis=-1):
            var = a.pow(2).mean(axis)
            return a * weight, var

        f_golden_cpu = functools.partial(_impl, 3, eps=1e-5)
        """,
        "a:tensor, weight:tensor, eps:scalar=1e-5, axis:scalar=-1",
        ["out", "var"],
    ),
    "factory": (
        """
        def make(eps, bits=8):
            def inner(a, scale):
                return a * scale + eps
            return inner

        f_golden_cpu = make(eps=1e-5)
        """,
        "a:tensor, scale:tensor",
        ["out"],
    ),
    "lambda": ("f_golden_cpu = lambda a, b: (a + b, a - b)\n", "a:tensor, b:tensor", ["out", "out_1"]),
    "wrapped": (
        """
        def reference(a):
            return a.exp()

        f_golden_cpu = torch.no_grad()(reference)
        """,
        "a:tensor",
        ["out"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SIGNATURES)
def test_signatures(case: str) -> None:
    source, parameters, returned = SIGNATURES[case]
    function = golden(source)
    assert shown(function) == parameters
    assert results(function) == returned
    assert function.op == "f"
    assert function.findings == ()


def test_how_arguments_are_passed() -> None:
    function = golden("def f_golden(a, /, b, *, c=1):\n    return a + b\n")
    assert [parameter.passing for parameter in function.parameters] == [
        Passing.POSITIONAL,
        Passing.ANY,
        Passing.KEYWORD,
    ]
    assert [parameter.span.column for parameter in function.parameters] == [14, 20, 26]


def test_what_partials_and_factories_bind() -> None:
    function = golden(SIGNATURES["partial"][0])
    assert (function.given, list(function.bound), function.name, function.style) == (
        1,
        ["eps"],
        "f_golden_cpu",
        Style.FUNCTION,
    )
    made = golden(SIGNATURES["factory"][0])
    assert sorted(made.closure) == ["bits", "eps"]
    assert made.node.args.args[0].arg == "a"


def test_a_factory_itself_is_followed() -> None:
    function = golden("def f_golden_cpu(eps=1e-5):\n    def inner(a):\n        return a + eps\n    return inner\n")
    assert shown(function) == "a:tensor"


def test_styles() -> None:
    assert golden(SIGNATURES["class"][0]).style is Style.MODEL
    mapping = golden(SIGNATURES["one dict of tensors"][0])
    assert mapping.style is Style.MAPPING
    assert [(p.name, p.read, p.written) for p in mapping.parameters] == [
        ("out", False, True),
        ("left", True, False),
        ("right", True, False),
        ("count", True, True),
    ]
    assert [p.name for p in mapping.tensors] == ["left", "right", "count"]


def test_results_stored_into_parameters() -> None:
    function = golden(
        """
        def _fill(target, value):
            target[...] = value

        def f_golden_cpu(a, out, sums, scratch):
            _fill(out, a * 2)
            sums.copy_(a.sum(-1))
            scratch[0] += a
        """
    )
    assert results(function) == ["out", "sums", "scratch"]
    assert [p.name for p in function.tensors] == ["a", "scratch"]


def test_the_dtype_of_a_result_is_no_reading_of_it() -> None:
    function = golden(
        """
        def f_golden_cpu(tensors):
            a = tensors["a"].float()
            rows = tensors["b"].shape[0]
            tensors["y"][:] = (a * rows).to(tensors["y"].dtype)
        """
    )
    assert [p.name for p in function.tensors] == ["a", "b"]
    assert results(function) == ["y"]
    function = golden("def f_golden_cpu(a, y):\n    y[:] = a.to(y.dtype)\n")
    assert [p.name for p in function.tensors] == ["a"]


def test_variadic_parameters() -> None:
    source = "def f_golden(*tensors, dim=0):\n    return torch.cat(tensors, dim)\n"
    assert shown(golden(source)) == "tensors:tensors, dim:scalar=0"
    spec = Spec("SPEC.md", inputs=(TensorSpec("a"), TensorSpec("b")))
    assert shown(golden(source, spec=spec)) == "a:tensor, b:tensor, dim:scalar=0"


def test_a_star_unpacked_result_is_reported() -> None:
    function = golden("def f_golden(a):\n    parts = a.split(2)\n    return (*parts, a)\n")
    assert [finding.rule for finding in function.findings] == ["golden.returns"]


# Results


@pytest.mark.parametrize(
    ("body", "outputs", "expected"),
    [
        ("return a * 2", (), ["out"]),
        ("return a * 2", ("y",), ["y"]),
        ("return a * 2", ("y", "z"), ["out"]),
        ("y = a * 2\n    return y", ("z",), ["y"]),
        ("m, s = a.max(-1)\n    return m, a / s, a - m", (), ["m", "out", "out_1"]),
        ("m = a.amax(-1)\n    return m, a - m", ("top", "rest"), ["m", "rest"]),
        ("return a, a", (), ["a", "a_1"]),
        ("return [a + 1, a + 2]", (), ["out", "out_1"]),
        ('return {"low": a - 1, "high": a + 1}', (), ["low", "high"]),
        ("pair = (a, a + 1)\n    return pair", (), ["a", "out"]),
        ("return two(a)", (), ["first", "second"]),
        ("both = two(a)\n    return both", (), ["first", "second"]),
        ("if a.ndim == 1:\n        return a + 1\n    y = a * 2\n    return y", (), ["y"]),
        ("if a.ndim == 1:\n        z = a + 1\n        return z\n    return a * 2", (), ["z"]),
        ("return (a, a + 1) if a.ndim else two(a)", (), ["a", "out"]),
        ("def inner():\n        return 1, 2, 3\n    return a", (), ["a"]),
        ("if a is None:\n        return None\n    return a + 1, a", (), ["out", "a"]),
    ],
)
def test_names_of_results(body: str, outputs: tuple[str, ...], expected: list[str]) -> None:
    helper = "def two(v):\n    first, second = v, v\n    return first, second\n\n"
    spec = Spec("SPEC.md", outputs=tuple(map(TensorSpec, outputs)))
    function = golden(f"{helper}def f_golden(a):\n    {body}\n", spec=spec)
    assert results(function) == expected
    assert function.findings == ()


def test_results_that_vary_or_lack_are_reported() -> None:
    function = golden("def f_golden(a, flag=True):\n    if flag:\n        return a\n    return a, a + 1\n")
    assert [(finding.rule, finding.location.line) for finding in function.findings] == [("golden.returns", 4)]
    function = golden("def f_golden(a):\n    a + 1\n")
    assert results(function) == []
    assert [(finding.rule, finding.location.line) for finding in function.findings] == [("golden.returns", 1)]


# Which function


TWO = "def a_golden_cpu(x):\n    return x\n\ndef b_golden_cpu(x, y):\n    return x + y\n"


@pytest.mark.parametrize(
    ("path", "op", "hint", "name", "operator"),
    [
        ("anything.py", "b", "", "b_golden_cpu", "b"),
        ("b_golden_cpu.py", None, "", "b_golden_cpu", "b"),
        ("b_golden.py", None, "", "b_golden_cpu", "b"),
        ("deep/folder/a.py", None, "", "a_golden_cpu", "a"),
        ("golden_b.py", None, "", "b_golden_cpu", "b"),
        ("anything.py", None, "b", "b_golden_cpu", "b"),
        ("a_golden_cpu.py", "b", "", "b_golden_cpu", "b"),
    ],
)
def test_the_option_then_the_file_name_then_spec_decide(
    path: str, op: str | None, hint: str, name: str, operator: str
) -> None:
    function = golden(TWO, path, op, Spec("SPEC.md", op_name=hint))
    assert (function.name, function.op) == (name, operator)


def test_several_goldens_and_no_way_to_choose() -> None:
    with pytest.raises(InputError) as caught:
        golden(TWO, "anything.py")
    (finding,) = caught.value.findings
    assert finding.rule == "golden.ambiguous"
    assert "a_golden_cpu (line 1), b_golden_cpu (line 4)" in finding.message
    assert "--op" in finding.hint


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def helper(x):\n    return x\n\ndef s_golden(x):\n    return helper(x)\n", "s_golden"),
        ("def s_golden(x):\n    return x\n\ndef s_golden_cpu(x):\n    return x\n", "s_golden_cpu"),
        ("def s_ref(x):\n    return x\n\ndef kernel(x):\n    return x\n", "s_ref"),
        ("def softmax(x):\n    return x\n\ndef test_softmax():\n    pass\n\ndef main():\n    pass\n", "softmax"),
        ("def f(x):\n    return x\n\ndef g(x):\n    return x\n\ndef anything(x):\n    return x\n", "anything"),
        ("class Model:\n    def forward(self, x):\n        return x\n\ndef helper(x):\n    return x\n", "forward"),
        ("class Other:\n    def forward(self, x):\n        return x\n", "forward"),
        ("def s_golden(x):\n    return x\n\ndef s_golden(x, y):\n    return x + y\n", "s_golden"),
    ],
)
def test_the_only_candidate_is_taken(source: str, name: str) -> None:
    assert golden(source, "anything.py").name == name


def test_the_last_of_two_definitions_counts() -> None:
    assert (
        shown(golden("def s_golden(x):\n    return x\n\ndef s_golden(x, y):\n    return x + y\n"))
        == "x:tensor, y:tensor"
    )


def test_an_operator_that_no_function_is_named_after() -> None:
    function = golden("def other_golden_cpu(x):\n    return x\n", op="softmax")
    assert (function.name, function.op) == ("other_golden_cpu", "softmax")
    assert [finding.rule for finding in function.findings] == ["golden.name"]
    assert "no function is named softmax_golden_cpu" in function.findings[0].message


@pytest.mark.parametrize(
    "source", ["", "x = 1\n", "import torch\n\ndef main():\n    pass\n", "async def f_golden(x):\n    pass\n"]
)
def test_a_file_without_a_golden(source: str) -> None:
    with pytest.raises(InputError) as caught:
        golden(source)
    assert [(finding.rule, finding.location.line) for finding in caught.value.findings] == [("golden.none", 1)]


def test_functions_that_are_no_goldens_are_listed() -> None:
    with pytest.raises(InputError, match=r"one \(line 1\), two \(line 4\)"):
        golden("def one(x):\n    return x\n\ndef two(x):\n    return x\n", "anything.py")


def test_columns_count_characters() -> None:
    source = 'def f_golden_cpu(a, 名称="归一化", b=None):\n    """说明"""\n    return a + b, "值", a\n'
    function = golden(source)
    spans = [parameter.span for parameter in function.parameters]
    line = source.split("\n")[0]
    assert [line[span.column - 1 : span.end_column - 1] for span in spans] == ["a", "名称", "b"]
    assert source.split("\n")[2][function.returns[2].span.column - 1] == "a"


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.parent.name)
def test_roles_without_a_spec_are_those_of_the_spec(path: Path) -> None:
    spec, _ = read_spec(str(path.parent / "SPEC.md"))
    alone, informed = read_interface(str(path)), read_interface(str(path), None, spec)
    assert shown(alone) == shown(informed)
    listed = [tensor.name for tensor in spec.inputs]
    required = [parameter.name for parameter in informed.tensors if parameter.name in listed or not parameter.optional]
    assert required == listed
    assert len(informed.returns) == len(spec.outputs)
    assert all(parameter.role is not Role.MAPPING for parameter in informed.parameters)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python 3.12 reads them itself")
def test_type_parameters_keep_their_columns() -> None:
    function = golden("def f_golden[T](a: T) -> T:\n    return a\n")
    assert function.parameters[0].span.column == 17
