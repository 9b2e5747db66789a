"""What a cube Module contracts: one product of matrices, perhaps for many batches, in numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from r0kit.contract.model import Contract, Module
from r0kit.plan.expression import Call, Name, Node, UnreadError, read_line
from r0kit.plan.extents import ExtentError, Extents, Shape, concrete, dimensions, product, tensor_of
from r0kit.plan.reader import MOST_LINES
from r0kit.plan.work import BYTES

Operand = tuple[tuple[str, ...], Shape, str, bool]  # axes, shape, dtype, whether its last two axes are swapped

Sizes = tuple[int, int, int, int, bool, tuple[str, str, str]]  # batch, M, K, N, plain, names of M, K and N


@dataclass(frozen=True, slots=True)
class Product:
    """`batch` products of (m, k) and (k, n).

    left, right, result: dtypes; the accumulator is float32, or int32 for integers. plain: both operands are matrices
    as they lie in memory, or transposed (`left_swapped`, `right_swapped`): what the graph API multiplies.
    bias: added in the accumulator. axes: names of M, K and N, "" for one that several axes make up.
    """

    value: str
    batch: int
    m: int
    k: int
    n: int
    left: str
    right: str
    result: str
    left_swapped: bool = False
    right_swapped: bool = False
    bias: bool = False
    plain: bool = True
    axes: tuple[str, str, str] = ("", "", "")

    @property
    def left_size(self) -> int:
        """Bytes of an element of the left operand."""
        return BYTES.get(self.left, 4)

    @property
    def right_size(self) -> int:
        """Bytes of an element of the right operand."""
        return BYTES.get(self.right, 4)


def products_of(contract: Contract, module: Module, extents: Extents) -> tuple[Product, ...]:
    """The contractions of a cube Module. UnreadError where its lines say none that can be read."""
    reader = _Reader(contract, module, extents)
    for line in module.golden_steps[:MOST_LINES]:
        target, node = read_line(line)
        reader.read(target, node)
    if not reader.found:
        raise UnreadError("its lines say no contraction")
    return tuple(reader.found)


def counted_product(contract: Contract, module: Module, extents: Extents) -> Product:
    """A product as large as the Module's output and the axes that its traversal reduces; of a convolution, the implicit one.

    UnreadError where the Module records no traversal. ExtentError where an axis has no extent.
    """
    reduces = (module.traversal or {}).get("reduces")
    if not module.outputs or not isinstance(reduces, list) or not reduces:
        raise UnreadError("it records neither a contraction that can be read nor what it reduces")
    out = module.outputs[0]
    shape = concrete(out.shape, extents) or (1,)
    inner = product(tuple(_extent(str(axis), extents) for axis in reduces))
    columns = shape[1] if len(shape) > 2 and any("conv" in line for line in module.golden_steps) else shape[-1]
    read = [tensor_of(contract, module, wire.name).dtype for wire in module.inputs[:2]]
    left, right = (read * 2)[:2] or ["", ""]
    return Product(out.name, 1, product(shape) // columns, inner, columns, left, right, out.dtype, plain=False)


def _extent(axis: str, extents: Extents) -> int:
    """An axis of a traversal; one that shares the name or the extent of another has a number behind it: `3_2`."""
    base = re.sub(r"_\d+$", "", axis)
    name = axis if axis in extents or not base else base
    return concrete(f"[{name}]", extents)[0]


class _Reader:
    def __init__(self, contract: Contract, module: Module, extents: Extents) -> None:
        self.contract, self.module, self.extents = contract, module, extents
        self.found: list[Product] = []

    def read(self, target: str, node: Node) -> None:
        """Every contraction in `node`."""
        if not isinstance(node, Call):
            return
        bias = node.op == "add" and any(isinstance(part, Name) for part in node.args)
        for part in node.args:
            if isinstance(part, Call) and part.op in ("matmul", "einsum"):
                self._contraction(target, part, bias)
            else:
                self.read(target, part)
        if node.op in ("matmul", "einsum") and not any(found.value == target for found in self.found):
            self._contraction(target, node, False)

    def _contraction(self, target: str, node: Call, bias: bool) -> None:
        for part in node.args:
            self.read(f"operand of {target}", part)
        if len(node.args) != 2:
            raise UnreadError(f"{node.op} of {len(node.args)} operands")
        left, right = (self._operand(part) for part in node.args)
        made = (
            self._matmul(left, right)
            if node.op == "matmul"
            else self._einsum(dict(node.attrs)["equation"], left, right)
        )
        batch, m, k, n, plain, axes = made
        result = next((output.dtype for output in self.module.outputs if output.name == target), "float32")
        self.found.append(
            Product(target, batch, m, k, n, left[2], right[2], result, left[3], right[3], bias, plain, axes)
        )

    def _operand(self, node: Node) -> Operand:
        match node:
            case Name(name):
                tensor = tensor_of(self.contract, self.module, name)
                try:
                    return dimensions(tensor.shape), concrete(tensor.shape, self.extents), tensor.dtype, False
                except ExtentError as error:
                    raise UnreadError(str(error)) from None
            case Call("transpose", (inner,)):
                axes, shape, dtype, swapped = self._operand(inner)
                if len(shape) < 2:
                    raise UnreadError("a vector that is transposed")
                return (*axes[:-2], axes[-1], axes[-2]), (*shape[:-2], shape[-1], shape[-2]), dtype, not swapped
            case Call(op, (inner,)) if op in BYTES:
                axes, shape, dtype, swapped = self._operand(inner)
                return axes, shape, dtype, swapped
        raise UnreadError("an operand that is computed on the way")

    def _matmul(self, left: Operand, right: Operand) -> Sizes:
        a, b = left[1], right[1]
        if len(a) < 2 or len(b) < 2 or a[-1] != b[-2]:
            raise UnreadError("a product of a vector, or of shapes that do not meet")
        if len(b) == 2:  # rows of all batches against one matrix
            return (
                1,
                product(a[:-1]),
                a[-1],
                b[-1],
                len(a) == 2,
                (left[0][0] if len(a) == 2 else "", left[0][-1], right[0][-1]),
            )
        batch = max(product(a[:-2]), product(b[:-2]))
        return batch, a[-2], a[-1], b[-1], len(a) == len(b) <= 4, (left[0][-2], left[0][-1], right[0][-1])

    def _einsum(self, equation: str, left: Operand, right: Operand) -> Sizes:
        inputs, _, out = equation.partition("->")
        words = inputs.split(",")
        if len(words) != 2 or any(len(w) != len(o[1]) for w, o in zip(words, (left, right), strict=True)):
            raise UnreadError(f"einsum {equation}")
        a, b = words
        size = dict(zip(a + b, left[1] + right[1], strict=True))
        name = dict(zip(a + b, left[0] + right[0], strict=True))
        rows = "".join(c for c in a if c not in b and c in out)
        inner = "".join(c for c in a if c in b and c not in out)
        columns = "".join(c for c in b if c not in a and c in out)
        both = "".join(c for c in a if c in b and c in out)
        m, k, n, batch = (product(tuple(size[c] for c in letters)) for letters in (rows, inner, columns, both))
        names = [name[letters] if len(letters) == 1 else "" for letters in (rows, inner, columns)]
        return batch, m, k, n, equation == "ab,bc->ac", (names[0], names[1], names[2])
