"""`torch.nn` layers and einops patterns through the tables: weights, shapes and numbers."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.ops.layer_table import LAYERS, REFUSED
from r0kit.golden.values import DictValue, TensorValue, constant
from tests.golden.oracle import SIZES, Reader, compare_leaf, leaves, namespace, run_steps
from tests.golden.test_operations import lines_of, made

torch = pytest.importorskip("torch")

# Layers whose training mode is random.
RANDOM = ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "RReLU")
CASES = [tuple(line.split(": ", 1)) for line in lines_of("layers")]
# Layers that need several devices, or have no case for a reason of their own.
WITHOUT_CASE = {"torch.nn.SyncBatchNorm"}


@pytest.mark.parametrize(("written", "inputs"), CASES)
def test_layer_agrees_with_torch(written: str, inputs: str) -> None:
    for training in (False, True):
        if not (training and written.startswith(RANDOM)):
            agrees(written, inputs, training)


def agrees(written: str, inputs: str, training: bool) -> None:
    """One layer in one mode: its weights, shapes, dtypes and numbers."""
    torch.manual_seed(3)
    layer = eval(f"torch.nn.{written}", {"torch": torch}).train(training)
    tensors = {name: value.detach().clone() for name, value in layer.state_dict().items() if value.dim()}
    names = namespace(torch, made(), f"{written} = {inputs}")
    real = layer(*eval(f"({inputs},)", names))
    reader = Reader()
    node = ast.parse(f"torch.nn.{written}", mode="eval").body
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    args = [reader.read(argument) for argument in node.args]
    kwargs = {keyword.arg: reader.read(keyword.value) for keyword in node.keywords if keyword.arg}
    path = f"torch.nn.{node.func.attr}"
    owned = ops.weights(reader.builder, path, args, kwargs)
    known = {weight.name: tuple(extent.const for extent in weight.shape) for weight in owned}
    assert known == {name: tuple(value.shape) for name, value in tensors.items()}
    held = DictValue({weight.name: TensorValue(f"owned_{weight.name}", weight.shape, weight.dtype) for weight in owned})
    given = [reader.read(item) for item in ast.parse(f"({inputs},)", mode="eval").body.elts]  # type: ignore[attr-defined]
    static = ops.call(
        reader.builder, path, [*given, *args], {**kwargs, "weights": held, "training": constant(training)}
    )
    sizes = dict(SIZES)
    fresh = {**namespace(torch, made()), **{f"owned_{name}": value for name, value in tensors.items()}}
    values = run_steps(reader.builder.steps, fresh, sizes)
    for mine, theirs in zip(leaves(static), leaves(real), strict=True):
        compare_leaf(torch, written, mine, theirs, values, sizes, True)


def test_every_layer_has_a_case() -> None:
    tried = {f"torch.nn.{written.partition('(')[0]}" for written, _ in CASES} | WITHOUT_CASE
    missing = [path for layer in LAYERS for path in layer.paths if path not in tried]
    assert not missing, f"add a case for {missing}"


@pytest.mark.parametrize("name", REFUSED)
def test_layer_that_is_a_program_of_its_own_is_refused_with_a_reason(name: str) -> None:
    reader = Reader()
    with pytest.raises(OperationError, match=name):
        ops.call(reader.builder, f"torch.nn.{name}", [reader.names["x"]], {})


def test_layer_without_its_weights_is_refused() -> None:
    reader = Reader()
    with pytest.raises(OperationError, match="weights"):
        ops.call(reader.builder, "torch.nn.Linear", [reader.names["a"], constant(7), constant(6)], {})


@pytest.mark.parametrize("line", lines_of("einops"))
def test_einops_pattern(line: str) -> None:
    written, _, expected = line.rpartition(" = ")
    reader, sizes = Reader(), dict(SIZES)
    static = reader.read(ast.parse(written, mode="eval").body)
    values = run_steps(reader.builder.steps, namespace(torch, made()), sizes)
    real: Any = eval(expected, namespace(torch, made()))
    compare_leaf(torch, line, static, real, values, sizes, True)
