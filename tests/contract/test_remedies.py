"""What to write instead of a value of the wrong kind."""

from typing import Any

import pytest

from r0kit.contract.remedies import number_remedy, remedy
from r0kit.contract.wording import A_FLAG, A_LIST, A_NAME, A_TEXT, AN_INTEGER

EMPTY = "give it a value, or remove the key where it is optional"


@pytest.mark.parametrize(
    ("what", "value", "hint"),
    [
        *((what, None, EMPTY) for what in (A_FLAG, A_LIST, A_NAME, A_TEXT, AN_INTEGER)),
        (A_FLAG, "true", "remove the quotes: true"),
        (A_FLAG, "false", "remove the quotes: false"),
        (A_FLAG, "treu", "write true"),
        (A_FLAG, "FALSE ", "write false"),
        (A_FLAG, "nothing", "write true or false"),
        (A_FLAG, "ｔｒｕｅ，", "， is a full-width mark: write ,"),
        (A_FLAG, 0, "write false"),
        (A_FLAG, 1, "write true"),
        (A_FLAG, 2, "write true or false"),
        (A_FLAG, {}, "write true or false"),
        (AN_INTEGER, "2", "remove the quotes: 2"),
        (AN_INTEGER, "2.5", "write an integer"),
        (AN_INTEGER, "true", "write an integer"),
        (AN_INTEGER, 1, "write an integer"),
        (AN_INTEGER, {}, "write an integer"),
        (A_LIST, {"a": 1}, "write a list: begin its entry with a dash, or put it in brackets: [{...}]"),
        (A_LIST, 3, "write a list"),
        (A_LIST, " true\n", "write a list: [true]"),
        (A_LIST, "2", "write a list: [2]"),
        (A_LIST, "y = 1", 'write a list: ["y = 1"]'),
        (A_LIST, 'y = "1"', "write a list"),
        (A_LIST, "a\nb", "write a list"),
        (A_LIST, "a" * 60, f"write a list: [{'a' * 60}]"),
        (A_LIST, "a" * 61, "write a list"),
        ("a mapping", "a", "write a mapping"),
        (A_NAME, "", "write a name"),
        (A_NAME, False, "YAML reads yes, no, on and off as true and false; put the text in quotes"),
        (A_TEXT, 1.5, "put it in quotes"),
        (A_TEXT, 3, "put it in quotes"),
        (A_TEXT, {}, 'put text that contains ": " or begins with { in quotes'),
        (A_TEXT, [], "write text"),
    ],
)
def test_what_to_write_instead(what: str, value: Any, hint: str) -> None:
    assert remedy(what, value) == hint


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("0.01", "remove the quotes: 0.01"),
        ("3", "remove the quotes: 3"),
        ("0,01", "write it with a point: 0.01"),
        ("1e-3", "YAML 1.1 reads '1e-3' as text: write it with a point, 0.001"),
        ("inf", "write 0.001"),
        ("nan", "write 0.001"),
        ("small", "write a number such as 0.001"),
        (True, "write a number such as 0.001"),
        ([], "write a number such as 0.001"),
    ],
)
def test_what_to_write_for_a_tolerance(value: Any, hint: str) -> None:
    assert number_remedy(value) == hint
