"""Expressions as `ruff format` writes them."""

import ast
import shutil
import subprocess

import pytest

from r0kit.stages.expressions import names, parse, statement, substituted, written

TEXTS = """\
((a) + (b)) * c
a - (b - c)
(a - b) - c
a / (b * c)
a // b * c
a * (b // c)
x ** 2
x ** -0.5
(a + b) ** 2
a.b ** c
-x ** 2
(-x) ** 2
2 ** x ** y
(2 ** x) ** y
(a < b) & ~(c | d)
not a
a and (b or c)
(a if b else c) + d
x[1:2]
x[:, a+1:b]
x[n // 2:]
x[:n-1]
x[::2]
x[a+1::2]
x[..., None]
x[-1:]
x[1,]
x[(1, 2)]
f(*a, **k)
[a, b]
(a,)
'it is "quoted"'
"it's"
1e-05 * x
1e30 - -1e+22
torch.full((B, H), float("-inf"), dtype=torch.float32)
(x.to(torch.float32).transpose(-2, -1) @ y).sum(dim=(1,), keepdim=True)
torch.nn.functional.conv2d(the_first_operand, the_second_operand, the_bias_of_it, (1, 1), padding=(0, 0))
function(another_function(with_a_long_argument, and_another_long_one), [a_list_of_names, that_is_long])
""".splitlines()


@pytest.mark.parametrize("text", TEXTS)
def test_the_meaning_stays(text: str) -> None:
    assert ast.dump(parse(written(parse(text)))) == ast.dump(parse(text))
    [assignment] = ast.parse("\n".join(["if 1:", *statement("y = ", parse(text))])).body[0].body  # type: ignore[attr-defined]
    assert ast.dump(assignment.value) == ast.dump(parse(text))


@pytest.mark.skipif(shutil.which("ruff") is None, reason="needs ruff on the path")
@pytest.mark.parametrize("width", ["88", "120"])
def test_ruff_has_nothing_to_reformat(width: str) -> None:
    source = "def f():\n" + "\n".join(line for text in TEXTS for line in statement("y = ", parse(text))) + "\n"
    command = ["ruff", "format", "--isolated", "--line-length", width, "--diff", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    assert done.stdout == ""
    assert done.returncode == 0, done.stderr


def test_names_are_replaced_by_expressions() -> None:
    node = substituted(parse("a * b"), {"b": parse("c + d")})
    assert written(node) == "a * (c + d)"
    assert names(node) == ["a", "c", "d"]
