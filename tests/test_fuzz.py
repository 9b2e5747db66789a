"""The campaigns of scripts/fuzz.py: a small one of each, going on where it stopped, and one that fails."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module("fuzz")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def campaign(fuzz: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", *map(str, arguments)])
    return fuzz.main()


@pytest.mark.parametrize(("name", "count"), [("contracts", 120), ("goldens", 25), ("specs", 60), ("meanings", 40)])
def test_campaigns(
    fuzz: ModuleType, name: str, count: int, long_mode: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count *= 100 if long_mode else 1
    if name == "meanings":
        pytest.importorskip("torch")
    assert campaign(fuzz, monkeypatch, name, "--count", count, "--folder", tmp_path, "--memory", 4096) == 0
    state = json.loads((tmp_path / f"{name}-1.json").read_text())
    assert (state["next"], sum(state["ended"].values()), state["failures"]) == (count, count, {})


def test_a_campaign_goes_on_where_it_stopped(
    fuzz: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for count in (10, 30):
        assert campaign(fuzz, monkeypatch, "specs", "--count", count, "--folder", tmp_path, "--chunk", 7) == 0
    assert campaign(fuzz, monkeypatch, "specs", "--count", 30, "--folder", tmp_path / "whole") == 0
    first, second, whole = capsys.readouterr().out.splitlines()
    assert first.startswith("specs: 10 inputs") and second.startswith("specs: 30 inputs")
    assert second.partition(")")[0] == whole.partition(")")[0]


def test_inputs_depend_on_seed_and_number_alone(fuzz: ModuleType) -> None:
    one, other = (fuzz.Source(fuzz.CAMPAIGNS["contracts"], seed) for seed in (1, 2))
    assert one.input(5) == one.input(5) != one.input(6)
    assert one.input(5) != other.input(5)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raise ValueError('boom')", "ValueError: boom"),
        ("while True: pass", "more than 1.0 s"),
        ("bytearray(1 << 30)", "MemoryError"),
        ("import os; os._exit(7)", "the worker ended with 7"),
    ],
)
def test_what_fails_is_told_and_kept(
    fuzz: ModuleType,
    fault: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = fuzz.Source(fuzz.CAMPAIGNS["specs"], 1)
    bad = source.input(2)[0]

    def judge(content: bytes, _origin: int) -> str:
        if content == bad:
            exec(fault)
        return "read"

    monkeypatch.setitem(fuzz.CAMPAIGNS, "specs", fuzz.CAMPAIGNS["specs"]._replace(judge=judge))
    assert campaign(fuzz, monkeypatch, *f"specs --count 4 --seconds 1 --memory 256 --folder {tmp_path}".split()) == 1
    assert capsys.readouterr().out.startswith(f"input 2: {said}\n")
    assert (tmp_path / "specs-1-2.input").read_bytes() == bad
    state = json.loads((tmp_path / "specs-1.json").read_text())
    assert state["next"] == 4 and list(state["failures"]) == ["2"]


def guided(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts/fuzz_guided.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_guided_campaigns_name_what_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "atheris.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ended = guided("specs", "--folder", tmp_path)
    assert (ended.returncode, ended.stderr) == (1, "fuzz_guided.py needs atheris: pip install -e '.[fuzz]'\n")


def test_a_kept_input_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "crash-1").write_text("phase_list: [\n")
    assert guided("contracts", "--again", tmp_path / "crash-1").stdout == "unreadable\n"


@pytest.mark.parametrize("name", ["contracts", "goldens", "specs"])
def test_guided_campaigns_reach_more_branches(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    ended = guided(name, "--count", 1500, "--folder", tmp_path)
    assert ended.returncode == 0, ended.stderr[-3000:]
    seeds = [path for path in (tmp_path / f"{name}-corpus").iterdir() if path.name.startswith("seed-")]
    assert 0 < len(seeds) < len(list((tmp_path / f"{name}-corpus").iterdir()))


def test_words_of_the_dictionary_are_bytes(fuzz: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    dictionary = importlib.import_module("fuzz_guided").dictionary
    assert dictionary(("a: ", "批", ""), ["\\x"]) == '"\\x5Cx"\n"a\\x3A\\x20"\n"\\xE6\\x89\\xB9"\n'


def test_a_meaning_that_differs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the reader to take `*` for `/`, the campaign would say so."""
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    meanings = importlib.import_module("fuzz_meanings")
    number = [operator.name for operator in meanings._operators()].index("row_softmax")
    text = meanings.goldens()[number]
    assert meanings.judge(text.encode(), number) == "agrees"
    composed = meanings._composed
    monkeypatch.setattr(meanings, "_composed", lambda text, *rest: composed(text.replace(" / ", " * "), *rest))
    with pytest.raises(AssertionError, match="elements differ"):
        meanings.judge(text.encode(), number)
