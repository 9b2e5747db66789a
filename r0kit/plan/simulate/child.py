"""The process that holds the compiler: it forks once per kernel, so that a crash or a limit costs that kernel alone.

Started by `r0kit.plan.simulate.session`, never imported. It reads one JSON object a line (`source`, the text of a kernel
file; `seconds` and `bytes`, its limits) and answers with one: `cycles`, or `error`, what the compiler said.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import torch

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2); the wheel is for Linux alone
SIMULATED = "output/*/CostModelSimulationOutput/_simulate.swim.json"


def main() -> None:
    """Serve requests from standard input until it ends."""
    import_module("pypto")  # here, so that no kernel waits for it
    _die_with_parent()
    torch.set_num_threads(1)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as replies:
        os.dup2(2, 1)  # what the compiler prints is not an answer
        replies.write(json.dumps({"version": version("pypto")}) + "\n")
        replies.flush()
        for line in sys.stdin:
            replies.write(json.dumps(_answer(json.loads(line))) + "\n")
            replies.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    folder = tempfile.mkdtemp(prefix="r0kit-plan-")
    try:
        process = os.fork()
        if not process:
            _kernel(folder, request)
        with suppress(OSError):  # it may be faster
            os.setpgid(process, process)
        return _result(folder, _ended(process, request["seconds"]), request["seconds"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ended(process: int, seconds: float) -> int | None:
    """Wait status of the process, None where it had to be stopped."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def _result(folder: str, status: int | None, seconds: float) -> dict[str, Any]:
    if status is None:
        return {"error": f"not compiled within {seconds:g} s"}
    said = Path(folder, "error")
    if said.exists():
        return {"error": said.read_text(encoding="utf-8", errors="replace")}
    found = next(Path(folder).glob(SIMULATED), None)
    cycles = _cycles(found) if found else None
    if cycles:
        return {"cycles": cycles}
    ended = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"status {os.WEXITSTATUS(status)}"
    return {"error": f"the compiler ended with {ended} and no simulation"}


def _cycles(path: Path) -> int | None:
    """The end of the last task on any core."""
    cores = json.loads(path.read_text(encoding="utf-8"))
    return max((int(task["execEnd"]) for core in cores for task in core.get("tasks", ())), default=None)


def _kernel(folder: str, request: dict[str, Any]) -> None:
    """In the forked process: compile and simulate; never returns."""
    os.setpgid(0, 0)
    _die_with_parent()
    os.chdir(folder)
    log = os.open("log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(request["seconds"]) + 1,) * 2)
    _limit_memory(request["bytes"])
    Path("kernel.py").write_text(request["source"], encoding="utf-8")
    try:
        spec = spec_from_file_location("kernel", "kernel.py")
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        module.main()
    except BaseException as error:
        Path("error").write_text(f"{type(error).__name__}: {error}", encoding="utf-8")
    os._exit(0)


def _limit_memory(extra: int) -> None:
    """Let the address space grow by `extra` bytes and no more."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, used + extra))


def _die_with_parent() -> None:
    """A parent that is killed takes this process along."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
