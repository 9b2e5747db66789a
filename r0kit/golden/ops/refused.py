"""Operations that r0kit knows and does not read, each with the reason and what to do instead."""

from __future__ import annotations

from r0kit.golden.builder import OperationError
from r0kit.golden.ops.row import Call, Operation, Rule, row
from r0kit.golden.values import Value

_COMPLEX = "makes or reads complex numbers", "keep real and imaginary parts in tensors of their own"
_QUANTISED = "makes a quantised tensor type", "quantise with mul, round, clamp and a cast"
_BOOL = "asks a question about values that only running the golden can answer", "leave checks out of the golden"
_MEMORY = "speaks of memory, not of values", "use view, slicing or index operations"
_LENGTHS = "has a result whose length depends on data", "compute it outside the golden"
_PROGRAM = "is a program of its own", "write its steps out in the golden"

# name -> spellings, (why, what to do)
REFUSED: dict[str, tuple[str, tuple[str, str]]] = {
    "complex": (
        "torch.complex torch.polar torch.view_as_complex torch.view_as_real both.angle torch.real torch.imag both.isreal "
        "torch.stft torch.istft T.stft T.istft",
        _COMPLEX,
    ),
    "fft": (
        " ".join(
            f"torch.fft.{name}"
            for name in ("fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn")
        ),
        _COMPLEX,
    ),
    "quantize": (
        "torch.quantize_per_tensor torch.quantize_per_channel torch.quantize_per_tensor_dynamic both.dequantize both.int_repr",
        _QUANTISED,
    ),
    "compare_all": ("both.allclose both.equal both.is_nonzero", _BOOL),
    "memory": ("both.as_strided both.as_strided_scatter T.set_ T.resize_ T.storage T.data_ptr T.stride", _MEMORY),
    "unique_consecutive": ("both.unique_consecutive", _LENGTHS),
    "combinations": ("torch.combinations", _LENGTHS),
    "segment_reduce": ("torch.segment_reduce", _LENGTHS),
    "embedding_bag": ("F.embedding_bag torch.embedding_bag", _LENGTHS),
    "ctc_loss": ("F.ctc_loss torch.ctc_loss", _PROGRAM),
    "multi_head_attention": ("F.multi_head_attention_forward", _PROGRAM),
    "gumbel_softmax": ("F.gumbel_softmax", ("draws random numbers", "pass the noise in as an input")),
    "max_unpool": ("F.max_unpool1d F.max_unpool2d F.max_unpool3d", ("scatters windows that overlap", "use scatter")),
    "fractional_max_pool": (
        "F.fractional_max_pool2d F.fractional_max_pool3d",
        ("chooses its windows at random", "use max_pool or adaptive_max_pool"),
    ),
    "multilabel_margin_loss": ("F.multilabel_margin_loss", _PROGRAM),
    "triplet_margin_with_distance_loss": (
        "F.triplet_margin_with_distance_loss",
        ("takes the distance as a function", "use triplet_margin_loss, or write the distance out"),
    ),
    "autograd": (
        "torch.autograd.grad T.backward torch.autograd.backward",
        ("runs backwards", "write the gradient out"),
    ),
    "eig": ("linalg.eig linalg.eigvals", _COMPLEX),
    "histogram": ("both.histogram torch.histogramdd", ("gives edges and counts together", "use histc")),
}


def _rule(why: str, instead: str) -> Rule:
    def rule(call: Call) -> Value:
        raise OperationError(f"{call.path.removeprefix('torch.')} {why}", instead)

    return rule


ROWS: list[Operation] = [
    row(name, spellings, "(*args, **kwargs)", _rule(*reason)) for name, (spellings, reason) in REFUSED.items()
]
