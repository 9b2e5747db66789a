"""How findings call parts and values of a contract, and what is taken for a full-width mark."""

import unicodedata
from typing import Any

import pytest

from r0kit.contract.likeness import full_width, in_ascii, nearest
from r0kit.contract.path import Path
from r0kit.contract.wording import described, shown, spell


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        ((), "the contract"),
        (("modules", 1, "inputs", 0, "source"), "modules[1].inputs[0].source"),
        (("params", "a b"), "params['a b']"),
        (("params", True), "params[true]"),
        (("a" * 150,), "a" * 150),
        (("b", "a" * 149), "..." + "a" * 147),
    ],
)
def test_a_path_is_spelled_as_python_would_and_cut_in_front(path: Path, spelled: str) -> None:
    assert spell(path) == spelled


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a" * 60, f"the text '{'a' * 60}'"),
        ("a" * 61, f"the text '{'a' * 57}...'"),
        (1.5, "the number 1.5"),
        (10**100, f"the number 1{'0' * 56}..."),
        (True, "true"),
        (None, "empty"),
        ([1], "a list"),
        ({}, "a mapping"),
    ],
)
def test_a_value_is_named_and_never_printed_at_length(value: Any, expected: str) -> None:
    assert described(value) == expected
    assert shown(value) == expected.removeprefix("the text ").removeprefix("the number ")


@pytest.mark.parametrize("sign", [*map(chr, range(0xFF00, 0xFF61)), "\u3000"])
def test_a_full_width_form_is_the_sign_of_ascii_that_unicode_says_it_is(sign: str) -> None:
    plain = unicodedata.normalize("NFKC", sign)
    assert in_ascii(f"a{sign}b") == (f"a{plain}b" if plain.isascii() else f"a{sign}b")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a, b", ""),
        ("求和", ""),
        ("Ａ１", ""),
        ("\u3000", ""),
        ("a，b：", "， is a full-width mark: write ,"),
        *(
            (f"a{mark}", f"{mark} is a full-width mark: write {plain}")
            for mark, plain in zip("、。【】", ",.[]", strict=True)
        ),
        *((f"a{mark}", f'{mark} is a full-width mark: write "') for mark in "“”„"),
        *((f"a{mark}", f"{mark} is a full-width mark: write '") for mark in "‘’"),
        *((f"a{mark}", f"{mark} is a full-width mark: write -") for mark in "—\u2013\u2212"),
    ],
)
def test_the_first_full_width_mark_is_told_and_no_letter_or_blank(text: str, hint: str) -> None:
    assert full_width(text) == hint


def test_of_names_that_differ_in_capitals_the_first_is_meant() -> None:
    assert nearest("ab", ["AB", "aB"]) == "AB"


def test_so_long_a_name_was_hardly_mistyped() -> None:
    assert nearest("a" * 80, ["a" * 79]) == "a" * 79
    assert nearest("a" * 81, ["a" * 80]) is None
