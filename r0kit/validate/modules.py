"""The Modules themselves: how many, in which order, in which section, and what describes them: rule7 to rule10, rule15."""

from collections.abc import Iterable, Iterator

from r0kit.contract.structure import is_integer
from r0kit.contract.wire import producer
from r0kit.contract.wording import shown
from r0kit.finding import Fault
from r0kit.validate.subject import Entry, Module, Subject

SECTIONS = ("cube", "vector")

_DESCRIBING = ("name", "description", "golden_steps", "golden_stage_fn")


def count_is_right(subject: Subject) -> Iterator[Fault]:
    """rule7: module_count equals the number of Modules."""
    count, modules = subject.root.data.get("module_count"), subject.root.data.get("modules")
    if is_integer(count) and isinstance(modules, list) and count != len(modules):
        message = f"module_count is {shown(count)}, but the number of Modules is {len(modules)}"
        yield Fault(("module_count",), message, f"write module_count: {len(modules)}")


def ids_and_names(subject: Subject) -> Iterator[Fault]:
    """rule8: ids count from 1 in the order of the file; no two inputs or outputs that are looked up share a name."""
    for module in subject.modules:
        expected = module.index + 1
        if module.id is not None and module.id != expected:
            yield Fault(
                module.at("id"), f"modules[{module.index}] has the id {shown(module.id)}", f"write id: {expected}"
            )
    yield from _shared_names(subject.primary, "primary input")
    for module in subject.modules:
        yield from _shared_names(module.inputs, f"input of {module}")
        yield from _shared_names(module.outputs, f"output of {module}")


def _shared_names(entries: Iterable[Entry], what: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for entry in entries:
        name = entry.name
        if name in seen:
            yield Fault(entry.at("name"), f"a second {what} is called {shown(name)}", "give it another name")
        elif name is not None:
            seen.add(name)


def sections_are_known(subject: Subject) -> Iterator[Fault]:
    """rule9: every Module has one section."""
    yield from subject.misspelt("rule9")
    for module in subject.modules:
        section = module.data.get("section")
        if section not in SECTIONS:
            from r0kit.validate.module_hints import section_fault  # most sections are known

            yield section_fault(module, section, SECTIONS)


def flags_agree(subject: Subject) -> Iterator[Fault]:
    """rule10: is_fusion and has_cross_core say what the sections and the wiring say."""
    for key, truth in true_flags(subject).items():
        value = subject.root.data.get(key, False)  # one that is left out says false
        if isinstance(value, bool) and value is not truth:
            from r0kit.validate.module_hints import flag_fault  # most flags are right

            yield flag_fault(key, subject.root.data.get(key), truth)


def true_flags(subject: Subject) -> dict[str, bool]:
    """What is_fusion and has_cross_core must say; nothing before rule9 is satisfied and every input has its source."""
    given = [module.data.get("section") for module in subject.modules]
    if not subject.reads_are_known or not given or any(section not in SECTIONS for section in given):
        return {}
    crossing = _crossing(subject)
    fusion = {"is_fusion": all(section in given for section in SECTIONS)}
    return fusion if crossing is None else {**fusion, "has_cross_core": crossing}


def _crossing(subject: Subject) -> bool | None:
    """Whether a value passes between the sections; None where a source that is wrong leaves it open."""
    sections = {module.id: module.data["section"] for module in subject.modules}
    known = True
    for module in subject.modules:
        for wire in module.inputs:
            number = producer(wire.data.get("source"))
            section = sections.get(number, "")
            if section and section != module.data["section"]:
                return True
            known = known and subject.source_of(wire) is not None
    return False if known else None


def descriptions(subject: Subject) -> Iterator[Fault]:
    """rule15: every Module says what it computes and which golden function proves it."""
    owners: dict[str, Module] = {}
    op = subject.root.text("op") or None
    other = _other_op(subject, op)
    if other is not None or (op is not None and not op.isidentifier()):
        from r0kit.validate.module_hints import op_fault  # most names are right

        yield op_fault(op, other)
        op = other
    for module in subject.modules:
        absent = [key for key in _DESCRIBING if not module.data.get(key, "")]
        if absent:
            yield Fault(module.path, f"{module} has no {', '.join(absent)}", f"add `{absent[0]}:`")
        function = module.text("golden_stage_fn")
        if function:
            yield from _stage_function(module, function, op, owners.setdefault(function, module))


def _other_op(subject: Subject, op: str | None) -> str | None:
    """The name by which all stage functions call the operator, where that is not `op`."""
    functions = [(module.text("golden_stage_fn") or "", module.number) for module in subject.modules]
    other, found, _ = functions[0][0].rpartition("_golden_stage") if functions else ("", "", "")
    right = found and other != op and all(_names_stage(function, other, number) for function, number in functions)
    return other if right and op is not None else None


def _stage_function(module: Module, function: str, op: str | None, owner: Module) -> Iterator[Fault]:
    at = module.at("golden_stage_fn")
    if owner is not module:
        yield Fault(at, f"{module}: {shown(function)} is already the stage function of {owner}", "give each its own")
    elif op is not None and not _names_stage(function, op, module.number):
        right = f"{op}_golden_stage{stage(module.number)}"
        yield Fault(
            at, f"{module}: {shown(function)} does not name Modules 1 to {module.number}", f"write {shown(right)}"
        )


def stage(last: int) -> str:
    """How a stage function calls Modules 1 to `last`: "123" up to nine of them, "1_to_12" beyond."""
    return "".join(map(str, range(1, last + 1))) if last <= 9 else f"1_to_{last}"


def _names_stage(function: str, op: str, last: int) -> bool:
    """Whether it is {op}_golden_stage123 or {op}_golden_stage1_to_3, for Modules 1 to 3; both are right at any length."""
    prefix = f"{op}_golden_stage"
    digits = function.removeprefix(prefix)
    if not function.startswith(prefix) or last > len(digits):
        return function == f"{prefix}1_to_{last}"
    return digits == f"1_to_{last}" or digits == "".join(map(str, range(1, last + 1)))
