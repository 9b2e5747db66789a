"""The mutation testing of the rules itself: what it changes, and that the tests of the rules notice."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/mutate_rules.py"


@pytest.fixture(scope="module")
def scripts() -> Iterator[None]:
    sys.path.insert(0, str(ROOT / "scripts"))
    yield
    sys.path.remove(str(ROOT / "scripts"))


@pytest.fixture
def mutators(scripts: None) -> ModuleType:
    return importlib.import_module("mutators")


@pytest.fixture
def mutate(scripts: None) -> ModuleType:
    return importlib.import_module("mutate_rules")


def changed(mutators: ModuleType, source: str) -> list[str]:
    tree = ast.parse(source)
    found = []
    for change in mutators.changes(tree):
        with change.made():
            compile(tree, "<mutant>", "exec")
            found.append(ast.unparse(tree).replace("\n", ";"))
    assert ast.dump(tree) == ast.dump(ast.parse(source)), "each change is taken back"
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if a:\n b", ["if True:;    b", "if False:;    b"]),
        ("a == b", ["a != b"]),
        ("a < b", ["a >= b", "a <= b"]),
        ("a <= b < c", ["a > b < c", "a < b < c", "a <= b >= c", "a <= b <= c"]),
        ("a and b", ["a or b", "b", "a"]),
        ("a or b or c", ["a and b and c", "b or c", "a or c", "a or b"]),
        ("not a", ["not not a"]),
        ("a | b", ["a", "b"]),
        ("a - b", ["a"]),
        ("[a for a in b if a if c]", ["[a for a in b if c]", "[a for a in b if a]"]),
        ("a = f(check=rule)", ["a = f(check=lambda _: ())"]),
        ("x: list[1] = 2", ["x: list[1] = 3"]),
        ("def f(a: 1 = 2) -> 3:\n return a", ["def f(a: 1=3) -> 3:;    return a"]),
        ("a = True", ["a = False"]),
        ("a = zip(b, c, strict=True)", []),
        ("a in ('b', 'c')", ["a not in ('b', 'c')", "a in ('c',)", "a in ('b',)"]),
        ("{'a'}", ["set()"]),
        ("{a: b, c: d}", ["{c: d}", "{a: b}"]),
        ("try:\n a\nexcept (B, C):\n d", ["try:;    a;except (C,):;    d", "try:;    a;except (B,):;    d"]),
        ("a = any(b)", ["a = all(b)"]),
        ("a[b:c]", ["a[:c]", "a[b:]"]),
        ("a[0]", ["a[1]"]),
        ("a = b.get('c', d)", ["a = b.get('c~', d)"]),
        ("a = b.strip()", ["a = b"]),
        (
            "a = Record({'b': C, 'd': ANY})",
            ["a = Record({'b': None, 'd': ANY})", "a = Record({'d': ANY})", "a = Record({'b': C})"],
        ),
        ("def f():\n yield a", ["def f():;    yield from ()"]),
        ("a += b", ["pass"]),
        ("a.b = c", ["pass"]),
        ("a = b", []),
        ("for a in b:\n continue\n c", ["for a in b:;    pass;    c"]),
        (
            "for a in b:\n if a:\n  continue",
            ["for a in b:;    if True:;        continue", "for a in b:;    if False:;        continue"],
        ),
        ("def f():\n return a", []),
        ("if TYPE_CHECKING:\n a = 1", []),
        ("Kind = A | B | C", []),
        ("class A:\n '''a'''\n __slots__ = ('a', 'b')", []),
    ],
)
def test_what_is_changed(mutators: ModuleType, source: str, expected: list[str]) -> None:
    assert changed(mutators, source) == expected


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        ("ab", []),
        ("a|b|c", [("a", "b|c"), ("b", "a|c"), ("c", "a|b")]),
        ("(?:a|b)_(c)", [("a", "(?:b)_(c)"), ("b", "(?:a)_(c)")]),
        (r"(?<![A|B])(?i:a|\|)|[^]|]", [("a", r"(?<![A|B])(?i:\|)|[^]|]"), (r"\|", "(?<![A|B])(?i:a)|[^]|]")]),
        (r"\(|[(]", [(r"\(", "[(]"), ("[(]", r"\(")]),
        (r"[\])]|[^\])]", [(r"[\])]", r"[^\])]"), (r"[^\])]", r"[\])]")]),
    ],
)
def test_alternatives_of_a_pattern(mutators: ModuleType, regex: str, expected: list[tuple[str, str]]) -> None:
    assert list(mutators.alternatives(regex))[: len(expected) or None] == expected


def test_a_rule_that_is_switched_off_is_noticed(mutate: ModuleType, tmp_path: Path) -> None:
    tests = ("tests/validate/test_rules.py",)
    off = next(mutate.mutants("validate.rules"))
    assert "switched off" in off.change.what
    assert mutate.lives(None, tests, str(tmp_path))
    assert not mutate.lives(off, tests, str(tmp_path))


def test_the_script() -> None:
    command = [sys.executable, str(SCRIPT), "contract.wire", "--line", "21"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "contract.wire: 3 of 3 mutants are noticed")


def test_what_lives_needs_an_explanation_and_an_explanation_what_lives(
    mutate: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = list(mutate.mutants("contract.wire"))
    alive = chosen[-1]
    why = mutate.Explanation("contract.wire", "source_of", alive.change.what, "because")
    assert mutate.told(chosen, [alive], []) == 1
    assert f"NOT NOTICED: contract.wire:21 (source_of): {alive.change.what}" in capsys.readouterr().out
    assert mutate.told(chosen, [alive], [why]) == 0
    assert f"contract.wire:21 (source_of): {alive.change.what}: because" in capsys.readouterr().out
    assert mutate.told(chosen, [], [why]) == 1
    assert f"NOT ALIVE, BUT EXPLAINED: contract.wire (source_of): {alive.change.what}" in capsys.readouterr().out
    assert mutate.told(chosen, [], [why._replace(module="contract.read")]) == 0


def test_explanations_are_of_mutants_that_exist(mutate: ModuleType) -> None:
    for module, where, what, why in mutate.explanations():
        assert why
        assert any((m.change.place.where, m.change.what) == (where, what) for m in mutate.mutants(module)), what


def test_every_rule_has_a_mutant(mutate: ModuleType) -> None:
    off = [mutant for mutant in mutate.mutants("validate.rules") if "switched off" in mutant.change.what]
    assert len(off) == 19
