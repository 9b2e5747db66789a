"""The mutation testing of the rules itself: what it changes, and that the tests of the rules notice."""

import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module("mutate_rules")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def changed(mutate: ModuleType, source: str) -> list[str]:
    tree = ast.parse(source)
    found = []
    for index, node in enumerate(mutate._nodes(tree)):
        for change in mutate._changes(node):
            copy = ast.parse(source)
            setattr(mutate._nodes(copy)[index], change.field, change.value)
            found.append(ast.unparse(ast.fix_missing_locations(copy)).replace("\n", "; "))
    return sorted(found)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if a:\n    b", ["if False:;     b", "if True:;     b"]),
        ("a < b", ["a >= b"]),
        ("a and b", ["a or b"]),
        ("not a", ["not not a"]),
        ("[a for a in b if a if c]", ["[a for a in b if a]", "[a for a in b if c]"]),
        ("f(check=rule)", ["f(check=lambda _: ())"]),
        ("x: list[1] = 2", ["x: list[1] = 3"]),
        ("def f() -> 1:\n    yield a", ["def f() -> 1:;     yield from ()"]),
        ("if TYPE_CHECKING:\n    a = 1", []),
        ("a = True", []),
    ],
)
def test_what_is_changed(mutate: ModuleType, source: str, expected: list[str]) -> None:
    assert changed(mutate, source) == expected


def test_a_rule_that_is_switched_off_is_noticed(mutate: ModuleType, tmp_path: Path) -> None:
    tests = ("tests/validate/test_rules.py",)
    off = next(mutate.mutants("validate.rules"))
    assert "switched off" in off.what
    assert mutate.lives(None, tests, str(tmp_path))
    assert not mutate.lives(off, tests, str(tmp_path))


def test_every_rule_has_a_mutant(mutate: ModuleType) -> None:
    assert len([mutant for mutant in mutate.mutants("validate.rules") if "switched off" in mutant.what]) == 19
