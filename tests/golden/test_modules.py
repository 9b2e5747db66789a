"""Goldens that are `nn.Module`: what the instance owns becomes inputs, named and ordered as torch lists it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import parse
from r0kit.golden import program_of, read_program
from r0kit.golden.dims import shape_text
from r0kit.golden.filegiven import with_inputs_of_file
from r0kit.golden.program import Program, Ref
from r0kit.golden.scalars import Constant
from r0kit.golden.signature import find_golden, read_interface
from r0kit.partition import partition
from r0kit.spec import Case, Spec, TensorSpec, in_eval
from r0kit.stages import stages_of
from tests.golden.models import HEAD, MODELS, text_of

EVAL = ("convolution and batch norm",)
CASES = [*((name, True) for name in MODELS), *((name, False) for name in EVAL)]


def read(text: str, training: bool = True) -> Program:
    return program_of(text, "m_golden.py", None if training else in_eval(None, "m_golden.py"))


def made(text: str, training: bool) -> tuple[Any, list[Any], list[Any]]:
    """The module with random weights and statistics, its arguments, and what torch makes of them."""
    import torch

    file: dict[str, Any] = {}
    exec(compile(text, "m_golden.py", "exec"), file)
    torch.manual_seed(7)
    given = file["get_init_inputs"]() if "get_init_inputs" in file else []
    keywords = given[1] if len(given) == 2 and isinstance(given[1], dict) else {}
    module = file["Model"](*(given[0] if keywords else given), **keywords).train(training)
    arguments = file["get_inputs"]()
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.is_floating_point():
            tensor.data = torch.rand_like(tensor) + 0.5
    module.requires_grad_(False)
    result = module(*(one.clone() for one in arguments))
    return module, arguments, list(result) if isinstance(result, tuple) else [result]


def owned(module: Any, program: Program) -> dict[str, Any]:
    """The tensors of torch for the inputs that the Program says the module owns."""
    tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {one.name: tensors[one.path] for one in program.inputs if one.path}


def sizes(program: Program, arguments: list[Any]) -> dict[str, int]:
    given = [one for one in program.inputs if not one.path]
    pairs = [
        pair for one, tensor in zip(given, arguments, strict=True) for pair in zip(one.shape, tensor.shape, strict=True)
    ]
    return {extent.symbol: size for extent, size in pairs if extent.symbol}


@pytest.mark.parametrize(("name", "training"), CASES)
def test_the_steps_compute_what_the_module_does(name: str, training: bool) -> None:
    torch = pytest.importorskip("torch")
    from golden.execute import execute

    module, arguments, expected = made(text_of(name), training)
    before = {key: value.clone() for key, value in owned(module, read(text_of(name), training)).items()}
    program = read(text_of(name), training)
    assert [finding.message for finding in program.findings] == []
    given = dict(zip((one.name for one in program.inputs if not one.path), arguments, strict=True))
    results = execute(program, {**given, **before}, sizes(program, arguments))
    assert len(results) == len(expected)
    for result, known in zip(results, expected, strict=True):
        assert torch.allclose(result, known, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("name", "training"), CASES)
def test_inputs_are_named_and_ordered_as_torch_lists_them(name: str, training: bool) -> None:
    pytest.importorskip("torch")
    module, _, _ = made(text_of(name), training)
    program = read(text_of(name), training)
    buffers = [key for key, _ in module.named_buffers() if key == "shift" or (not training and "running" in key)]
    tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    mine = [one for one in program.inputs if one.path]
    assert [one.path for one in mine] == [*(key for key, _ in module.named_parameters()), *buffers]
    taken = {one.name for one in program.inputs if not one.path}
    for one in mine:
        plainly = one.path.replace(".", "_")
        assert one.name == (f"{plainly}_w" if plainly in taken else plainly)
        assert [extent.const for extent in one.shape] == list(tensors[one.path].shape)
        assert f"torch.{one.dtype}" == str(tensors[one.path].dtype)


@pytest.mark.parametrize(("name", "training"), CASES)
def test_stages_take_the_weights_as_inputs(name: str, training: bool, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "op_golden.py"
    path.write_text(text_of(name))
    spec = with_inputs_of_file(read_interface(str(path)), None if training else in_eval(None, str(path)))
    program = read_program(str(path), spec)
    contract = plain(draft(partition(program, spec), spec).contract)
    source = stages_of(parse(json.dumps(contract, default=dict), "m.yaml"), str(path), spec).source
    stages: dict[str, Any] = {}
    exec(compile(source, "stages", "exec"), stages)
    module, arguments, expected = made(text_of(name), training)
    given = dict(zip((one.name for one in program.inputs if not one.path), arguments, strict=True))
    result = stages["op_composed"](**given, **owned(module, program))
    for mine, known in zip(result if isinstance(result, tuple) else [result], expected, strict=True):
        assert torch.allclose(mine, known, rtol=1e-4, atol=1e-5)


# What the file says of the inputs of forward


SHAPES = {
    "a size that may vary, one that may not": (
        "n, d = 6, 4\nlong = 2 * n\ndef get_inputs():\n    return [torch.rand(n, d), torch.rand(long).half()]\n"
        "def get_init_inputs():\n    return [d]",
        {"x": ("[n, 4]", "float32"), "y": ("[long]", "float16")},
        {"n": 6, "long": 12},
    ),
    "numbers, a tuple, one element": (
        "one = 1\nshape = (3, 4)\ndef get_inputs():\n    return [torch.rand(2, *shape), torch.randint(0, 5, (one,))]\n"
        "def get_init_inputs():\n    return [4]",
        {"x": ("[2, 3, 4]", "float32"), "y": ("[1]", "int64")},
        {},
    ),
    "half a size, which says no size, and one that __init__ gets in a sum": (
        "n, d = 6, 4\nwide = d + 0\ndef get_inputs():\n    m = n // 2\n    x = torch.rand(m, d)\n    return [x, x[0]]\n"
        "def get_init_inputs():\n    return [wide]",
        {"x": ("[3, 4]", "float32"), "y": ("[4]", "float32")},
        {},
    ),
}
TWO = """
class Model(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d
    def forward(self, x, y):
        return x * self.d, y
"""


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_come_from_get_inputs_where_no_spec_says_them(name: str) -> None:
    file, expected, sizes = SHAPES[name]
    text = HEAD + TWO + file + "\n"
    program = read(text)
    assert {one.name: (shape_text(one.shape), one.dtype) for one in program.inputs} == expected
    spec = with_inputs_of_file(find_golden(text, "m_golden.py"), None)
    assert spec.bindings(spec.p0_cases[0]) == sizes
    assert not program.findings


def test_spec_comes_before_get_inputs() -> None:
    spec = Spec("SPEC.md", inputs=(TensorSpec("x", ("B", 4), "float16"),), p0_cases=(Case("p", {}, {"x": (3, 4)}),))
    file = "n = 6\ndef get_inputs():\n    return [torch.rand(n, 4), torch.rand(n)]\ndef get_init_inputs():\n    return [4]\n"
    program = program_of(HEAD + TWO + file, "m_golden.py", spec)
    assert [(one.name, shape_text(one.shape), one.dtype) for one in program.inputs] == [
        ("x", "[B, 4]", "float16"),
        ("y", "[n]", "float32"),
    ]


# What is not a parameter, and what is not known


def body(init: str, forward: str, rest: str = "") -> Program:
    """A Model of statements of `__init__` and `forward`, x being [2, 4]."""
    lines = ["class Model(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += [f"        {line}" for line in init.split("\n")]
    lines += ["    def forward(self, x):", *(f"        {line}" for line in forward.split("\n"))]
    lines += ["def get_inputs():", "    return [torch.rand(2, 4)]", *rest.split("\n")]
    return read(HEAD + "\n".join(lines) + "\n")


PLACES = {
    "random numbers in an attribute": ("self.w = torch.randn(4)", "return x * self.w", ["w"]),
    "a plain list": ("self.ls = [nn.Linear(4, 4, bias=False)]", "return self.ls[0](x)", ["ls.0.weight"]),
    "numbers alone": ("self.w = torch.arange(4) * 2.0", "return x * self.w", []),
    "changed while it is made": (
        "self.w = nn.Parameter(torch.zeros(4))\nself.w.data.fill_(2)\nself.w.data[0] = 1",
        "return x * self.w",
        ["w"],
    ),
    "not read": (
        "self.w = nn.Parameter(torch.zeros(4))\nself.fc = nn.Linear(4, 4)",
        "return x * self.fc.bias",
        ["fc.bias"],
    ),
    "no bias": (
        "self.fc = nn.Linear(4, 4, bias=False)",
        "return self.fc(x) if self.fc.bias is None else x",
        ["fc.weight"],
    ),
    "through a function": (
        "fc = nn.Linear(4, 4, bias=False)\nself.run = lambda t: fc(t)",
        "return self.run(x)",
        ["unnamed.w0"],
    ),
    "every layer of a kind": (
        "self.fc = nn.Linear(4, 4)\nfor m in self.modules():\n    if isinstance(m, nn.Linear):\n        nn.init.ones_(m.bias)",
        "return self.fc(x)",
        ["fc.weight", "fc.bias"],
    ),
    "a parameter that another module has": (
        "self.a = nn.Linear(4, 4)\nself.b = nn.Linear(4, 4)\nself.b.weight = self.a.weight\nself.b.bias = None",
        "return self.b(x)",
        ["a.weight"],
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_is_kept_beside_parameters(name: str) -> None:
    init, forward, paths = PLACES[name]
    program = body(init, forward)
    assert [one.path for one in program.inputs if one.path] == paths
    assert not program.findings
    assert not [step for step in program.steps if step.op in ("opaque", "randn", "empty")]


TOLD = {
    "an LSTM": (
        "self.rnn = nn.LSTM(4, 3, batch_first=True)",
        "return self.rnn(x)[0]",
        ("golden.operation", "nn.LSTM is a loop over time with hidden weights"),
    ),
    "an encoder": (
        "self.e = nn.TransformerEncoderLayer(d_model=4, nhead=2)",
        "return self.e(x)",
        ("golden.operation", "nn.TransformerEncoderLayer is several attention"),
    ),
    "a missing attribute": ("pass", "return self.fc(x)", ("golden.unknown-name", "`Model` has no attribute `fc`")),
    "a layer of another file": (
        "from apex import FusedNorm\nself.n = FusedNorm(4)",
        "return self.n(x)",
        ("golden.unknown-operation", "`apex.FusedNorm` is defined in another file"),
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_cannot_be_read_is_told_once_it_is_used(name: str) -> None:
    init, forward, (rule, message) = TOLD[name]
    program = body(init, forward)
    assert any(one.rule == rule and message in one.message and one.hint for one in program.findings)
    assert "opaque" in [step.op for step in program.steps]


def test_an_argument_without_a_value_is_a_finding_that_says_what_to_do() -> None:
    program = read(HEAD + TWO)
    found = [one for one in program.findings if one.rule == "golden.init"]
    assert [one.message for one in found] == ["nothing says what `d` of `Model` is"]
    assert "get_init_inputs()" in found[0].hint


def test_modules_lists_each_module_once() -> None:
    init = "self.fc = nn.Linear(4, 4)\nself.again = self.fc\nself.me = [self]"
    program = body(init, "return x * len([one for one in self.modules() if isinstance(one, nn.Linear)])")
    assert [step.operands for step in program.steps] == [(Ref("x"), Constant(1))]


def test_an_instance_that_cannot_be_made_is_a_finding() -> None:
    program = read(f"{HEAD}class Model(nn.Linear):\n    def forward(self, x):\n        return x\n")
    found = [one for one in program.findings if one.rule == "golden.init"]
    assert [one.message for one in found] == ["`Model`: Linear needs an argument in_features"]
    assert "get_init_inputs()" in found[0].hint


def test_dropout_is_off_in_eval_mode_alone() -> None:
    lines = "self.drop = nn.Dropout(0.5)", "return F.dropout(self.drop(x), 0.5, self.training)"
    assert body(*lines).steps
    text = body(*lines).source
    assert not read(text, training=False).steps


def test_a_static_forward_has_no_instance() -> None:
    text = "class Model:\n    @staticmethod\n    def forward(x):\n        '''x: [M, 4]'''\n        return x * 2\n"
    program = read(HEAD + text)
    assert [(one.name, shape_text(one.shape)) for one in program.inputs] == [("x", "[M, 4]")]
    assert [step.op for step in program.steps] == ["mul"]
