"""The basis of the partition: why each Module starts where it does, in sentences."""

from r0kit.contract.model import PRIMARY, Contract, Module, Record
from r0kit.render.escape import Safe
from r0kit.render.record import origin, pick, producer, rest, section
from r0kit.render.tables import Context
from r0kit.render.words import Words

_KEYS = ("kind", "from", "value", "axis", "line", "why", "tells")


def basis(contract: Contract, words: Words) -> Context:
    """One entry per Module with its reasons; a single Module gets the justification for not splitting further."""
    sections = {module.id: module.section for module in contract.modules}
    return {
        "single": _single(contract.modules[0], words) if len(contract.modules) == 1 else "",
        "modules": [_entry(module, sections, words) for module in contract.modules],
    }


def _entry(module: Module, sections: dict[int, str], words: Words) -> dict[str, object]:
    name = Safe(f" {words.mark(module.name)}".rstrip())
    title = words.say("basis.title", id=module.id, name=name, section=section(module.section, words))
    return {"title": title, "reasons": reasons(module, sections, words)}


def reasons(module: Module, sections: dict[int, str], words: Words) -> list[Safe]:
    """Why the Module starts where it does; sections: those of all Modules by number."""
    if module.boundary:
        return [_sentence(record, module, sections, words) for record in _together(module.boundary)]
    if len(sections) == 1 or all(wire.module == PRIMARY for wire in module.inputs):
        return [words.say("basis.start")]
    return _crossings(module, sections, words) or [words.say("basis.not_recorded")]


def _together(records: tuple[Record, ...]) -> list[Record]:
    """Records that differ in their value alone as one record with all the values."""
    groups: dict[str, tuple[Record, list[object]]] = {}
    for record in records:
        others = {key: value for key, value in record.items() if key != "value"}
        mark = repr(sorted(others.items(), key=repr))
        groups.setdefault(mark, (others, []))[1].append(record.get("value"))
    return [{**others, "value": values} for others, values in groups.values()]


def _sentence(record: Record, module: Module, sections: dict[int, str], words: Words) -> Safe:
    kind = f"{record.get('kind')}{'.extent' if record.get('tells') == 'extent' else ''}"
    sentence = words.say(
        f"basis.{kind}" if words.known(f"basis.{kind}") else "basis.other",
        kind=words.code(record.get("kind")),
        value=words.code(record.get("value")),
        source=origin(record.get("from"), words),
        source_section=section(sections.get(producer(record.get("from")) or PRIMARY, ""), words),
        section=section(module.section, words),
        axis=words.code(record.get("axis")),
    )
    return Safe(sentence + _tail(record, words))


def _tail(record: Record, words: Words) -> Safe:
    line, why, more = pick(record, "line"), words.prose(pick(record, "why")), rest(record, words, *_KEYS)
    parts = [words.say("basis.line", line=words.prose(line))] if line is not None else []
    parts += [part for part in (why, more) if part]
    return words.say("basis.tail", parts=words.join(parts)) if parts else Safe("")


def _crossings(module: Module, sections: dict[int, str], words: Words) -> list[Safe]:
    """What the wiring alone proves: an input made in the other section forces a boundary here."""
    return [
        words.say(
            "basis.section",
            value=words.mark(wire.name),
            source=words.say("module", id=wire.module),
            source_section=section(sections[wire.module], words),
            section=section(module.section, words),
        )
        for wire in module.inputs
        if sections.get(wire.module, module.section) != module.section
    ]


def _single(module: Module, words: Words) -> Safe:
    name = section(module.section, words)
    if module.traversal is None:
        return words.say("basis.single.not_recorded", section=name)
    axes, reduces = (pick(module.traversal, key) for key in ("axes", "reduces"))
    key = "basis.single.reduces" if reduces else "basis.single"
    algorithm = words.code(pick(module.traversal, "algorithm"))
    return words.say(key, section=name, axes=words.code(axes), reduces=words.code(reduces), algorithm=algorithm)
