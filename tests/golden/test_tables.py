"""What the operation tables promise beside numbers: errors that say what is wrong, texts, axis relations."""

from __future__ import annotations

from collections import Counter

import pytest

from r0kit.golden import ops
from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, shape_of
from r0kit.golden.ops import AxisMap, Link
from r0kit.golden.program import Kind, Section
from r0kit.golden.values import TensorValue, UnknownValue, Value, constant, extent, sequence


@pytest.fixture
def builder() -> Builder:
    return Builder("golden.py", ops.KINDS, {"eps": 1e-5}, {"M": 3, "N": 4, "K": 5})


def tensor(name: str, *shape: int | str, dtype: str = "float32") -> TensorValue:
    return TensorValue(name, shape_of(*shape), dtype)


def called(builder: Builder, path: str, *args: Value, **kwargs: Value) -> TensorValue:
    result = ops.call(builder, path, args, kwargs)
    assert isinstance(result, TensorValue)
    return result


X = tensor("x", "M", "N")

WRONG_CALLS = [
    ("torch.exp", (X, X), {}, "at most 1"),
    ("torch.exp", (), {}, "needs an argument input"),
    ("torch.exp", (X,), {"out": X}, "no argument out"),
    ("torch.exp", (constant(2.0),), {}, "tensor operand"),
    ("torch.mean", (tensor("i", "M", dtype="int64"),), {}, "no mean of int64"),
    ("torch.sum", (X, constant(2)), {}, "axis 2 is out of range"),
    ("torch.sum", (X, sequence(constant(0), constant(-2))), {}, "twice"),
    ("torch.matmul", (X, tensor("w", "N", "K", dtype="float16")), {}, "one dtype"),
    ("torch.matmul", (X, tensor("w", 7, "K")), {}, "N is not 7"),
    ("operator.add", (X, tensor("y", "M", "K")), {}, "cannot broadcast"),
    ("torch.reshape", (X, sequence(constant(5), constant(-1))), {}, "not divisible by 5"),
    ("torch.cat", (sequence(X, tensor("z", "M")),), {}, "different numbers of dimensions"),
    ("torch.transpose", (X, constant(0), constant(2)), {}, "axis 2 is out of range"),
    ("torch.relu", (UnknownValue("it came from a file"),), {}, "tensor operand"),
    ("torch.sum", (UnknownValue("it came from a file"),), {}, "it came from a file"),
    ("torch.nothing", (X,), {}, "not in r0kit's tables"),
]


@pytest.mark.parametrize(("path", "args", "kwargs", "message"), WRONG_CALLS)
def test_wrong_call_says_what_is_wrong(
    builder: Builder, path: str, args: tuple[Value, ...], kwargs: dict[str, Value], message: str
) -> None:
    with pytest.raises(OperationError) as caught:
        ops.call(builder, path, args, kwargs)
    assert message in caught.value.message


def test_no_spelling_belongs_to_two_rows() -> None:
    spellings = Counter(path for row in ops.ROWS for path in row.spellings)
    assert not [path for path, count in spellings.items() if count > 1]


def test_in_place_spellings_are_found_as_the_plain_ones() -> None:
    assert ops.find("torch.Tensor.mul_") is ops.find("torch.Tensor.mul")
    assert ops.find("operator.imul") is ops.find("operator.mul")
    assert ops.find("torch.Tensor.no_such_thing_") is None


def test_every_contraction_is_cube_and_all_else_vector() -> None:
    for op, (kind, section) in ops.KINDS.items():
        assert (section is Section.CUBE) == (kind is Kind.CONTRACTION), op


def test_contraction_runs_in_its_compute_dtype(builder: Builder) -> None:
    a, b = tensor("a", "M", "K", dtype="int8"), tensor("b", "K", "N", dtype="int8")
    labels = ((0, 2), (2, 1), (0, 1))
    builder.emit("matmul", [a, b], shape_of("M", "N"), "float16", labels=labels, compute_dtype="int32")
    text = ops.torch_text(builder.steps[-1], ["a", "b"])
    assert text == "torch.matmul(a.to(torch.int32), b.to(torch.int32)).to(torch.float16)"


def test_text_spells_extents_as_asked(builder: Builder) -> None:
    called(builder, "torch.reshape", X, sequence(extent(Dim.of("M") * Dim.of("N"))))
    text = ops.torch_text(builder.steps[-1], ["x"], lambda dim: f"<{dim}>")
    assert text == "x.reshape((<M*N>,))"


def relation(builder: Builder, *shapes: tuple[int | str, ...]) -> AxisMap:
    return ops.axes(builder.steps[-1], [shape_of(*shape) for shape in shapes])


def test_broadcast_axis_of_extent_one_links_to_nothing(builder: Builder) -> None:
    called(builder, "torch.sub", X, tensor("m", "M", 1))
    assert relation(builder, ("M", "N"), ("M", 1)) == AxisMap(
        (Link(((0, 0),), (0,)), Link(((0, 1),), (1,)), Link(((1, 0),), (0,)))
    )


def test_reduced_axis_is_needed_whole(builder: Builder) -> None:
    called(builder, "torch.amax", X, constant(0))
    assert relation(builder, ("M", "N")) == AxisMap((Link(((0, 1),), (0,)),), ((0, 0),))


def test_contracted_axis_joins_both_operands(builder: Builder) -> None:
    called(builder, "torch.matmul", X, tensor("w", "N", "K"))
    found = relation(builder, ("M", "N"), ("N", "K"))
    assert Link(((0, 1), (1, 0)), ()) in found.links
    assert found.whole == ((0, 1), (1, 0))


def test_reshape_groups_are_found_by_algebra(builder: Builder) -> None:
    value = tensor("q", "M", "N", "K")
    called(builder, "torch.reshape", value, sequence(extent("M"), extent(Dim.of("N") * Dim.of("K"))))
    assert relation(builder, ("M", "N", "K")) == AxisMap((Link(((0, 0),), (0,)), Link(((0, 1), (0, 2)), (1,))))


def test_convolution_windows_are_partial_and_channels_contract(builder: Builder) -> None:
    image, weight = tensor("x", "B", "C", "H", "W"), tensor("w", "O", "C", 3, 3)
    called(builder, "torch.nn.functional.conv2d", image, weight)
    found = relation(builder, ("B", "C", "H", "W"), ("O", "C", 3, 3))
    assert Link(((0, 0),), (0,)) in found.links
    assert Link(((0, 2),), (2,), partial=True) in found.links
    assert Link(((0, 1), (1, 1)), ()) in found.links


def test_a_composite_marks_its_steps(builder: Builder) -> None:
    called(builder, "torch.softmax", X, constant(-1))
    assert [step.op for step in builder.steps] == ["amax", "sub", "exp", "sum", "div"]
    assert {step.origin for step in builder.steps} == {"softmax"}


def test_grouped_heads_divide_without_a_p0_case() -> None:
    builder = Builder("golden.py", ops.KINDS)
    query, key = tensor("q", "B", "Hq", "S", "D"), tensor("k", "B", "Hk", "T", "D")
    args = {"enable_gqa": constant(True)}
    result = ops.call(builder, "torch.nn.functional.scaled_dot_product_attention", [query, key, key], args)
    assert isinstance(result, TensorValue)
    assert result.shape == query.shape
    assert any(str(c.right) == "Hq" for c in builder.constraints)
