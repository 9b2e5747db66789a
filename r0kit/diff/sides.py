"""Both contracts with what relates them: Modules by number, and values that only got another name."""

from collections.abc import Mapping
from typing import NamedTuple

from r0kit.contract.model import PRIMARY, Contract, Module, Tensor, Wire
from r0kit.diff.match import Pairs


class Sides(NamedTuple):
    """pairs: position in OLD -> position in NEW; ids: number in OLD -> number in NEW of the same Module;
    renamed: (number in OLD of its Module, name in OLD) -> name in NEW, for values that only got another name;
    names: number -> what the Module is called; makers: value -> the Module that gives it."""

    old: Contract
    new: Contract
    pairs: Pairs
    ids: Mapping[int, int]
    renamed: Mapping[tuple[int, str], str]
    old_names: Mapping[int, str]
    new_names: Mapping[int, str]
    old_makers: Mapping[str, str]
    new_makers: Mapping[str, str]

    def number(self, module: int) -> int | None:
        """The number in NEW of a Module that OLD names; None where NEW has no such Module. One that OLD has not stays."""
        return self.ids.get(module) if module in self.old_names else module

    def source(self, wire: Wire) -> str:
        """The Module that makes a value which NEW reads."""
        return self.new_names.get(wire.module) or f"Module {wire.module}"

    def former(self, wire: Wire) -> str:
        """The Module that made a value which OLD reads, as NEW calls it; as OLD does where NEW has no such Module."""
        same = self.number(wire.module)
        if same is not None:
            return self.new_names.get(same) or f"Module {same}"
        return f"{self.old_names.get(wire.module) or f'Module {wire.module}'} of the old contract"

    def name(self, wire: Wire) -> str:
        """What NEW calls a value that OLD reads."""
        return self.renamed.get((wire.module, wire.name), wire.name)


def sides(old: Contract, new: Contract, pairs: Pairs) -> Sides:
    """The two contracts and what relates them."""
    matched = [(old.modules[a], new.modules[b]) for a, b in pairs.items()]
    ids = {a.id: b.id for a, b in reversed(matched)} | {PRIMARY: PRIMARY}
    renamed = {(PRIMARY, x): y for x, y in renames(old.primary_inputs, new.primary_inputs).items()}
    renamed |= {(a.id, x): y for a, b in matched for x, y in renames(a.outputs, b.outputs).items()}
    return Sides(old, new, pairs, ids, renamed, _names(old), _names(new), _makers(old), _makers(new))


def renames(before: tuple[Tensor, ...], after: tuple[Tensor, ...]) -> dict[str, str]:
    """Old name -> new name of the values that kept their place, shape and dtype, and changed in name alone."""
    known, kept = {value.name for value in before}, {value.name for value in after}
    return {
        a.name: b.name
        for a, b in zip(before, after, strict=False)
        if a.name not in kept and b.name not in known and a[1:] == b[1:]
    }


def label(module: Module) -> str:
    """Number and name, as a reader of the contract knows it."""
    return f"Module {module.id} {module.name}".rstrip()


def _names(contract: Contract) -> dict[int, str]:
    named = {module.id: label(module) for module in reversed(contract.modules)}
    return {**named, PRIMARY: "primary inputs"}


def _makers(contract: Contract) -> dict[str, str]:
    return {value.name: label(module) for module in reversed(contract.modules) for value in module.outputs}
