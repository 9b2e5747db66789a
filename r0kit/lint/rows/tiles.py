"""Rows of tiles and of what fits."""

from r0kit.finding import Severity
from r0kit.lint.checks import tiles
from r0kit.lint.rows.examples import define, kernel
from r0kit.rulebook import Rule

_SUM = "out[:] = pypto.sum(x, dim=1, keepdim=True)"
_TALL = ("a: pypto.Tensor((65536, 32), pypto.DT_FP32)", "b: pypto.Tensor((65536, 32), pypto.DT_FP32)")
_WIDE = ("a: pypto.Tensor((32, 65536), pypto.DT_FP32)", _TALL[1])
_SQUARE = tuple(f"{name}: pypto.Tensor((64, 64), pypto.DT_FP32)" for name in ("a", "b", "out"))
_CUBE = "pypto.set_cube_tile_shapes([32, 32], [64, 64], [64, 64])\n"
_LONG = "pypto.set_cube_tile_shapes([32, 32], [128, 512], [32, 32])\n"
_SMALL_OUT = "out: pypto.Tensor((32, 32), pypto.DT_FP32)"
_LOSS = "samples = pypto.sum(x * x, dim=1, keepdim=True)\nroots = pypto.sqrt(samples + 0.000001)\n"

TILES: tuple[Rule, ...] = (
    Rule(
        id="P08",
        title="the inner axis of a matmul operand has at most 65535 elements",
        why="The limit is on the last axis of each operand as stored, in ND format: K of the left one, N of the right one, "
        "or what a_trans and b_trans make of them. It is no limit on K itself.",
        severity=Severity.ERROR,
        good=define(_LONG + "out[:] = pypto.matmul(a, b, pypto.DT_FP32, a_trans=True)", *_TALL, _SMALL_OUT),
        bad=define(_LONG + "out[:] = pypto.matmul(a, b, pypto.DT_FP32)", *_WIDE, _SMALL_OUT),
        hint="store the operand transposed (a_trans, b_trans), split K into partial sums, or multiply and sum for one row",
        check=tiles.matmul_inner_axis,
        evidence="pypto 0.2.0: FC3000, inner axis; K = 65536 compiles with a_trans=True. That K itself is bounded is refuted",
    ),
    Rule(
        id="P10",
        title="the tile has as many axes as the tensor",
        why="A tile gives one size per axis of the tensor that an operation works on. One of fewer axes cannot be expanded.",
        severity=Severity.ERROR,
        good=kernel("out[:] = x + 1.0", tile="32, 64"),
        bad=kernel("out[:] = x + 1.0", tile="64"),
        hint="call pypto.set_vec_tile_shapes with one size per axis of the tensor, and again where the rank changes",
        check=tiles.rank,
        evidence="pypto 0.2.0: Run pass failed. A tile of more axes than the tensor compiles, so nothing is said about it",
    ),
    Rule(
        id="P11",
        title="no tile size exceeds its axis while another axis is cut",
        why="A tile copied from an example of another shape spends its budget where nothing is: (1, 16384) on (128, 4096) "
        "moves 4096 elements at a time, and (4, 4096) moves four rows for the same budget.",
        severity=Severity.WARNING,
        good=kernel(_SUM, "(128, 4096)", "4, 4096", "(128, 1)"),
        bad=kernel(_SUM, "(128, 4096)", "1, 16384", "(128, 1)"),
        hint="compute the tile from this shape and this reduction axis",
        check=tiles.beyond_shape,
        evidence="both compile on pypto 0.2.0 and give the same values; its simulator counts 24838 cycles for (4, 4096) and "
        "60790 for (1, 16384)",
    ),
    Rule(
        id="P12",
        title="the tiles that an operation holds at once fit UB",
        why="A reduction axis that is tiled whole fits or it does not: a reduction holds its tile twice, an operation on two "
        "tensors holds a tile of each. Beyond 192 KiB (A2, A3) the kernel does not compile, however right its meaning.",
        severity=Severity.ERROR,
        good=kernel(_SUM, "(4, 32768)", "1, 16384", "(4, 1)"),
        bad=kernel(_SUM, "(4, 32768)", "1, 32768", "(4, 1)"),
        hint="cut the axis: 16384 elements, then 8192, then 4096",
        check=tiles.whole_axis,
        evidence="pypto 0.2.0: sum and amax of FP32 compile with 24576 elements and fail with 32768, add passes with 24576 "
        "and fails with 24640, a scalar product passes with 49152 and fails with 50000",
    ),
    Rule(
        id="P13",
        title="the contiguous length of a move is that of the tile",
        why="A vector tile moves tile[last axis] elements in one piece, whatever the extent of the tensor: (1, 256, 64) on "
        "(16, 256, 256) in FP32 moves 256 bytes, not 1 KiB.",
        severity=Severity.WARNING,
        good="import pypto\n\n\ndef moved(tile):\n    contiguous_bytes = tile[-1] * 4\n    return contiguous_bytes\n\n\n"
        + kernel("out[:] = x + 1.0", "(16, 256, 256)", "1, 16, 256").removeprefix("import pypto\n\n\n"),
        bad="import pypto\n\n\ndef moved(shape):\n    contiguous_bytes = shape[-1] * 4\n    return contiguous_bytes\n\n\n"
        + kernel("out[:] = x + 1.0", "(16, 256, 256)", "1, 256, 64").removeprefix("import pypto\n\n\n"),
        hint="take the last size of the tile times the bytes of an element",
        check=tiles.contiguous_by_shape,
        evidence="seed only: the compiler checks no length, and its simulator prefers (1, 256, 64) here; only the arithmetic "
        "and remarks that claim 1 KB are judged",
    ),
    Rule(
        id="P14",
        title="vector operations have a vector tile, and matmul a cube tile",
        why="The two kinds of tile are set apart from each other; a cube tile does not cover an add or an expand_clone, nor "
        "a vector tile a matmul.",
        severity=Severity.ERROR,
        good=define(
            _CUBE + "t = pypto.matmul(a, b, pypto.DT_FP32)\npypto.set_vec_tile_shapes(32, 64)\nout[:] = t + a",
            *_SQUARE,
            tile="",
        ),
        bad=define(_CUBE + "out[:] = pypto.matmul(a, b, pypto.DT_FP32) + a", *_SQUARE, tile=""),
        hint="set the tile of each kind before its first operation",
        check=tiles.missing_tile,
        versions="<0.3",
        evidence="pypto 0.2.0: F21004, tile shape not set (vector), FC4000, invalid tile values (matmul); the public source "
        "after it falls back to the shape of the tensor",
    ),
    Rule(
        id="P17",
        title="the batch of a per-sample loss is reduced with a tile of its own",
        why="A loss per sample and its mean over the batch are two phases where something that is not linear stands between "
        "them: (4, 4096) suits the first, and (128, 1) takes the batch of the second in one piece.",
        severity=Severity.NOTE,
        good=kernel(
            _LOSS + "pypto.set_vec_tile_shapes(128, 1)\nout[:] = pypto.sum(roots, dim=0, keepdim=True)",
            "(128, 4096)",
            "4, 4096",
            "(1, 1)",
        ),
        bad=kernel(_LOSS + "out[:] = pypto.sum(roots, dim=0, keepdim=True)", "(128, 4096)", "4, 4096", "(1, 1)"),
        hint="call pypto.set_vec_tile_shapes(batch, 1) before the second reduction",
        check=tiles.two_phases,
        evidence="both compile on pypto 0.2.0 and give the values of torch; the claim is one of speed",
    ),
    Rule(
        id="P25",
        title="a bias is added to a matmul as (1, N), expanded",
        why="The result of a matmul has two axes. A bias of one is reshaped in forward and expanded in the kernel.",
        severity=Severity.ERROR,
        good=define(
            _CUBE + "row = pypto.expand_clone(c, [64, 64])\nout[:] = pypto.matmul(a, b, pypto.DT_FP32) + row",
            *_SQUARE[:2],
            "c: pypto.Tensor((1, 64), pypto.DT_FP32)",
            _SQUARE[2],
        ),
        bad=define(
            _CUBE + "out[:] = pypto.matmul(a, b, pypto.DT_FP32) + c",
            *_SQUARE[:2],
            "c: pypto.Tensor((64,), pypto.DT_FP32)",
            _SQUARE[2],
        ),
        hint="write c.reshape(1, -1) in forward and pypto.expand_clone in the kernel",
        check=tiles.bias_of_rank_one,
        versions="<0.1.3",
        evidence="0.1.3 compiles the bias of rank 1, 0.2.0 also computes the right values; not decidable for what came before",
    ),
    Rule(
        id="P26",
        title="an operation falls into at most 2048 automatic tiles",
        why="Every automatic tile becomes a task of the graph. Beyond some thousands compiling takes minutes; a loop over "
        "blocks keeps the graph small.",
        severity=Severity.WARNING,
        good=kernel("out[:] = x + 1.0", "(4096, 512)", "16, 512"),
        bad=kernel("out[:] = x + 1.0", "(4096, 512)", "1, 512"),
        hint="loop over blocks with pypto.loop, and tile within a block",
        check=tiles.tile_count,
        evidence="advice, not a limit: pypto 0.2.0 compiled 4096 tiles in 42 s; its documents ask for tiles x (1 + inputs) "
        "< 18000",
    ),
    Rule(
        id="P31",
        title="a tile has at most 16384 elements",
        why="16384 elements are where a search for a tile begins, and a budget that fits in most kernels.",
        severity=Severity.WARNING,
        good=kernel("out[:] = x + 1.0", "(64, 4096)", "4, 4096"),
        bad=kernel("out[:] = x + 1.0", "(64, 4096)", "8, 4096"),
        hint="take 16384 elements, then 8192, then 4096",
        check=tiles.beyond_heuristic,
        versions="<0.1.3",
        evidence="refuted: the number is a default of the heuristic; what counts is UB, see P12. pypto 0.2.0 compiles 49152 "
        "elements",
    ),
)
