"""Kernels -> simulated cycles, through a process that holds the compiler."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Any

INSTALL = 'pip install "r0kit[pypto]"'
_ROOT = str(Path(__file__).resolve().parents[3])
_START = f"import sys; sys.path.insert(0, {_ROOT!r}); from r0kit.plan.simulate.child import main; main()"
_FRAME = re.compile(r"\[0x[0-9a-f]+\]")  # in a line of the compiler's own stack


class SimulatorError(RuntimeError):
    """There is no simulator, or it does not start; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one kernel may take: seconds of time, bytes beyond the compiler's own."""

    seconds: float = 120.0
    memory: int = 8 << 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """Cycles on the simulated cores, or the compiler's own words why there are none."""

    cycles: int | None
    error: str = ""


USUAL = Limits()


class Session:
    """A compiler that is kept running. Use it as a context."""

    def __init__(self, limits: Limits = USUAL) -> None:
        self.limits = limits
        self.version = ""

    def __enter__(self) -> Session:
        """Start it. SimulatorError where pypto is not installed, or cannot be imported."""
        missing = [name for name in ("pypto", "torch") if find_spec(name) is None]
        if missing:
            raise SimulatorError(f"simulation needs {' and '.join(missing)}; install with: {INSTALL}")
        self._errors: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            (sys.executable, "-c", _START),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        try:
            self.version = str(self._reply()["version"])
        except SimulatorError:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def run(self, source: str) -> Outcome:
        """Compile and simulate one kernel file."""
        request = {"source": source, "seconds": self.limits.seconds, "bytes": self.limits.memory}
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended: the missing reply says how
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        reply = self._reply()
        return Outcome(reply.get("cycles"), words(str(reply.get("error", ""))))

    def _reply(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            last = (self._errors.read().strip().splitlines() or ["it said nothing"])[-1]
            raise SimulatorError(f"the compiler's process ended: {last[:200]}")
        reply: dict[str, Any] = json.loads(line)
        return reply


def words(error: str) -> str:
    """What the compiler said, on one line, without the frames of its stack and the places in its source."""
    lines = [line.strip() for line in error.splitlines() if not _FRAME.search(line)]
    return re.sub(r",? func \w+, file [\w.]+, line \d+", "", " ".join(line for line in lines if line))[:300]
