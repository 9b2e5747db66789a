"""Two contracts -> their differences. Module numbers of OLD are read as those of the same Modules in NEW throughout."""

from collections.abc import Iterator

from r0kit.contract.model import Contract
from r0kit.diff.match import match, moved
from r0kit.diff.model import Change, Difference
from r0kit.diff.module import module_changes
from r0kit.diff.records import contract_records
from r0kit.diff.sides import Sides, label, sides
from r0kit.diff.values import final_outputs, order, primary_inputs


def compare(old: Contract, new: Contract) -> Difference:
    """All that changed from `old` to `new`."""
    pairs = match(old.modules, new.modules)
    both = sides(old, new, pairs)
    changes = [*_whole(both), *_modules(both), *_gone(both)]
    names = {(c.old, c.new): _name(c, both) for c in changes if c.old is not None or c.new is not None}
    return Difference(tuple(changes), names)


def _whole(both: Sides) -> Iterator[Change]:
    """What concerns the contract as a whole."""
    if both.old.op != both.new.op:
        yield Change("operator", "", both.old.op, both.new.op, at=("op",))
    yield from primary_inputs(both)
    yield from final_outputs(both)
    yield from contract_records(both)


def _modules(both: Sides) -> Iterator[Change]:
    """Module by Module, in NEW's order."""
    origin = {after: before for before, after in both.pairs.items()}
    shifted = moved(both.pairs)
    for position, module in enumerate(both.new.modules):
        at = ("modules", position)
        if position not in origin:
            yield Change("module_added", order(module.outputs), "", module.section, None, module.id, at)
            continue
        source = both.old.modules[origin[position]]
        if origin[position] in shifted:
            after, before = (_behind(*where) for where in ((both.new, position), (both.old, origin[position])))
            yield Change("module_moved", "", before, after, source.id, module.id, at)
        yield from module_changes(origin[position], position, both)


def _behind(contract: Contract, position: int) -> str:
    """When the Module at `position` runs: after which other."""
    return f"after {label(contract.modules[position - 1])}" if position else "first"


def _gone(both: Sides) -> Iterator[Change]:
    for position, module in enumerate(both.old.modules):
        if position not in both.pairs:
            at = ("modules", position)
            yield Change("module_removed", order(module.outputs), module.section, "", module.id, None, at, gone=True)


def _name(change: Change, both: Sides) -> str:
    """Number and name in NEW, and in OLD where they differ: Module 2 y (was Module 1 x)."""
    old = both.old_names.get(change.old, "") if change.old is not None else ""
    new = both.new_names.get(change.new, "") if change.new is not None else ""
    return f"{new} (was {old})" if old and new and old != new else new or old
