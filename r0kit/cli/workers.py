"""Reports on many files by several processes."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from errno import ECHILD
from multiprocessing import active_children, parent_process
from signal import SIG_IGN, SIGINT, signal
from threading import Thread

from r0kit.finding import Report

_CHUNK = 16  # files that a process takes at once
_FEW = 2 * _CHUNK  # files for which a second process costs more than it brings


def reports_of(check: Callable[[str], Report], paths: Sequence[str], jobs: int) -> Iterator[Report]:
    """`check` of each path, in their order, by `jobs` processes (0: as many as there are processors).

    Where the system does not start so many, this process does it alone.
    """
    jobs = min(jobs or os.cpu_count() or 1, -(-len(paths) // _CHUNK))
    if jobs < 2 or len(paths) < _FEW:
        yield from map(check, paths)
        return
    yield from _shared(check, paths, jobs) or map(check, paths)


def _shared(check: Callable[[str], Report], paths: Sequence[str], jobs: int) -> Iterator[Report] | None:
    """The reports by `jobs` processes, None where they cannot be started: too few files, processes, threads."""
    try:
        pool = ProcessPoolExecutor(jobs, initializer=_begin)
    except (OSError, NotImplementedError):
        return None
    try:
        reports = pool.map(check, paths, chunksize=_CHUNK)
    except (OSError, RuntimeError):
        pool.shutdown(cancel_futures=True)
        for child in active_children():  # those that were started before one was not
            child.terminate()
            child.join()
        return None
    return _until_the_end(pool, reports)


def _until_the_end(pool: ProcessPoolExecutor, reports: Iterator[Report]) -> Iterator[Report]:
    try:
        yield from reports
    except BrokenProcessPool:
        said = "a process was ended from outside, as happens where memory is short; ask for fewer --jobs"
        raise ChildProcessError(ECHILD, said) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C nobody wants what has been begun


def _begin() -> None:
    """Ctrl-C goes to all processes of a terminal, and the first of them ends the others; so does its own end, however
    sudden: a process that waits for work holds the pipe open from which that would come."""
    signal(SIGINT, SIG_IGN)
    with suppress(RuntimeError):  # no thread can be started
        Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
