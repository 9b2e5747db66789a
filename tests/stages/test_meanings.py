"""Small goldens on which torch and the stages have disagreed, or nearly: aliases, changes in place, tensors of one number."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.finding import InputError
from r0kit.golden import read_program
from r0kit.partition import Strategy, partition
from r0kit.spec import Case, Spec, TensorSpec
from r0kit.stages import stages_of

# Name -> statements of the golden; x is [B, S, D], w [D].
READ = {
    "relu changes what the name means": "y = x * 2\nz = F.relu(y, inplace=True)\nreturn z + 1, y",
    "relu changes its base": "y = x * 2\nF.relu(y[0], inplace=True)\nreturn y",
    "a layer changes its input": "y = x - 0.5\nz = nn.ELU(1.0, True)(y)\nreturn y + z",
    "no change in place": "y = x - 0.5\nz = F.relu(y, inplace=False)\nreturn y + z",
    "sums of one number in a loop": (
        "v = 0.0\nfor i in range(x.shape[0]):\n    v = v + torch.maximum(x[i].sum(), x[i].sum().mean())\nreturn x + v"
    ),
    "a sum of one number is a tensor of its own": "t = x.sum()\nu = t.sum()\nu += 1\nreturn x + t",
    "a type that it has already is the tensor": "y = x * 2\nz = y.float()\nz += 1\nreturn y",
    "a copy of a part is a tensor of its own": "y = x * 2\nz = torch.cat([y])\nz += 1\nreturn y + z",
    "rolled by nothing is a tensor of its own": "y = x * 2\nz = y.roll(0, -1)\nz += 1\nreturn y + z",
    "a batch mean is by the input": (
        "y = F.log_softmax(w, -1)\nreturn F.kl_div(y, torch.softmax(x[0], -1), reduction='batchmean')"
    ),
    "a maximum that is in no first tile, and a clamp": (
        "m, n, a = torch.full((5,), -1e9), torch.zeros(5), torch.zeros(5)\nfor i in range(4):\n"
        "    s = x[0, :, 2 * i:2 * i + 2]\n    t = torch.maximum(m, s.amax(-1))\n    c = (m - t).exp()\n"
        "    p = (s - t[:, None]).clamp(-0.5, 0.5).exp()\n    n = n * c + p.sum(-1)\n    m = t\nreturn n"
    ),
    "a store into copied windows": "y = x.unfold(-1, 3, 1).clone()\ny[..., 0] = 0\nreturn y.amax(-1)",
    "a store into a copied row": "y = w.expand(5, 8).clone()\ny[0] = 0\ny[1:3] += 1\nreturn x + y",
    "the names of trips and of a tensor": (
        "i = x * 2\nh = torch.zeros_like(w)\no = torch.zeros(x.shape)\nfor j in range(x.shape[1]):\n"
        "    h = torch.tanh(w + h + i[0, j])\n    o[:, j] = h\n    i = i + 1\nreturn o"
    ),
    "the name of a trip that was a tensor's": (
        "i = x * 2\nh = torch.zeros_like(w)\no = torch.zeros(x.shape)\ny = i\nfor i in range(x.shape[1]):\n"
        "    h = torch.tanh(w + h + y[0, i])\n    o[:, i] = h\nreturn o"
    ),
    "one value twice, which a loop reads": (
        "f = x * 2\na = f\nfor i in range(x.shape[0]):\n    a = torch.softmax(a * w, -1) + f\nreturn f, a, f"
    ),
    "an index from the end": "return torch.stack([x[:, -i - 1] for i in range(x.shape[1])], 1)",
    "some items of a range": "y = x\nfor i in range(4)[1:3]:\n    y = y * (i + 1)\nreturn y",
    "tiles of a loop that stays one": (
        "n = x.shape[2]\nm, v = torch.zeros(x.shape[:2]), torch.zeros(x.shape[:2])\nfor i in range((n + 2) // 3):\n"
        "    j = min(3 * i + 3, n)\n    m = torch.tanh(m + x[:, :, 3 * i:j].sum(-1))\n    v = v + m\nreturn v"
    ),
    "the name of a loop that never runs": (
        "y = x\nfor j in range(3):\n    i = j\n    for i in range(1, x[:1].shape[0]):\n        y = torch.tanh(y) + i\n"
        "    y = y + i\nreturn y"
    ),
    "where the last tile ends": (
        "v = torch.zeros(x.shape[:2])\nfor i in range(0, x.shape[2], 4):\n    j = min(i + 4, x.shape[2])\n"
        "    v = v + x[:, :, i:j].sum(-1)\nreturn v * j"
    ),
    "terms that are too small to matter here": (
        "m, n = torch.full((2, 5), -1e30), torch.zeros(2, 5)\nfor i in range(0, x.shape[2], 4):\n"
        "    t = x[:, :, i:i + 4] * 20\n    c = torch.maximum(m, t.amax(-1))\n"
        "    n = n * torch.exp(m - c) + torch.exp(t - 64).sum(-1)\n    m = c\nreturn n * 1e28"
    ),
    "terms that vanish where numbers are large": (
        "m, n = torch.full((2, 5), -1e30), torch.zeros(2, 5)\nfor i in range(0, x.shape[2], 4):\n"
        "    t = x[:, :, i:i + 4] * 0.3\n    c = torch.maximum(m, t.amax(-1))\n"
        "    n = n * torch.exp(m - c) + torch.exp(t - (c * c)[..., None]).sum(-1)\n    m = c\nreturn n"
    ),
    "a bound that small numbers do not reach": (
        "y = x * 60\nn = torch.zeros(2, 5)\nfor i in range(x.shape[2]):\n    n = (n + y[:, :, i]).clamp(max=100.0)\nreturn n"
    ),
}
REFUSED = {
    "tiles that end before the axis does": (
        "n = x.shape[2] - 1\nm, v = torch.zeros(x.shape[:2]), torch.zeros(x.shape[:2])\nfor i in range((n + 2) // 3):\n"
        "    j = min(3 * i + 3, n)\n    m = torch.tanh(m + x[:, :, 3 * i:j].sum(-1))\n    v = v + m\nreturn v"
    ),
    "the name of a loop that does not run": (
        "y = x\nfor j in range(3):\n    i = j\n    for i in range(2, x.shape[0]):\n        y = torch.tanh(y) + i\n"
        "    y = y + i\nreturn y"
    ),
    "an index from either end": "return torch.stack([x[:, -i] for i in range(x.shape[1])], 1)",
    "what a loop that is not read stores into": "y = x * 2\nfor i in range(x.shape[1])[:1]:\n    y[:, i] = 0\nreturn y",
    "what a loop that is not read sets": "y = x * 2\nfor i in range(x.shape[1])[:1]:\n    y = y + 1\nreturn y",
    "what a loop that is not read changes": "y = x * 2\nz = y[0]\nfor i in range(x.shape[1])[:1]:\n    z.add_(1)\nreturn y",
    "what a loop that is not read returns": "for i in range(x.shape[1])[:1]:\n    return x * i\nreturn x",
    "a loop that data end": "y = x\nfor i in range(3):\n    y = y * 2\n    if y.sum() > 0:\n        break\nreturn y",
    "a dtype that is a number": "return x.to(0.5)",
    "the extent of the last tile": (
        "v = torch.zeros(x.shape[:2])\nfor i in range(0, x.shape[2], 4):\n    j = min(i + 4, x.shape[2])\n    n = j - i\n"
        "    v = v + x[:, :, i:j].sum(-1)\nreturn v * n"
    ),
    "an order of one number": "return x + x.sum().topk(1, dim=-1)[0]",
    "windows that overlap": "y = x * 2\nz = y.unfold(-1, 3, 2)\nz *= 0.5\nreturn z",
    "a diagonal": "y = x[0] @ x[0].T\ny.diagonal().fill_(0)\nreturn y",
}


def golden(folder: Path, body: str) -> Path:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\ndef op_golden_cpu(x, w):\n{lines}"
    path = folder / "op_golden_cpu.py"
    path.write_text(text)
    return path


SPEC = Spec(
    "",
    op_name="op",
    inputs=(TensorSpec("x", ("B", "S", "D"), "float32"), TensorSpec("w", ("D",), "float32")),
    p0_cases=(Case("p0", input_shapes={"x": (2, 5, 8), "w": (8,)}),),
)


def stages(path: Path, strategy: Strategy) -> ModuleType:
    contract = draft(partition(read_program(str(path), SPEC), SPEC, strategy), SPEC).contract
    document = parse(json.dumps(plain(contract), default=dict, indent=1), "module_interfaces.yaml")
    found = stages_of(document, str(path), SPEC)
    assert found.findings == ()
    module = ModuleType("stages")
    exec(compile(found.source, "stages", "exec"), module.__dict__)
    module.__dict__["names"] = [tensor.name for tensor in contract_of(document).primary_inputs]
    return module


@pytest.mark.parametrize("strategy", [Strategy.CONVENTIONAL, Strategy.ONLINE])
@pytest.mark.parametrize("name", READ)
def test_stages_compose_to_what_torch_computes(name: str, strategy: Strategy, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = golden(tmp_path, READ[name])
    module = stages(path, strategy)
    torch.manual_seed(0)
    inputs = {"x": torch.randn(2, 5, 8), "w": torch.randn(8)}
    result = module.op_composed(*(inputs[one].clone() for one in module.names))
    scope: dict[str, object] = {}
    exec(path.read_text(), scope)
    expected = scope["op_golden_cpu"](inputs["x"].clone(), inputs["w"].clone())  # type: ignore[operator]
    pairs = [(result, expected)] if isinstance(expected, torch.Tensor) else zip(result, expected, strict=True)
    for one, other in pairs:
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_said(name: str, tmp_path: Path) -> None:
    path = golden(tmp_path, REFUSED[name])
    program = read_program(str(path), SPEC)
    assert program.findings
    with pytest.raises(InputError):
        stages(path, Strategy.CONVENTIONAL)
