"""Names of Modules from what they write, where the golden's own variable says something else."""

from r0kit.contract.draft import draft
from r0kit.golden import program_of
from r0kit.partition import partition
from r0kit.spec import Spec, TensorSpec

SHAPES = {"a": ("M", "K"), "w": ("K", "N"), "h": ("M", "N")}


def names(source: str, inputs: str, outputs: str) -> list[str]:
    tensors = tuple(TensorSpec(name, SHAPES[name], "float32") for name in inputs)
    results = tuple(TensorSpec(name, ("M", "N"), "float32") for name in outputs.split())
    spec = Spec("SPEC.md", inputs=tensors, outputs=results)
    program = program_of(f"import torch\n{source}", "op_golden.py", spec)
    return [module.name for module in draft(partition(program, spec), spec).contract.modules]


def test_a_value_stored_under_a_key_is_called_by_the_key() -> None:
    source = (
        "def op_golden(tensors):\n    o = tensors['a'] @ tensors['w']\n    tensors['resid'][:] = o + tensors['h']\n"
    )
    assert "tensors" not in " ".join(names(source, "awh", "resid"))


def test_a_module_that_only_creates_fills() -> None:
    source = "def op_golden(a, w):\n    return a @ w, torch.zeros(3)\n"
    assert names(source, "aw", "y z") == ["matmul", "fill"]


def test_modules_that_write_one_variable_are_not_both_called_by_it() -> None:
    source = (
        "def op_golden(a, w):\n    h = torch.relu(a @ w)\n    h = torch.relu(h @ w)\n    return torch.relu(h @ w)\n"
    )
    found = names(source.replace("@ w", "@ w.T @ w"), "aw", "y")
    assert len(set(found)) == len(found) and not any(name.endswith("_h_2") for name in found)
