"""Programs, Partitions and contracts of the labelled goldens, each made once in a run of the suite."""

from __future__ import annotations

from functools import cache

from labelled import operators

from r0kit.contract.draft import Draft, draft
from r0kit.golden import read_program
from r0kit.golden.program import Program
from r0kit.partition import Partition, Strategy, partition
from r0kit.spec import Spec, read_spec

OPERATORS = {operator.name: operator for operator in operators()}
CASES = [(name, strategy) for name, operator in OPERATORS.items() for strategy in operator.labels["sections"]]


@cache
def read(name: str) -> tuple[Program, Spec]:
    spec, _ = read_spec(str(OPERATORS[name].spec))
    return read_program(str(OPERATORS[name].golden), spec, name), spec


@cache
def drawn(name: str, strategy: str) -> Partition:
    return partition(*read(name), Strategy(strategy))


@cache
def drafted(name: str, strategy: str) -> Draft:
    return draft(drawn(name, strategy), read(name)[1])


ids = "-".join
