"""What sequences and dictionaries hold, through all their levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from r0kit.golden.builder import OperationError
from r0kit.golden.values import DictValue, SequenceValue, Value

MOST = 1 << 16  # items; a structure that shares its parts may have more than any memory holds


def leaves(values: Iterable[Value]) -> Iterator[Value]:
    """Every value that is no sequence or dictionary, in order. OperationError where there are too many."""
    pending = [iter(values)]
    count = 0
    while pending:
        value = next(pending[-1], None)
        count += 1
        if count > MOST:
            raise OperationError(f"a list or dictionary with more than {MOST} items inside", "use a tensor")
        if value is None:
            pending.pop()
        elif isinstance(value, SequenceValue):
            pending.append(iter(value.items))
        elif isinstance(value, DictValue):
            pending.append(iter(value.items.values()))
        else:
            yield value
