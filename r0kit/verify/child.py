"""The process that runs foreign code: the golden, and stage functions. Started by `r0kit.verify.session`, never imported.

It reads one JSON object a line from one pipe and answers on another; its standard streams belong to the foreign code.
Between `import torch` and the first line of that code it limits its own memory.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

import torch

from r0kit.verify.callers import ForeignError, guarded
from r0kit.verify.run import Subject

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of mallopt(3)


def main(requests: int, replies: int, memory: int, threads: int) -> None:
    """Serve requests from the file descriptor `requests` until it ends. memory: bytes, 0 for no limit."""
    _die_with_parent()
    settle(threads)
    answer = _Answers(replies)
    answer({"event": "ready", "limited": _limit_memory(memory)})
    sys.dont_write_bytecode = True
    subject = Subject(lambda phase: answer({"event": "phase", "phase": phase}))
    actions: Mapping[str, Callable[[Any], dict[str, Any]]] = {"load": subject.load, "run": subject.run}
    with os.fdopen(requests, encoding="utf-8") as lines:
        for line in lines:
            request = json.loads(line)
            answer(_answered(actions[request["action"]], request))
    _flush()
    os._exit(0)  # what foreign code registered for the end of the process is not ours to wait for


def settle(threads: int) -> None:
    """How this process computes. threads: of torch, 0 for its choice."""
    if threads:
        torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    _keep_freed_memory()


class _Answers:
    """Writes one JSON object a line; NaN and infinity are Python's, which the other end reads."""

    def __init__(self, descriptor: int) -> None:
        self.file = os.fdopen(descriptor, "w", encoding="utf-8")

    def __call__(self, message: Mapping[str, Any]) -> None:
        _flush()
        self.file.write(json.dumps(message) + "\n")
        self.file.flush()


def _answered(action: Callable[[Any], dict[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"event": "answer", **guarded("verify", lambda: action(request))}
    except ForeignError as error:
        return {"event": "error", **error.data}


def _flush() -> None:
    """What foreign code has printed so far leaves this process before the next message does."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or replaced by something else
            continue


def _die_with_parent() -> None:
    """A parent that is killed takes this process along, even out of an endless loop. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _keep_freed_memory() -> None:
    """Let the allocator keep what is freed: pages that the system takes back are cleared before it gives them again.

    That costs as much as an elementwise operation, for every value of more than a few pages. Where there is no glibc,
    things stay as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, 1 << 30)
        mallopt(_TRIM_THRESHOLD, (1 << 31) - 1)


def _limit_memory(extra: int) -> bool:
    """Let the address space grow by `extra` bytes and no more; whether this system can do that."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        if extra:
            resource.setrlimit(resource.RLIMIT_AS, (used + extra, used + extra))
    except (ImportError, OSError, ValueError):
        return False
    return True
