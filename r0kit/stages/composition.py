"""Functions that call the functions of the Modules one after another: Modules 1..k for every k, and all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from r0kit.contract.model import PRIMARY, Contract, Module
from r0kit.golden.dims import Dim, Shape
from r0kit.golden.program import Program
from r0kit.stages import expressions
from r0kit.stages.expressions import WIDTH
from r0kit.stages.extents import Extents, readings
from r0kit.stages.function import RESERVED, Function, Parameter, bindings, docstring, in_order, signature

Value = tuple[int, str]  # the Module that writes it (PRIMARY: none), and its name in the contract


def stage_name(contract: Contract, module: Module) -> str:
    """The function of Modules 1..k: as the contract names it, else by the pattern of design."""
    if module.golden_stage_fn.isidentifier():
        return module.golden_stage_fn
    last = module.id
    return f"{contract.op}_golden_stage{''.join(map(str, range(1, last + 1))) if last < 10 else f'1_to_{last}'}"


def composition(contract: Contract, functions: Mapping[int, Function], program: Program) -> Iterator[Sequence[str]]:
    """Lines of the function of Modules 1..k for every Module k, and of the composition of all Modules.

    functions: those of the Modules, by id; program: says which extents the primary inputs show.
    """
    writer = _Writer(contract, functions, program)
    names = set[str]()
    for module in contract.modules:
        name = stage_name(contract, module)
        if name not in names:
            yield writer.stage(name, module)
        names.add(name)
    yield writer.whole()


class _Writer:
    def __init__(self, contract: Contract, functions: Mapping[int, Function], program: Program) -> None:
        self.contract, self.functions = contract, functions
        self.modules = {module.id: module for module in contract.modules}
        scalars = {p.name for function in functions.values() for p in function.parameters if not p.extent}
        self.names = _variables(contract, scalars)
        self.shapes = _shown(contract, self.names, program)
        self.numbers = {
            symbol: f"int({self.names[PRIMARY, tensor]}.item())"
            for symbol, tensor in readings(program).items()
            if (PRIMARY, tensor) in self.names
        }
        self.taken = {*self.names.values(), *scalars, *RESERVED}

    def stage(self, name: str, module: Module) -> list[str]:
        """The function of Modules 1..k, which returns the outputs of Module k."""
        modules = f"Modules 1 to {module.id}" if module.id > 1 else "Module 1"
        text = f"{modules}: {', '.join(output.name for output in module.outputs)} from the primary inputs."
        return self._function(name, text, [(module.id, output.name) for output in module.outputs])

    def whole(self) -> list[str]:
        """The function of all Modules, which returns the final outputs."""
        wanted = [(wire.module, wire.name) for wire in self.contract.final_outputs]
        return self._function(f"{self.contract.op}_composed", "All Modules, one after another.", wanted)

    def _function(self, name: str, text: str, wanted: list[Value]) -> list[str]:
        needed = self._needed(wanted)
        extents = Extents(self.shapes, self.taken, self.numbers, self._extents(needed))
        body = self._body(needed, wanted, extents)
        scalars = {p.name: p for module in needed for p in self.functions[module.id].parameters if not p.extent}
        unknown = [self._extents(needed)[symbol] for symbol in extents.parameters]
        tensors = [self.names[PRIMARY, tensor.name] for tensor in self.contract.primary_inputs]
        head = signature(name, tensors, in_order([*scalars.values(), *unknown]), len(wanted))
        return [*head, *docstring(text), *bindings(extents), *body]

    def _extents(self, modules: Sequence[Module]) -> dict[str, Parameter]:
        """Extents that the functions of `modules` want to be told."""
        return {p.extent: p for module in modules for p in self.functions[module.id].parameters if p.extent}

    def _body(self, needed: Sequence[Module], wanted: list[Value], extents: Extents) -> list[str]:
        read = {(wire.module, wire.name) for module in needed for wire in module.inputs} | set(wanted)
        lines: list[str] = []
        for module in needed:
            outputs = [(module.id, output.name) for output in module.outputs]
            if module is needed[-1] and outputs == wanted:
                return lines + self._call("return ", module, extents)
            targets = [self.names[output] if output in read else "_" for output in outputs]
            lines += self._assigned(targets, module, extents)
        return [*lines, f"    return {', '.join(self.names[value] for value in wanted)}"]

    def _assigned(self, targets: list[str], module: Module, extents: Extents) -> list[str]:
        """The call, with its results in `targets`; by way of a tuple where those are too many for one line."""
        prefix = f"{', '.join(targets)} = "
        if len(f"    {prefix}{self.functions[module.id].name}(") <= WIDTH:
            return self._call(prefix, module, extents)
        unpacked = [f"    {prefix}outputs"]
        if len(unpacked[0]) > WIDTH:
            unpacked = ["    (", *(f"        {target}," for target in targets), "    ) = outputs"]
        return [*self._call("outputs = ", module, extents), *unpacked]

    def _call(self, prefix: str, module: Module, extents: Extents) -> list[str]:
        function = self.functions[module.id]
        arguments = [self.names[wire.module, wire.name] for wire in module.inputs]
        for parameter in function.parameters:
            value = extents.text(Dim.of(parameter.extent)) if parameter.extent else parameter.name
            arguments.append(f"{parameter.name}={value}")
        return expressions.statement(prefix, expressions.parse(f"{function.name}({', '.join(arguments)})"))

    def _needed(self, wanted: Sequence[Value]) -> list[Module]:
        """The Modules that compute `wanted`, in order."""
        waiting, found = [module for module, _ in wanted], set[int]()
        while waiting:
            module = waiting.pop()
            if module != PRIMARY and module not in found:
                found.add(module)
                waiting += [wire.module for wire in self.modules[module].inputs]
        return [module for module in self.contract.modules if module.id in found]


def _variables(contract: Contract, scalars: set[str]) -> dict[Value, str]:
    """A variable for every value of the contract: its own name, with the Module's number where two have the same."""
    values = [(PRIMARY, tensor.name) for tensor in contract.primary_inputs]
    values += [(module.id, output.name) for module in contract.modules for output in module.outputs]
    names: dict[Value, str] = {}
    taken = scalars | RESERVED | {"outputs"}
    for module, name in values:
        free = f"{name}_{module}" if name in taken else name
        while free in taken:
            free += "_"
        taken.add(free)
        names[module, name] = free
    return names


def _shown(contract: Contract, names: Mapping[Value, str], program: Program) -> list[tuple[str, Shape]]:
    """The primary inputs and their shapes, as far as the golden has them."""
    shapes = {value.name: value.shape for value in program.inputs if not value.is_list}
    return [(names[PRIMARY, t.name], shapes[t.name]) for t in contract.primary_inputs if t.name in shapes]
