"""Examples of pitfalls as whole files: most rows show the lines of a kernel, and this is the kernel around them."""

from textwrap import indent

_HEAD = "import pypto\n\n\n@pypto.frontend.jit\n"


def kernel(body: str, shape: str = "(64, 64)", tile: str = "32, 64", out: str = "", inputs: str = "x") -> str:
    """A kernel of `inputs` and `out`, FP32 tensors of these shapes, with a vector tile ("": none)."""
    tensors = [f"{name}: pypto.Tensor({shape}, pypto.DT_FP32)" for name in inputs.split()]
    return define(body, *tensors, f"out: pypto.Tensor({out or shape}, pypto.DT_FP32)", tile=tile)


def define(body: str, *parameters: str, tile: str = "32, 64", name: str = "kernel") -> str:
    """A kernel of these parameters."""
    head = f"def {name}({', '.join(parameters)}):"
    if len(head) > 110:
        head = f"def {name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + "):"
    set_tile = f"pypto.set_vec_tile_shapes({tile})\n" if tile else ""
    return f"{_HEAD}{head}\n{indent(set_tile + body.strip(), '    ')}\n"


def factory(body: str, parameters: str, call: str, shape: str = "(64, 64)", name: str = "make_kernel") -> str:
    """A factory whose parameters a kernel of x and out closes over, and `kernel`, which it makes."""
    inner = kernel(body, shape).removeprefix("import pypto\n\n\n")
    head = f"import pypto\n\n\ndef {name}({parameters}):\n"
    return f"{head}{indent(inner, '    ')}\n    return kernel\n\n\nkernel = {name}({call})\n"
