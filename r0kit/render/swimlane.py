"""A contract as a swimlane: cube left, vector right, Modules from top to bottom, values that pass between them in the
middle. Each Module has a row of its own and each value a connector of its own, so nothing lies on anything else."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from r0kit.contract.model import PRIMARY, Contract, Module, Tensor, Wire
from r0kit.render.escape import plain
from r0kit.render.flow import FINAL, SECTIONS, Edge, Handoff, direction, edges, handoffs, route
from r0kit.render.record import pick
from r0kit.render.shapes import Box, Drawing, Lane, Line, Pill, Text
from r0kit.render.tables import declared
from r0kit.render.tracks import assign
from r0kit.render.width import fitted, wrapped
from r0kit.render.words import Words

LEFT, RIGHT = -1, 1
PAD, HEAD = 16, 40  # around the drawing; above the first row, for the titles of the lanes
BOX, PILL, LABEL = 216, 164, 198  # widths of a Module, of a value outside, of the room for labels beside a Module
ARROW, PITCH, GAP = 24, 14, 22  # between pill and Module; between tracks; between rows
TIP = 8  # length of an arrow head, by which its line ends short of the Module
PORT, VALUE = 36, 46  # heights of a connector and of a pill
NAME, SMALL = 12, 11  # font sizes
LEGEND = 32  # height of the line below the lanes


class Port(NamedTuple):
    """An end of a value at a Module, at a height from the top of its row. reads: whether the value comes in."""

    value: str
    module: int
    reads: bool
    y: int
    note: str
    handoff: Handoff | None


class Row(NamedTuple):
    """A Module laid out: its side, its top, its height, its ports in the middle, its pills outside."""

    position: int
    module: Module
    side: int
    top: int
    height: int
    ports: tuple[Port, ...]
    pills: tuple[tuple[Tensor, bool], ...]
    texts: tuple[tuple[int, str, str, str], ...]
    """Height, style, text as drawn, whole text where it was cut."""


class Frame(NamedTuple):
    """Where the columns are. edge: side -> x of the Modules' edge to the middle; first: x of the first track."""

    edge: Mapping[int, int]
    first: int
    width: int


def drawing(contract: Contract, words: Words) -> Drawing:
    """All shapes of the swimlane with their places in pixels. The texts are not escaped. words: plain ones."""
    rows = list(_rows(contract, words))
    spans = _spans(rows)
    tracks = assign(spans)
    frame = _frame(rows, max(tracks.values(), default=-1) + 1)
    bottom = rows[-1].top + rows[-1].height + PAD
    crossing = {(port.value, port.module) for row in rows for port in row.ports if port.handoff}
    parts = [_drawn(row, frame, tracks, crossing) for row in rows]
    trunks = [_trunk(key, spans[key], tracks[key], frame, crossing) for key in spans]
    legend = _legend(bottom, crossing, words)
    return Drawing(
        frame.width,
        bottom + (LEGEND if crossing else PAD // 2),
        tuple(_lanes(rows, frame, bottom, words)),
        tuple(box for part in parts for box in part.boxes),
        tuple(pill for part in parts for pill in part.pills),
        (*trunks, *legend.lines, *(line for part in parts for line in part.lines)),
        tuple(dot for part in parts for dot in part.dots),
        (*legend.texts, *(text for part in parts for text in part.texts)),
    )


def _rows(contract: Contract, words: Words) -> Iterator[Row]:
    flow = _Flow(contract, words)
    top = PAD + HEAD
    for position, module in enumerate(contract.modules):
        ports, pills = tuple(flow.ports(module)), tuple(flow.pills(module))
        texts = tuple(_texts(module, words))
        inner = texts[-1][0] + 14
        height = max(inner, len(ports) * PORT + 12, len(pills) * VALUE + 4)
        yield Row(position, module, LEFT if module.section == "cube" else RIGHT, top, height, ports, pills, texts)
        top += height + GAP


class _Flow:
    """Who reads what, looked up once."""

    def __init__(self, contract: Contract, words: Words) -> None:
        self.crossing = handoffs(contract)
        self.words = words
        self.inputs = {value.name: value for value in contract.primary_inputs}
        self.finals = {(wire.name, wire.module): value for wire, value in _finals(contract)}
        self.read = {(edge.value, edge.producer) for edge in edges(contract) if edge.consumer != FINAL}

    def ports(self, module: Module) -> Iterator[Port]:
        """Values from other Modules, then values for other Modules or for nobody."""
        ends = [(Edge(w.name, w.module, module.id), True) for w in module.inputs if w.module != PRIMARY]
        ends += [
            (Edge(value.name, module.id, module.id), False)
            for value in module.outputs
            if (value.name, module.id) in self.read or (value.name, module.id) not in self.finals
        ]
        notes = {value.name: plain(" ".join(value[1:])) for value in module.outputs}
        for number, (edge, reads) in enumerate(ends):
            handoff = self.crossing.get(edge) if reads else None
            note = self._way(handoff) if handoff else "" if reads else notes[edge.value]
            yield Port(edge.value, edge.producer, reads, 22 + number * PORT, note, handoff)

    def pills(self, module: Module) -> Iterator[tuple[Tensor, bool]]:
        """Primary inputs that the Module reads, then final outputs that it gives."""
        for wire in module.inputs:
            if wire.module == PRIMARY:
                yield self.inputs.get(wire.name, Tensor(wire.name)), True
        for value in module.outputs:
            if (value.name, module.id) in self.finals:
                yield value, False

    def _way(self, handoff: Handoff) -> str:
        """How a value changes section: the API path, or the spaces, or at least from where to where."""
        return plain(pick(handoff.record, "path")) or route(handoff) or direction(handoff, self.words)


def _finals(contract: Contract) -> Iterator[tuple[Wire, Tensor]]:
    yield from zip(contract.final_outputs, declared(contract), strict=True)


def _texts(module: Module, words: Words) -> Iterator[tuple[int, str, str, str]]:
    """What stands in a Module's box: number and name, what it does, its traversal."""
    room = BOX - 24
    kind = "" if module.section in SECTIONS else f" ({plain(module.section) or words.say('not_recorded')})"
    head = f"{words.say('module', id=module.id)}{kind}"
    yield 20, "number", fitted(head, room, SMALL, mono=False), head
    y, name = 36, plain(module.name)
    yield y, "name", fitted(name, room, NAME + 2), name
    about = plain(module.description)
    for line in wrapped(about, room, NAME, 3):
        y += 16
        yield y, "about", line, about if line.endswith("…") else line
    for fact in filter(None, _facts(module, words)):
        y += 17
        yield y, "fact", fitted(fact, room, SMALL, mono=False), fact


def _facts(module: Module, words: Words) -> Iterator[str]:
    record = module.traversal or {}
    axes, reduces, algorithm = (plain(pick(record, key)) for key in ("axes", "reduces", "algorithm"))
    yield words.say("figure.axes", axes=words.prose(axes)) if axes else ""
    if reduces:
        known = words.known(f"reduction.algorithm.{algorithm}")
        how = words.say(f"reduction.algorithm.{algorithm}") if known else words.prose(algorithm)
        yield words.say("figure.reduces", axes=words.prose(reduces), algorithm=how)


def _spans(rows: list[Row]) -> dict[tuple[str, int], tuple[int, int]]:
    """Heights between which a value is drawn: from its Module to the last that reads it. Loose ends have none."""
    spans: dict[tuple[str, int], tuple[int, int]] = {}
    written: set[tuple[str, int]] = set()
    readers: set[tuple[str, int]] = set()
    for row in rows:
        for port in row.ports:
            key, y = (port.value, port.module), row.top + port.y
            top, bottom = spans.get(key, (y, y))
            spans[key] = min(top, y), max(bottom, y)
            (readers if port.reads else written).add(key)
    return {key: span for key, span in spans.items() if key in written and key in readers}


def _frame(rows: list[Row], tracks: int) -> Frame:
    x = PAD
    edge = {}
    sides = {row.side for row in rows}
    if LEFT in sides:
        x += _outside(rows, LEFT) + BOX
        edge[LEFT] = x
        x += LABEL if any(row.ports for row in rows if row.side == LEFT) else GAP
    first = x
    x += tracks * PITCH
    if RIGHT in sides:
        x += LABEL if any(row.ports for row in rows if row.side == RIGHT) else 0
        edge[RIGHT] = x
        x += BOX + _outside(rows, RIGHT)
    return Frame(edge, first, x + PAD)


def _outside(rows: list[Row], side: int) -> int:
    """Room for pills beside the Modules of one side, and what a lane has as its margin."""
    return 12 + (PILL + ARROW if any(row.pills for row in rows if row.side == side) else 0)


def _lanes(rows: list[Row], frame: Frame, height: int, words: Words) -> Iterator[Lane]:
    """The two lanes with their titles, as far as they have Modules."""
    for side, section in ((LEFT, "cube"), (RIGHT, "vector")):
        own = {row.module.section for row in rows if row.side == side}
        if side not in frame.edge:
            continue
        wide = _outside(rows, side) + BOX + 12
        x = frame.edge[side] + 12 - wide if side == LEFT else frame.edge[side] - 12
        title = words.say(f"section.{section}") if section in own else words.say("not_recorded")
        yield Lane(x, PAD // 2, wide, height - PAD, section if section in own else "unknown", title, x + wide // 2)


class _Part(NamedTuple):
    boxes: list[Box]
    pills: list[Pill]
    lines: list[Line]
    dots: list[tuple[int, int, str]]
    texts: list[Text]


def _legend(bottom: int, crossing: set[tuple[str, int]], words: Words) -> _Part:
    """What the thick lines mean, below the lanes, where there are any."""
    part, y = _Part([], [], [], [], []), bottom + LEGEND // 2
    if crossing:
        part.lines.append(Line(f"M{PAD} {y}H{PAD + 32}", "handoff", True))
        text = str(words.say("figure.handoff"))
        part.texts.append(Text(PAD + 50, y + 4, "start", "about", text, text))
    return part


def _drawn(row: Row, frame: Frame, tracks: Mapping[tuple[str, int], int], crossing: set[tuple[str, int]]) -> _Part:
    part = _Part([], [], [], [], [])
    edge = frame.edge[row.side]
    left = edge - BOX if row.side == LEFT else edge
    kind = row.module.section if row.module.section in SECTIONS else "unknown"
    part.boxes.append(Box(left, row.top, BOX, row.height, kind, row.position))
    part.texts.extend(Text(left + 12, row.top + y, "start", style, text, whole) for y, style, text, whole in row.texts)
    for number, (value, comes_in) in enumerate(row.pills):
        _draw_pill(part, value, comes_in, row, left, row.top + 4 + number * VALUE)
    for port in row.ports:
        changes = port.handoff is not None or (not port.reads and (port.value, port.module) in crossing)
        _draw_port(part, port, row, edge, _track_x(port, frame, tracks), "handoff" if changes else "value")
    return part


def _draw_pill(part: _Part, value: Tensor, comes_in: bool, row: Row, left: int, top: int) -> None:
    """A primary input or final output beside its Module, on the side away from the middle, with its arrow."""
    outer = left if row.side == LEFT else left + BOX
    x = outer - ARROW - PILL if row.side == LEFT else outer + ARROW
    y, inner = top + (VALUE - 8) // 2, x + PILL if row.side == LEFT else x
    part.pills.append(Pill(x, top, PILL, VALUE - 8, "input" if comes_in else "output"))
    start, end = (inner, outer) if comes_in else (outer, inner)
    part.lines.append(Line(f"M{start} {y}H{_short(start, end)}", "value", True))
    room, name, about = PILL - 16, plain(value.name), plain(" ".join(value[1:]))
    height = y - 3 if about else y + 4
    part.texts.append(Text(x + PILL // 2, height, "middle", "value", fitted(name, room, NAME), name))
    if about:
        part.texts.append(Text(x + PILL // 2, y + 12, "middle", "shape", fitted(about, room, SMALL), about))


def _draw_port(part: _Part, port: Port, row: Row, edge: int, track: int | None, kind: str) -> None:
    """A connector with the value's name above it and its shape, or how it changes section, below."""
    y, away = row.top + port.y, -row.side
    end = edge + away * 40 if track is None else track
    start, stop = (end, edge) if port.reads else (edge, end)
    stop = _short(start, stop) if port.reads else stop
    part.lines.append(Line(f"M{start} {y}H{stop}", kind if track is not None else "loose", port.reads))
    if track is None:
        part.lines.append(Line(f"M{end} {y - 5}V{y + 5}", "loose", False))
    else:
        part.dots.append((end, y, kind))
    x, anchor = edge + away * 10, "start" if away > 0 else "end"
    room = LABEL - 20
    name = plain(port.value)
    part.texts.append(Text(x, y - 5, anchor, "value", fitted(name, room, NAME), name))
    if port.note:
        style = "way" if port.handoff else "shape"
        part.texts.append(Text(x, y + 13, anchor, style, fitted(port.note, room, SMALL), port.note))


def _short(start: int, end: int) -> int:
    """Where a line to `end` stops, so that its arrow head just touches."""
    return end - TIP if start < end else end + TIP


def _track_x(port: Port, frame: Frame, tracks: Mapping[tuple[str, int], int]) -> int | None:
    track = tracks.get((port.value, port.module))
    return None if track is None else frame.first + track * PITCH + PITCH // 2


def _trunk(
    key: tuple[str, int], span: tuple[int, int], track: int, frame: Frame, crossing: set[tuple[str, int]]
) -> Line:
    """The vertical part of a value's way."""
    x = frame.first + track * PITCH + PITCH // 2
    return Line(f"M{x} {span[0]}V{span[1]}", "handoff" if key in crossing else "value", False)
