"""Partitions of the labelled goldens: sections against labels written by hand, and what must hold of every partition."""

from itertools import pairwise

import pytest
from drawn import CASES, OPERATORS, drawn, ids

from r0kit.golden.program import Section


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_sections_are_those_of_the_label(case):
    name, strategy = case
    sections = [part.section.value for part in drawn(name, strategy).parts]
    assert sections in OPERATORS[name].labels["sections"][strategy]


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_wiring_is_whole(case):
    """Every value that a Module reads is written by an earlier one or is an input; every output is written once."""
    result = drawn(*case)
    inputs = {value.name for value in result.program.inputs}
    written = {name: part.id for part in result.parts for name in part.outputs}
    assert len(written) == sum(len(part.outputs) for part in result.parts)
    for part in result.parts:
        for crossing in part.inputs:
            assert (
                crossing.name in inputs if crossing.module == 0 else written[crossing.name] == crossing.module < part.id
            )
    assert {output.value for output in result.program.outputs} <= set(written)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_each_module_computes_what_it_writes_from_what_it_reads(case):
    for part in drawn(*case).parts:
        known = {crossing.name for crossing in part.inputs}
        for step in part.steps:
            assert set(step.tensors) <= known
            known.add(step.target)
        assert set(part.outputs) <= {step.target for step in part.steps}


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_vector_modules_contract_nothing(case):
    for part in drawn(*case).parts:
        kinds = {step.kind.value for step in part.steps}
        assert part.section is Section.CUBE or "contraction" not in kinds


@pytest.mark.parametrize("name", OPERATORS)
def test_auto_moves_no_more_bytes_than_conventional(name):
    assert drawn(name, "auto").traffic <= drawn(name, "conventional").traffic


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_every_boundary_has_a_reason(case):
    """Two Modules in a row either have a recorded boundary between them, or the later one reads nothing from the earlier."""
    for earlier, later in pairwise(drawn(*case).parts):
        reads = any(crossing.module == earlier.id for crossing in later.inputs)
        assert not reads or later.boundaries
