"""Contracts that are legal and far too large in one place: no form takes time that grows with its square."""

from time import process_time

import pytest

from r0kit.contract.model import Contract, Module, Tensor, Wire
from r0kit.render import Lang, as_json, chart, html, markdown, svg

MODULE = Module(1, "a", "", "vector", (), (Wire("x", 0),), (Tensor("y"),))
LIMIT = 12.0  # seconds; what grows with the square takes minutes

NAMES = ["M"] * 2000
SIZES = {
    "platforms": {"api": tuple({f"p{n}": "x"} for n in range(5000))},
    "names": {"name": "n" * 1_000_000, "description": "中" * 1_000_000},
    "inputs": {"inputs": tuple(Wire(f"x{n}", 0) for n in range(5000))},
    "outputs": {"outputs": tuple(Tensor(f"x{n}") for n in range(5000))},
    "reasons": {"boundary": tuple({"kind": "section", "value": n, "why": str(n)} for n in range(20_000))},
    "states": {"traversal": {"axes": NAMES, "reduces": ["N"] * 2000, "state": [{"name": "y"}] * 2000}},
}


@pytest.mark.parametrize("name", SIZES)
def test_one_large_place(name: str) -> None:
    some = Contract("op", 1, (Tensor("x"),), (MODULE._replace(**SIZES[name]),), (Wire("y", 1),))
    start = process_time()
    for form in (markdown, chart, as_json, svg, html):
        assert form(some, Lang.EN)
    assert process_time() - start < LIMIT


def test_many_modules_of_one_number() -> None:
    start = process_time()
    assert html(Contract("op", 2000, (Tensor("x"),), (MODULE,) * 2000, (Wire("y", 1),)), Lang.EN)
    assert process_time() - start < LIMIT
