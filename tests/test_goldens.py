"""The labelled operators checked against themselves: what SPEC and labels say of a golden is what running it shows."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from labelled import EXTRA, Operator, call, extent, load, make_inputs, operators, run

ALL = operators() + operators(EXTRA)
STRATEGIES = {"conventional", "online", "single_tile", "auto"}
each = pytest.mark.parametrize("item", ALL, ids=lambda item: item.name)


@each
def test_labels_are_well_formed(item: Operator) -> None:
    sections = item.labels["sections"]
    assert {"conventional", "auto"} <= set(sections) <= STRATEGIES
    for accepted in sections.values():
        assert accepted
        for answer in accepted:
            assert set(answer) <= {"cube", "vector"}
            assert (set(answer) == {"cube", "vector"}) is item.labels["is_fusion"], "is_fusion disagrees with an answer"


@each
def test_auto_is_one_of_the_strategies_or_mixes_them(item: Operator) -> None:
    """`auto` chooses per axis, so it is never longer than conventional and never shorter than single_tile."""
    sections = item.labels["sections"]
    longest = max(map(len, sections["conventional"]))
    shortest = min(map(len, sections.get("single_tile", sections["auto"])))
    assert all(shortest <= len(answer) <= longest for answer in sections["auto"])


@each
def test_spec_agrees_with_the_signature(item: Operator) -> None:
    function = _definition(item)
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    names = [argument.arg for argument in arguments]
    inputs = [tensor["name"] for tensor in item.machine["inputs"]]
    assert [name for name in names if name in inputs] == inputs, "inputs in the order of the signature"
    assert set(item.machine["default_params"]) <= set(names) - set(inputs)
    assert item.machine["op_name"] == item.name
    assert item.function in (f"{item.name}_golden", f"{item.name}_golden_cpu")


@each
def test_axes_are_told_apart_by_their_extents(item: Operator) -> None:
    """Distinct symbols have distinct extents in every case, and some case has an extent that is no multiple of 16."""
    sizes = [item.symbols(case) for case in item.machine["p0_cases"]]
    assert all(len(set(case.values())) == len(case) for case in sizes)
    assert any(size % 16 for case in sizes for size in case.values())
    for symbol, (low, high) in item.machine["dynamic_axes_ranges"].items():
        assert all(low <= case[symbol] <= high for case in sizes)


@each
def test_running_it_gives_what_spec_declares(item: Operator) -> None:
    torch = pytest.importorskip("torch")
    module = load(item.golden)
    for case in item.machine["p0_cases"]:
        symbols = item.symbols(case)
        found = run(item, case, module)
        assert len(found) == len(item.machine["outputs"]) == item.labels["final_outputs"]
        for declared, tensor in zip(item.machine["outputs"], found, strict=True):
            assert list(tensor.shape) == case["output_shapes"][declared["name"]], declared["name"]
            assert list(tensor.shape) == [extent(dim, symbols) for dim in declared["shape"]], declared["name"]
            assert str(tensor.dtype) == f"torch.{declared['dtype']}", declared["name"]
            assert not tensor.is_floating_point() or not torch.isnan(tensor).any(), declared["name"]


@each
def test_it_repeats_and_leaves_its_inputs_alone(item: Operator) -> None:
    torch = pytest.importorskip("torch")
    case = item.machine["p0_cases"][0]
    function = getattr(load(item.golden), item.function)
    inputs, parameters = make_inputs(item, case), item.parameters(case)
    first, second = (call(function, {**inputs, **parameters}) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(_flat(first), _flat(second), strict=True))
    untouched = make_inputs(item, case)
    assert all(torch.equal(a, b) for n in inputs for a, b in zip(_flat(inputs[n]), _flat(untouched[n]), strict=True))


@each
def test_defaults_of_spec_are_those_of_the_golden(item: Operator) -> None:
    pytest.importorskip("torch")
    signature = inspect.signature(getattr(load(item.golden), item.function))
    for name, value in item.machine["default_params"].items():
        default = signature.parameters[name].default
        assert default is inspect.Parameter.empty or default == value


def _definition(item: Operator) -> ast.FunctionDef:
    tree = ast.parse(item.golden.read_text(encoding="utf-8"))
    return next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == item.function)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from _flat(one)
    else:
        yield value
