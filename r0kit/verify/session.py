"""A child process for foreign code, seen from the parent: started, asked, limited in time, and ended for certain."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from types import TracebackType
from typing import IO, Any

START_LIMIT = 120.0  # seconds for the interpreter and `import torch`, which are ours and not the golden's
_KEPT = 4096  # bytes of each of the child's streams that reports may quote
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The current folder is taken off the path: a file of the user's called `struct.py` must not be ours. The package's own
# __init__ is for the parent: it imports what reads contracts and goldens, a third of a second that the child can spare.
_START = (
    "import sys, types; sys.path[:] = [{root!r}, *filter(None, sys.path)]\n"
    "package = sys.modules['r0kit.verify'] = types.ModuleType('r0kit.verify'); package.__path__ = [{room!r}]\n"
    "from r0kit.verify.child import main; main({requests}, {replies}, {memory}, {threads})"
)


@dataclass(frozen=True, slots=True)
class Resources:
    """What foreign code may use: seconds per case, bytes beyond those of torch itself, threads (0: torch's choice)."""

    timeout: float = 60.0
    memory: int = 8 << 30
    threads: int = 0


class ChildError(Exception):
    """The child did not answer. `phase` is what it was doing; `errors` the end of its standard error."""

    def __init__(self, message: str, phase: str, errors: str = "") -> None:
        self.message, self.phase, self.errors = message, phase, errors
        super().__init__(message)


class TimedOut(ChildError):
    """It took longer than it may."""


class Ended(ChildError):
    """It ended: `status` is its exit status, negative for a signal."""

    def __init__(self, status: int, phase: str, errors: str) -> None:
        self.status = status
        super().__init__(_ending(status), phase, errors)


class Session:
    """One child process. Use it as a context: it does not outlive the `with` block, whatever runs in it."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.phase = "start"
        self.printed = _Stream()
        self._errors = _Stream()
        self._buffer = b""
        self._closed = False

    def __enter__(self) -> Session:
        requests, ask = os.pipe()
        answers, replies = os.pipe()
        code = _START.format(
            root=_ROOT,
            room=os.path.dirname(os.path.abspath(__file__)),
            requests=requests,
            replies=replies,
            memory=self.resources.memory,
            threads=self.resources.threads,
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(requests, replies),
            start_new_session=True,
        )
        os.close(requests)
        os.close(replies)
        self._ask, self._answers = ask, answers
        self.printed.drain(self._process.stdout)
        self._errors.drain(self._process.stderr)
        self._selector = selectors.DefaultSelector()
        self._selector.register(answers, selectors.EVENT_READ)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Wait until torch is there. ChildError where it never is."""
        self._reply(START_LIMIT)
        self.phase = "load"

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request. TimedOut or Ended where there is none."""
        text = json.dumps(message).encode() + b"\n"
        with suppress(OSError):  # it has ended: the missing reply says how
            while text:
                text = text[os.write(self._ask, text) :]
        return self._reply(self.resources.timeout)

    def close(self) -> None:
        """End the process and everything that it has started; a second time there is nothing to do."""
        if self._closed:
            return
        self._closed = True
        os.close(self._ask)
        if self.phase != "start":  # before, nobody reads that there is no more to do, and nothing can be lost
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
        self._kill()
        self._process.wait()
        for stream in (self.printed, self._errors):
            stream.finish()
        self._selector.close()
        os.close(self._answers)

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _reply(self, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            line = self._line(deadline)
            if line is None:
                self._kill()
                raise TimedOut(f"did not end within {seconds:g} s", self.phase)
            if not line:
                status = self._process.wait()
                self._errors.finish()
                raise Ended(status, self.phase, self._errors.text)
            message: dict[str, Any] = json.loads(line)
            if message["event"] != "phase":
                return message
            self.phase = message["phase"]

    def _line(self, deadline: float) -> bytes | None:
        """The next line of the child; empty when it has ended, None when the time is up."""
        while b"\n" not in self._buffer:
            if not self._selector.select(max(deadline - time.monotonic(), 0)):
                return None
            chunk = os.read(self._answers, 1 << 16)
            if not chunk:
                return b""
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


class _Stream:
    """One of the child's standard streams: read to its end so that nobody blocks, of which the beginning is kept."""

    def __init__(self) -> None:
        self.size = 0
        self._first, self._last = b"", b""
        self._thread: Thread | None = None

    def drain(self, stream: IO[bytes] | None) -> None:
        if stream is not None:
            self._thread = Thread(target=self._read, args=(stream,), daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Wait for what is still in the pipe, unless a process that the child has started holds it open."""
        if self._thread is not None:
            self._thread.join(1.0)

    @property
    def text(self) -> str:
        """The last lines of it."""
        return self._last.decode("utf-8", "replace")

    @property
    def beginning(self) -> str:
        return self._first.decode("utf-8", "replace")

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 16):
                self.size += len(chunk)
                self._first = (self._first + chunk)[:_KEPT]
                self._last = (self._last + chunk)[-_KEPT:]


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended the process with exit status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = str(-status)
    return f"crashed the process ({name})"
