"""Inputs of the campaigns of fuzz.py: the files of the tests, changed at random."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CONTRACT_SCRAPS = (
    *"[]{},:?-#&*!|>'\"%@`\n\t~<=.0ax批\\\r\x00\ufeff\x85",
    *(": ", "- ", "? ", "\n  ", "\n- ", "---\n", "%YAML 1.2\n", "!!int ", "&a ", "*a", "<<: *a", "{}", "[]", "null"),
    *(
        "yes",
        "1e3",
        ".nan",
        "-.inf",
        "0x1F",
        "9" * 400,
        "module_0",
        "phase_2",
        "primary",
        "TODO",
        "2001-01-01",
        "批" * 50,
    ),
)
GOLDEN_SCRAPS = (
    *(
        "0",
        "-1",
        "1",
        "2.5",
        "None",
        "True",
        "1e400",
        "10 ** 10 ** 10",
        "[]",
        "()",
        "{}",
        "*",
        "//",
        "%",
        "@",
        "~",
        "x[",
        "]",
    ),
    *(
        ".shape",
        ".T",
        ".item()",
        "torch.",
        "F.softmax(",
        ", dim=-1)",
        ".sum(",
        ".view(-1)",
        "[..., None]",
        "[::-1]",
        ":=",
    ),
    *(
        "for i in range(10 ** 9):",
        "while True:",
        "if x:",
        "lambda q: q",
        "yield",
        "await",
        "global x",
        "return",
        "del x",
    ),
    *(
        "\n",
        "\n    ",
        "\t",
        "#",
        '"""',
        "'",
        "\\\n",
        "f'{x}'",
        "\x00",
        "批",
        "class A: pass\n",
        "@staticmethod\n",
        "import os\n",
    ),
)
SPEC_SCRAPS = (
    *CONTRACT_SCRAPS,
    "```json machine-contract\n",
    "```\n",
    "|",
    "| --- |\n",
    "# ",
    '"',
    '{"inputs": ',
    "atol: ",
    "## P0\n",
    "## 动态轴\n",
    "- B=2, T=[3]\n",
    "1 <= T <= 8",
)

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
Scraps = tuple[str, ...]
Pool = list[str]
Corpus = list[str]
Mutator = Callable[[Corpus, Pool, Scraps, random.Random], tuple[bytes, int]]


def contracts() -> list[str]:
    """Contracts that are right and wrong, of the tests."""
    lines: list[str] = (ROOT / "tests/conformance/contracts.jsonl").read_text("utf-8").splitlines()
    written = [path.read_text("utf-8") for path in sorted((ROOT / "tests/contracts").glob("*.yaml"))]
    return [*(str(json.loads(line)["yaml"]) for line in lines), *written]


def goldens() -> list[str]:
    """Goldens of the tests: those in files, then ten times those that are a class."""
    from tests.golden.models import MODELS, text_of

    return [*(path.read_text("utf-8") for path in golden_files()), *map(text_of, [*MODELS] * 10)]


def golden_files() -> list[Path]:
    """The goldens of the tests that are files, in the order of the corpus."""
    return sorted((ROOT / "tests").glob("goldens*/*/*_golden*.py"))


def specs() -> list[str]:
    """SPECs of the tests: those of operators, and ten times each in prose."""
    tests = ROOT / "tests"
    paths = [*sorted(tests.glob("goldens*/*/SPEC.md")), *sorted(tests.glob("spec/prose/*.md")) * 10]
    return [path.read_text("utf-8") for path in paths]


def tokens(corpus: Corpus) -> Pool:
    """Every token of the corpus, once."""
    return sorted({token for text in corpus for token in _TOKEN.findall(text)})


def mutated(corpus: Corpus, pool: Pool, scraps: Scraps, dice: random.Random) -> tuple[bytes, int]:
    """An input, and which text of the corpus it began as."""
    origin = dice.randrange(len(corpus))
    text = corpus[origin]
    changes = _FINE if dice.random() < 0.75 else _ROUGH
    for _ in range(dice.choice((1, 1, 1, 2, 3, 5))):
        text = dice.choice(changes)(dice, text, scraps, pool, corpus)
    content = text.encode("utf-8", "surrogatepass")
    if dice.random() < 0.02 and content:
        at = dice.randrange(len(content))
        content = content[:at] + bytes([dice.randrange(256)]) + content[at + 1 :]
    return content, origin


def _insert(dice: random.Random, text: str, scraps: Scraps, _pool: Pool, _corpus: Corpus) -> str:
    at = dice.randint(0, len(text))
    return text[:at] + dice.choice(scraps) + text[at:]


def _cut(dice: random.Random, text: str, _scraps: Scraps, _pool: Pool, _corpus: Corpus) -> str:
    at = dice.randint(0, len(text))
    return text[:at] + text[at + dice.choice((1, 2, 5, 20, 100)) :]


def _double(dice: random.Random, text: str, _scraps: Scraps, _pool: Pool, _corpus: Corpus) -> str:
    at, length = dice.randint(0, len(text)), dice.choice((1, 5, 20, 100))
    return text[: at + length] + text[at : at + length] + text[at + length :]


def _token(dice: random.Random, text: str, _scraps: Scraps, pool: Pool, _corpus: Corpus) -> str:
    """Another token of the corpus in place of one: most results are still of the same form."""
    places = list(_TOKEN.finditer(text))
    if not places:
        return text
    place = dice.choice(places)
    return text[: place.start()] + dice.choice(pool) + text[place.end() :]


def _own_token(dice: random.Random, text: str, _scraps: Scraps, _pool: Pool, _corpus: Corpus) -> str:
    """A word of the text in place of another one."""
    words = [place for place in _TOKEN.finditer(text) if place.group()[0].isalnum()]
    if not words:
        return text
    place, other = dice.choice(words), dice.choice(words)
    return text[: place.start()] + other.group() + text[place.end() :]


def _line(dice: random.Random, text: str, _scraps: Scraps, _pool: Pool, corpus: Corpus) -> str:
    """A line removed, doubled, moved, or taken from another text."""
    lines = text.splitlines(True)
    if not lines:
        return text
    line = lines.pop(dice.randrange(len(lines)))
    fresh = dice.choice((None, [line, line], [line], dice.choice(corpus).splitlines(True)[:1]))
    if fresh:
        at = dice.randint(0, len(lines))
        lines[at:at] = fresh
    return "".join(lines)


def _splice(dice: random.Random, text: str, _scraps: Scraps, _pool: Pool, corpus: Corpus) -> str:
    """The beginning of a text and the end of another."""
    other = dice.choice(corpus)
    return text[: dice.randint(0, len(text))] + other[dice.randint(0, len(other)) :]


def _word(dice: random.Random, text: str, scraps: Scraps, pool: Pool, corpus: Corpus) -> str:
    """A word of the corpus in place of one."""
    words = [place for place in _TOKEN.finditer(text) if place.group()[0].isalnum()]
    fresh = dice.choice(pool)
    if not words or not fresh[0].isalnum():
        return _own_token(dice, text, scraps, pool, corpus)
    place: re.Match[str] = dice.choice(words)
    return text[: place.start()] + fresh + text[place.end() :]


_FINE = (_own_token, _own_token, _word, _word, _line)  # most results are still of the form of their corpus
_ROUGH = (_insert, _cut, _double, _token, _line, _splice)
