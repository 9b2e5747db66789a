"""Names of values: outputs keep the golden's, what it called the same before says how it differs."""

import pytest

from golden.reading import Snippet

AB = {"a": "M N", "b": "M N", "h": "M N: float16"}

# body of the golden -> names of its Steps in order; the last is the output
CASES = {
    "y = a * b\nreturn y.to(h.dtype)": ["y_f32", "y"],
    "y = a * b\nreturn y.half().contiguous()": ["y_f32", "y"],
    "y = a * b\ny = y + 1\nreturn y": ["y_mul", "y"],
    "y = a * b\ny = y + 1\nreturn y.half()": ["y_mul", "y_f32", "y"],
    "y = a * b\ny = y * b\ny = y * b\nreturn y": ["y_mul", "y_mul_2", "y"],
    "y = h.float()\ny = y * a\nreturn y": ["y_f32", "y"],
    "y = F.softplus(a)\ny = y.sum(-1, keepdim=True)\ny = y - 1\nreturn y": ["y_softplus", "y_row_sum", "y"],
    "y_f32 = a * 2\ny = y_f32 * b\nreturn y.half()": ["y_f32", "y_f32_2", "y"],
    "a = a * 2\nreturn a": ["a_new"],
    "a = a * 2\na = a + b\nreturn a": ["a_mul", "a_new"],
    "return a.half()": ["out"],
    "return a @ b.T * 2": ["permute", "ab", "out"],
    "t = a.exp()\nreturn t @ b.T - (a.exp() @ b.T)": ["t", "permute", "tb", "exp", "permute_2", "matmul", "out"],
    "return F.silu(F.linear(a, b))": ["permute", "linear", "out"],
    "return torch.softmax(a, -1) * b": ["row_max", "sub", "exp", "exp_sum", "softmax", "out"],
    "y = a * b\nreturn y": ["y"],
}


@pytest.mark.parametrize(("body", "names"), CASES.items())
def test_the_output_keeps_its_name(body: str, names: list[str]) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    program = Snippet(f"def op_golden(a, b, h):\n{lines}", AB).read()
    assert [step.target for step in program.steps] == names
    assert [output.value for output in program.outputs] == names[-1:]


def test_every_output_of_several_keeps_its_name() -> None:
    source = """
        def op_golden(a, b):
            y = a * b
            z = y - 1
            y = y.half()
            return z.half(), y
        """
    program = Snippet(source, AB).read()
    assert [(output.name, output.value) for output in program.outputs] == [("z", "z"), ("y", "y")]
    assert [step.target for step in program.steps] == ["y_f32", "z_f32", "y", "z"]


def test_what_is_computed_in_the_return_statement_is_no_variable() -> None:
    source = "def op_golden(a, b):\n    y = a * b\n    return y + 1\n"
    assert [output.name for output in Snippet(source, AB).read().outputs] == ["out"]


OUT = {"x": "M N", "out": "M N"}
# body -> whether the old content of `out` is needed
BUFFERS = {
    "out[:] = x * 2\n    return out": False,
    "out[:] = x * 2\n    return x, out": False,
    "out.zero_()\n    out += x": False,
    "out[:] = 0\n    out[0] = x[0]": False,
    "out[0] = x[0]\n    return out": True,
    "out += x\n    return out": True,
    "out[x > 0] = 1.0": True,
}


@pytest.mark.parametrize(("body", "needed"), BUFFERS.items())
def test_a_buffer_is_an_input_only_where_its_old_content_is_needed(body: str, needed: bool) -> None:
    program = Snippet(f"def op_golden(x, out):\n    {body}\n", OUT).read()
    assert [value.name for value in program.inputs] == ["x", *["out"] * needed]
    assert "out" in [output.name for output in program.outputs]
