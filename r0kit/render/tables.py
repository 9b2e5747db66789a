"""The parts of section 0 that are plain tables: dimension contract, wrapper operations, Module list, verification."""

from collections.abc import Mapping
from typing import Any

from r0kit.contract.model import PRIMARY, Contract, Module, Record, Tensor, Wire
from r0kit.render.escape import Safe, plain
from r0kit.render.flow import SECTIONS, crossings
from r0kit.render.record import entries, pick, rest, section
from r0kit.render.words import Words

Cells = tuple[Safe, ...]
Context = Mapping[str, Any]

NOTHING = Safe("—")
_DIMENSION_KEYS = ("name", "shape", "kernel", "mapping", "output")
_SYMBOL_KEYS = ("name", "origin", "line")


def dimensions(contract: Contract, words: Words) -> Context:
    """The dimension contract: one row per primary input and final output, with the kernel's view where recorded."""
    recorded = {str(record.get("name")): record for record in contract.dimensions}
    inputs = [_input_row(tensor, recorded.get(tensor.name, {}), words) for tensor in contract.primary_inputs]
    outputs = [_output_row(value, recorded.get(value.name, {}), words) for value in declared(contract)]
    return {
        "columns": words.columns("dimensions.columns"),
        "rows": inputs + outputs,
        "params": [
            words.say("dimensions.param", name=words.mark(k), value=words.code(v)) for k, v in contract.params.items()
        ],
        "symbols": [_symbol(record, words) for record in contract.symbols],
    }


def wrapper(contract: Contract, words: Words) -> Context:
    """What stays outside the kernel boundary, one line each."""
    return {"operations": [_operation(entry, words) for entry in contract.wrapper]}


def modules(contract: Contract, words: Words) -> Context:
    """The Module list, and what holds for the whole operator."""
    return {
        "columns": words.columns("modules.columns"),
        "rows": [_module_row(module, words) for module in contract.modules],
        "summary": words.say(
            "modules.summary",
            count=contract.module_count,
            fusion=_yes({module.section for module in contract.modules} >= SECTIONS, words),
            crossing=_yes(any(crossings(contract)), words),
        ),
    }


def verification(contract: Contract, words: Words) -> Context:
    """How the composition of the Modules is proven against the golden."""
    check = contract.verification
    return {
        "tolerance": _tolerance(contract, words),
        "seeds": words.code(check.seeds),
        "shapes": words.join([words.mark(shape) for shape in check.shapes]) or words.say("not_recorded"),
    }


def tensor(value: Tensor, words: Words) -> Safe:
    """Name, shape and dtype of a value: `x` `[M, N]` float16, as far as the contract says them."""
    return Safe(" ".join(filter(None, (words.mark(value.name), words.mark(value.shape), words.prose(value.dtype)))))


def declared(contract: Contract) -> list[Tensor]:
    """The final outputs with the shapes and dtypes that their producers declare, as far as they do."""
    made = {(module.id, output.name): output for module in contract.modules for output in module.outputs}
    return [made.get((wire.module, wire.name), Tensor(wire.name)) for wire in contract.final_outputs]


def _input_row(value: Tensor, record: Record, words: Words) -> Cells:
    output = words.mark(pick(record, "output")) or NOTHING
    return (tensor(value, words), *_kernel_side(record, words), output)


def _output_row(value: Tensor, record: Record, words: Words) -> Cells:
    shape = words.mark(pick(record, "output"))
    known = not shape or shape == words.mark(value.shape)
    output = tensor(value, words) if known else Safe(f"{tensor(value, words)}: {shape}")
    return (NOTHING, *_kernel_side(record, words), output)


def _kernel_side(record: Record, words: Words) -> Cells:
    mapping = words.code(pick(record, "mapping"))
    more = rest(record, words, *_DIMENSION_KEYS)
    return words.code(pick(record, "kernel")), Safe(f"{mapping}; {more}") if more else mapping


def _symbol(record: Record, words: Words) -> Safe:
    name, origin, line = (words.code(pick(record, key)) for key in _SYMBOL_KEYS)
    return words.say("dimensions.symbol", name=name, origin=origin, line=line)


def _operation(entry: object, words: Words) -> Safe:
    record = next(iter(entries(entry)), None)
    if record is None:
        return words.prose(entry)
    parts = (
        words.mark(pick(record, "operation")),
        words.prose(pick(record, "why")),
        rest(record, words, "operation", "why"),
    )
    return words.join([part for part in parts if part])


def _module_row(module: Module, words: Words) -> Cells:
    return (
        Safe(f"{words.say('module', id=module.id)} {words.mark(module.name)}".rstrip()),
        _goal(module, words),
        section(module.section, words),
        stacked([_read(wire, words) for wire in module.inputs]),
        stacked([tensor(output, words) for output in module.outputs]),
        _dependencies(module, words),
    )


def _goal(module: Module, words: Words) -> Safe:
    steps = [words.mark(step) for step in module.golden_steps]
    lines = [words.prose(module.description)] if plain(module.description) else []
    if module.source_lines:
        key = "modules.lines" if len(set(module.source_lines)) > 1 else "modules.line"
        lines += [words.say(key, lines=words.prose(_ranges(module.source_lines)))]
    return stacked(lines[:1] + steps + lines[1:]) if lines or steps else words.say("not_recorded")


def _ranges(lines: tuple[int, ...]) -> str:
    """Line numbers with runs drawn together: 4, 5, 6, 9 is "4-6, 9"."""
    runs: list[list[int]] = []
    for line in sorted(set(lines)):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _read(wire: Wire, words: Words) -> Safe:
    place = words.say("primary") if wire.module == PRIMARY else words.say("module", id=wire.module)
    return words.say("modules.input", name=words.mark(wire.name), source=place)


def _dependencies(module: Module, words: Words) -> Safe:
    needed = sorted({wire.module for wire in module.inputs if wire.module != PRIMARY})
    return words.join([words.say("module", id=number) for number in needed]) or words.say("none")


def _tolerance(contract: Contract, words: Words) -> Safe:
    check = contract.verification
    parts = [("policy", check.policy or None), ("atol", check.atol), ("rtol", check.rtol)]
    return words.join([Safe(f"{key} = {words.mark(value)}") for key, value in parts if value is not None]) or words.say(
        "not_recorded"
    )


def stacked(lines: list[Safe]) -> Safe:
    return Safe("<br>".join(lines)) or NOTHING


def _yes(holds: bool, words: Words) -> Safe:
    return words.say("yes" if holds else "no")
