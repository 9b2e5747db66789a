"""The swimlane: nothing lies on anything else, everything is there, and hostile values stay text."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from render_contracts import CONTRACTS, contract
from test_section import contracts

from r0kit.contract.model import Contract, Module, Tensor, Wire
from r0kit.render import Lang, svg
from r0kit.render.escape import PLAIN
from r0kit.render.shapes import Drawing, Text
from r0kit.render.swimlane import drawing
from r0kit.render.tracks import assign
from r0kit.render.width import fitted, width, wrapped
from r0kit.render.words import load

Expected = Callable[[str, str], None]
Rectangle = tuple[float, float, float, float]
SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"number": 11, "name": 14, "about": 12, "fact": 11, "value": 12, "shape": 11, "way": 11}
ELEMENTS = {"svg", "title", "desc", "style", "defs", "marker", "path", "rect", "text", "circle"}
MONO = {"name", "value", "shape", "way"}


@pytest.mark.parametrize("name", CONTRACTS)
def test_svg(name: str, expected: Expected) -> None:
    expected(f"{name}.svg", svg(contract(name), Lang.ZH if name == "whole_sum" else Lang.EN))


def drawn(some: Contract) -> Drawing:
    return drawing(some, load(Lang.EN, PLAIN))


def rectangle(text: Text) -> Rectangle:
    size = SIZES[text.style]
    wide = width(text.text, size, text.style in MONO)
    left = text.x - {"start": 0, "middle": wide / 2, "end": wide}[text.anchor]
    return left, text.y - size * 0.75, left + wide, text.y + size * 0.2


def apart(a: Rectangle, b: Rectangle) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def check_layout(d: Drawing) -> None:
    blocks = [(s.x, s.y, s.x + s.width, s.y + s.height) for s in (*d.boxes, *d.pills)]
    texts = [rectangle(text) for text in d.texts if text.text]
    assert all(apart(a, b) for a, b in combinations(blocks, 2))
    assert all(apart(a, b) for a, b in combinations(texts, 2))
    for a in texts:
        holders = [b for b in blocks if not apart(a, b)]
        assert len(holders) <= 1
        assert all(b[0] <= a[0] and a[2] <= b[2] and b[1] <= a[1] and a[3] <= b[3] for b in holders)
    for a in (*blocks, *texts):
        assert a[0] >= 0 and a[1] >= 0 and a[2] <= d.width and a[3] <= d.height


@pytest.mark.parametrize("name", CONTRACTS)
def test_nothing_overlaps(name: str) -> None:
    check_layout(drawn(contract(name)))


def numbers(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", path)]


@pytest.mark.parametrize("name", CONTRACTS)
def test_no_two_trunks_share_a_place(name: str) -> None:
    trunks = [numbers(line.path) for line in drawn(contract(name)).lines if "V" in line.path]
    for (x, top, bottom), (other, start, end) in combinations(trunks, 2):
        assert x != other or bottom < start or end < top


def test_every_value_has_its_ends() -> None:
    some = contract("flash_attention")
    d = drawn(some)
    assert len(d.boxes) == 4 and [box.kind for box in d.boxes] == ["cube", "vector", "cube", "vector"]
    assert [pill.kind for pill in d.pills] == ["input", "input", "input", "output"]
    assert sum(line.kind == "handoff" and line.arrow for line in d.lines) == 3 + 1, "three handoffs and the legend"
    assert sum(line.kind == "value" and line.arrow for line in d.lines) == 3 + 1 + 1, "inputs, output, and l"
    assert {lane.title for lane in d.lanes} == {"Cube", "Vector"}
    assert "L0C -> UB (pl.move, FIX)" in {text.text for text in d.texts}


def test_one_lane_where_there_is_one_section() -> None:
    assert [lane.kind for lane in drawn(contract("softmax3")).lanes] == ["vector"]


def test_loose_ends_are_drawn_loose() -> None:
    module = Module(1, "a", "", "vector", (), (Wire("ghost", 7),), (Tensor("unused"),))
    d = drawn(Contract("op", 1, (), (module,), ()))
    assert [line.kind for line in d.lines] == ["loose"] * 4
    check_layout(d)


@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize("name", CONTRACTS)
def test_any_name_is_text_to_an_xml_parser(name: str, lang: Lang) -> None:
    root = ET.fromstring(svg(contract(name), lang).encode())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS
    assert not any(key.startswith("on") or key.endswith("href") for element in root.iter() for key in element.attrib)
    assert root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None


def test_long_names_are_cut_and_kept_whole_in_a_title() -> None:
    name = "很长的名字_" * 20
    module = Module(1, name, name, "cube", (), (Wire(name, 0),), (Tensor(name, name, name),))
    some = Contract(name, 1, (Tensor(name, name, name),), (module,), (Wire(name, 1),))
    check_layout(drawn(some))
    titles = [t.text for t in ET.fromstring(svg(some, Lang.EN).encode()).iter(f"{SVG}title")]
    assert name in titles


@settings(deadline=None)
@given(contracts())
def test_any_contract_is_drawn(some: Contract) -> None:
    d = drawn(some)
    check_layout(d)
    root = ET.fromstring(svg(some, Lang.ZH).encode())
    assert len(root.findall(f"{SVG}rect")) == 1 + len(d.lanes) + len(d.boxes) + len(d.pills)


WIRES = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), max_size=20)


@settings(deadline=None)
@given(WIRES, st.lists(st.booleans(), min_size=8, max_size=8))
def test_any_wiring_is_drawn_apart(pairs: list[tuple[int, int]], cubes: list[bool]) -> None:
    modules = tuple(
        Module(
            *(number, f"step{number}", "what it does", "cube" if cubes[number - 1] else "vector", ()),
            tuple(Wire(f"v{a}", a) for a, b in pairs if b == number),
            (Tensor(f"v{number}", "[M, N]", "float32"),),
        )
        for number in range(1, 9)
    )
    d = drawn(Contract("op", 8, (), modules, ()))
    check_layout(d)
    trunks = [numbers(line.path) for line in d.lines if line.path.startswith("M") and "V" in line.path]
    for (x, top, bottom), (other, start, end) in combinations(trunks, 2):
        assert x != other or bottom < start or end < top


SPANS = st.dictionaries(st.integers(0, 50), st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted).map(tuple))


@given(SPANS)
def test_tracks_are_as_few_as_can_be(spans: dict[int, tuple[int, int]]) -> None:
    tracks = assign(spans)
    for a, b in combinations(spans, 2):
        assert tracks[a] != tracks[b] or spans[a][1] < spans[b][0] or spans[b][1] < spans[a][0]
    most = max((sum(top <= y <= bottom for top, bottom in spans.values()) for y in range(31)), default=0)
    assert len(set(tracks.values())) == most


@given(st.text(max_size=60), st.integers(20, 200), st.booleans())
def test_what_is_fitted_fits(text: str, room: int, mono: bool) -> None:
    assert width(fitted(text, room, 12, mono), 12, mono) <= room
    lines = wrapped(text, room, 12, 3)
    assert len(lines) <= 3 and all(width(line, 12, mono=False) <= max(room, 13) for line in lines)


def test_text_is_wrapped_at_blanks_and_between_wide_characters() -> None:
    assert wrapped("one two three", 60, 12, 3) == ["one two", "three"]
    assert wrapped("求每一行的最大值", 60, 12, 3) == ["求每一行", "的最大值"]
    assert wrapped("", 60, 12, 3) == []
    assert wrapped("a" * 40, 60, 12, 2)[1].endswith("…")
