"""Slips in one line: where they are, what to do, and the line as it was meant."""

import pytest

from r0kit.contract.slips import AFTER_ALL, IN_A_LINE, OVER_LINES, without_quoted


# A line, the column (from 0) of a slip in it, what to do, and the line without it.
@pytest.mark.parametrize(
    ("line", "column", "hint", "meant"),
    [
        ("a:\u00a0b\u3000c", 2, "U+00A0 stands there, which is no blank for YAML: write blanks", "a: b c"),
        ("a:\u00a0b\u3000c", 2, "U+00A0 stands there, which is no blank for YAML: write blanks", "a:  b  c"),
        ("  * id: 2", 2, "begin the entry with a dash: -", "  - id: 2"),
        ('a： "，"， # b，', 1, "： is a full-width mark: write :", 'a:  "，",  # b，'),
        ("  -id: 2", 2, "write a blank behind the dash: `- id: 2`", "  - id: 2"),
        ("  - id:2", 4, "write a blank behind the colon: `id: 2`", "  - id: 2"),
        ("  - id = 2", 4, "write `id: 2`", "  - id: 2"),
        ("  - id 2", 4, "write a colon behind the key: `id: 2`", "  - id: 2"),
        ("modules  ", 0, "write a colon behind the key: `modules:`", "modules: "),
        ("a: b, ", 4, "remove the comma at the end of the line", "a: b"),
        ("  - id: 2, name: gelu", 11, "begin `name` on a line of its own", "  - id: 2\n    name: gelu"),
        ("{a: b  c: d}", 7, "write a comma before `c`", "{a: b, c: d}"),
        ('["a" [b]]', 5, "write a comma before `[`", '["a", [b]]'),
        ('a: "[N"]', 6, 'write ]" for "]', 'a: "[N]"'),
        ("a: [b", 3, "close the bracket that opens here: ]", "a: [b]"),
        ("a: [{b: c", 4, "close the bracket that opens here: }]", "a: [{b: c}]"),
        ("a: [b # c]", 3, "close the bracket that opens here: ]", "a: [b] # c]"),
        ("a: [b # 'c", 3, "close the bracket that opens here: ]", "a: [b] # 'c"),
        ("a: [{b: c]", 9, "write } before ]", "a: [{b: c}]"),
        ("a: [b), c", 5, "write ]", "a: [b], c"),
        ("[{a: b}}, c]", 7, "remove the } that closes nothing", "[{a: b}, c]"),
        ("a: b]}", 4, "remove the ] that closes nothing", "a: b}"),
        ("[@a, b]", 1, "put text that begins with @ in quotes", "['@a', b]"),
        ("- `it's", 2, "put text that begins with ` in quotes", "- '`it''s'"),
        ("  a: b: c ", 5, "put text that contains ': ' in quotes", "  a: 'b: c '"),
        ('- "a" b', 2, 'put text that begins with " in quotes', "- '\"a\" b'"),
        ("  - Module 2", 4, "write it as `key: value`, as what follows is", "  -"),
        ("  - a: 2", 7, "remove it: what `a:` stands for follows in the next line", "  - a:"),
    ],
)
def test_a_slip_and_what_was_meant(line: str, column: int, hint: str, meant: str) -> None:
    assert (column, hint, meant) in [slip for find in (*IN_A_LINE, *AFTER_ALL) for slip in find(line)]


@pytest.mark.parametrize("line", ["a: b", "- a: [b, {c: d}]", "# a，b: (c", "a: '， ] @' # it's ("])
def test_a_line_without_a_slip(line: str) -> None:
    assert [slip for find in IN_A_LINE for slip in find(line)] == []


def test_a_line_that_goes_on_with_a_text_begins_nothing_that_needs_quotes() -> None:
    assert [slip for find in AFTER_ALL for slip in find('  "a" b')] == []


def test_brackets_of_several_lines() -> None:
    assert list(OVER_LINES("a: [b, # c\n  d # e")) == [
        (3, "close the bracket that opens here: ]", "a: [b, # c\n  d] # e")
    ]


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        (r'"a\" ]" ]', "_______ ]"),
        ("'it''s ]' ]", "_________ ]"),
        ("\"a\" 'b' c", "___ ___ c"),
        ("a # it's [", "a         "),
        ("a#b [", "a#b ["),
        ('"a', '"a'),
    ],
)
def test_what_is_in_quotes_or_behind_a_comment_sign_is_no_slip(line: str, plain: str) -> None:
    assert without_quoted(line) == plain
