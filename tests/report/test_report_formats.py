"""Reports as text and as JSON."""

import json

import pytest

from r0kit.finding import Finding, Location, Report, Severity
from r0kit.report import FORMATS, PLAIN, Style
from r0kit.report.text import plain_text, printable, summary


def report(text: str, *places: tuple[int, int, int, int], severity: Severity = Severity.ERROR) -> Report:
    findings = (Finding("rule2", severity, "wrong", Location("c.yaml", *place), "do") for place in places)
    return Report("c.yaml", tuple(findings), text)


@pytest.mark.parametrize(
    ("text", "place", "excerpt"),
    [
        ("a: bcd\n", (1, 4, 1, 7), "  1 | a: bcd\n    |    ^^^\n"),
        ("a: bcd", (1, 4, 1, 4), "  1 | a: bcd\n    |    ^\n"),
        ("a:\n", (1, 3, 1, 3), "  1 | a:\n    |   ^\n"),
        ("x\ny: |\n  z\n", (2, 4, 4, 1), "  2 | y: |\n    |    ^\n"),
        ("x\ny: [a,\n  b]\n", (2, 4, 3, 5), "  2 | y: [a,\n    |    ^^^\n"),
        ("批: 目标 x\n", (1, 4, 1, 6), "  1 | 批: 目标 x\n    |     ^^^^\n"),
        ("a:\tb\x07c\n", (1, 4, 1, 7), "  1 | a: b\ufffdc\n    |    ^^^\n"),
        ("a: e\u0301x\n", (1, 6, 1, 7), "  1 | a: e\u0301x\n    |     ^\n"),
        ("\n" * 99 + "a: b\n", (100, 4, 100, 5), "  100 | a: b\n      |    ^\n"),
        ("a: b\n", (1, 0, 0, 0), "  1 | a: b\n"),
        ("a: b\n", (7, 1, 7, 1), ""),
        ("", (1, 1, 1, 2), ""),
        ("a: b\n", (0, 0, 0, 0), ""),
    ],
)
def test_the_line_and_carets_under_the_value(text: str, place: tuple[int, int, int, int], excerpt: str) -> None:
    where = ":".join(("c.yaml", *(str(number) for number in place[:2] if number)))
    expected = f"{where}: error: wrong [rule2]\n{excerpt}  hint: do\nFAIL: 1 error in 1 file\n"
    assert plain_text([report(text, place)]) == expected


def test_a_long_line_is_cut_around_the_value() -> None:
    text = "x" * 1_000 + "bad" + "y" * 100_000
    excerpt, carets = plain_text([report(text, (1, 1001, 1, 1004))]).splitlines()[1:3]
    assert len(excerpt) < 200
    assert excerpt[carets.index("^") : carets.rindex("^") + 1] == "bad"


def test_what_is_said_of_one_place_shows_it_once() -> None:
    place = Location("c.yaml", 1, 4, 1, 5)
    findings = [Finding(f"rule{k}", Severity.ERROR, f"m{k}", place, hint) for k, hint in enumerate(("a", "b", "a"))]
    other = Finding("rule9", Severity.ERROR, "m9", Location("c.yaml", 1, 1, 1, 2), "b")
    text = plain_text([Report("c.yaml", (*findings, other), "x: y\n")])
    heads = "".join(f"c.yaml:1:4: error: m{k} [rule{k}]\n" for k in range(3))
    assert text.startswith(f"{heads}  1 | x: y\n    |    ^\n  hint: a\n  hint: b\nc.yaml:1:1: error: m9 [rule9]\n")


def test_the_line_of_another_file_is_not_shown() -> None:
    elsewhere = Finding("rule16", Severity.ERROR, "wrong", Location("golden.py", 1, 1, 1, 2), "do")
    text = plain_text([Report("c.yaml", (elsewhere,), "op: a\n")])
    assert text.splitlines()[:2] == ["golden.py:1:1: error: wrong [rule16]", "  hint: do"]


def test_colours_only_where_they_are_asked_for() -> None:
    assert "\x1b" not in FORMATS["text"].write([report("a", (1, 1, 1, 2))], PLAIN)
    assert "\x1b[1;31merror\x1b[0m: wrong" in FORMATS["text"].write([report("a", (1, 1, 1, 2))], Style(colour=True))
    assert "\x1b" not in FORMATS["json"].write([report("a", (1, 1, 1, 2))], Style(colour=True))


def test_summary_counts_by_severity_and_file() -> None:
    clean, warned = Report("a"), report("x", (1, 1, 1, 1), (1, 1, 1, 1), severity=Severity.WARNING)
    wrong = report("x", (1, 1, 1, 1))
    assert summary([clean]) == "PASS: no findings in 1 file"
    assert summary([clean, warned]) == "PASS: 2 warnings in 2 files"
    assert summary([wrong, warned, wrong]) == "FAIL: 2 errors, 2 warnings in 3 files"


def test_notes_are_neither_violations_nor_warnings() -> None:
    verdict = json.loads(FORMATS["json"].write([report("x", (1, 1, 1, 1), severity=Severity.NOTE)], PLAIN))
    assert (verdict["status"], verdict["violations"], verdict["warnings"]) == ("PASS", [], [])
    assert [finding["severity"] for finding in verdict["findings"]] == ["note"]


def test_json_keeps_text_as_it_is() -> None:
    assert "批" in FORMATS["json"].write([Report("批.yaml")], PLAIN)


@pytest.mark.parametrize(
    ("text", "shown"), [("a\tb", "a b"), ("a\x1b[m", "a\ufffd[m"), ("\u202eb", "\ufffdb"), ("批", "批")]
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_every_format_has_its_own_row() -> None:
    assert all(name == row.name and row.what for name, row in FORMATS.items())
