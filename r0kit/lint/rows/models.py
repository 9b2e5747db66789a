"""Rows of what stands around a kernel."""

from r0kit.finding import Severity
from r0kit.lint.checks import models
from r0kit.lint.rows.examples import define, kernel
from r0kit.rulebook import Rule

_MODEL = """class Model(torch.nn.Module):
    def __init__(self, slope: float = 0.1):
        super().__init__()
        self.slope = slope


class ModelNew(torch.nn.Module):
    def __init__(self, {}):
        super().__init__()
        self.slope = slope
"""
_TORCH = "import torch\n"
_SUM = "out[:] = pypto.sum(x, dim={}, keepdim=True)"
_SUMMED = kernel(_SUM.format(1), out="(64, 1)")
_DIM = ("x: pypto.Tensor((64, 64), pypto.DT_FP32)", "out: pypto.Tensor((64, 1), pypto.DT_FP32)")
_FORWARD = """

class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty(64, 1)
        kernel(x, out)
        return {}
"""
_BRANCHES = """if dim == 1:
    out[:] = pypto.sum(x, dim=1, keepdim=True)
elif dim == 0:
    out[:] = pypto.sum(x, dim=0, keepdim=True)
"""
_INPUTS = """

def get_init_inputs():
    return [1]{}
"""

MODELS: tuple[Rule, ...] = (
    Rule(
        id="P16",
        title="automatic tiles need no multiple of the tile",
        why="The remainder of an axis is handled by the compiler. Only a kernel that cuts blocks itself, with a loop and "
        "views, relies on extents that are multiples.",
        severity=Severity.NOTE,
        good=kernel("out[:] = x + 1.0", "(64, 100)", "32, 64"),
        bad=kernel("tile_size = 50\nassert 100 % tile_size == 0\nout[:] = x + 1.0", "(64, 100)", "32, 64"),
        hint="remove the assert",
        check=models.needless_assert,
        evidence="pypto 0.2.0 compiles extents that are no multiples of the tile, with the values of torch",
    ),
    Rule(
        id="P20",
        title="ModelNew.__init__ is that of Model",
        why="A benchmark makes both from the same arguments. Shapes are read in forward; a parameter more or less, or in "
        "another order, ends in a TypeError or in another model.",
        severity=Severity.ERROR,
        good=_TORCH + _SUMMED + "\n\n" + _MODEL.format("slope: float = 0.1"),
        bad=_TORCH + _SUMMED + "\n\n" + _MODEL.format("slope: float, input_shape"),
        hint="take the parameters of Model.__init__, and read shapes in forward",
        check=models.model_signature,
        evidence="Python: TypeError when ModelNew is made with the arguments of Model",
    ),
    Rule(
        id="P21",
        title="a kernel serves the dim of its task",
        why="One task has one dim, from its fixed inputs. A branch for each dim adds kernels that nobody runs and tiles "
        "that suit none of them.",
        severity=Severity.WARNING,
        good=_SUMMED + _INPUTS.format(""),
        bad="import pypto\n\ndim = 1\n\n\n"
        + kernel(_BRANCHES, out="(64, 1)").removeprefix("import pypto\n\n\n")
        + _INPUTS.format(""),
        hint="write the path of this dim alone",
        check=models.many_dims,
        evidence="pypto 0.2.0 compiles such branches on a constant; the claim is one of design. Silent in files that are no "
        "single task",
    ),
    Rule(
        id="P22",
        title="an output has the golden's axes from the start",
        why="A reduction with keepdim=True whose result is squeezed in forward takes a way round: without keepdim the kernel "
        "stores what the golden returns.",
        severity=Severity.NOTE,
        good=_TORCH + _SUMMED + _FORWARD.format("out"),
        bad=_TORCH + _SUMMED + _FORWARD.format("out.squeeze(1)"),
        hint="reduce with keepdim=False, into an output of the golden's shape",
        check=models.squeezed_afterwards,
        evidence="pypto 0.2.0 compiles keepdim=False, with the values of torch",
    ),
    Rule(
        id="P23",
        title="a dim that never changes is a constant of the kernel",
        why="The axis decides tiles and shapes when the kernel is compiled. A parameter suggests that it could change.",
        severity=Severity.NOTE,
        good=_SUMMED + "\n\ndef run(x, out):\n    kernel(x, out)\n",
        bad=define(_SUM.format("dim"), *_DIM, "dim: int = 1") + "\n\ndef run(x, out):\n    kernel(x, out, 1)\n",
        hint="write dim=1 in the kernel",
        check=models.run_time_dim,
        evidence="pypto 0.2.0 compiles such an argument, with the values of torch; the claim is one of design",
    ),
    Rule(
        id="P27",
        title="a remark of the collection is no requirement of the task",
        why='"Example, change to desired dimension" tells whoever collects tasks what could be varied. The task at hand has '
        "the one dim that get_init_inputs returns.",
        severity=Severity.NOTE,
        good=_SUMMED + _INPUTS.format("  # Example, change to desired dimension"),
        bad="import pypto\n\ndim = 1\n\n\n"
        + kernel(_BRANCHES, out="(64, 1)").removeprefix("import pypto\n\n\n")
        + _INPUTS.format("  # Example, change to desired dimension"),
        hint="write the path of the dim that get_init_inputs returns",
        check=models.desired_comment,
        evidence="seed only: it says what a remark means",
    ),
)
