"""Reading a loop body once with a symbolic trip."""

from __future__ import annotations

from r0kit.golden.scalars import Scalar
from r0kit.golden.values import ScalarValue, Value


class Trial:
    def generic(self, value: Value) -> Value:
        return value

    def decide(self, scalar: Scalar) -> bool | None:
        return None

    def bound(self, name: str, left: ScalarValue, right: ScalarValue) -> Value | None:
        return None
