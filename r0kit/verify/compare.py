"""One value of a stage function against the golden's. Imported by the child process alone, because it needs torch."""

from __future__ import annotations

from typing import Any

import torch

from r0kit.verify.policy import PRO_SCHEME_A, WITHIN, Limits, Row

_TINY = 5e-324  # the smallest number above 0
ULPS = 32  # of scheme A: the largest error is at most that many spacings at 1.0, where that is more than the limit


def measure(stage: torch.Tensor, golden: torch.Tensor, limits: Limits) -> dict[str, Any] | None:
    """How far `stage` is off, as plain data with a key `within`; None where it is the same in every bit.

    Shapes and dtypes must be equal. The case of equal bits, which is the usual one, costs one pass.
    """
    if stage.shape != golden.shape:
        return {"within": False, "kind": "shape", "expected": list(golden.shape), "actual": list(stage.shape)}
    if stage.dtype != golden.dtype:
        expected, actual = dtype_name(golden.dtype), dtype_name(stage.dtype)
        return {"within": False, "kind": "dtype", "expected": expected, "actual": actual}
    if _same_bits(stage, golden):
        return None
    a, g = stage.double(), golden.double()
    if limits.policy != PRO_SCHEME_A:
        close = _all_close(a, g, limits)
        if close is not None:
            return close
    same = (a == g) | (a.isnan() & g.isnan())
    if limits.policy == PRO_SCHEME_A:
        within, holds = _scheme_a(a, g, same, limits.row(dtype_name(golden.dtype)), golden.dtype)
    else:
        within = same | (((a - g).abs() <= limits.atol + limits.rtol * g.abs()) & a.isfinite() & g.isfinite())
        holds = bool(within.all())
    return {
        "within": holds,
        **_measured(a, g, same, within),
        "spacings": _spacings(a, g, golden.dtype),
        "dtype": dtype_name(golden.dtype),
    }


def _same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors of one shape and dtype are equal; words of 64 bits compare several times faster than numbers."""
    if a.is_contiguous() and b.is_contiguous() and a.numel() * a.element_size() % 8 == 0 and a.numel():
        try:
            return torch.equal(a.reshape(-1).view(torch.int64), b.reshape(-1).view(torch.int64))
        except RuntimeError:  # a part of a larger tensor that does not begin at a whole word
            pass
    return torch.equal(a, b)


def _all_close(a: torch.Tensor, g: torch.Tensor, limits: Limits) -> dict[str, Any] | None:
    """The measurement of values that are finite and all within, which needs few passes; None for any others."""
    error, size = (a - g).abs_(), g.abs()
    largest = error.max().item()
    if not largest < float("inf") or not bool((error <= size.mul(limits.rtol).add_(limits.atol)).all()):
        return None
    relative = error.div_(size.clamp_min_(_TINY)).max().item()
    return {"within": True, "kind": "value", "max_abs": largest, "max_rel": relative}


def dtype_name(dtype: torch.dtype) -> str:
    """As contracts write it."""
    return str(dtype).removeprefix("torch.")


def _scheme_a(
    a: torch.Tensor, g: torch.Tensor, same: torch.Tensor, row: Row, dtype: torch.dtype
) -> tuple[torch.Tensor, bool]:
    """Which elements are within, and whether the policy as a whole holds."""
    if not dtype.is_floating_point:
        return same, bool(same.all())
    largest = torch.finfo(dtype).max
    opposite = a.isinf() & g.isinf() & (a != g)
    error = (a.clamp(-largest, largest) - g.clamp(-largest, largest)).abs()
    within = same | ((error <= row.atol + row.rtol * g.clamp(-largest, largest).abs()) & ~opposite)
    broken = bool((opposite | (a.isnan() != g.isnan())).any())
    enough = within.double().mean().item() >= WITHIN
    worst = error[~(same | error.isnan())]
    small = worst.numel() == 0 or worst.max().item() <= max(row.limit, ULPS * row.ulp)
    return within, enough and small and not broken


def _measured(a: torch.Tensor, g: torch.Tensor, same: torch.Tensor, within: torch.Tensor) -> dict[str, Any]:
    """Size and place of the difference; NaN and infinity count as larger than any number."""
    error = torch.where(same, 0.0, (a - g).abs())
    ranked = torch.where(within, -1.0, error).nan_to_num(torch.inf, torch.inf)
    ranked = ranked if bool((ranked >= 0).any()) else error.nan_to_num(torch.inf, torch.inf)
    worst = int(ranked.flatten().argmax().item())
    relative = torch.where(error > 0, error / g.abs(), error)
    return {
        "kind": "value",
        "max_abs": error.nan_to_num(torch.inf, torch.inf).max().item(),
        "max_rel": relative.nan_to_num(torch.inf, torch.inf).max().item(),
        "count": int((~within).sum().item()),
        "total": a.numel(),
        "index": [int(axis) for axis in torch.unravel_index(torch.tensor(worst), a.shape)],
        "golden": g.flatten()[worst].item(),
        "stage": a.flatten()[worst].item(),
    }


def _spacings(a: torch.Tensor, g: torch.Tensor, dtype: torch.dtype) -> float:
    """The largest difference, in spacings of neighbouring numbers of `dtype` at the largest value."""
    if not dtype.is_floating_point:
        return 0.0
    bits = torch.finfo(dtype)
    exponent = torch.frexp(g.abs().max().clamp(min=bits.tiny))[1] - 1
    return float(((a - g).abs().max() / torch.ldexp(torch.tensor(bits.eps), exponent)).nan_to_num(torch.inf).item())
