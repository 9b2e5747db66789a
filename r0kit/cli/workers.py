"""Reports on many files by several processes."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from signal import SIG_IGN, SIGINT, signal

from r0kit.finding import Report

_CHUNK = 16  # files that a process takes at once
_FEW = 2 * _CHUNK  # files for which a second process costs more than it brings


def reports_of(check: Callable[[str], Report], paths: Sequence[str], jobs: int) -> Iterator[Report]:
    """`check` of each path, in their order, by `jobs` processes (0: as many as there are processors)."""
    jobs = min(jobs or os.cpu_count() or 1, -(-len(paths) // _CHUNK))
    if jobs < 2 or len(paths) < _FEW:
        yield from map(check, paths)
        return
    pool = ProcessPoolExecutor(jobs, initializer=_leave_interrupts)
    try:
        yield from pool.map(check, paths, chunksize=_CHUNK)
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts() -> None:
    """Ctrl-C goes to all processes of a terminal; the first of them ends the others."""
    signal(SIGINT, SIG_IGN)
