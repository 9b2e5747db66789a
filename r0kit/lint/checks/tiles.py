"""Tiles: which are set, their rank, how they fit the tensor and UB, how many there are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from math import prod

from r0kit.finding import Fault, Severity
from r0kit.lint.match import NONLINEAR, behind
from r0kit.lint.subject import Subject
from r0kit.lint.trace.model import Kernel, Op, Shape, Value
from r0kit.lint.trace.shapes import BINARY, ELEMENTWISE, REDUCTIONS

UB = 192 << 10  # bytes of UB on A2 and A3, the only platform of the wheel
INNER = 65535  # the longest inner axis of a matmul operand in ND format
MOST_TILES = 2048
HEURISTIC = 16384  # elements of the heuristic's default tile
MOVE = 1 << 10  # bytes of a contiguous move from which the seed's table shows no more gain
_BYTES = {"DT_FP32": 4, "DT_INT32": 4, "DT_FP16": 2, "DT_BF16": 2, "DT_INT16": 2, "DT_INT8": 1, "DT_UINT8": 1}
_NOT_TILED = frozenset(("matmul", "view", "slice", "reshape", "full", "zeros", "ones"))
_VECTOR = ELEMENTWISE | REDUCTIONS
_NEEDS_TILE = (_VECTOR | {"transpose", "expand_clone", "concat"}) - {"compare"}  # `if flag > 0` compares a scalar


def matmul_inner_axis(subject: Subject) -> Iterator[Fault]:
    """The last axis, as stored, of each operand."""
    for _, op in subject.ops("matmul"):
        for side, operand in zip(("left", "right"), op.args[:2], strict=False):
            inner = operand.shape[-1] if operand.shape and operand.nd else None
            if inner is not None and inner > INNER:
                yield Fault(op.node, f"the inner axis of the {side} operand has {inner} elements, more than {INNER}")


def missing_tile(subject: Subject) -> Iterator[Fault]:
    """A vector operation before any set_vec_tile_shapes, a matmul before any set_cube_tile_shapes; once per kernel."""
    vectors, cubes = (_is_set_outside(subject, kind) for kind in ("vec", "cube"))
    for kernel in subject.kernels:
        vector = next((op for op in kernel.ops if _lacks_vector_tile(op)), None)
        if vector is not None and not vectors:
            other = "; the cube tile does not cover it" if vector.cube.state == "set" else ""
            hint = "call pypto.set_vec_tile_shapes, with one size per axis, before the first vector operation"
            yield Fault(vector.node, f"no vector tile is set where {vector.name} runs{other}", hint)
        cube = next((op for op in kernel.ops if op.name == "matmul" and op.cube.state == "unset"), None)
        if cube is not None and not cubes:
            hint = "call pypto.set_cube_tile_shapes([m, m], [k, k], [n, n]) before the matmul"
            yield Fault(cube.node, "no cube tile is set where matmul runs", hint)


def _is_set_outside(subject: Subject, kind: str) -> bool:
    """Whether some code outside the kernels sets a tile, which they then find in force."""
    inside = {id(node) for kernel in subject.kernels for node in ast.walk(kernel.node)}
    inside |= {id(tile.node) for kernel in subject.kernels for tile in kernel.tiles}
    for node in subject.nodes:
        if isinstance(node, ast.Call) and id(node) not in inside:
            named = (subject.names.dotted(node.func) or "").endswith(f"set_{kind}_tile_shapes")
            if named or any(keyword.arg == f"{kind}_tile_shapes" for keyword in node.keywords):
                return True
    return False


def _lacks_vector_tile(op: Op) -> bool:
    return op.name in _NEEDS_TILE and op.vec.state == "unset" and _computes(op)


def _computes(op: Op) -> bool:
    return any(value.is_tensor for value in op.args)


def rank(subject: Subject) -> Iterator[Fault]:
    """A tile of fewer axes than the tensor."""
    for kernel, op in _tiled(subject):
        sizes, shape = op.vec.sizes, _worked(kernel, op)
        if sizes is not None and shape is not None and len(sizes) < len(shape):
            yield Fault(op.node, f"the tile has {_axes(sizes)} where {op.name} works on a tensor of {_axes(shape)}")


def _axes(shape: Shape) -> str:
    return f"{len(shape)} ax{'es' if len(shape) != 1 else 'is'}"


def _tiled(subject: Subject) -> Iterator[tuple[Kernel, Op]]:
    """Vector operations whose tile is known."""
    for kernel, op in subject.ops():
        if op.name in _VECTOR and op.vec.state == "set" and op.vec.sizes is not None and _computes(op):
            yield kernel, op


def _worked(kernel: Kernel, op: Op) -> Shape | None:
    """The shape that an operation iterates over: of its operand for a reduction, else of its result."""
    return op.args[0].shape if op.name in REDUCTIONS else kernel.result(op).shape


def beyond_shape(subject: Subject) -> Iterator[Fault]:
    """A tile size beyond its extent, while another axis could have used the budget; on all that the tile serves."""
    for kernel in (*subject.kernels, *subject.helpers):
        for tile in kernel.tiles:
            served = [op for op in kernel.ops if op.vec is tile and op.name not in _NOT_TILED]
            shapes = [shape for op in served for shape in _touched(kernel, op)]
            largest = _largest(shapes, tile.sizes)
            if largest is None or tile.sizes is None or tile.node is None:
                continue
            wasted = [
                i for i, (s, n) in enumerate(zip(tile.sizes, largest, strict=True)) if s is not None and s > _up(n)
            ]
            usable = any(s is not None and s < n for s, n in zip(tile.sizes, largest, strict=True))
            if wasted and usable:
                axis = wasted[0]
                said = f"the tile takes {tile.sizes[axis]} elements of axis {axis}, which has {largest[axis]}"
                yield Fault(tile.node, f"{said}, and leaves other axes cut")


def _touched(kernel: Kernel, op: Op) -> list[Shape | None]:
    """The shapes that a tile is laid over: the one iterated over, and those of the operands of other operations."""
    if op.name in _VECTOR:
        return [_worked(kernel, op)]
    return [kernel.result(op).shape, *(value.shape for value in op.args if value.is_tensor)]


def _up(extent: int) -> int:
    """An extent rounded up to 32 elements, so that an aligned tile never counts as too large."""
    return -(-extent // 32) * 32


def _largest(shapes: list[Shape | None], sizes: Shape | None) -> tuple[int, ...] | None:
    """The largest extent of each axis over these shapes; None unless all of it is known."""
    if not shapes or sizes is None:
        return None
    if any(shape is None or len(shape) != len(sizes) or None in shape for shape in shapes):
        return None
    known = [[n for n in shape if n is not None] for shape in shapes if shape is not None]
    return tuple(max(column) for column in zip(*known, strict=True))


def whole_axis(subject: Subject) -> Iterator[Fault]:
    """What one operation holds at once is more than UB: a tile for each full operand, two for a reduction."""
    for kernel, op in _tiled(subject):
        live = _live_bytes(kernel, op)
        if live is not None and live > UB:
            what = "a reduction" if op.name in REDUCTIONS else op.name
            said = f"{what} holds {live >> 10} KiB of tiles at once, more than the {UB >> 10} KiB of UB"
            yield Fault(op.node, said)


def _live_bytes(kernel: Kernel, op: Op) -> int | None:
    shape, width = _worked(kernel, op), _BYTES.get(op.args[0].dtype or "")
    clipped = _clipped(op.vec.sizes, shape)
    if clipped is None or width is None:
        return None
    full = {id(value) for value in op.args if value.is_tensor and value.shape == shape}
    copies = 2 if op.name in REDUCTIONS else len(full) if op.name in BINARY else 1
    return prod(clipped) * width * copies


def _clipped(sizes: Shape | None, shape: Shape | None) -> tuple[int, ...] | None:
    """The tile within the shape; None unless all of it is known."""
    if sizes is None or shape is None or len(sizes) != len(shape):
        return None
    pairs = list(zip(sizes, shape, strict=True))
    if any(size is None or extent is None for size, extent in pairs):
        return None
    return tuple(min(size, extent) for size, extent in pairs if size is not None and extent is not None)


def tile_count(subject: Subject) -> Iterator[Fault]:
    """More automatic tiles than MOST_TILES; once for each tile that is set, at the first operation."""
    said: set[int] = set()
    for kernel, op in _tiled(subject):
        shape, sizes = _worked(kernel, op), op.vec.sizes
        if shape is None or sizes is None or len(shape) != len(sizes) or id(op.vec.node) in said:
            continue
        if any(not size or extent is None for size, extent in zip(sizes, shape, strict=True)):
            continue
        count = prod(-(-(extent or 1) // (size or 1)) for size, extent in zip(sizes, shape, strict=True))
        if count > MOST_TILES:
            said.add(id(op.vec.node))
            yield Fault(op.vec.node or op.node, f"{op.name} falls into {count} automatic tiles, more than {MOST_TILES}")


def beyond_heuristic(subject: Subject) -> Iterator[Fault]:
    """A tile of more elements than the seed allows."""
    for kernel in (*subject.kernels, *subject.helpers):
        for tile in kernel.tiles:
            sizes = [size for size in tile.sizes or () if size is not None]
            if tile.sizes and len(sizes) == len(tile.sizes) and prod(sizes) > HEURISTIC and tile.node is not None:
                yield Fault(tile.node, f"the tile has {prod(sizes)} elements, more than {HEURISTIC}")


def contiguous_by_shape(subject: Subject) -> Iterator[Fault]:
    """A contiguous length that is computed from a shape alone, and a remark of 1 KB at a tile that has less."""
    for node in subject.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and subject.kernels:
            if not re.search(r"contig|连续", node.targets[0].id, re.IGNORECASE):
                continue
            words = {part.lower() for part in re.findall(r"[A-Za-z]+", ast.unparse(node.value))}
            if "shape" in words and not words & {"tile", "tiles"} and not words & {"is", "stride"}:
                yield Fault(node, f"`{node.targets[0].id}` is computed from the shape, not from the tile")
    yield from _claimed(subject)


def _claimed(subject: Subject) -> Iterator[Fault]:
    claims = {c.place.line for c in subject.comments if _claims(c.text)}
    for kernel in (*subject.kernels, *subject.helpers):
        for tile in kernel.tiles:
            line = tile.node.lineno if tile.node is not None else 0
            moved = _moved_bytes(kernel, tile.node, tile.sizes)
            if moved is not None and moved < MOVE and claims & {line, line - 1, line - 2} and tile.node is not None:
                said = f"a contiguous move of this tile has {moved} bytes, less than 1 KiB, whatever the shape"
                yield Fault(tile.node, said)


def _claims(text: str) -> bool:
    """Whether a remark says that contiguous moves have 1 KB."""
    return bool(
        re.search(r"contiguous|连续", text, re.IGNORECASE)
        and re.search(r"(?<!\d)1\s*Ki?B|1024\s*B", text, re.IGNORECASE)
    )


def _moved_bytes(kernel: Kernel, node: ast.Call | None, sizes: Shape | None) -> int | None:
    served = [op for op in kernel.ops if op.vec.node is node and op.args and op.args[0].dtype in _BYTES]
    if not served or not sizes or sizes[-1] is None:
        return None
    return sizes[-1] * _BYTES[served[0].args[0].dtype or ""]


def bias_of_rank_one(subject: Subject) -> Iterator[Fault]:
    """A vector of rank 1 added to a matmul."""
    for _, op in subject.ops("add"):
        for product, bias in (op.args[:2], op.args[1::-1]) if len(op.args) > 1 else ():
            if product.op is not None and product.op.name == "matmul" and _is_vector(bias):
                yield Fault(op.node, f"the bias {bias.name} of rank 1 is added to a matmul")


def _is_vector(value: Value) -> bool:
    return value.is_tensor and value.rank == 1 and value.op is None


def two_phases(subject: Subject) -> Iterator[Fault]:
    """A loss per sample, something that is not linear, and the mean over the batch, all with one tile."""
    for _, op in subject.ops("sum"):
        first = next((inner for inner in behind(op.args[0]) if inner.name == "sum"), None) if op.args else None
        if first is None or _axis(op) not in (0, -2) or _axis(first) not in (1, -1) or first.args[0].rank != 2:
            continue
        between = [inner for inner in behind(op.args[0]) if inner.name in NONLINEAR and _follows(inner, first)]
        if (
            between
            and op.vec.state == "set"
            and op.vec == first.vec
            and op.vec.sizes
            and op.vec.sizes[0] not in (None, 1)
        ):
            said = "the batch is reduced with the tile of the per-sample reduction"
            yield Fault(op.node, said, severity=Severity.NOTE)


def _axis(op: Op) -> float | None:
    value = op.arg(1, "dim")
    return value.number if value is not None else None


def _follows(later: Op, earlier: Op) -> bool:
    return any(op is earlier for argument in later.args for op in behind(argument))
