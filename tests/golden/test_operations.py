"""Every row and every spelling of the operation tables against torch: shapes, dtypes, and the numbers of the torch text.

The cases are `operations/*.txt`. A line `spelling: arguments | arguments` runs under every spelling of that spelling's
row, in place too where torch has such a method. `random.txt`: shape and dtype only. `expressions.txt`: whole expressions.
The names are those of `oracle.INPUTS` and `oracle.PARAMETERS`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from r0kit.golden import ops
from r0kit.golden.ops.row import PREFIXES, Operation
from tests.golden.oracle import check_unbound, compare, compare_store, namespace, tensors

torch = pytest.importorskip("torch")


FOLDER = Path(__file__).parent / "operations"
WHOLE = ("expressions",)
STORES = ("stores",)
ELSEWHERE = ("layers", "einops")  # read by test_layers
SHAPES_ONLY = ("random",)


def lines_of(*names: str) -> list[str]:
    return [line for name in names for line in (FOLDER / f"{name}.txt").read_text().splitlines() if line]


def parse_cases(*names: str) -> list[tuple[Operation, str]]:
    """Lines `spelling: arguments | arguments` of some files as (row, arguments)."""
    cases = []
    for line in lines_of(*names):
        spelling, _, arguments = line.partition(":")
        prefix, _, name = spelling.rpartition(".")
        operation = ops.find(f"{PREFIXES.get(prefix, prefix)}.{name}")
        assert operation, f"no row for {spelling}"
        cases += [(operation, case.strip()) for case in arguments.split(" | ")]
    return cases


def spelled(operation: Operation, arguments: str) -> list[str]:
    """The expressions of a case under every spelling of its row, in place too where torch has that method."""
    spellings = [path for path in operation.spellings if applies(path, arguments)]
    in_place = [f"{path}_" for path in spellings if hasattr(torch.Tensor, f"{path.rpartition('.')[2]}_")]
    methods = [path for path in in_place if path.startswith("torch.Tensor.")]
    return [f"{path}({arguments})" for path in (*spellings, *methods)]


def applies(path: str, arguments: str) -> bool:
    """An operator takes no keywords, a method wants a tensor first."""
    if path.startswith("operator."):
        return "=" not in arguments
    first = arguments.split(",")[0].strip()
    return not (path.startswith("torch.Tensor.") and first[:1] in "[(0123456789")


@lru_cache(maxsize=1)
def made() -> dict[str, Any]:
    return tensors(torch)


# Spellings that torch has on other machines only, or not for a tensor of these tests.
NOT_HERE = {
    *(f"torch.Tensor.{name}" for name in ("cuda", "npu", "pin_memory")),
    "torch.from_numpy",
    "builtins.round",
}


def misspelled(text: str) -> bool:
    """Whether torch does not know the expression, as opposed to refusing its values."""
    try:
        eval(text, namespace(torch, made()))
    except (TypeError, AttributeError):
        return True
    except Exception:
        return False
    return False


def runs(text: str) -> bool:
    """Whether torch itself accepts the expression."""
    try:
        eval(text, namespace(torch, made()))
    except Exception:
        return False
    return True


FAMILIES = sorted(
    path.stem for path in FOLDER.glob("*.txt") if path.stem not in (*WHOLE, *SHAPES_ONLY, *STORES, *ELSEWHERE)
)
GROUPS = [spelled(operation, args) for operation, args in parse_cases(*FAMILIES, *SHAPES_ONLY)]
ALL = [(text, True) for operation, args in parse_cases(*FAMILIES) for text in spelled(operation, args)]
ALL += [(text, False) for operation, args in parse_cases(*SHAPES_ONLY) for text in spelled(operation, args)]
ALL += [(text, True) for text in lines_of(*WHOLE)]


@pytest.mark.parametrize(("text", "numbers"), ALL, ids=[text for text, _ in ALL])
def test_expression_agrees_with_torch(text: str, numbers: bool) -> None:
    compare(torch, text, made(), numbers=numbers)


@pytest.mark.parametrize("text", [group[0] for group in GROUPS if group] + lines_of(*WHOLE))
def test_shape_without_a_p0_case(text: str) -> None:
    """The shape is right for the real sizes too, or an assumption that it rests on is recorded."""
    if runs(text):
        check_unbound(torch, text, made())


@pytest.mark.parametrize("text", lines_of(*STORES, *ELSEWHERE))
def test_store_agrees_with_torch(text: str) -> None:
    compare_store(torch, text, made())


def test_every_row_and_spelling_has_a_case() -> None:
    tried = {path for text, _ in ALL if (path := text.partition("(")[0]) in NOT_HERE or runs(text)}
    missing = [path for row in ops.ROWS for path in row.spellings if path not in tried and not tested_elsewhere(path)]
    assert not missing, f"add a case for {missing}"


def tested_elsewhere(path: str) -> bool:
    """Layers and einops patterns have test_layers."""
    return path.startswith(("einops.", "r0kit.")) or (path.startswith("torch.nn.") and ".functional." not in path)


def test_every_case_is_a_call_that_torch_knows() -> None:
    wrong = [group[0] for group in GROUPS if all(misspelled(text) for text in group)]
    assert not wrong, f"torch knows no spelling of {wrong}"
