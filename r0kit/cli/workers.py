"""Reports on many files by several processes."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from r0kit.finding import Report

_CHUNK = 16  # files that a process takes at once
_FEW = 2 * _CHUNK  # files for which a second process costs more than it brings


def reports_of(check: Callable[[str], Report], paths: Sequence[str], jobs: int) -> Iterator[Report]:
    """`check` of each path, in their order, by `jobs` processes (0: as many as there are processors)."""
    jobs = min(jobs or os.cpu_count() or 1, -(-len(paths) // _CHUNK))
    if jobs < 2 or len(paths) < _FEW:
        yield from map(check, paths)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(check, paths, chunksize=_CHUNK)
