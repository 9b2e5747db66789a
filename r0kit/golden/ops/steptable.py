"""Every Step operation: its kind, its section, and the torch expression that computes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters

from r0kit.golden.attributes import Point, Region
from r0kit.golden.dims import Dim
from r0kit.golden.ops import elementwise
from r0kit.golden.ops.conv import conv_text
from r0kit.golden.ops.pool import adaptive_text, pool_text
from r0kit.golden.ops.reduction import REDUCTIONS
from r0kit.golden.ops.text import Extents, Writer, attribute, contraction, fill
from r0kit.golden.ops.vision import interpolate_text
from r0kit.golden.program import Kind, Section, Step


@dataclass(frozen=True, slots=True)
class StepRow:
    """text: a pattern for `text.fill`, or a function where a pattern does not reach."""

    kind: Kind
    section: Section
    text: str | Writer


def _vector(kind: Kind, texts: Mapping[str, str | Writer]) -> dict[str, StepRow]:
    return {op: StepRow(kind, Section.VECTOR, text) for op, text in texts.items()}


def _all_of(operands: Sequence[str]) -> str:
    return f"[{', '.join(operands)}]"


def _joined(function: str) -> Writer:
    """cat and stack, whose operands promote."""

    def write(step: Step, operands: Sequence[str], extent: Extents) -> str:
        return f"torch.{function}({_all_of(operands)}, dim={step.attrs['axis']})"

    return write


def _slice(step: Step, operands: Sequence[str], extent: Extents) -> str:
    start, stop, by = (extent(step.attrs[name]) for name in ("start", "stop", "step"))
    bounds = f"{'' if start == '0' else start}:{stop}{'' if by == '1' else f':{by}'}"
    return f"{operands[0]}[{':, ' * step.attrs['axis']}{bounds}]"


def _select(step: Step, operands: Sequence[str], extent: Extents) -> str:
    return f"{operands[0]}[{':, ' * step.attrs['axis']}{extent(step.attrs['index'])}]"


def _unsqueeze(step: Step, operands: Sequence[str], extent: Extents) -> str:
    return operands[0] + "".join(f".unsqueeze({axis})" for axis in step.attrs["axes"])


def _index(step: Step, operands: Sequence[str], extent: Extents) -> str:
    """Masks and index tensors at their axes, `:` elsewhere; a mask stands for all the axes that it covers."""
    named = dict(zip(step.attrs["axes"], operands[1:], strict=True))
    parts = [named.get(axis, ":") for axis in range(max(named) + 1)]
    return f"{operands[0]}[{', '.join(parts)}]"


def _index_put(step: Step, operands: Sequence[str], extent: Extents) -> str:
    named = dict(zip(step.attrs["axes"], operands[2:], strict=True))
    places = [named.get(axis, "None") for axis in range(max(named) + 1)]
    source = _as_tensor(step, operands[1])
    accumulate = step.attrs.get("accumulate", False)
    return f"torch.ops.aten.index_put({operands[0]}, {_all_of(places)}, {source}, {accumulate})"


def _as_tensor(step: Step, operand: str) -> str:
    """A stored value, a number or a tensor, as a tensor of the Step's dtype."""
    return f"torch.as_tensor({operand}, dtype=torch.{step.dtype})"


def _slice_store(step: Step, operands: Sequence[str], extent: Extents) -> str:
    """Nested slice_scatter and select_scatter, one for each axis that is not taken whole.

    They keep the strides of the base: of one that is expanded or unfolded, a store would change several places.
    """
    source = _as_tensor(step, operands[1])
    source = f"{source}.expand{_part(operands[0], step, extent)}"
    return _scattered(f"{operands[0]}.contiguous()", source, step, 0, 0, extent)


def _part(base: str, step: Step, extent: Extents) -> str:
    """The shape of the region: as it is cut where it moves, for the last trip of a loop may find less."""
    region: Region = step.attrs["region"]
    if not any(part[0].symbols for part in region):
        return f"({attribute(step.attrs['part'], extent)})"
    places = [extent(p.at) if isinstance(p, Point) else ":".join(map(extent, p)) for p in region]
    return f"_as({base}[{', '.join(places)}])"


def _scattered(base: str, source: str, step: Step, place: int, axis: int, extent: Extents) -> str:
    region = step.attrs["region"]
    if place == len(region):
        return source
    part = region[place]
    if isinstance(part, Point):
        inner = _scattered(f"{base}.select({axis}, {extent(part.at)})", source, step, place + 1, axis, extent)
        return f"torch.select_scatter({base}, {inner}, {axis}, {extent(part.at)})"
    start, stop, by = part
    if (start, stop, by) == (Dim.of(0), step.shape[place], Dim.of(1)):
        return _scattered(base, source, step, place + 1, axis + 1, extent)
    bounds = f"{extent(start)}:{extent(stop)}:{extent(by)}"
    inner = _scattered(f"{base}[{':, ' * axis}{bounds}]", source, step, place + 1, axis + 1, extent)
    return f"torch.slice_scatter({base}, {inner}, {axis}, {extent(start)}, {extent(stop)}, {extent(by)})"


def _reduction(op: str, pattern: str) -> str | Writer:
    if op != "count_nonzero":
        return pattern

    def write(step: Step, operands: Sequence[str], extent: Extents) -> str:
        written = fill(pattern, step, operands, extent)
        return f"{written}.reshape({attribute(step.shape, extent)})" if step.attrs["keepdim"] else written

    return write


def _pad(step: Step, operands: Sequence[str], extent: Extents) -> str:
    flat = tuple(side for pair in reversed(step.attrs["pads"]) for side in pair)
    while len(flat) > 2 and flat[-2:] == (Dim.of(0), Dim.of(0)):
        flat = flat[:-2]
    filling = f", {operands[1]}" if len(operands) > 1 else ""
    return f"torch.nn.functional.pad({operands[0]}, {attribute(flat, extent)}, {step.attrs['mode']!r}{filling})"


def _columns(step: Step, operands: Sequence[str], extent: Extents) -> str:
    """F.unfold and F.fold."""
    records = step.attrs["windows"]
    kernel, stride, pads, dilation = (attribute(tuple(r[place] for r in records), extent) for place in (0, 1, 2, 4))
    settings = f"{kernel}, {dilation}, {pads}, {stride}"
    if step.op == "im2col":
        return f"torch.nn.functional.unfold({operands[0]}, {settings})"
    return f"torch.nn.functional.fold({operands[0]}, {attribute(step.shape[2:], extent)}, {settings})"


def _scatter(step: Step, operands: Sequence[str], extent: Extents) -> str:
    reduced = f", reduce={step.attrs['reduce']!r}" if "reduce" in step.attrs else ""
    return f"torch.scatter({operands[0]}, {step.attrs['axis']}, {operands[1]}, {operands[2]}{reduced})"


def _bincount(step: Step, operands: Sequence[str], extent: Extents) -> str:
    return f"torch.bincount({', '.join(operands)}, minlength={step.attrs['minlength']})"


def _einsum(step: Step, operands: Sequence[str], extent: Extents) -> str:
    numbers = dict.fromkeys(label for part in step.attrs["labels"] for label in part)
    named = dict(zip(numbers, ascii_letters, strict=False))
    letters = ["".join(named[label] for label in part) for part in step.attrs["labels"]]
    return f"torch.einsum('{','.join(letters[:-1])}->{letters[-1]}', {', '.join(operands)})"


def _call(step: Step, operands: Sequence[str], extent: Extents) -> str:
    """A Step that carries its own call; an opaque one that hides source of the golden has none (KeyError)."""
    return fill(step.attrs["call"], step, operands, extent)


_LAYOUT: dict[str, str | Writer] = {
    "reshape": "{0}.reshape({shape})",
    "permute": "{0}.permute({order})",
    "unsqueeze": _unsqueeze,
    "squeeze": "torch.squeeze({0}, {axes})",
    "expand": "{0}.expand({shape})",
    "select": _select,
    "slice": _slice,
    "cat": _joined("cat"),
    "stack": _joined("stack"),
    "flip": "torch.flip({0}, {axes})",
    "roll": "torch.roll({0}, {shifts}, {axes})",
    "repeat": "{0}.repeat({repeats})",
    "bitcast": "{0}.contiguous().view({out_dtype})",
    "diagonal": "torch.diagonal({0}, {offset}, {axes[0]}, {axes[1]})",
    "slice_store": _slice_store,
    "pad": _pad,
    "repeat_interleave": "torch.repeat_interleave({0}, {repeats}, {axis})",
    "unfold": "{0}.unfold({axis}, {size}, {step})",
    "im2col": _columns,
    "diag_embed": "torch.diag_embed({0}, {offset}, {axes[0]}, {axes[1]})",
}
_GATHER: dict[str, str | Writer] = {
    "index": _index,
    "index_mask": _index,
    "index_put": _index_put,
    "masked_scatter": "{0}.masked_scatter({1}, {2})",
    "gather": "torch.gather({0}, {axis}, {1})",
    "index_select": "torch.index_select({0}, {axis}, {1})",
    "embedding": "torch.nn.functional.embedding({1}, {0})",
    "nonzero": "torch.nonzero({0})",
    "scatter": _scatter,
    "scatter_add": "torch.scatter_add({0}, {axis}, {1}, {2})",
    "scatter_reduce": "torch.scatter_reduce({0}, {axis}, {1}, {2}, {reduce}, include_self={include_self})",
    "index_add": "torch.index_add({0}, {axis}, {1}, {2})",
    "index_copy": "torch.index_copy({0}, {axis}, {1}, {2})",
    "index_fill": "torch.index_fill({0}, {axis}, {1}, {2})",
    "repeat_rows": "torch.repeat_interleave({0}, {1}, {axis})",
    "searchsorted": "torch.searchsorted({0}, {1}, right={right}, out_int32={narrow})",
    "bincount": _bincount,
    "histc": "torch.histc({0}, {bins}, {1}, {2})",
    "interpolate": interpolate_text,
    "grid_sample": (
        "torch.nn.functional.grid_sample({0}, {1}, mode={mode}, padding_mode={padding_mode}, "
        "align_corners={align_corners})"
    ),
    "isin": "torch.isin({0}, {1}, invert={invert})",
    "unique": "torch.unique({0})",
}
_SORT = "torch.sort({0}, dim={axis}, descending={descending}, stable={stable})"
_TOPK = "torch.topk({0}, {k}, {axis}, {largest}, {sorted})"
_KTH = "torch.kthvalue({0}, {k}, {axis}, {keepdim})"
_MODE = "torch.mode({0}, {axis}, {keepdim})"
_QUANTILE = "({0}, {1}, dim={axis}, keepdim={keepdim}, interpolation={interpolation}).reshape({shape})"
_ORDERING: dict[str, str | Writer] = {
    "sort_values": f"{_SORT}.values",
    "sort_indices": f"{_SORT}.indices",
    "topk_values": f"{_TOPK}.values",
    "topk_indices": f"{_TOPK}.indices",
    "kthvalue_values": f"{_KTH}.values",
    "kthvalue_indices": f"{_KTH}.indices",
    "mode_values": f"{_MODE}.values",
    "mode_indices": f"{_MODE}.indices",
    "quantile": f"torch.quantile{_QUANTILE}",
    "nanquantile": f"torch.nanquantile{_QUANTILE}",
}
_SCAN: dict[str, str | Writer] = {
    "cumsum": "torch.cumsum({0}, {axis}, dtype={out_dtype})",
    "cumprod": "torch.cumprod({0}, {axis}, dtype={out_dtype})",
    "logcumsumexp": "torch.logcumsumexp({0}, {axis})",
    "cummax": "torch.cummax({0}, {axis}).values",
    "cummax_indices": "torch.cummax({0}, {axis}).indices",
    "cummin": "torch.cummin({0}, {axis}).values",
    "cummin_indices": "torch.cummin({0}, {axis}).indices",
}
_WINDOWED: dict[str, str | Writer] = {
    **dict.fromkeys(("max_pool", "max_pool_indices", "avg_pool", "lp_pool"), pool_text),
    **dict.fromkeys(("adaptive_avg_pool", "adaptive_max_pool", "adaptive_max_pool_indices"), adaptive_text),
    "col2im": _columns,
}
_CREATION: dict[str, str | Writer] = {
    "zeros": "torch.zeros({shape}, dtype={out_dtype})",
    "empty": "torch.empty({shape}, dtype={out_dtype})",
    "ones": "torch.ones({shape}, dtype={out_dtype})",
    "full": "torch.full({shape}, {0}, dtype={out_dtype})",
    "arange": "torch.arange({0}, {1}, {2}, dtype={out_dtype})",
    "linspace": "torch.linspace({0}, {1}, {shape[0]}, dtype={out_dtype})",
    "logspace": "torch.logspace({0}, {1}, {shape[0]}, dtype={out_dtype})",
    "eye": "torch.eye({shape[0]}, {shape[1]}, dtype={out_dtype})",
    "scalar_tensor": "torch.tensor({0}, dtype={out_dtype})",
    "tensor": "torch.tensor({data}, dtype={out_dtype})",
    "window": _call,
}
_RANDOM: dict[str, str | Writer] = {
    "rand": "torch.rand({shape}, dtype={out_dtype})",
    "randn": "torch.randn({shape}, dtype={out_dtype})",
    "randint": "torch.randint({0}, {1}, {shape}, dtype={out_dtype})",
    "randperm": "torch.randperm({shape[0]}, dtype={out_dtype})",
    "bernoulli": "torch.bernoulli({0})",
    "poisson": "torch.poisson({0})",
    "multinomial": "torch.multinomial({0}, {shape[-1]}, {replacement})",
    "dropout": "torch.nn.functional.dropout({0}, {1})",
    "rrelu": "torch.nn.functional.rrelu({0}, {1}, {2}, training=True)",
}

_CONTRACTIONS: dict[str, str | Writer] = {
    "matmul": "torch.matmul({0}, {1})",
    "einsum": _einsum,
    "conv": conv_text,
    "conv_transpose": conv_text,
}

STEPS: Mapping[str, StepRow] = {
    **_vector(Kind.ELEMENTWISE, elementwise.TEXTS),
    **_vector(Kind.REDUCTION, {op: _reduction(op, text) for op, (_, text) in REDUCTIONS.items()}),
    **_vector(Kind.LAYOUT, _LAYOUT),
    **_vector(Kind.GATHER, _GATHER),
    **_vector(Kind.CREATION, _CREATION),
    **_vector(Kind.RANDOM, _RANDOM),
    **_vector(Kind.ORDERING, _ORDERING),
    **_vector(Kind.SCAN, _SCAN),
    **_vector(Kind.REDUCTION, _WINDOWED),
    **{op: StepRow(Kind.CONTRACTION, Section.CUBE, contraction(text)) for op, text in _CONTRACTIONS.items()},
    "opaque": StepRow(Kind.OPAQUE, Section.VECTOR, _call),
    "loop": StepRow(Kind.LOOP, Section.VECTOR, ""),
}
KINDS: Mapping[str, tuple[Kind, Section]] = {op: (known.kind, known.section) for op, known in STEPS.items()}


def torch_text(step: Step, operands: Sequence[str], extent: Callable[[Dim], str] = str) -> str:
    """One torch expression that computes the Step.

    operands: texts of its operands, tensors and scalars, in order; extent: how an extent is spelled where it will
    stand. KeyError for a Step without an expression of its own (a loop, an opaque region).
    """
    known = STEPS[step.op]
    if not known.text:
        raise KeyError(step.op)
    return (
        fill(known.text, step, operands, extent) if isinstance(known.text, str) else known.text(step, operands, extent)
    )
