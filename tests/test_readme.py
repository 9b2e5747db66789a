"""The READMEs run: every command of a ```console block, in a copy of the tree, against the output shown below it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ENGLISH, CHINESE = ROOT / "README.md", ROOT / "README.zh.md"
COPIED = ("r0kit", "schemas", "templates", "scripts", "tests/goldens", "tests/render/contracts")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANYTHING = "..."  # a line of shown output that stands for any number of lines


class Command(NamedTuple):
    """A command of a console block, over several lines where these end in a backslash, and what is shown below it."""

    typed: str
    shown: list[str]

    @property
    def line(self) -> str:
        return self.typed.replace("\\\n", "")


def blocks(readme: Path, language: str) -> list[str]:
    return [body for tag, body in _BLOCK.findall(readme.read_text("utf-8")) if tag == language]


def commands(readme: Path) -> Iterator[Command]:
    for body in blocks(readme, "console"):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            typed, *shown = re.split(r"(?<!\\)\n", part.removesuffix("\n"))
            yield Command(typed, shown)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands of a README need, and `r0kit` and `python` of this interpreter on its PATH."""
    folder = tmp_path_factory.mktemp("readme")
    for part in COPIED:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    programs = folder / ".programs"
    programs.mkdir()
    for name, arguments in {"r0kit": " -m r0kit", "python": ""}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n', "utf-8")
        (programs / name).chmod(0o755)
    return folder


def output(line: str, folder: Path) -> list[str]:
    path = f"{folder / '.programs'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "120"}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, encoding="utf-8", timeout=120, **pipes)
    return run.stdout.splitlines()


def agrees(shown: list[str], real: list[str]) -> bool:
    pattern = "".join(r"(?:.*\n)*" if line == ANYTHING else f"{re.escape(line)}\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in real)) is not None


def test_commands_do_what_is_shown(copy: Path, request: pytest.FixtureRequest) -> None:
    """In order, because they work on each other's files. --refresh writes what they really say into both READMEs."""
    found = list(commands(ENGLISH))
    assert len(found) > 3
    for command in found:
        real = output(command.line, copy)
        if request.config.getoption("--refresh") and not agrees(command.shown, real):
            show(command, real)
        else:
            assert agrees(command.shown, real), f"$ {command.line}\n" + "\n".join(real)


def show(command: Command, real: list[str]) -> None:
    """Replace the lines shown below `command` by `real` in both READMEs."""
    for readme in (ENGLISH, CHINESE):
        text = readme.read_text("utf-8")
        parts = re.split(rf"^(\$ {re.escape(command.typed)}\n)", text, maxsplit=1, flags=re.MULTILINE)
        before, line, after = parts
        rest = after.removeprefix("".join(f"{shown}\n" for shown in command.shown))
        readme.write_text(before + line + "".join(f"{said}\n" for said in real) + rest, "utf-8")


def test_both_readmes_show_the_same_commands() -> None:
    for language in ("sh", "console", "yaml", "toml"):
        assert blocks(ENGLISH, language) == blocks(CHINESE, language)


def test_the_first_two_shell_blocks_set_up_and_test() -> None:
    set_up, tests, *_ = blocks(ENGLISH, "sh")
    assert "venv" in set_up and "pip install" in set_up and "r0kit gen" in set_up
    assert "pytest" in tests
    assert all(len(block.replace("\\\n", "").splitlines()) == 1 for block in (set_up, tests)), "one command each"


def test_every_command_is_described() -> None:
    from r0kit.cli.app import COMMANDS

    for readme in (ENGLISH, CHINESE):
        text = readme.read_text("utf-8")
        assert not [name for name in COMMANDS if f"| `r0kit {name}" not in text]


def test_links_lead_somewhere() -> None:
    for readme in (ENGLISH, CHINESE, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"):
        targets = re.findall(r"\]\(([^)#:]+)\)", readme.read_text("utf-8"))
        assert not [target for target in targets if not (ROOT / target).exists()]


@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
        (["a", "...", "c", "...", "e"], ["a", "b", "c", "d", "e"], True),
        (["a", "...", "x", "...", "e"], ["a", "b", "c", "d", "e"], False),
        ([], [], True),
        ([], ["a"], False),
    ],
)
def test_comparison(shown: list[str], real: list[str], same: bool) -> None:
    assert agrees(shown, real) is same


def test_the_front_matter_is_read_whole() -> None:
    from r0kit.spec import parse_spec

    [block] = [block for block in blocks(ENGLISH, "yaml") if block.startswith("op_name:")]
    spec, findings = parse_spec(f"---\n{block}---\n", "SPEC.md")
    assert findings == ()
    assert [spec.bindings(case) for case in spec.p0_cases] == [{"B": 2, "T": 128}, {"B": 3, "T": 333}]
    assert [tensor.shape for tensor in spec.inputs] == [("B", "T"), ("T",)]
    assert len(spec.outputs) == 1 and dict(spec.default_params) == {"eps": 1e-06}
