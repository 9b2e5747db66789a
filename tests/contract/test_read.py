"""YAML text -> Document: plain data, places, and hostile input."""

import math
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import pytest
import yaml
from corpus import CASES
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract import events
from r0kit.contract.path import FIRST, KEY, Path
from r0kit.contract.places import Lines
from r0kit.contract.pure import PureParser
from r0kit.contract.read import MAX_ALIASED, MAX_DEPTH, Document, parse, read
from r0kit.finding import Finding, InputError, Location

PARSERS = {"fast": events.FAST, "pure": PureParser}


@pytest.fixture(params=PARSERS, autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Every test of this file runs with libyaml's parser and with PyYAML's own."""
    monkeypatch.setattr(events, "FAST", PARSERS[request.param])
    yield request.param


def refusal(text: str) -> Finding:
    """The one finding with which `text` is refused."""
    with pytest.raises(InputError) as caught:
        parse(text, "c.yaml")
    (finding,) = caught.value.findings
    assert (finding.rule, finding.severity.value) == ("rule0", "error")
    assert finding.hint
    return finding


def test_libyaml_is_there_to_be_compared() -> None:
    assert events.FAST in PARSERS.values()
    assert PARSERS["fast"] is not PureParser


def test_the_corpus_is_what_safe_load_makes_of_it() -> None:
    for case in CASES[:: 1 if events.FAST is PARSERS["fast"] else 20]:
        assert parse(case.yaml, case.id).data == yaml.load(case.yaml, Loader=yaml.CSafeLoader)


SCALARS = (
    *(
        "yes",
        "no",
        "on",
        "off",
        "true",
        "False",
        "NULL",
        "~",
        "y",
        "n",
        "1",
        "-1",
        "+1",
        "0x1F",
        "0b101",
        "0o17",
        "017",
    ),
    *("1_000", "190:20:30", "1.5", "-.5", "1e3", "1.0e+3", "1.0e3", ".inf", "-.INF", "190:20:30.15", "685.230_15e+03"),
    *(
        "0",
        "00",
        "1.",
        "a",
        "b_c",
        "<<x",
        ".",
        "-x",
        "1-2",
        "1:2:3:4",
        "!",
        "'no'",
        '"1"',
        "''",
        '"\\u6279"',
        "批",
        "08",
    ),
)


@pytest.mark.parametrize("text", [*SCALARS, "", "!!str 1", "!!int '3'", "!!float 2", "!!null x", "!!bool 'no'"])
def test_scalars_mean_what_they_mean_to_safe_load(text: str) -> None:
    if text == "!":
        expected: Any = ""  # PyYAML disagrees with itself: libyaml's parser says text, its own null
    else:
        expected = yaml.safe_load(f"k: {text}")["k"]
    value = parse(f"k: {text}", "c.yaml").data["k"]
    assert value == expected
    assert type(value) is type(expected)


def test_not_a_number() -> None:
    assert math.isnan(parse("k: .nan", "c.yaml").data["k"])


@pytest.mark.parametrize("text", ["2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-99-99", "="])
def test_dates_stay_text(text: str) -> None:
    assert parse(f"k: {text}", "c.yaml").data == {"k": text}


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("# nothing\n", None),
        ("---\n...\n", None),
        ("--- 3\n", 3),
        ("%YAML 1.2\n---\na: 1\n", {"a": 1}),
        ("a: &x [1, {b: 2}]\nc: *x\n", {"a": [1, {"b": 2}], "c": [1, {"b": 2}]}),
        ("a: &x 1\nb: [*x, *x]\n*x : 3\n", {"a": 1, "b": [1, 1], 1: 3}),
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}),
        ("- &x {b: 1}\n- &y {b: 2, c: 3}\n- {<<: [*x, *y]}\n", [{"b": 1}, {"b": 2, "c": 3}, {"b": 1, "c": 3}]),
        ("a: {'<<': 1}\n", {"a": {"<<": 1}}),
        ("a: <<\n", {"a": "<<"}),
        ("a:\t1\nb: [1,\t2]\t# c\nc: x\ty\n", {"a": 1, "b": [1, 2], "c": "x\ty"}),
        ("a: b\n \tc\n", {"a": "b c"}),
        ("a: b \t\n  \t \t c \td\n", {"a": "b c \td"}),
        ("\n\na: b\t\n\n \t\n \t\n\n c\n", {"a": "b\n\n\n\nc"}),
        ("a:\n  - [\nb\tc]\n", {"a": [["b\tc"]]}),
        ("[a\n\t\n\tb\t, c\t]\n", ["a\nb", "c"]),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y\n", {"a": "x\ny\n", "b": "x y"}),
        ("a: 1\r\nb: x\r\n  y\r\n", {"a": 1, "b": "x y"}),
        ("? a\n: - b\n  - c\n", {"a": ["b", "c"]}),
        ("! x: ! [! 1]\n", {"x": ["1"]}),
    ],
)
def test_data(text: str, data: Any) -> None:
    assert parse(text, "c.yaml").data == data


TEXT = """\
op: x
modules:
  - id: 1
    批: [a, "b",
      {c: d}]
    id: 2
  - &m
    name: n
  - *m
block: |
  one
  two
yes: no
"""


@pytest.mark.parametrize(
    ("path", "span"),
    [
        ((), (1, 1, 1, 1)),
        (("op",), (1, 5, 1, 6)),
        (("op", KEY), (1, 1, 1, 3)),
        (("modules", 0), (3, 5, 3, 5)),
        (("modules", 0, "id"), (6, 9, 6, 10)),
        (("modules", 0, "id", KEY), (6, 5, 6, 7)),
        (("modules", 0, "id", FIRST), (3, 5, 3, 7)),
        (("modules", 0, "批"), (4, 8, 5, 14)),
        (("modules", 0, "批", 1), (4, 12, 4, 15)),
        (("modules", 0, "批", 2, "c"), (5, 11, 5, 12)),
        (("modules", 0, "missing"), (3, 5, 3, 5)),
        (("modules", 1, "name"), (8, 11, 8, 12)),
        (("modules", 2), (9, 5, 9, 7)),
        (("modules", 2, "name"), (9, 5, 9, 7)),
        (("modules", 7, "name"), (3, 3, 3, 3)),
        ((True, KEY), (13, 1, 13, 4)),
        ((True,), (13, 6, 13, 8)),
    ],
)
def test_places(path: Path, span: tuple[int, int, int, int]) -> None:
    assert parse(TEXT, "c.yaml").locate([path]) == {path: Location("c.yaml", *span)}


def test_many_places_are_found_in_one_pass_whatever_their_order() -> None:
    document = parse(TEXT, "c.yaml")
    paths: list[Path] = [("block",), ("op",), ("modules", 0, "批", 2), (), ("modules", 1), ("op",)]
    together = document.locate(paths)
    assert together == {path: document.locate([path])[path] for path in paths}


class _Counted(str):
    """A text that knows how many of its characters have been looked at for line ends."""

    looked_at = 0

    def count(self, sign: str, *within: Any) -> int:
        self.looked_at += len(self[slice(*within)])
        return super().count(sign, *within)

    def rfind(self, sign: str, *within: Any) -> int:
        self.looked_at += len(self[slice(*within)])
        return super().rfind(sign, *within)


def test_the_lines_above_are_counted_once_however_many_places_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    text = _Counted(f"# above\na: &a {[[{'x': 1}] * 9] * 9}\nb: *a\n")
    monkeypatch.setattr("r0kit.contract.places.Lines", lambda path, _: Lines(path, text))
    wanted = [(key, *at) for key in "ba" for k in range(9, -1, -1) for at in ((k, 0, "x"), (k, 0), (k,), ())]
    assert set(parse(str(text), "c").locate(wanted)) == set(wanted)
    assert text.looked_at <= 2 * len(text)


def test_columns_count_characters_and_lines_end_as_editors_have_it() -> None:
    text = "a: \U0001f600 # \x85 \u2028\r\n'批批': [批, x]\r\n"
    document = parse(text, "c.yaml")
    assert document.locate([("批批", 1)])["批批", 1] == Location("c.yaml", 2, 11, 2, 12)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(end: str) -> None:
    document = parse(f"a: x{end}b: |{end}  y{end}  z{end}c: [1]{end}", "c")
    assert document.data == {"a": "x", "b": "y\nz\n", "c": [1]}
    assert document.locate([("c", 0)])["c", 0] == Location("c", 5, 5, 5, 6)


def test_keys_of_a_kind_are_noted_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r0kit.contract.read.MAX_TOLD", 3)
    document = parse("- {1: a, 2: b, x: c, x: d}\n- {1: a, 2: b, y: c, y: d}\n", "c")
    assert document.odd_keys == ((0, 1), (0, 2), (1, 1))
    assert document.duplicates == ((0, "x"), (1, "y"))


def test_duplicate_and_odd_keys_are_noted_with_their_paths() -> None:
    document = parse("a: 1\nb:\n  - c: 1\n    2: x\n    c: 3\na: 4\n", "c.yaml")
    assert document.data == {"a": 4, "b": [{"c": 3, 2: "x"}]}
    assert document.duplicates == (("b", 0, "c"), ("a",))
    assert document.odd_keys == (("b", 0, 2),)


def test_nothing_is_noted_for_an_ordinary_document() -> None:
    document = parse(TEXT.replace("    id: 2\n", "").replace("yes: no\n", ""), "c.yaml")
    assert (document.duplicates, document.odd_keys) == ((), ())


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 10)
)

# Text, what the message says, and the line it is at.
REFUSED = [
    ("a: b: c\n", "mapping values are not allowed", 1),
    ("a: [1, 2\nb: 3\n", "not YAML", 1),
    ("a: 'b\n", "not YAML", 1),
    ("a:\n\tb: 1\n", "not YAML", 2),
    ("a: b\n\tc\n", "found a tab character that violates indentation", 2),
    ("a:\n  b: c\n  d\n  \te\n", "found a tab character that violates indentation", 4),
    ("a: [b,\n  c\n\td]\n", "found a tab character that violates indentation", 3),
    ("a: 1\n---\nb: 2\n", "a second YAML document begins here", 2),
    ("a: 1\n--- 2\n--- 3\n", "a second YAML document begins here", 2),
    ("a: 1\nb: *x\n", "no anchor 'x' stands before its alias", 2),
    ("a: &x [*x]\n", "the alias 'x' stands inside its own value", 1),
    ("a: &x {b: [*x]}\n", "the alias 'x' stands inside its own value", 1),
    (BOMB, f"aliases expand to more than {MAX_ALIASED} values", 5),
    ("a: !!python/object/apply:os.system [x]\n", "the tag '!!python/object/apply:os.system'", 1),
    ("a: !!python/name:os.system\n", "the tag '!!python/name:os.system'", 1),
    ("a: 1\nb: !local x\n", "the tag '!local'", 2),
    ("a: !!binary aGk=\n", "the tag '!!binary'", 1),
    ("a: !!set {x, y}\n", "the tag '!!set'", 1),
    ("a: !!timestamp 2001-01-01\n", "the tag '!!timestamp'", 1),
    ("a: !!str [x]\n", "the tag '!!str'", 1),
    ("a: !!map [x]\n", "the tag '!!map'", 1),
    ("a: !!int x\n", "'x' is no int", 1),
    ("a: !!int ''\n", "'' is no int", 1),
    ("a: !!bool maybe\n", "'maybe' is no bool", 1),
    ("a: 0b_\n", "'0b_' is no int", 1),
    ("a: 0x_\n", "'0x_' is no int", 1),
    (f"a: {'1' * 10_000}\n", "a number of 10000 characters", 1),
    (f"a: {'1:' * 5_000}1.5\n", "a number of 10003 characters", 1),
    (f"a: {'59:' * 300}1.5\n", "is no float", 1),
    ("a: 1\n[b]: 2\n", "a key of this mapping is a list or a mapping", 2),
    ("a: &x [1]\nb:\n  *x : 1\n", "a key of this mapping is a list or a mapping", 3),
    ("a: {{b: 1}: 2}\n", "a key of this mapping is a list or a mapping", 1),
    ("? ?\n", "a key of this mapping is a list or a mapping", 1),
    ("? {1: 2, 1: 3}\n: x\n", "a key of this mapping is a list or a mapping", 1),
    ("a: {<<: 3}\n", "<< takes a mapping", 1),
    ("a: {<<: [{b: 1}, 3]}\n", "<< takes a mapping", 1),
    ("a:\n  <<: 3\n", "<< takes a mapping", 2),
    ("\ufeffa: 1\n", "the character '\\ufeff' cannot stand in YAML", 1),
    ("\x00a: 1\n", "the character '\\x00' cannot stand in YAML", 1),
    ("%YAML 1.3\n---\na: 1\n", "", 0),
    ("%YAML 2.0\n---\na: 1\n", "", 0),
    ("a: b\x00\n", "the character '\\x00' cannot stand in YAML", 1),
    ("a: 1\nb: \x1b[31m\n", "the character '\\x1b' cannot stand in YAML", 2),
    ("a: \ud800\n", "the character '\\ud800' cannot stand in YAML", 1),
    ("a: 1\n\ufeffb: 2\n", "the character '\\ufeff' cannot stand in YAML", 2),
    ("[" * 10_000, "nest", 1),
    ("{a: " * 10_000, "nest", 1),
    ("- " * 10_000, "nest", 1),
    ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), f"nested more than {MAX_DEPTH} deep", 1),
    ("a: " * 10_000, "not YAML", 1),
]


@pytest.mark.parametrize(("text", "message", "line"), REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_refused(text: str, message: str, line: int) -> None:
    finding = refusal(text)
    assert message in finding.message
    assert len(finding.message) < 200
    assert finding.location.path == "c.yaml"
    assert finding.location.line == line or not line


def test_the_deepest_nesting_that_is_allowed() -> None:
    assert parse("[" * MAX_DEPTH + "]" * MAX_DEPTH, "c.yaml").data


def test_aliases_that_stay_within_bounds() -> None:
    text = f"a: &a [{', '.join('x' * 99)}]\nb: [{', '.join(['*a'] * 100)}]\n"
    assert len(parse(text, "c.yaml").data["b"]) == 100


def test_a_tag_cannot_put_control_characters_into_a_message() -> None:
    assert refusal("a: !%1b[31m x\n").message.isprintable()


def write(folder: FilePath, content: bytes) -> str:
    path = folder / "c.yaml"
    path.write_bytes(content)
    return str(path)


def test_a_byte_order_mark_of_utf_8_is_no_part_of_the_text(tmp_path: FilePath) -> None:
    document = read(write(tmp_path, b"\xef\xbb\xbfop: x\r\n"))
    assert document.data == {"op": "x"}
    assert document.locate([("op", KEY)])["op", KEY].column == 1


UNREADABLE = [
    ("op: x\n".encode("utf-16"), 1, "UTF-16"),
    ("op: x\n".encode("utf-32"), 1, "UTF-32"),
    (b"op: x\nb: \xff\xfe\n", 2, "0xff"),
    (b"\xef\xbb\xbfop: a\xffb\n", 1, "byte 0xff at line 1, column 6"),
    ("a: 1\nb: 批\n".encode("gbk"), 2, "not UTF-8"),
    (b"\x7fELF\x02\x01\x01\x00\x00", 1, "binary"),
    (b"op: x\nb: \x00\n", 2, "binary"),
]


@pytest.mark.parametrize(("content", "line", "message"), UNREADABLE)
def test_other_encodings_and_binary_files(content: bytes, line: int, message: str, tmp_path: FilePath) -> None:
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, content))
    (finding,) = caught.value.findings
    assert (finding.rule, finding.location.line) == ("rule0", line)
    assert message in finding.message


def _fifo(path: str) -> None:
    os.mkfifo(path)


def _socket(path: str) -> None:
    socket.socket(socket.AF_UNIX).bind(path)


def _large(path: str) -> None:
    with open(path, "wb") as file:
        file.truncate((64 << 20) + 1)


def _link(path: str) -> None:
    os.symlink(__file__, path)


def _loop(path: str) -> None:
    os.symlink(path, path)


@pytest.mark.parametrize("make", [lambda path: None, os.mkdir, _fifo, _socket, _large, _link, _loop])
def test_what_is_no_file_that_can_be_read(make: Any, tmp_path: FilePath) -> None:
    path = str(tmp_path / "c")
    make(path)
    with pytest.raises(InputError) as caught:
        read(path)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.location.path) == ("rule0", path)


def test_a_link_is_told_from_a_file_and_a_folder_on_the_way_may_be_one(tmp_path: FilePath) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "c.yaml").write_text("op: a\n")
    (tmp_path / "checkout").symlink_to("folder")
    assert read(str(tmp_path / "checkout" / "c.yaml")).data == {"op": "a"}
    (tmp_path / "link.yaml").symlink_to("folder/c.yaml")
    with pytest.raises(InputError) as caught:
        read(str(tmp_path / "link.yaml"))
    (finding,) = caught.value.findings
    assert finding.message.endswith("link.yaml is a symbolic link, not a file")
    assert finding.hint == f"name the file itself: {tmp_path / 'folder' / 'c.yaml'}"


@pytest.mark.parametrize("path", ["", "/dev/null", "/dev/zero", "a\x00b", "/proc/self/mem", "x" * 5000])
def test_names_that_stand_for_no_file(path: str) -> None:
    with pytest.raises(InputError):
        read(path)


_PIECES = (
    *"[]{},-#'\"`@ \n\t~<=.0ax批\\",
    ": ",
    "- ",
    "\n  ",
    "\n- ",
    "---\n",
    "&a ",
    "*a ",
    "<<: ",
    "{a: 1}",
    "|\n  ",
)

# Where libyaml and PyYAML still disagree about what YAML is, none of it in any contract we know: a colon within
# brackets without a blank, and what may follow `?`, `!`, `%` and the indicators of block
# scalars, and a tab with which one begins.
_DISPUTED = re.compile(r":\S|[|>]([^\n]|\s*\t)|[?!%]")


@st.composite
def yaml_like(draw: st.DrawFn) -> str:
    """Text of pieces that mean something in YAML, in a contract or alone."""
    pieces = "".join(draw(st.lists(st.sampled_from(_PIECES), max_size=12)))
    text = draw(st.sampled_from(("", TEXT, *(case.yaml[:400] for case in CASES[12:40]))))
    at = draw(st.integers(0, len(text)))
    return text[:at] + pieces + text[at:]


def _outcome(text: str, kind: str) -> Document | Finding:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(events, "FAST", PARSERS[kind])
        try:
            return parse(text, "c.yaml")
        except InputError as error:
            return error.findings[0]


def test_both_parsers_have_the_same_results(parser: str, long_mode: bool) -> None:
    if parser == "pure":
        pytest.skip("compares both in one go")

    @settings(max_examples=10_000 if long_mode else 300, deadline=None)
    @given(yaml_like())
    def check(text: str) -> None:
        fast, pure = _outcome(text, "fast"), _outcome(text, "pure")
        if isinstance(fast, Document) and isinstance(pure, Document):
            assert repr(fast) == repr(pure)
            wanted: list[Path] = [(), *((key, KEY) for key in fast.data)] if isinstance(fast.data, dict) else [()]
            assert fast.locate(wanted) == pure.locate(wanted)
        else:
            assert type(fast) is type(pure) or _DISPUTED.search(text)

    check()


@pytest.mark.parametrize(("most", "fits"), [(8, True), (7, False)])
def test_what_aliases_add_is_counted_in_values(most: int, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r0kit.contract.read.MAX_ALIASED", most)
    text = "a: &a {x: [1, 2]}\nb: *a\nc: *a\n"  # a mapping, a list and two numbers, twice
    if fits:
        assert parse(text, "c").data["c"] == {"x": [1, 2]}
    else:
        with pytest.raises(InputError, match="aliases expand to more than 7 values"):
            parse(text, "c")


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_versions_of_yaml(version: str) -> None:
    assert parse(f"%YAML {version}\n---\nop: a\n", "c").data == {"op": "a"}


def test_an_anchored_text_in_quotes_is_text() -> None:
    assert parse('a: &x "1"\nb: *x\nc: &y 1\nd: *y\n', "c").data == {"a": "1", "b": "1", "c": 1, "d": 1}


def test_the_number_of_values_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "[1, 2, 3]"  # two events around the stream, two around the document, two brackets, three numbers
    monkeypatch.setattr("r0kit.contract.read.MAX_EVENTS", 9)
    assert parse(text, "c").data == [1, 2, 3]
    monkeypatch.setattr("r0kit.contract.read.MAX_EVENTS", 8)
    with pytest.raises(InputError, match="more than 8 values and brackets"):
        parse(text, "c")


def test_places_inside_a_value_of_several_lines() -> None:
    text = "\na: [\n1,\n[2,\n3]]\nb: 4\n"
    paths = [("a",), ("a", 0), ("a", 1), ("a", 1, 1), ("b",)]
    places = parse(text, "c").locate(paths)
    assert [tuple(places[path][1:]) for path in paths] == [
        (2, 4, 5, 4),
        (3, 1, 3, 2),
        (4, 1, 5, 3),
        (5, 1, 5, 2),
        (6, 4, 6, 5),
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a: b: c\n", "put text that contains ': ' in quotes"),
        ("a: [1\nb: 2\n", "close the bracket that opens here: ]"),
        ("a:\n\tb: 1\n", "indent with spaces; YAML does not allow tabs there"),
    ],
)
def test_hints_for_what_is_no_yaml(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "c")
    assert caught.value.findings[0].hint == hint


def test_keys_in_quotes_with_tags_and_by_alias_have_places() -> None:
    text = '"1": a\n!!str 2: b\n3: &k d\n? *k\n: e\n! 4: f\n!!int "5": g\n'
    document = parse(text, "c")
    assert document.data == {"1": "a", "2": "b", 3: "d", "d": "e", "4": "f", 5: "g"}
    expected = {("1",): (1, 6), ("2",): (2, 10), (3,): (3, 4), ("4",): (6, 6), (5,): (7, 12), ("nowhere",): (1, 1)}
    assert {path: place[1:3] for path, place in document.locate(expected).items()} == expected


def test_the_longest_number() -> None:
    assert parse(f"a: {'9' * 1000}\n", "c").data == {"a": int("9" * 1000)}
    with pytest.raises(InputError, match="a number of 1001 characters"):
        parse(f"a: {'9' * 1001}\n", "c")


@pytest.mark.parametrize("text", [f"n{'o' * 1000}", f"1{' one' * 400}", f"!!str {'9' * 1001}", f"'{'9' * 1001}'"])
def test_a_long_text_is_no_number_without_end(text: str) -> None:
    assert parse(f"a: {text}\n", "c").data == {"a": text.removeprefix("!!str ").strip("'")}
