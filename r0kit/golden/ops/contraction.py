"""Contractions spelled as products of matrices: matmul and everything that is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from r0kit.golden.builder import Builder, OperationError
from r0kit.golden.dims import Dim, shape_text
from r0kit.golden.ops.elementwise import elementwise
from r0kit.golden.ops.layout import permute, reshape, transpose, unsqueeze
from r0kit.golden.ops.row import Call, Operation, normal_axis, row
from r0kit.golden.scalars import Constant
from r0kit.golden.values import ScalarValue, TensorValue, Value

Labels = tuple[int, ...]


def same_dtype(op: str, values: Sequence[TensorValue]) -> str:
    """The one dtype of a contraction's operands; torch does not promote them."""
    dtypes = {value.dtype for value in values}
    if len(dtypes) > 1:
        raise OperationError(
            f"{op} of {' with '.join(value.dtype for value in values)}: torch wants one dtype",
            "cast one operand, or correct the dtypes in SPEC.md",
        )
    return values[0].dtype


def matmul(builder: Builder, left: TensorValue, right: TensorValue) -> TensorValue:
    """`left @ right` with batch axes broadcast. Labels: one int for each axis, shared where operands share it."""
    dtype = same_dtype("matmul", [left, right])
    if not left.rank or not right.rank:
        raise OperationError("matmul needs operands of at least one dimension")
    builder.same(left.shape[-1], right.shape[-2 if right.rank > 1 else 0], "matmul")
    batch = builder.broadcast(left.shape[:-2], right.shape[:-2])
    shape = (*batch, *left.shape[-2:-1], *(right.shape[-1:] if right.rank > 1 else ()))
    labels = _matmul_labels(left, right, len(batch))
    return builder.emit("matmul", [left, right], shape, dtype, labels=labels)


def _matmul_labels(left: TensorValue, right: TensorValue, batch: int) -> tuple[Labels, Labels, Labels]:
    """Batch axes 0..batch-1, then M, N and K; an axis of extent 1 that broadcasts gets a label of its own."""
    m, n, k = batch, batch + 1, batch + 2
    spare = iter(range(k + 1, k + 2 * batch + 1))
    sides = []
    for value, other in ((left, right), (right, left)):
        axes = range(batch - len(value.shape[:-2]), batch)
        sides.append([next(spare) if _stretched(value, other, axis - batch) else axis for axis in axes])
    first = (*sides[0], *((m,) if left.rank > 1 else ()), k)
    second = (*sides[1], k, n) if right.rank > 1 else (k,)
    result = (*range(batch), *((m,) if left.rank > 1 else ()), *((n,) if right.rank > 1 else ()))
    return first, second, result


def _stretched(value: TensorValue, other: TensorValue, place: int) -> bool:
    """Whether a batch axis (counted from the last one, -1) has extent 1 against a longer one of the other operand."""
    mine, theirs = value.shape[:-2], other.shape[:-2]
    if mine[place].const != 1 or len(theirs) < -place:
        return False
    return theirs[place].const != 1


def _of_ranks(*ranks: int) -> Callable[[Call], Value]:
    """mm, bmm, mv, dot: matmul with the ranks that torch insists on."""

    def rule(call: Call) -> Value:
        left, right = call.tensor("input"), call.tensor("other")
        if (left.rank, right.rank) != ranks:
            name = call.path.rpartition(".")[2]
            raise OperationError(f"{name} does not take {shape_text(left.shape)} and {shape_text(right.shape)}")
        return matmul(call.builder, left, right)

    return rule


def _matmul(call: Call) -> Value:
    return matmul(call.builder, call.tensor("input"), call.tensor("other"))


def _linear(call: Call) -> Value:
    value, weight, bias = call.tensor("input"), call.tensor("weight"), call.optional("bias")
    with call.builder.composite("linear"):
        result = matmul(call.builder, value, transpose(call.builder, weight, -2, -1) if weight.rank > 1 else weight)
        return result if bias is None else elementwise(call.builder, "add", result, bias)


def _bilinear(call: Call) -> Value:
    """`y[.., o] = x1[.., i] weight[o, i, j] x2[.., j]`."""
    builder, first, second = call.builder, call.tensor("input1"), call.tensor("input2")
    weight, bias = call.tensor("weight"), call.optional("bias")
    with builder.composite("bilinear"):
        left = unsqueeze(builder, unsqueeze(builder, first, (first.rank - 1,)), (first.rank - 1,))
        mixed = matmul(builder, left, weight)
        mixed = reshape(builder, mixed, (*first.shape[:-1], weight.shape[0], weight.shape[2]))
        result = matmul(builder, mixed, unsqueeze(builder, second, (second.rank,)))
        result = reshape(builder, result, (*first.shape[:-1], weight.shape[0]))
        return result if bias is None else elementwise(builder, "add", result, bias)


def _plus_product(left: str, right: str, summed: bool = False) -> Callable[[Call], Value]:
    """addmm and its family: `beta * input + alpha * (left @ right)`."""

    def rule(call: Call) -> Value:
        builder = call.builder
        with builder.composite(call.path.rpartition(".")[2]):
            product = (
                _outer(call, left, right) if left == "vec1" else matmul(builder, call.tensor(left), call.tensor(right))
            )
            if summed:
                product = _sum_first(builder, product)
            added = _times(builder, call.tensor("input"), call["beta"])
            return elementwise(builder, "add", added, _times(builder, product, call["alpha"]))

    return rule


def _times(builder: Builder, value: TensorValue, factor: Value) -> TensorValue:
    if isinstance(factor, ScalarValue) and isinstance(factor.scalar, Constant) and factor.scalar.value == 1:
        return value
    return elementwise(builder, "mul", value, factor)


def _sum_first(builder: Builder, value: TensorValue) -> TensorValue:
    return builder.emit("sum", [value], value.shape[1:], value.dtype, axes=(0,), axis=0, keepdim=False)


def _outer(call: Call, left: str = "input", right: str = "other") -> TensorValue:
    """A product of two vectors is elementwise: nothing is summed."""
    a, b = call.tensor(left), call.tensor(right)
    if (a.rank, b.rank) != (1, 1):
        raise OperationError(f"outer takes two vectors, not {shape_text(a.shape)} and {shape_text(b.shape)}")
    return elementwise(call.builder, "mul", unsqueeze(call.builder, a, (1,)), b)


def _chain(call: Call) -> Value:
    matrices = call.tensors("tensors")
    if not matrices:
        raise OperationError("a chain of products needs at least one matrix")
    with call.builder.composite("multi_dot"):
        result = matrices[0]
        for matrix in matrices[1:]:
            result = matmul(call.builder, result, matrix)
        return result


def _tensordot(call: Call) -> Value:
    """Contract axes pairwise: both operands become matrices, one matmul, and the free axes come back."""
    builder, left, right = call.builder, call.tensor("input"), call.tensor("other")
    first, second = _tensordot_axes(call, left, right)
    free_left = [axis for axis in range(left.rank) if axis not in first]
    free_right = [axis for axis in range(right.rank) if axis not in second]
    for a, b in zip(first, second, strict=True):
        builder.same(left.shape[a], right.shape[b], "tensordot")
    with builder.composite("tensordot"):
        rows = _as_matrix(builder, permute(builder, left, [*free_left, *first]), len(free_left))
        columns = _as_matrix(builder, permute(builder, right, [*second, *free_right]), len(second))
        shape = (*(left.shape[axis] for axis in free_left), *(right.shape[axis] for axis in free_right))
        return reshape(builder, matmul(builder, rows, columns), shape)


def _tensordot_axes(call: Call, left: TensorValue, right: TensorValue) -> tuple[list[int], list[int]]:
    dims = call["dims"]
    if isinstance(dims, ScalarValue):
        count = call.integer("dims")
        if not 0 <= count <= min(left.rank, right.rank):
            raise OperationError(
                f"tensordot over {count} axes of {shape_text(left.shape)} and {shape_text(right.shape)}"
            )
        return list(range(left.rank - count, left.rank)), list(range(count))
    pairs = [
        [call.builder.integer(item, "dims") for item in (side.items if hasattr(side, "items") else [side])]
        for side in getattr(dims, "items", [])
    ]
    if len(pairs) != 2 or len(pairs[0]) != len(pairs[1]):
        raise OperationError("dims of tensordot is a number or two lists of axes of one length")
    if pairs[0] and not (left.rank and right.rank):
        raise OperationError("tensordot over axes of a 0-d tensor, which has none")
    return [normal_axis(axis, left.rank) for axis in pairs[0]], [normal_axis(axis, right.rank) for axis in pairs[1]]


def _as_matrix(builder: Builder, value: TensorValue, split: int) -> TensorValue:
    one = Dim.of(1)
    rows, columns = one, one
    for place, extent in enumerate(value.shape):
        rows, columns = (rows * extent, columns) if place < split else (rows, columns * extent)
    return reshape(builder, value, (rows, columns))


def _inner(call: Call) -> Value:
    left, right = call.tensor("input"), call.tensor("other")
    if not left.rank or not right.rank:
        return elementwise(call.builder, "mul", left, right)
    with call.builder.composite("inner"):
        if right.rank == 1:
            return matmul(call.builder, left, right)
        flat = _as_matrix(call.builder, right, right.rank - 1)
        product = matmul(call.builder, left, transpose(call.builder, flat, 0, 1))
        return reshape(call.builder, product, (*left.shape[:-1], *right.shape[:-1]))


ROWS: list[Operation] = [
    row("matmul", "both.matmul op.matmul linalg.matmul", "(input, other)", _matmul),
    row("matmul", "both.mm", "(input, other)", _of_ranks(2, 2)),
    row("matmul", "both.bmm", "(input, other)", _of_ranks(3, 3)),
    row("matmul", "both.mv", "(input, other)", _of_ranks(2, 1)),
    row("matmul", "both.dot both.vdot", "(input, other)", _of_ranks(1, 1)),
    row("linear", "F.linear", "(input, weight, bias=None)", _linear),
    row("bilinear", "F.bilinear", "(input1, input2, weight, bias=None)", _bilinear),
    row("addmm", "both.addmm", "(input, mat1, mat2, *, beta=1, alpha=1)", _plus_product("mat1", "mat2")),
    row("addmv", "both.addmv", "(input, mat, vec, *, beta=1, alpha=1)", _plus_product("mat", "vec")),
    row("addr", "both.addr", "(input, vec1, vec2, *, beta=1, alpha=1)", _plus_product("vec1", "vec2")),
    row("baddbmm", "both.baddbmm", "(input, batch1, batch2, *, beta=1, alpha=1)", _plus_product("batch1", "batch2")),
    row(
        "addbmm", "both.addbmm", "(input, batch1, batch2, *, beta=1, alpha=1)", _plus_product("batch1", "batch2", True)
    ),
    row("outer", "both.outer both.ger", "(input, other)", _outer),
    row("multi_dot", "linalg.multi_dot torch.chain_matmul", "(*tensors)", _chain),
    row("tensordot", "torch.tensordot", "(input, other, dims=2)", _tensordot),
    row("inner", "both.inner", "(input, other)", _inner),
]
