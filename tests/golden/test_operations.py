"""Every row and every spelling of the operation tables against torch: shapes, dtypes, and the numbers of the torch text.

The cases are `operations/*.txt`. A line `spelling: arguments | arguments` runs under every spelling of that spelling's
row, in place too where torch has such a method. `random.txt`: shape and dtype only. `expressions.txt`: whole expressions.
The names are those of `oracle.INPUTS` and `oracle.PARAMETERS`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from r0kit.golden import ops
from r0kit.golden.builder import OperationError
from r0kit.golden.ops import refused
from r0kit.golden.ops.row import PREFIXES, Operation
from tests.golden.oracle import Reader, check_unbound, compare, compare_store, namespace, read_store, tensors

torch = pytest.importorskip("torch")


FOLDER = Path(__file__).parent / "operations"
WHOLE = ("expressions",)
STORES = ("stores",)
ELSEWHERE = ("layers", "einops")  # read by test_layers
SHAPES_ONLY = ("random",)


def lines_of(*names: str) -> list[str]:
    return [line for name in names for line in (FOLDER / f"{name}.txt").read_text().splitlines() if line]


def parse_cases(*names: str) -> dict[str, list[tuple[Operation, str]]]:
    """The lines `spelling: arguments | arguments` of some files: by spelling, (row, arguments) of each case."""
    cases: dict[str, list[tuple[Operation, str]]] = {}
    for line in lines_of(*names):
        spelling, _, arguments = line.partition(":")
        prefix, _, name = spelling.rpartition(".")
        operation = ops.find(f"{PREFIXES.get(prefix, prefix)}.{name}")
        assert operation, f"no row for {spelling}"
        cases.setdefault(spelling, []).extend((operation, case.strip()) for case in arguments.split(" | "))
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


@cache
def made() -> dict[str, Any]:
    return tensors(torch)


# Spellings that torch has on other machines only, or not for a tensor of these tests.
NOT_HERE = {
    *(f"torch.Tensor.{name}" for name in ("cuda", "npu", "pin_memory")),
    "torch.from_numpy",
    "builtins.round",
}


@dataclass(frozen=True)
class Group:
    """The cases of one row, each under every spelling; numbers: whether values are compared, not only shape and dtype."""

    name: str
    cases: list[list[str]]
    numbers: bool = True

    @property
    def texts(self) -> list[str]:
        return [text for case in self.cases for text in case]

    @property
    def firsts(self) -> list[str]:
        """Each case once."""
        return [case[0] for case in self.cases]


def groups(names: Sequence[str], numbers: bool = True) -> list[Group]:
    return [
        Group(name, [spelled(operation, arguments) for operation, arguments in cases], numbers)
        for name, cases in parse_cases(*names).items()
    ]


@cache
def outcome(text: str) -> str:
    """What torch itself says to an expression: "" where it has a value, else the name of its error."""
    try:
        eval(text, namespace(torch, made(), text))
    except Exception as error:
        return type(error).__name__
    return ""


REFUSED = {path for row in refused.ROWS for path in row.spellings}
OTHERS = (*WHOLE, *SHAPES_ONLY, *STORES, *ELSEWHERE)
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.txt") if path.stem not in OTHERS)
GROUPS = [*groups(FAMILIES), *groups(SHAPES_ONLY, numbers=False)]
GROUPS += [Group(text, [[text]]) for text in lines_of(*WHOLE)]
BY_ROW = pytest.mark.parametrize("group", GROUPS, ids=[group.name for group in GROUPS])


@BY_ROW
def test_expression_agrees_with_torch(group: Group) -> None:
    for text in group.texts:
        compare(torch, text, made(), numbers=group.numbers)


@BY_ROW
def test_shape_without_a_p0_case(group: Group) -> None:
    """The shape is right for the real sizes too, or an assumption that it rests on is recorded."""
    for text in group.firsts:
        if not outcome(text):
            check_unbound(torch, text, made())


@pytest.mark.parametrize("text", lines_of(*STORES))
def test_store_agrees_with_torch(text: str) -> None:
    compare_store(torch, text, made())


def test_every_row_and_spelling_has_a_case() -> None:
    texts = [text for group in GROUPS for text in group.texts]
    tried = {path for text in texts if (path := text.partition("(")[0]) in NOT_HERE or not outcome(text)}
    missing = [path for row in ops.ROWS for path in row.spellings if path not in tried and not has_other_test(path)]
    assert not missing, f"add a case for {missing}"


def has_other_test(path: str) -> bool:
    """Layers and einops patterns have test_layers; what is refused is tested below."""
    return (
        path in REFUSED
        or path.startswith(("einops.", "r0kit."))
        or (path.startswith("torch.nn.") and ".functional." not in path)
    )


def test_every_case_is_a_call_that_torch_knows() -> None:
    unknown = {"TypeError", "AttributeError"}
    wrong = [case[0] for group in GROUPS for case in group.cases if all(outcome(text) in unknown for text in case)]
    assert not wrong, f"torch knows no spelling of {wrong}"


@pytest.mark.parametrize("path", sorted(REFUSED))
def test_refusal_says_why_and_what_to_do(path: str) -> None:
    reader = Reader()
    with pytest.raises(OperationError) as caught:
        ops.call(reader.builder, path, [reader.names["x"]], {})
    assert caught.value.message and caught.value.hint


def test_every_step_operation_is_emitted_by_a_case() -> None:
    emitted = {"opaque", "loop"}
    for text in [text for group in GROUPS for text in group.firsts]:
        reader = Reader()
        with suppress(OperationError):
            reader.read(ast.parse(text, mode="eval").body)
        emitted |= {step.op for step in reader.builder.steps}
    for text in lines_of(*STORES):
        reader = Reader()
        read_store(reader, text)
        emitted |= {step.op for step in reader.builder.steps}
    missing = set(ops.KINDS) - emitted
    assert not missing
