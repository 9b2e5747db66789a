"""How operations read in golden_steps: matrix products as products, letters of SPEC's axes, regions as Python writes them."""

import pytest

from r0kit.contract.draft import draft
from r0kit.golden import program_of
from r0kit.partition import partition
from r0kit.spec import Spec, TensorSpec

SHAPES = {"q": "B H S D", "k": "B H T D", "w": "D N", "c": "B H T D", "i": "S", "j": "T"}
# what the golden returns -> the line of the last Module
LINES = {
    "torch.einsum('bhsd,bhtd->bhst', q, k)": "out = q @ k.T",
    "torch.einsum('bhtd,bhsd->bhts', k, q)": "out = k @ q.T",
    "torch.einsum('bhsd,dn->bhsn', q, w)": "out = einsum(bhsd,dn->bhsn, q, w)",
    "torch.einsum('bhsd,bhtd->bsht', q, k)": "out = einsum(bhsd,bhtd->bsht, q, k)",
    "i[:, None] - i[None, :]": "out = i[..., None] - i",
    "i[:, None] - j[None, :]": "out = i - j",
    "F.softplus(q)": "out = softplus(q)",
    "F.pad(i, (3, 0))": "out = pad(i, S=[3, 0])",
    "F.max_pool2d(q, 2)": "out = max_pool(q)",
    "w[j.long()]": "out = w[j]",
}


def steps(body: str) -> list[str]:
    source = f"import torch\nimport torch.nn.functional as F\ndef op_golden({', '.join(SHAPES)}):\n{body}"
    tensors = (
        TensorSpec(name, tuple(shape.split()), "int32" if name == "j" else "float32") for name, shape in SHAPES.items()
    )
    spec = Spec("SPEC.md", inputs=tuple(tensors))
    return list(
        draft(partition(program_of(source, "op_golden.py", spec), spec), spec).contract.modules[-1].golden_steps
    )


@pytest.mark.parametrize(("expression", "line"), LINES.items())
def test_an_operation_reads_as_mathematics(expression: str, line: str) -> None:
    assert steps(f"    return {expression}\n")[-1] == line


@pytest.mark.parametrize(
    ("stores", "line"),
    [
        ("c[:, :, 2:5] = q[:, :, :3]", "c_new = store(c[:, :, 2:5, :], q[:, :, :3])"),
        ("c[:, :, 2] = q[:, :, 0]", "c_new = store(c[:, :, 2, :], q[:, :, 0])"),
        ("c[:, -1, ::2] = 0.0", "c_new = store(c[:, H - 1, ::2, :], 0.0)"),
    ],
)
def test_a_store_names_its_region(stores: str, line: str) -> None:
    assert steps(f"    c = c.clone()\n    {stores}\n    return c\n") == [line]
