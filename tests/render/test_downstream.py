"""What later rounds take from a contract: chains, states and how long they live, handoffs, and the review list."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from render_contracts import contract
from test_section import contracts

from r0kit.contract.model import Contract, Module, Tensor, Wire
from r0kit.render import Lang, as_json
from r0kit.render.downstream import Check, Path, downstream, readers
from r0kit.render.flow import FINAL


def test_the_output_of_a_flash_attention_lives_from_its_contraction_to_its_rescaling() -> None:
    states = {state.name: state for state in downstream(contract("flash_attention")).states}
    o = states["o"]
    assert (o.module, o.updated_by, o.over, o.stored, readers(o), o.first, o.last) == (
        4,
        (3,),
        ("T",),
        True,
        (4,),
        3,
        4,
    )
    m = states["m_new"]
    assert (m.updated_by, m.over, m.each, m.stored, m.read_by, m.last) == ((2,), ("T",), ("B", "H", "S"), False, (), 2)
    assert states["l"].stored and readers(states["l"]) == (4,)


def test_chains_name_their_apis_in_order_or_the_reason_for_none() -> None:
    chains = downstream(contract("flash_attention")).chains
    assert chains[0].paths["a5"].apis == ("pl.load", "pl.move", "pl.matmul", "pl.matmul_acc", "pl.store")
    assert chains[0].paths["a2a3"] == Path(("pypto.matmul",))
    none, nothing = downstream(contract("hostile")).chains
    assert none.paths["p2"] == Path((), "</td> | because") and none.paths["<p5>"].apis == ("y", "z")
    assert none.paths["a5|"].apis == ("pl.<b>", "|") and nothing.paths == {}


def test_the_review_list_asks_for_every_state_handoff_and_pass() -> None:
    lists = downstream(contract("flash_attention"))
    kinds = Counter(check.kind for check in lists.review)
    assert kinds["initialised"] == kinds["persisted"] == kinds["masked"] == len(lists.states) == 3
    assert kinds["synchronised"] == len(lists.handoffs) == 3
    passes = {(check.subject, check.modules) for check in lists.review if check.kind == "whole_range"}
    assert passes == {("T", (1,)), ("T", (2,)), ("T", (3,)), ("D", (1,))}
    assert Check("synchronised", "p", (2, 3), "ready: MTE3 -> MTE1; free: MTE1 -> MTE3") in lists.review


def made(*modules: Module, reduction: tuple[dict[str, Any], ...] = ()) -> Contract:
    return Contract("op", len(modules), (Tensor("x"),), modules, (Wire("m", 1),), reduction=reduction)


def traversing(number: int, outputs: str, state: str) -> Module:
    traversal = {"axes": ["M", "N"], "reduces": ["N"], "state": [{"name": name} for name in state.split()]}
    values = tuple(map(Tensor, outputs.split()))
    return Module(number, "", "", "vector", (), (Wire("x", 0),), values, traversal=traversal)


def test_a_state_that_is_returned_is_read_by_the_caller() -> None:
    (state,) = downstream(made(traversing(1, "m", "m"))).states
    assert state.stored and state.read_by == (FINAL,) and readers(state) == () and state.each == ("M",)


def test_states_of_one_name_in_two_modules_are_two_states() -> None:
    passes = [{"module": "module_1", "state": ["m"]}, {"module": "module_2", "state": ["m"]}]
    record = {"axis": "N", "traversals": passes}
    states = downstream(made(traversing(1, "m", "m"), traversing(2, "y", "m"), reduction=(record,))).states
    assert [(state.module, state.updated_by, state.stored) for state in states] == [(1, (1,), True), (2, (2,), False)]


def test_a_reduced_axis_without_a_record_is_covered_by_its_module() -> None:
    checks = downstream(made(traversing(1, "m", ""))).review
    assert checks == (Check("whole_range", "N", (1,), "0..N"),)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1: {None: True}}, [[], {}], 10**30])
def test_json_is_json_whatever_a_record_holds(value: object) -> None:
    text = as_json(made(traversing(1, "m", "m"))._replace(params={"k": value}), Lang.EN)
    text.encode("utf-8")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(text, parse_constant=refuse)


@settings(deadline=None)
@given(contracts())
def test_any_contract_becomes_json(some: Contract) -> None:
    data = json.loads(as_json(some, Lang.ZH))
    assert set(data["downstream"]) == {"api_chains", "states", "handoffs", "review"}
    assert len(data["modules"]) == len(some.modules)


def test_a_state_starts_anew_for_each_axis_that_is_not_reduced_before_it() -> None:
    """A sum over D, then one of its results over B, in one traversal of [B, D]."""
    traversal = {"axes": ["B", "D"], "reduces": ["B", "D"], "state": [{"name": "dp"}, {"name": "loss"}]}
    passes = [
        {"axis": "D", "traversals": [{"module": "module_1", "state": ["dp"]}]},
        {"axis": "B", "traversals": [{"module": "module_1", "state": ["loss"]}]},
    ]
    outputs = (Tensor("loss", "[]"),)
    module = Module(1, "", "", "vector", (), (Wire("x", 0),), outputs, traversal=traversal)
    states = downstream(made(module, reduction=tuple(passes))).states
    assert [(state.name, state.over, state.each) for state in states] == [("dp", ("D",), ("B",)), ("loss", ("B",), ())]
