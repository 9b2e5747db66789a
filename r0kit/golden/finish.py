"""From what evaluation emitted to the Steps of a Program: copies and dead Steps go, casts fold into contractions,
layout Steps get their consumer's section, every value a readable name (design.md section 6.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from r0kit.golden.dtypes import widens
from r0kit.golden.names import names_of
from r0kit.golden.program import Kind, Operand, Ref, Section, Step
from r0kit.golden.rename import named, outside, reads, renamed, symbols_in

Steps = list[Step]


def finish(
    steps: Sequence[Step],
    outputs: Mapping[str, str],
    inputs: Mapping[str, str],
    taken: Iterable[str],
    readings: Mapping[str, frozenset[str]],
) -> tuple[Steps, dict[str, str]]:
    """The finished Steps, and the new name of each value.

    outputs: name -> value to keep; inputs: name -> dtype; taken: names that no Step may get; readings: symbol of an
    extent -> the tensors that decide it.
    """
    copies = _copies(steps)
    kept = {name: copies.get(value, value) for name, value in outputs.items()}
    sources = {symbol: {copies.get(name, name) for name in names} for symbol, names in readings.items()}
    alive = live(_without_copies(steps, copies), kept.values(), sources)
    alive = live(trim_loops(alive), kept.values(), sources)
    alive = live(fold_casts(alive, inputs), kept.values(), sources)
    alive = with_sections(alive)
    names = names_of(alive, taken, {value: name for name, value in kept.items()})
    final = {**names, **{copy: names.get(source, source) for copy, source in copies.items()}}
    return [named(step, names) for step in alive], final


def creations(steps: Sequence[Step]) -> Steps:
    """The Steps, where a tensor that is overwritten whole with one number is a new one: its old content is not read."""
    made = (
        replace(step, op="full", operands=step.operands[1:], kind=Kind.CREATION) if step.op == "full_like" else step
        for step in steps
    )
    return [replace(step, body=tuple(creations(step.body))) if step.body else step for step in made]


def _copies(steps: Sequence[Step]) -> dict[str, str]:
    """Each `clone` Step, those inside of loops too -> the value that it copies."""
    found: dict[str, str] = {}
    for step in steps:
        if step.op == "clone":
            source = step.tensors[0]
            found[step.target] = found.get(source, source)
        found.update(_copies(step.body))
    return {copy: found.get(source, source) for copy, source in found.items()}


def _without_copies(steps: Sequence[Step], copies: Mapping[str, str]) -> Steps:
    """The Steps without those that only copy; what reads a copy reads what was copied."""
    rest = (renamed(step, copies) for step in steps if step.op != "clone")
    return [replace(step, body=tuple(_without_copies(step.body, copies))) if step.body else step for step in rest]


def live(
    steps: Sequence[Step], outputs: Iterable[str], sources: Mapping[str, Collection[str]] = MappingProxyType({})
) -> Steps:
    """Steps that an output needs, in order. sources: symbol of an extent -> the values that say what it is."""
    needed = set(outputs)
    kept: Steps = []
    for step in reversed(steps):
        if step.target in needed:
            needed.update(reads(step))
            if sources:
                needed.update(*(sources[symbol] for symbol in symbols_in(step) if symbol in sources))
            kept.append(step)
    return kept[::-1]


# Loops


def trim_loops(steps: Sequence[Step]) -> Steps:
    """Loops give only the values that are used, and have only the Steps that these need."""
    used: dict[str, dict[int, int]] = {}
    for step in steps:
        if step.op == "project":
            places = used.setdefault(step.tensors[0], {})
            places.setdefault(step.attrs["index"], len(places))
    return [_trimmed(step, used) for step in steps]


def _trimmed(step: Step, used: Mapping[str, Mapping[int, int]]) -> Step:
    if step.op == "project":
        return replace(step, attrs={**step.attrs, "index": used[step.tensors[0]][step.attrs["index"]]})
    if step.op != "loop" or step.target not in used:
        return step
    results = tuple(step.attrs["results"][place] for place in used[step.target])
    body = _needed(step.body, [result.name for result in results])
    inside = {inner.target: inner for inner in body}
    first = inside.get(results[0].name)
    return replace(
        step,
        operands=tuple(map(Ref, outside(body, results))),
        shape=first.shape if first else step.shape,
        dtype=first.dtype if first else step.dtype,
        attrs={**step.attrs, "results": results},
        body=tuple(body),
        carried=tuple(name for name in step.carried if name in inside),
    )


def _needed(body: Sequence[Step], results: Iterable[str]) -> Steps:
    """Steps of a body that its results need, in this trip or in a later one."""
    known = {step.target: step for step in body}
    pending, needed = list(results), set[str]()
    while pending:
        name = pending.pop()
        if name in known and name not in needed:
            needed.add(name)
            pending.extend(reads(known[name]))
    return [step for step in body if step.target in needed]


# Casts at contractions


def fold_casts(steps: Sequence[Step], inputs: Mapping[str, str]) -> Steps:
    """Contractions take operands before casts that lose nothing; `compute_dtype` says in which dtype they compute.

    inputs: dtype of each input of the golden.
    """
    folding = _Folding({step.target: step for step in steps}, inputs)
    for step in steps:
        folding.add(step)
    return folding.result


class _Folding:
    def __init__(self, known: dict[str, Step], inputs: Mapping[str, str]) -> None:
        self.known, self.inputs = known, inputs
        self.result: Steps = []
        self._moved: dict[tuple[str, str], str] = {}

    def add(self, step: Step) -> None:
        if step.kind is not Kind.CONTRACTION:
            self.result.append(step)
            return
        operands: list[Operand] = []
        cast_from = ""
        for operand in step.operands:
            source = self._before_cast(operand.name) if isinstance(operand, Ref) else None
            if source is not None and isinstance(operand, Ref):
                cast_from = cast_from or self.known[operand.name].dtype
                operand = Ref(source)
            operands.append(operand)
        if cast_from:
            step = replace(step, operands=tuple(operands), attrs={**step.attrs, "compute_dtype": cast_from})
        self.result.append(step)

    def _before_cast(self, name: str) -> str | None:
        """The operand without the widening cast behind it, layout Steps between them made anew; None without one."""
        chain: Steps = []
        step = self.known.get(name)
        while step is not None and step.kind is Kind.LAYOUT and len(step.operands) == 1 and step.tensors:
            chain.append(step)
            step = self.known.get(step.tensors[0])
        if step is None or step.op != "cast":
            return None
        source = step.tensors[0]
        if not widens(self._dtype(source), step.dtype):
            return None
        before = self._before_cast(source) or source
        for layout in reversed(chain):
            before = self._anew(layout, before, self._dtype(before))
        return before

    def _dtype(self, name: str) -> str:
        return self.known[name].dtype if name in self.known else self.inputs[name]

    def _anew(self, layout: Step, source: str, dtype: str) -> str:
        """The layout Step on `source` instead of its operand."""
        place = (layout.target, source)
        if place not in self._moved:
            name = f"{layout.target}~{len(self._moved)}"
            step = replace(layout, target=name, operands=(Ref(source),), dtype=dtype)
            self.known[name] = step
            self.result.append(step)
            self._moved[place] = name
        return self._moved[place]


# Sections of layout Steps


def with_sections(steps: Sequence[Step]) -> Steps:
    """A layout Step lies in its consumers' section: cube where all are; without a consumer, in its producer's.

    A loop lies where its Steps do, on the vector side where they lie on both, and so do the values it leaves.
    """
    wanted: dict[str, set[Section]] = {}
    sections = {step.target: _own_section(step) for step in steps}
    for step in reversed(steps):
        if _follows(step) and wanted.get(step.target):
            only_cube = wanted[step.target] == {Section.CUBE}
            sections[step.target] = Section.CUBE if only_cube else Section.VECTOR
        if not _follows(step) or wanted.get(step.target):
            for name in step.tensors:
                wanted.setdefault(name, set()).add(sections[step.target])
    for step in steps:
        if step.op == "project" or (_follows(step) and not wanted.get(step.target)):
            before = (sections[name] for name in step.tensors if name in sections)
            sections[step.target] = next(before, Section.VECTOR)
    return [
        step if sections[step.target] is step.section else replace(step, section=sections[step.target])
        for step in steps
    ]


def _follows(step: Step) -> bool:
    """Whether its section is that of what it serves."""
    return step.kind is Kind.LAYOUT and step.op != "project"


def _own_section(step: Step) -> Section:
    computing = {inner.section for inner in step.body if inner.kind not in (Kind.LAYOUT, Kind.CREATION)}
    return Section.CUBE if computing == {Section.CUBE} else step.section
