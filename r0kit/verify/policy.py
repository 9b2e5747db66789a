"""How far a value may be off: `allclose` with atol and rtol, or the scheme-A policy of PyPTO-Pro. Without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the child process needs this module, and neither of these
    from r0kit.contract.model import Verification
    from r0kit.spec import Tolerance

PRO_SCHEME_A = "pro_scheme_a"
POLICIES = (PRO_SCHEME_A,)


class Row(NamedTuple):
    """Scheme A for one dtype: element tolerances, the largest error allowed, and the spacing of values at 1.0."""

    rtol: float
    atol: float
    limit: float
    ulp: float


# Sources: the policy's own table (rtol, atol, limit); spacings at 1.0 follow from the width of the significand.
SCHEME_A = {
    "float16": Row(2**-9, 2**-9, 0.1, 2**-10),
    "bfloat16": Row(2**-6, 2**-6, 1.0, 2**-7),
    "float32": Row(2**-10, 2**-16, 0.01, 2**-23),
}
WITHIN = 0.99  # share of elements that must be within the element tolerances


@dataclass(frozen=True, slots=True)
class Limits:
    """The tolerance of one contract; `policy` is "" where atol and rtol decide."""

    atol: float = 0.0
    rtol: float = 0.0
    policy: str = ""

    def row(self, dtype: str) -> Row:
        """Scheme A for `dtype`; what its table leaves out is judged as float32."""
        return SCHEME_A.get(dtype, SCHEME_A["float32"])


def limits_of(verification: Verification, tolerance: Tolerance) -> Limits | None:
    """The contract's tolerance, else SPEC's; a policy goes before atol and rtol. None where neither says anything."""
    for source in (verification, tolerance):
        if source.policy in POLICIES:
            return Limits(policy=source.policy)
        if source.atol is not None and source.rtol is not None:
            return Limits(source.atol, source.rtol)
    return None


def looser(verification: Verification, tolerance: Tolerance) -> str:
    """In what the contract is more tolerant than SPEC, as text; "" where in nothing."""
    if tolerance.policy in POLICIES and verification.policy != tolerance.policy and verification.atol is not None:
        return ""  # the two do not compare
    found = [
        f"{name} {ours:g} is looser than SPEC's {theirs:g}"
        for name, ours, theirs in (
            ("atol", verification.atol, tolerance.atol),
            ("rtol", verification.rtol, tolerance.rtol),
        )
        if ours is not None and theirs is not None and ours > theirs and not verification.policy
    ]
    return " and ".join(found)
