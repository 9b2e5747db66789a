"""The process around the commands: exit statuses, streams, and how errors end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from r0kit import __version__
from r0kit.cli import common, run
from r0kit.cli.app import COMMANDS
from r0kit.finding import Finding, InputError, Location, Severity

ROOT = Path(__file__).parents[2]
GOLDEN = str(ROOT / "tests/goldens/row_softmax/row_softmax_golden_cpu.py")
CONTRACT = str(ROOT / "tests/render/contracts/row_softmax.yaml")


def r0kit(*arguments: str, **options: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "r0kit", *arguments], capture_output=True, text=True, encoding="utf-8", **options
    )


def test_version() -> None:
    run = r0kit("--version")
    assert (run.returncode, run.stdout, run.stderr) == (0, f"r0kit {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["--no-such-option"]])
def test_wrong_usage_is_2_and_leaves_standard_output_empty(arguments: list[str]) -> None:
    run = r0kit(*arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert "Usage: r0kit" in run.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_usage_has_plain_words(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--no-such-option"]) == 2
    usage = capsys.readouterr().err.splitlines()[0]
    assert usage.startswith(f"Usage: r0kit {command} [OPTIONS]")
    assert not set("{}") & set(usage) and "...]..." not in usage and "[[" not in usage


def test_what_a_value_may_be_is_said_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gen", "golden.py", "--strategy", "fast"]) == 2
    said = capsys.readouterr().err
    assert "Value error" not in said and "'fast' is not one of 'auto'" in said


@pytest.mark.parametrize("asked", [("gen", GOLDEN), ("stages", GOLDEN, "--contract", CONTRACT), ("render", CONTRACT)])
def test_a_dash_for_a_file_is_standard_output(
    asked: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = (run([*asked]), *capsys.readouterr())
    assert not plain[0] and plain[1]
    assert (run([*asked, "-o", "-"]), *capsys.readouterr()) == plain
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_named() -> None:
    with open("/dev/full", "w") as full:
        run = subprocess.run([sys.executable, "-m", "r0kit", "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (run.returncode, run.stderr) == (1, "r0kit: error: No space left on device\n")


def test_a_reader_that_has_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run([sys.executable, "-m", "r0kit", "--help"], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert run.returncode == 1
    assert run.stderr == ""


@pytest.mark.parametrize("command", ["steps", "plan", "gen"])
def test_what_goes_to_a_closed_stream_goes_nowhere_else(command: str) -> None:
    """`gen 2>&-` wrote what it had to say into the contract; `steps >&-` ended as a defect."""
    file = {"plan": "tests/contracts/row_softmax.yaml"}.get(
        command, "tests/goldens/huber_loss/huber_loss_golden_cpu.py"
    )
    plain = r0kit(command, file)
    for closed, kept, lost in (("2>&-", "stdout", "stderr"), (">&-", "stderr", "stdout")):
        run = subprocess.run(
            f"{sys.executable} -m r0kit {command} {file} {closed}", shell=True, capture_output=True, text=True
        )
        assert (run.returncode, getattr(run, kept), getattr(run, lost)) == (0, getattr(plain, kept), "")


def test_closed_standard_streams() -> None:
    run = subprocess.run(f"{sys.executable} -m r0kit --version >&- 2>&-", shell=True)
    assert run.returncode == 0


_PLACE = Location("a.yaml", 3, 7)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (None, 0, ""),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 1, ""),
        (MemoryError(), 1, "r0kit: error: there is not enough memory\n"),
        (PermissionError(13, "Permission denied", "out"), 1, "r0kit: error: out: Permission denied\n"),
        (
            InputError([Finding("io.read", Severity.ERROR, "no such file", _PLACE, "check the name")]),
            1,
            "a.yaml:3:7: error: no such file [io.read]\n  hint: check the name\n",
        ),
    ],
)
def test_how_errors_end(
    error: BaseException | None, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def body() -> int | None:
        if error is not None:
            raise error
        return None

    assert common.status_of(body) == status
    assert capsys.readouterr() == ("", said)


def test_a_defect_is_3_names_its_place_and_asks_for_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    def body() -> int:
        return [][0]

    assert common.status_of(body) == 3
    said = capsys.readouterr().err
    assert "internal error: IndexError" in said
    assert f"{__file__}:" in said
    assert "please report" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("locale", ["C", "POSIX", "zh_CN.GBK"])
def test_output_is_utf_8_in_any_locale(locale: str) -> None:
    script = "from r0kit.cli.common import leave; leave(lambda: print('\\u76ee\\u6807 \\udc80'))"
    environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment)
    assert (run.returncode, run.stdout.decode()) == (0, "目标 \\udc80\n")


def test_ctrl_c_is_quiet() -> None:
    script = "from r0kit.cli.common import leave; import time; leave(lambda: (print('up', flush=True), time.sleep(30)))"
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)
    assert (child.returncode, said) == (130, b"")


def test_a_verdict_that_nobody_listens_to_is_still_the_status() -> None:
    run = subprocess.run(f"{sys.executable} -m r0kit validate {__file__} >&- 2>&-", shell=True)
    assert run.returncode == 1


def test_a_brief_run_still_notices_a_full_disk() -> None:
    command = [sys.executable, "-m", "r0kit", "validate", "--self-test"]
    with open("/dev/full", "w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (run.returncode, run.stderr) == (1, "r0kit: error: No space left on device\n")
