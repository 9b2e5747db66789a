"""Labelled goldens -> Program -> Partition -> contract -> stage functions: they compose to the golden, and pass ruff."""

from __future__ import annotations

import json
import shutil
import subprocess
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from r0kit.contract.read import Document, parse
from r0kit.contract.typed import contract_of
from r0kit.finding import InputError
from r0kit.spec import Spec
from r0kit.stages import Stages, stages_of
from tests import labelled
from tests.labelled import Operator
from tests.stages.drafted import OPERATORS, drafted

CASES = [(name, strategy) for name, operator in OPERATORS.items() for strategy in operator.labels["sections"]]
# One strategy of each operator in turn; all of them in the long mode.
SAMPLE = [CASES[at] for at in range(len(CASES)) if at % 4 == 0 or at % 7 == 0]
LONG = [pytest.param(*case, marks=[] if case in SAMPLE else [pytest.mark.long]) for case in CASES]


def executed(stages: Stages) -> ModuleType:
    module = ModuleType("stages")
    exec(compile(stages.source, "stages", "exec"), module.__dict__)
    return module


def compose(
    operator: Operator, document: Document, module: ModuleType, case: dict[str, Any]
) -> tuple[list[Any], list[Any]]:
    """Final outputs of the composed stages, and those of the golden, on one p0 case."""
    expected = labelled.run(operator, case, labelled.load(operator.golden))
    inputs = labelled.make_inputs(operator, case)
    contract = contract_of(document)
    function = getattr(module, f"{contract.op}_composed")
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    scalars = {name: value for name, value in operator.parameters(case).items() if name in names}
    result = function(*(inputs[tensor.name] for tensor in contract.primary_inputs), **scalars)
    return list(result) if isinstance(result, tuple) else [result], expected


@pytest.mark.parametrize(("name", "strategy"), LONG)
def test_the_stages_compose_to_the_golden(name: str, strategy: str) -> None:
    pytest.importorskip("torch")
    operator, spec, document = drafted(name, strategy)
    check(operator, spec, document)


@pytest.mark.parametrize(("name", "strategy"), LONG)
def test_they_do_so_where_nothing_says_which_algorithm_it_was(name: str, strategy: str) -> None:
    """A person may take the records of traversals, strategy and reductions out: the values that Modules name decide."""
    pytest.importorskip("torch")
    operator, spec, document = drafted(name, strategy)
    data = json.loads(document.text)
    for record in ("strategy", "reduction"):
        data.pop(record, None)
    for module in data["modules"]:
        module.pop("traversal", None)
    check(operator, spec, parse(json.dumps(data, indent=1), "module_interfaces.yaml"))


def check(operator: Operator, spec: Spec, document: Document) -> None:
    """The stages of the contract compose to the golden on every p0 case."""
    import torch

    stages = stages_of(document, str(operator.golden), spec)
    assert stages.findings == ()
    module = executed(stages)
    tolerance = operator.machine["tolerance"]
    limits = (
        {key: float(tolerance[key]) for key in ("atol", "rtol")}
        if "atol" in tolerance
        else {"atol": 1e-2, "rtol": 1e-2}
    )
    for case in operator.machine["p0_cases"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results, expected = compose(operator, document, module, case)
        for result, want in zip(results, expected, strict=True):
            assert result.dtype == want.dtype
            assert result.shape == want.shape
            assert torch.allclose(result.double(), want.double(), equal_nan=True, **limits)


@pytest.mark.skipif(shutil.which("ruff") is None, reason="needs ruff on the path")
def test_ruff_accepts_every_file(tmp_path: Path) -> None:
    for name, strategy in SAMPLE:
        try:
            operator, spec, document = drafted(name, strategy)
        except pytest.skip.Exception:
            continue
        text = stages_of(document, str(operator.golden), spec).source
        (tmp_path / f"{name}_{strategy}.py").write_text(text, encoding="utf-8")
    for command in (
        ["check", "--isolated"],
        ["format", "--isolated", "--diff"],
        ["format", "--line-length=120", "--diff"],
    ):
        done = subprocess.run(["ruff", *command, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[:2000] + done.stderr[:2000]


def edited(name: str, strategy: str, *changes: tuple[str, str]) -> Stages:
    operator, spec, document = drafted(name, strategy)
    text = document.text
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return stages_of(parse(text, "edited.yaml"), str(operator.golden), spec)


def test_a_contract_of_another_strategy_than_it_says_is_sliced_by_what_it_names() -> None:
    """y_acc exists in the rewritten Program alone."""
    stages = edited("attention", "online", ('"algorithm": "online"', '"algorithm": "single"'))
    assert "return y_acc / " in stages.source


def test_a_missing_input_is_named_with_its_place() -> None:
    wire = '"name": "{}",\n     "source": "module_1"'
    with pytest.raises(InputError) as caught:
        edited("layer_norm", "online", (wire.format("var"), wire.format("mean")))
    [finding] = caught.value.findings
    assert "needs var" in finding.message
    assert finding.location.line > 1
    assert "module_1" in finding.hint
