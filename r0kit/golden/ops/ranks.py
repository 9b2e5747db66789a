"""How many axes the tensors of an operation have, where torch takes no others; everywhere else the rules ask themselves."""

from __future__ import annotations

from collections.abc import Mapping

from r0kit.golden.builder import OperationError
from r0kit.golden.dims import shape_text
from r0kit.golden.ops.row import Call, Operation, items_of
from r0kit.golden.values import TensorValue, Value

MANY = 64  # as many as any tensor has

# Row -> parameter -> (fewest axes, most axes). Found by asking torch for an error: tests/golden/test_refusals.py.
RANKS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "batch_norm": {"input": (2, MANY)},
    "block_diag": {"tensors": (0, 2)},
    "cartesian_prod": {"tensors": (1, 1)},
    "channel_shuffle": {"input": (3, MANY)},
    "cross_entropy": {"input": (1, MANY)},
    "group_norm": {"input": (2, MANY)},
    "im2col": {"input": (3, 4)},
    "instance_norm": {"input": (2, MANY)},
    "nll_loss": {"input": (1, MANY)},
    "pdist": {"input": (2, 2)},
    "pinv": {"input": (2, MANY)},
    "pixel_shuffle": {"input": (3, MANY)},
    "pixel_unshuffle": {"input": (3, MANY)},
    "qr": {"input": (2, MANY)},
    "trace": {"input": (2, 2)},
}


def applied(operation: Operation, call: Call) -> Value:
    """The value of a bound call. OperationError where torch refuses its tensors or its numbers."""
    _check(operation.name, call)
    try:
        return operation.rule(call)
    except ArithmeticError as error:  # a stride of 0, a number of chunks of 0, an extent of infinity
        message = f"{operation.name} cannot be computed from these numbers: {error}"
        raise OperationError(message, "give it numbers that torch takes") from error


def _check(name: str, call: Call) -> None:
    for parameter, (fewest, most) in RANKS.get(name, {}).items():
        for value in items_of(call[parameter]):
            if isinstance(value, TensorValue) and not fewest <= value.rank <= most:
                wanted = (
                    str(fewest) if fewest == most else f"{fewest} or more" if most == MANY else f"{fewest} to {most}"
                )
                raise OperationError(f"{name} takes tensors of {wanted} axes, not {shape_text(value.shape)}")
