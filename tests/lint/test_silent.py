"""Kernels as careful people write them: nothing to say, for any version whose names they use."""

import pytest

from r0kit.lint import JUDGED, lint_text

_HEAD = "import torch\nimport pypto\n\nROWS, COLUMNS = 64, 256\nrun_mode = pypto.RunMode.SIM\n\n"
_JIT = '\n\n@pypto.frontend.jit(runtime_options={"run_mode": run_mode})\n'

KERNELS = {
    "rows in a loop": '''
def scaled(rows: pypto.Tensor, weight: pypto.Tensor, eps: float) -> pypto.Tensor:
    mean = pypto.sum(rows * rows, dim=-1, keepdim=True) * (1.0 / rows.shape[-1])
    return rows / pypto.sqrt(mean + eps) * weight
@JIT
def rms_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
    weight: pypto.Tensor([1, pypto.STATIC], pypto.DT_FP32),
    out: pypto.Tensor([pypto.DYNAMIC, pypto.STATIC], pypto.DT_FP32),
):
    tokens, hidden = x.shape
    step = 16
    assert step % 16 == 0
    for index in pypto.loop(0, tokens // step, 1, name="ROWS", idx_name="index"):
        pypto.set_vec_tile_shapes(4, 256)
        begin = index * step
        rows = pypto.view(x, [step, hidden], [begin, 0])
        pypto.assemble(scaled(rows, weight, 1e-6), [begin, 0], out)
''',
    "cube, then vector, then cube": '''
@JIT
def attention_kernel(
    q: pypto.Tensor((ROWS, 64), pypto.DT_BF16),
    k: pypto.Tensor((COLUMNS, 64), pypto.DT_BF16),
    v: pypto.Tensor((COLUMNS, 64), pypto.DT_BF16),
    out: pypto.Tensor((ROWS, 64), pypto.DT_BF16),
):
    pypto.set_cube_tile_shapes([64, 64], [64, 64], [64, 64])
    scores = pypto.matmul(q, k, pypto.DT_FP32, b_trans=True)
    pypto.set_vec_tile_shapes(16, 256)
    weights = pypto.softmax(scores * 0.125, dim=-1)
    weights = pypto.cast(weights, pypto.DT_BF16)
    out.move(pypto.matmul(weights, v, out_dtype=pypto.DT_BF16))
''',
    "running maximum and sum": '''
@JIT
def flash_kernel(
    s: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32),
    m: pypto.Tensor((ROWS, 1), pypto.DT_FP32),
    l: pypto.Tensor((ROWS, 1), pypto.DT_FP32),
    out: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(16, 128)
    new = pypto.maximum(m, pypto.amax(s, dim=-1, keepdim=True))
    p = pypto.exp(s - new)
    total = l * pypto.exp(m - new) + pypto.sum(p, dim=-1, keepdim=True)
    out[:] = p / total
    m[:] = new
    l[:] = total
''',
    "softmax whose statistics are kept": '''
@JIT
def stats_kernel(
    x: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32),
    lse: pypto.Tensor((ROWS, 1), pypto.DT_FP32),
    out: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(16, 256)
    peak = pypto.amax(x, dim=-1, keepdim=True)
    e = pypto.exp(x - peak)
    total = pypto.sum(e, dim=-1, keepdim=True)
    out[:] = e / total
    lse[:] = peak + pypto.log(total)
''',
    "tiles from a helper": '''
def configure(x):
    pypto.set_vec_tile_shapes(*([32] * len(x.shape)))
@JIT
def silu_kernel(x: pypto.Tensor(), out: pypto.Tensor()):
    configure(x)
    out[:] = x * pypto.sigmoid(x)
''',
    "tiles from elsewhere": '''
from layout import set_tiles
@JIT
def gelu_kernel(x: pypto.Tensor([...], pypto.DT_FP16), out: pypto.Tensor([...], pypto.DT_FP16)):
    set_tiles(x)
    out[:] = x * pypto.sigmoid(x * 1.702)
''',
    "a bias that is not there": '''
@JIT
def linear_kernel(x: pypto.Tensor(), w: pypto.Tensor(), out: pypto.Tensor()):
    bias = None
    pypto.set_cube_tile_shapes([64, 64], [64, 64], [64, 64])
    if bias is not None:
        out[:] = pypto.add(pypto.matmul(x, w, out_dtype=x.dtype), bias)
    else:
        out[:] = pypto.matmul(x, w, out_dtype=x.dtype)
''',
    "variance and normalisation": '''
@JIT
def norm_kernel(x: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32), out: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, COLUMNS)
    mean = pypto.sum(x, dim=-1, keepdim=True) / COLUMNS
    squares = pypto.sum(x * x, dim=-1, keepdim=True) / COLUMNS
    out[:] = (x - mean) / pypto.sqrt(squares - mean * mean + 1e-5)
''',
    "deviation from the mean": '''
@JIT
def std_kernel(x: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32), out: pypto.Tensor((ROWS, 1), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(8, COLUMNS)
    centred = x - pypto.sum(x, dim=-1, keepdim=True) / COLUMNS
    out[:] = pypto.sqrt(pypto.sum(centred * centred, dim=-1, keepdim=True) / (COLUMNS - 1))
''',
    "squared error": '''
@JIT
def mse_kernel(
    pred: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32),
    target: pypto.Tensor((ROWS, COLUMNS), pypto.DT_FP32),
    out: pypto.Tensor((ROWS, 1), pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(8, COLUMNS)
    d = pred - target
    out[:] = pypto.sum(d * d, dim=-1, keepdim=True) / COLUMNS
''',
    "blocks cut by hand": '''
def make_add(rows, tile_rows):
    assert rows % tile_rows == 0
@JIT
    def kernel(x: pypto.Tensor((rows, 64), pypto.DT_FP32), out: pypto.Tensor((rows, 64), pypto.DT_FP32)):
        for index in pypto.loop(rows // tile_rows):
            pypto.set_vec_tile_shapes(tile_rows, 64)
            block = x[index * tile_rows : (index + 1) * tile_rows, :]
            out[index * tile_rows : (index + 1) * tile_rows, :] = block + 1.0

    return kernel
''',
    "numbers as arguments": '''
@JIT
def transpose_kernel(x: pypto.Tensor([], pypto.DT_FP32), out: pypto.Tensor([], pypto.DT_FP32), dim0: int, dim1: int):
    pypto.set_vec_tile_shapes(16, 16)
    out[:] = pypto.transpose(x, dim0, dim1)


def run(x, out, scale):
    transpose_kernel(x, out, 0, 1)
    return out * (1.0 - scale)
''',
    "options read in a kernel": '''
@JIT
def options_kernel(x: pypto.Tensor([4, 4], pypto.DT_FP32), out: pypto.Tensor([4, 4], pypto.DT_FP32)):
    assert pypto.get_pass_options() == {}
    pypto.set_vec_tile_shapes(4, 4)
    out[:] = x + 1
''',
    "lengths read from a tensor": '''
@JIT
def lengths_kernel(
    x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
    lengths: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT32),
    out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(16, 64)
    for index in pypto.loop(lengths.shape[0]):
        used = (lengths[index] - index * 16).max(0).min(16)
        used.as_variable()
        used = (pypto.min(used, 8) - 1).max(0)
        pypto.assemble(pypto.view(x, [16, 64], [index * 16, 0], valid_shape=[used, 64]) * 2.0, [index * 16, 0], out)
''',
    "a tile that is set before the call": '''
@JIT
def shifted_kernel(x: pypto.Tensor((ROWS, 64), pypto.DT_FP32), out: pypto.Tensor((ROWS, 64), pypto.DT_FP32)):
    out[:] = x + 1.0


def run(x, out):
    pypto.set_vec_tile_shapes(32, 64)
    shifted_kernel(x, out)
''',
    "symbolic minimum": '''
@JIT
def tail_kernel(x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32), out: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(16, 64)
    rows = x.shape[0]
    for index in pypto.loop((rows + 15) // 16):
        length = pypto.min(pypto.symbolic_scalar(16), rows - index * 16)
        block = pypto.view(x, [16, 64], [index * 16, 0], valid_shape=[length, 64])
        pypto.assemble(block * 2.0, [index * 16, 0], out)
''',
    "two phases": '''
@JIT
def loss_kernel(x: pypto.Tensor((128, 4096), pypto.DT_FP32), out: pypto.Tensor((1, 1), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(4, 4096)
    samples = pypto.log(pypto.sum(pypto.exp(x), dim=1, keepdim=True))
    pypto.set_vec_tile_shapes(128, 1)
    out[:] = pypto.sum(samples, dim=0, keepdim=True) / 128.0
''',
}  # fmt: skip


def _text(body: str) -> str:
    nested = "@JIT\n    def" in body
    jit = "\n    " + _JIT.strip() + "\n" if nested else _JIT
    return _HEAD + body.replace("@JIT\n", jit)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("version", [None, JUDGED])
def test_nothing_to_say(name: str, version: str | None) -> None:
    text = _text(KERNELS[name])
    compile(text, name, "exec")
    assert lint_text(text, version=version).findings == ()


def test_the_kernels_are_really_looked_at() -> None:
    for name, body in KERNELS.items():
        wrong = (
            _text(body).replace("pypto.set_vec_tile_shapes", "pypto.clamp").replace("configure(x)", "pypto.clamp(x)")
        )
        assert lint_text(wrong).findings or name in ("a bias that is not there", "tiles from elsewhere")
