"""Contracts drafted from every labelled golden under every strategy: what must hold of each of them."""

import re

import pytest
from drawn import CASES, OPERATORS, drafted, drawn, ids, read

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.contract.update import update
from r0kit.contract.write import contract_text
from r0kit.finding import Severity
from r0kit.golden import read_program
from r0kit.partition import Strategy, partition
from r0kit.spec import read_spec
from r0kit.validate import validate_text
from r0kit.validate.subject import Golden

GENERIC = re.compile(r"module_?\d|out_?\d|%|elementwise$")


def golden_of(name):
    program, spec = read(name)
    stated = frozenset(tensor.name for tensor in spec.inputs)
    return Golden(program, stated, frozenset(spec.supported_dtypes), tuple(map(spec.bindings, spec.p0_cases)))


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_it_validates_without_a_word_and_agrees_with_its_golden(case):
    text = contract_text(drafted(*case).contract)
    assert "TODO" not in text
    findings = validate_text(text, golden=golden_of(case[0])).findings
    assert [finding for finding in findings if finding.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_its_flags_and_outputs_are_those_of_the_labels(case):
    contract, operator = drafted(*case).contract, OPERATORS[case[0]]
    assert contract.is_fusion == operator.labels["is_fusion"]
    assert len(contract.final_outputs) == operator.labels["final_outputs"]
    assert [tensor.name for tensor in contract.primary_inputs] == [i["name"] for i in operator.machine["inputs"]]


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_names_are_those_that_a_person_would_choose(case):
    names = [module.name for module in drafted(*case).contract.modules]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and not GENERIC.search(name) for name in names)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_every_output_has_a_line_of_mathematics(case):
    for module in drafted(*case).contract.modules:
        written = {line.split(" = ")[0] for line in module.golden_steps}
        assert {output.name for output in module.outputs} <= written
        assert all(len(line) < 400 for line in module.golden_steps)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_each_exchange_between_sections_is_handed_over_once(case):
    contract = drafted(*case).contract
    section = {module.id: module.section for module in contract.modules}
    for module in contract.modules:
        crossing = {wire.name for wire in module.inputs if section.get(wire.module, module.section) != module.section}
        assert {record["value"] for record in module.handoff} == crossing
        assert len(module.handoff) == len(crossing)
    assert contract.has_cross_core == any(module.handoff for module in contract.modules)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_it_is_read_back_as_it_was_and_updates_to_itself(case):
    contract = drafted(*case).contract
    document = parse(contract_text(contract), "contract.yaml")
    assert plain(contract_of(document)) == plain(contract)
    assert update(plain(contract), document) == (document.text, ())


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_every_step_of_a_module_has_an_api_or_a_reason(case):
    for part, module in zip(drawn(*case).parts, drafted(*case).contract.modules, strict=True):
        targets = {step.target for step in part.steps}
        for record in module.api:
            assert record["value"] in targets
            assert record["a5"] and record["a2a3"]


def test_each_traversal_keeps_the_states_of_its_own_axis(tmp_path):
    """A sum over D, then a mean of it over B: the sum starts anew for each row, and the mean divides by B."""
    golden, spec = tmp_path / "op_golden_cpu.py", tmp_path / "SPEC.md"
    golden.write_text("def op_golden_cpu(a):\n    dp = a.abs().sum(dim=1)\n    return dp.exp().mean()\n")
    spec.write_text("Inputs:\n\n| name | shape | dtype |\n|---|---|---|\n| a | [B, D] | float32 |\n")
    stated, _ = read_spec(str(spec))
    contract = draft(partition(read_program(str(golden), stated, "op"), stated, Strategy.AUTO), stated).contract
    kept = {record["axis"]: record["traversals"][0]["state"] for record in contract.reduction}
    assert kept == {"D": ["dp"], "B": ["out"]}
    updates = [state["update"] for state in contract.modules[0].traversal["state"]]
    assert updates == ["dp = dp + sum(tile)", "out = out + sum(tile) / B"]
