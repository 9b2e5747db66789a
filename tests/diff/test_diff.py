"""What `compare` says of edited contracts: the change that was made, and nothing that was not."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire
from r0kit.diff import KINDS, Change, compare
from r0kit.diff.match import match, moved


def chain(count: int = 4) -> Contract:
    """x -> v1 -> v2 ... one Module for each value, cube and vector in turn."""
    inputs = (Tensor("x", "[M, N]", "float16"), Tensor("w", "[N]", "float32"))
    modules = tuple(module(number) for number in range(1, count + 1))
    check = Verification(1e-3, 1e-3, "", (42,), ({"M": 4},))
    return Contract("demo", count, inputs, modules, (Wire(f"v{count}", count),), check)


def module(number: int) -> Module:
    section = "cube" if number % 2 else "vector"
    read = Wire("x", 0) if number == 1 else Wire(f"v{number - 1}", number - 1)
    made = Tensor(f"v{number}", "[M, N]", "float32")
    steps, traversal = (f"v{number} = f({read.name})",), {"axes": ["M", "N"], "reduces": ["N"], "algorithm": "single"}
    return Module(
        *(number, f"step{number}", f"what {number} does", section, steps, (read, Wire("w", 0)), (made,)),
        *(f"demo_golden_stage{number}", (), traversal),
    )


def with_module(contract: Contract, index: int, **fields: Any) -> Contract:
    modules = list(contract.modules)
    modules[index] = modules[index]._replace(**fields)
    return contract._replace(modules=tuple(modules))


def renumbered(contract: Contract, order: list[Module]) -> Contract:
    """The contract with these Modules, in this order, numbered anew."""
    ids = {m.id: number for number, m in enumerate(order, 1)} | {0: 0}

    def wires(found: tuple[Wire, ...]) -> tuple[Wire, ...]:
        return tuple(Wire(w.name, ids.get(w.module, w.module)) for w in found)

    modules = tuple(m._replace(id=ids[m.id], inputs=wires(m.inputs)) for m in order)
    finals = wires(contract.final_outputs)
    return contract._replace(modules=modules, module_count=len(modules), final_outputs=finals)


def kinds(old: Contract, new: Contract) -> list[str]:
    return [change.kind for change in compare(old, new).changes]


def only(old: Contract, new: Contract) -> Change:
    (change,) = compare(old, new).changes
    return change


def test_equal_contracts_do_not_differ() -> None:
    assert kinds(chain(), chain()) == []


def test_an_inserted_module_is_the_only_change() -> None:
    old = chain()
    extra = module(9)._replace(id=99, name="extra", outputs=(Tensor("aside"),), inputs=(Wire("x", 0),))
    for place in range(5):
        order = [*old.modules[:place], extra, *old.modules[place:]]
        change = only(old, renumbered(old, order))
        assert (change.kind, change.new, change.value) == ("module_added", place + 1, "aside")


def test_a_module_put_between_two_others_changes_one_wire() -> None:
    old = chain()
    middle = Module(99, "between", "", "vector", (), (Wire("v2", 2),), (Tensor("u"),))
    third = old.modules[2]._replace(inputs=(Wire("u", 99), Wire("w", 0)))
    new = renumbered(old, [*old.modules[:2], middle, third, old.modules[3]])
    changes = compare(old, new).changes
    assert [c.kind for c in changes] == ["module_added", "input_added", "input_removed"]
    assert (changes[1].old, changes[1].new, changes[1].value, changes[1].after) == (3, 4, "u", "Module 3 between")
    assert changes[2].gone and changes[2].at == ("modules", 2, "inputs", 0)


def test_a_removed_module_is_named_as_the_old_contract_does() -> None:
    old = chain()
    new = renumbered(old, [*old.modules[:3]])._replace(final_outputs=(Wire("v3", 3),))
    found = compare(old, new)
    removed = next(change for change in found.changes if change.kind == "module_removed")
    assert (removed.old, removed.value, removed.gone) == (4, "v4", True)
    assert found.names[removed.old, removed.new] == "Module 4 step4"


def test_a_moved_module_is_the_one_that_moved() -> None:
    old = chain(6)
    first, *others = [m._replace(inputs=(Wire("x", 0),)) for m in old.modules]
    old = old._replace(modules=(first, *others))
    new = renumbered(old, [*others, first])
    assert only(old, new) == Change("module_moved", "", "first", "after Module 5 step6", 1, 6, ("modules", 5))


def test_a_split_module_hands_its_value_over() -> None:
    both = (Tensor("m", "[M]"), Tensor("s", "[M]"))
    stats = Module(1, "stats", "", "vector", (), (Wire("x", 0),), both)
    out = Module(2, "out", "", "vector", (), (Wire("m", 1), Wire("s", 1)), (Tensor("y"),))
    old = chain()._replace(modules=(stats, out), module_count=2, final_outputs=(Wire("y", 2),))
    second = Module(2, "total", "", "vector", (), (Wire("m", 1),), both[1:])
    last = out._replace(id=3, inputs=(Wire("m", 1), Wire("s", 2)))
    modules = (stats._replace(outputs=both[:1]), second, last)
    new = old._replace(modules=modules, module_count=3, final_outputs=(Wire("y", 3),))
    assert kinds(old, new) == ["output_handed_over", "module_added", "input_producer"]
    assert kinds(new, old) == ["output_taken_over", "input_producer", "module_removed"]


EDITS = [
    ("operator", lambda c: c._replace(op="other")),
    ("parameter", lambda c: c._replace(params={"eps": 1e-5})),
    ("symbol", lambda c: c._replace(symbols=({"name": "k", "line": 3},))),
    ("dimension", lambda c: c._replace(dimensions=({"name": "x", "kernel": "[N]"},))),
    ("wrapper", lambda c: c._replace(wrapper=("reshape x",))),
    ("reduction", lambda c: c._replace(reduction=({"axis": "N", "scheme": "online"},))),
    ("verification", lambda c: c._replace(verification=Verification(1e-2, 1e-3, "", (42,), ({"M": 4},)))),
    ("other", lambda c: c._replace(extra={"note": "x"})),
    ("primary_input_shape", lambda c: c._replace(primary_inputs=(Tensor("x", "[M]", "float16"), c.primary_inputs[1]))),
    ("primary_input_dtype", lambda c: c._replace(primary_inputs=(Tensor("x", "[M, N]", ""), c.primary_inputs[1]))),
    ("primary_input_order", lambda c: c._replace(primary_inputs=c.primary_inputs[::-1])),
    ("primary_input_added", lambda c: c._replace(primary_inputs=(*c.primary_inputs, Tensor("b")))),
    ("primary_input_removed", lambda c: c._replace(primary_inputs=c.primary_inputs[:1])),
    ("final_output_added", lambda c: c._replace(final_outputs=(*c.final_outputs, Wire("v1", 1)))),
    ("final_output_removed", lambda c: c._replace(final_outputs=())),
    ("final_output_producer", lambda c: c._replace(final_outputs=(Wire("v4", 3),))),
    ("section", lambda c: with_module(c, 1, section="cube")),
    ("input_order", lambda c: with_module(c, 1, inputs=c.modules[1].inputs[::-1])),
    ("input_producer", lambda c: with_module(c, 1, inputs=(Wire("v1", 0), Wire("w", 0)))),
    ("input_added", lambda c: with_module(c, 1, inputs=(*c.modules[1].inputs, Wire("x", 0)))),
    ("input_removed", lambda c: with_module(c, 1, inputs=c.modules[1].inputs[:1])),
    ("output_shape", lambda c: with_module(c, 1, outputs=(Tensor("v2", "[M]", "float32"),))),
    ("output_dtype", lambda c: with_module(c, 1, outputs=(Tensor("v2", "[M, N]", "float16"),))),
    ("output_added", lambda c: with_module(c, 1, outputs=(*c.modules[1].outputs, Tensor("z")))),
    ("output_removed", lambda c: with_module(c, 1, outputs=())),
    ("traversal", lambda c: with_module(c, 1, traversal={"axes": ["M"], "reduces": ["N"], "algorithm": "single"})),
    ("state_added", lambda c: with_module(c, 1, traversal={**c.modules[1].traversal, "state": [{"name": "m"}]})),
    ("handoff_added", lambda c: with_module(c, 1, handoff=({"value": "v1", "path": "UB"},))),
    ("api", lambda c: with_module(c, 1, api=({"value": "v2", "a5": "pl.add"},))),
    ("name", lambda c: with_module(c, 1, name="else")),
    ("description", lambda c: with_module(c, 1, description="else")),
    ("golden_steps", lambda c: with_module(c, 1, golden_steps=("v2 = g(v1)",))),
    ("golden_stage_fn", lambda c: with_module(c, 1, golden_stage_fn="f")),
    ("boundary", lambda c: with_module(c, 1, boundary=({"kind": "section", "from": "module_1"},))),
    ("source_lines", lambda c: with_module(c, 1, source_lines=(7,))),
    ("other", lambda c: with_module(c, 1, extra={"note": "x"})),
]
GONE = {"state_added": "state_removed", "handoff_added": "handoff_removed"}


@pytest.mark.parametrize(("kind", "edit"), EDITS, ids=[kind for kind, _ in EDITS])
def test_one_edit_is_one_change(kind: str, edit: Any) -> None:
    change, back = only(chain(), edit(chain())), only(edit(chain()), chain())
    assert change.kind == kind
    if kind.endswith("_added"):
        assert back.kind == kind.replace("_added", "_removed") and back.gone
    assert change.old == change.new == (2 if edit(chain()).modules != chain().modules else None)


def test_changed_records_say_what_differs_in_them() -> None:
    old = with_module(chain(), 1, handoff=({"value": "v1", "path": "UB", "sync": "V"},))
    change = only(old, with_module(chain(), 1, handoff=({"value": "v1", "path": "GM", "sync": "V"},)))
    assert (change.kind, change.value, change.before, change.after) == ("handoff", "v1", "path: UB", "path: GM")


def test_a_renamed_value_is_renamed_once_and_followed() -> None:
    old = chain()
    new = with_module(old, 1, outputs=(Tensor("u", "[M, N]", "float32"),))
    new = with_module(new, 2, inputs=(Wire("u", 2), Wire("w", 0)))
    change = only(old, new)
    assert (change.kind, change.before, change.after) == ("output_renamed", "v2", "u")
    inputs = (Tensor("a", "[M, N]", "float16"), Tensor("w", "[N]", "float32"))
    renamed = with_module(old._replace(primary_inputs=inputs), 0, inputs=(Wire("a", 0), Wire("w", 0)))
    assert only(old, renamed).kind == "primary_input_renamed"


def test_records_that_name_modules_follow_their_numbers() -> None:
    old = with_module(chain(), 2, boundary=({"kind": "section", "from": "module_2", "value": "v2"},))
    old = old._replace(reduction=({"axis": "N", "traversals": [{"module": 2, "range": "0..N"}]},))
    extra = Module(99, "extra", "", "vector", (), (), (Tensor("aside"),))
    new = renumbered(old, [extra, *old.modules])
    new = with_module(new, 3, boundary=({"kind": "section", "from": "phase_3", "value": "v2"},))
    new = new._replace(reduction=({"axis": "N", "traversals": [{"module": "module_3", "range": "0..N"}]},))
    assert kinds(old, new) == ["module_added"]


def test_not_a_number_is_what_it_was() -> None:
    old, new = (chain()._replace(params={"k": float("nan")}) for _ in range(2))
    assert kinds(old, new) == []


def test_every_kind_that_is_listed_can_be_said() -> None:
    made = {kind for kind, _ in EDITS} | {kind.replace("_added", "_removed") for kind, _ in EDITS}
    others = {"module_added", "module_removed", "module_moved", "output_renamed", "primary_input_renamed"}
    others |= {"output_handed_over", "output_taken_over", "handoff", "state", "reduction_figures"}
    assert KINDS.keys() - made - others == {"final_output_order", "output_order"}
    two = with_module(chain(), 1, outputs=(Tensor("v2"), Tensor("z")))
    assert kinds(two, with_module(two, 1, outputs=(Tensor("z"), Tensor("v2")))) == ["output_order"]
    finals = (Wire("v4", 4), Wire("v1", 1))
    assert kinds(chain()._replace(final_outputs=finals), chain()._replace(final_outputs=finals[::-1])) == [
        "final_output_order"
    ]
    assert kinds(chain()._replace(reduction=({"axis": "N"},)), chain()._replace(reduction=({"axis": "N", "why": "x"},)))


@settings(deadline=None)
@given(st.permutations(range(8)))
def test_only_as_many_modules_move_as_must(order: list[int]) -> None:
    pairs = dict(enumerate(order))
    still = sorted(set(pairs) - moved(pairs))
    assert [pairs[p] for p in still] == sorted(pairs[p] for p in still)
    for position in moved(pairs):
        kept = sorted([*still, position])
        assert [pairs[p] for p in kept] != sorted(pairs[p] for p in kept)


NAMES = st.sampled_from(["a", "b", "", "|`<script>"])
MODULES = st.builds(
    lambda number, name, section, made, read, steps: Module(number, name, "", section, steps, read, made),
    *(st.integers(-1, 4), NAMES, NAMES),
    st.lists(st.builds(Tensor, NAMES, NAMES), max_size=3).map(tuple),
    st.lists(st.builds(Wire, NAMES, st.integers(-1, 5)), max_size=3).map(tuple),
    st.lists(NAMES, max_size=2).map(tuple),
)
ANY = st.builds(
    lambda modules, inputs, finals: Contract("op", len(modules), inputs, modules, finals),
    st.lists(MODULES, max_size=5).map(tuple),
    st.lists(st.builds(Tensor, NAMES, NAMES), max_size=3).map(tuple),
    st.lists(st.builds(Wire, NAMES, st.integers(-1, 5)), max_size=3).map(tuple),
)


@settings(deadline=None, max_examples=300)
@given(ANY, ANY)
def test_any_two_contracts_can_be_compared(old: Contract, new: Contract) -> None:
    assert kinds(old, old) == [] and kinds(new, new) == []
    pairs = match(old.modules, new.modules)
    assert len(set(pairs.values())) == len(pairs)
    compare(old, new)
    old, new = numbered(old), numbered(new)
    assert bool(kinds(old, new)) == bool(kinds(new, old))


def numbered(contract: Contract) -> Contract:
    """With numbers that tell its Modules apart."""
    return contract._replace(modules=tuple(m._replace(id=n) for n, m in enumerate(contract.modules, 1)))


def test_large_contracts_are_compared_in_time() -> None:
    from time import process_time

    one = module(1)
    wide, other = (one._replace(inputs=tuple(Wire("x", n % k) for n in range(50_000))) for k in (7, 5))
    same = tuple(one._replace(id=n) for n in range(1, 3001))
    renamed = tuple(one._replace(id=n, name="", outputs=(Tensor("z"), *one.outputs)) for n in range(1, 3001))
    start = process_time()
    for old, new in (((wide,), (other,)), (same, renamed), (renamed, same)):
        assert compare(chain()._replace(modules=old), chain()._replace(modules=new)).changes
    assert process_time() - start < 12
