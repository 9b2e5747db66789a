"""Contracts drafted from the labelled operators, as documents."""

from __future__ import annotations

import json
from functools import cache

import pytest

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import Document, parse
from r0kit.golden import read_program
from r0kit.golden.program import Program
from r0kit.partition import Strategy, partition
from r0kit.spec import Spec, read_spec
from tests import labelled
from tests.labelled import Operator

OPERATORS = {operator.name: operator for operator in labelled.operators()}


@cache
def read(name: str) -> tuple[Spec, Program]:
    """The SPEC and the Program of a labelled operator. Skips the test where the golden is not read in full."""
    operator = OPERATORS[name]
    spec, _ = read_spec(str(operator.spec))
    program = read_program(str(operator.golden), spec, name)
    if not program.outputs or any(finding.rule == "golden.unsupported" for finding in program.findings):
        pytest.skip("the golden is not read in full")
    return spec, program


def drafted(name: str, strategy: str) -> tuple[Operator, Spec, Document]:
    """A labelled operator, its SPEC, and the contract drafted under `strategy`."""
    spec, program = read(name)
    contract = draft(partition(program, spec, Strategy(strategy)), spec).contract
    text = json.dumps(plain(contract), default=dict, indent=1)
    return OPERATORS[name], spec, parse(text, "module_interfaces.yaml")
