"""Contracts edited as people edit them: Modules merged, split, renamed, rewired. They are cut as edited, and compose."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract.read import parse
from r0kit.finding import InputError
from r0kit.stages import stages_of
from tests import labelled
from tests.stages.drafted import drafted, read

Contract = dict[str, Any]
NAMES = [
    ("row_softmax", "conventional"),
    ("layer_norm", "conventional"),
    ("attention", "online"),
    ("linear_logsumexp", "conventional"),
    ("group_norm", "conventional"),
    ("quant_matmul", "auto"),
    ("moe_gate_topk", "online"),
]


def compose(name: str, strategy: str, edit: Callable[[Contract], None]) -> None:
    """Cut the edited contract and compare its composition with the golden on the first p0 case."""
    torch = pytest.importorskip("torch")
    operator, spec, document = drafted(name, strategy)
    contract = json.loads(document.text)
    edit(contract)
    stages = stages_of(parse(json.dumps(contract, indent=1), "edited.yaml"), str(operator.golden), spec)
    module = ModuleType("stages")
    exec(compile(stages.source, "stages", "exec"), module.__dict__)
    case = operator.machine["p0_cases"][0]
    inputs = labelled.make_inputs(operator, case)
    function = getattr(module, f"{contract['op']}_composed")
    named = function.__code__.co_varnames[: function.__code__.co_argcount]
    scalars = {key: value for key, value in operator.parameters(case).items() if key in named}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*(inputs[tensor["name"]] for tensor in contract["primary_inputs"]), **scalars)
        expected = labelled.run(operator, case, labelled.load(operator.golden))
    results = list(result) if isinstance(result, tuple) else [result]
    for got, want in zip(results, expected, strict=True):
        assert torch.allclose(got.double(), want.double(), atol=1e-2, rtol=1e-2, equal_nan=True)


def merge(contract: Contract, at: int) -> None:
    """Join the Modules at `at` and `at + 1`: inputs and outputs of both, without what only passes between them."""
    modules = contract["modules"]
    first, second = modules[at], modules.pop(at + 1)
    inner = {output["name"] for output in first["outputs"]}
    inputs = first["inputs"] + [wire for wire in second["inputs"] if wire["source"] != f"module_{first['id']}"]
    first["inputs"] = [wire for place, wire in enumerate(inputs) if wire not in inputs[:place]]
    read_later = {
        (wire["source"], wire["name"])
        for wire in [w for module in modules[at + 1 :] for w in module["inputs"]] + contract["final_outputs"]
    }
    kept = [output for output in first["outputs"] if (f"module_{first['id']}", output["name"]) in read_later]
    first["outputs"] = kept + second["outputs"]
    assert inner
    renumber(contract, first["id"], second["id"])


def renumber(contract: Contract, first: int, second: int) -> None:
    """Give the Modules ids in order after `second` has become part of `first`."""
    old = [module["id"] for module in contract["modules"]]
    ids = {f"module_{before}": f"module_{now}" for now, before in enumerate(old, 1)}
    if second:
        ids[f"module_{second}"] = ids[f"module_{first}"]
    for now, module in enumerate(contract["modules"], 1):
        module["id"] = now
        module["golden_stage_fn"] = ""
    for wire in [w for module in contract["modules"] for w in module["inputs"]] + contract["final_outputs"]:
        wire["source"] = ids.get(wire["source"], wire["source"])
    contract["module_count"] = len(contract["modules"])


@settings(max_examples=25, deadline=None, database=None)
@given(st.data())
def test_merged_modules_compose(data: st.DataObject) -> None:
    name, strategy = data.draw(st.sampled_from(NAMES))

    def edit(contract: Contract) -> None:
        while len(contract["modules"]) > 1 and data.draw(st.booleans()):
            merge(contract, data.draw(st.integers(0, len(contract["modules"]) - 2)))

    compose(name, strategy, edit)


@settings(max_examples=25, deadline=None, database=None)
@given(st.data())
def test_reordered_and_renamed_modules_compose(data: st.DataObject) -> None:
    name, strategy = data.draw(st.sampled_from(NAMES))

    def edit(contract: Contract) -> None:
        for module in contract["modules"]:
            module["inputs"] = data.draw(st.permutations(module["inputs"]))
            module["outputs"] = data.draw(st.permutations(module["outputs"]))
            module["name"] = data.draw(st.sampled_from(["", "another name", 'quote """ and \\ slash']))
        contract["primary_inputs"] = data.draw(st.permutations(contract["primary_inputs"]))

    compose(name, strategy, edit)


@settings(max_examples=25, deadline=None, database=None)
@given(st.data())
def test_a_module_split_at_any_value_composes(data: st.DataObject) -> None:
    """The first half writes one value of the Module's own, the second half reads it beside all the inputs."""
    name, strategy = data.draw(st.sampled_from(NAMES))
    _, program = read(name)
    shapes = {step.target: step for step in program.steps}

    def edit(contract: Contract) -> None:
        at = data.draw(st.integers(0, len(contract["modules"]) - 1))
        module = contract["modules"][at]
        known = {wire["name"] for wire in module["inputs"]} | {output["name"] for output in module["outputs"]}
        candidates = [target for target in shapes if target not in known and _within(module, target, program)]
        if not candidates:
            return
        value = data.draw(st.sampled_from(candidates))
        second = copy.deepcopy(module)
        module["outputs"] = [{"name": value, "shape": "", "dtype": shapes[value].dtype}]
        second["id"] = 99
        for wire in [w for m in contract["modules"] for w in m["inputs"]] + contract["final_outputs"]:
            if wire["source"] == f"module_{module['id']}":
                wire["source"] = "module_99"
        second["inputs"].append({"name": value, "source": f"module_{module['id']}"})
        contract["modules"].insert(at + 1, second)
        renumber(contract, 0, 0)

    compose(name, strategy, edit)


def _within(module: Contract, target: str, program: Any) -> bool:
    """Whether a value is computed from the Module's inputs alone."""
    leaves = {wire["name"] for wire in module["inputs"]}
    producers = {step.target: step for step in program.steps}
    waiting = [target]
    while waiting:
        name = waiting.pop()
        if name in leaves:
            continue
        if name not in producers or (name != target and producers[name].kind.value in ("reduction", "contraction")):
            return False
        waiting += producers[name].tensors
    return True


@pytest.mark.parametrize(("name", "strategy"), NAMES)
def test_every_wire_that_is_taken_out_is_missed(name: str, strategy: str) -> None:
    """Without an input, a Module can only be cut where it can compute that value itself from its other inputs."""
    operator, spec, document = drafted(name, strategy)
    missed = 0
    for at, module in enumerate(json.loads(document.text)["modules"]):
        for place, wire in enumerate(module["inputs"]):
            contract = json.loads(document.text)
            del contract["modules"][at]["inputs"][place]
            try:
                stages_of(parse(json.dumps(contract, indent=1), "edited.yaml"), str(operator.golden), spec)
            except InputError as error:
                missed += 1
                assert any(wire["name"] in finding.message for finding in error.findings)
                assert all(finding.location.line > 0 and finding.hint for finding in error.findings)
            else:
                assert wire["source"] != "primary"
    assert missed
