"""`--jobs N`: several processes, and what becomes of them when one cannot start or is ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from r0kit.cli.workers import reports_of
from r0kit.finding import Report

NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")


def _pid(path: str) -> Report:
    return Report(f"{path} {os.getpid()}")


def test_several_processes_work() -> None:
    paths = [str(number) for number in range(100)]
    names, pids = zip(*(report.path.split() for report in reports_of(_pid, paths, 2)), strict=True)
    assert list(names) == paths
    assert str(os.getpid()) not in pids
    assert {report.path.split()[1] for report in reports_of(_pid, paths[:20], 2)} == {str(os.getpid())}, "too few"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.parametrize("files", [8, 12, 16, 20, 64])
def test_where_processes_cannot_be_started_one_does_the_work(files: int, tmp_path: Path) -> None:
    """With so few open files a queue, a process or none of them fails to start; those that did start held the output."""
    import resource

    names = [f"{number}.yaml" for number in range(200)]
    for name in names:
        (tmp_path / name).write_text("", "utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", "from r0kit.cli import main; main()", "validate", "--jobs", "8", *names],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.endswith("FAIL: 200 errors in 200 files\n")


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", list[int]]]:
    """A run whose two processes, of these numbers, read large contracts."""
    module = "  - {id: 1, section: vector, inputs: [], outputs: []}\n"
    (tmp_path / "0.yaml").write_text(f"op: a\nmodule_count: 1\nmodules:\n{module * 2000}", "utf-8")
    names = [f"{number}.yaml" for number in range(400)]
    for name in names[1:]:
        os.link(tmp_path / "0.yaml", tmp_path / name)
    child = subprocess.Popen(
        [sys.executable, "-m", "r0kit", "validate", "--jobs", "2", *names],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = Path(f"/proc/{child.pid}/task/{child.pid}/children")
    while len(children.read_text().split()) < 2:
        assert child.poll() is None
        time.sleep(0.05)
    numbers = [int(number) for number in children.read_text().split()]
    time.sleep(1)  # until they read
    yield child, numbers
    for number in (child.pid, *numbers):
        if Path(f"/proc/{number}/environ").exists() and os.getpgid(number) == child.pid:
            os.kill(number, signal.SIGKILL)


@NEEDS_PROC
def test_ctrl_c_ends_all_processes_quietly(busy: tuple["subprocess.Popen[str]", list[int]]) -> None:
    child, _ = busy
    os.killpg(child.pid, signal.SIGINT)
    began = time.monotonic()
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, "", "")
    assert time.monotonic() - began < 5, "the files that have been begun are not read to their end"


@NEEDS_PROC
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_one_that_was_started(
    how: signal.Signals, busy: tuple["subprocess.Popen[str]", list[int]]
) -> None:
    """CI ends a job by its first process; the others waited for work for ever, and kept its output open."""
    child, numbers = busy
    child.send_signal(how)
    assert child.communicate(timeout=20) == ("", ""), "the output is open until the last of them ends"
    assert child.returncode == -how
    end = time.monotonic() + 20
    while any(map(_runs, numbers)):
        assert time.monotonic() < end
        time.sleep(0.05)


@NEEDS_PROC
def test_a_process_that_is_ended_from_outside_is_no_defect(busy: tuple["subprocess.Popen[str]", list[int]]) -> None:
    child, numbers = busy
    os.kill(numbers[0], signal.SIGKILL)
    out, err = child.communicate(timeout=20)
    assert (child.returncode, out) == (1, "")
    assert err == (
        "r0kit: error: a process was ended from outside, as happens where memory is short; ask for fewer --jobs\n"
    )


def _runs(number: int) -> bool:
    """Whether a process does; one that has ended may still be listed, as a zombie."""
    try:
        return ") Z" not in Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False
