"""One line per layer class: its constructor, the functional operation behind it, what it passes on, and its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """paths: the classes; positional: inputs and settings passed by place; passed: functional keyword -> setting.

    weights: name -> (extents written with constructor arguments, flags under which the layer has it).
    """

    paths: tuple[str, ...]
    signature: str
    target: str
    inputs: int
    positional: tuple[str, ...]
    passed: Mapping[str, str]
    weights: Mapping[str, tuple[str, str]]


Weights = Mapping[str, tuple[str, str]]
_NONE: Weights = {}


def _layer(
    classes: str,
    constructor: str,
    target: str,
    passed: str = "",
    weights: Weights = _NONE,
    inputs: str = "input",
    hidden: str = "",
) -> Layer:
    """passed: names separated by blanks, `ours=theirs` where the functional keyword differs; hidden: fixed settings."""
    names = tuple(inputs.split())
    pairs = [name.partition("=") for name in passed.split()]
    settings = f"{constructor}, " if constructor else ""
    extra = "" if "dtype" in constructor else ", dtype=None"
    signature = (
        f"({', '.join(names)}, {settings}*, weights=None, training=True{extra}{', ' + hidden if hidden else ''})"
    )
    keywords = {ours: theirs or ours for ours, _, theirs in pairs}
    return Layer(
        tuple(f"torch.nn.{name}" for name in classes.split()), signature, target, len(names), names, keywords, weights
    )


def _conv(n: int, transposed: bool) -> Layer:
    channels = "in_channels, out_channels//groups" if transposed else "out_channels, in_channels//groups"
    extra = "output_padding=0, groups=1, bias=True, dilation=1" if transposed else "dilation=1, groups=1, bias=True"
    name = "ConvTranspose" if transposed else "Conv"
    return _layer(
        f"{name}{n}d",
        f"in_channels, out_channels, kernel_size, stride=1, padding=0, {extra}, padding_mode='zeros'",
        f"F.conv{'_transpose' if transposed else ''}{n}d",
        "stride padding dilation groups" + (" output_padding" if transposed else ""),
        {"weight": (f"{channels}, *kernel_size:{n}", ""), "bias": ("out_channels", "bias")},
    )


_ACTIVATIONS = [
    _layer(name, "inplace=False", f"F.{name.lower()}")
    for name in ("ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid")
] + [
    _layer("Sigmoid", "", "torch.sigmoid"),
    _layer("Tanh", "", "torch.tanh"),
    _layer("Softsign", "", "F.softsign"),
    _layer("Tanhshrink", "", "F.tanhshrink"),
    _layer("LogSigmoid", "", "F.logsigmoid"),
    _layer("GELU", "approximate='none'", "F.gelu", "approximate"),
    _layer("Softplus", "beta=1.0, threshold=20.0", "F.softplus", "beta threshold"),
    _layer("LeakyReLU", "negative_slope=0.01, inplace=False", "F.leaky_relu", "negative_slope"),
    _layer("ELU", "alpha=1.0, inplace=False", "F.elu", "alpha"),
    _layer("CELU", "alpha=1.0, inplace=False", "F.celu", "alpha"),
    _layer("Hardtanh", "min_val=-1.0, max_val=1.0, inplace=False", "F.hardtanh", "min_val max_val"),
    _layer("Hardshrink", "lambd=0.5", "F.hardshrink", "lambd"),
    _layer("Softshrink", "lambd=0.5", "F.softshrink", "lambd"),
    _layer("Threshold", "threshold, value, inplace=False", "F.threshold", "threshold value"),
    _layer("RReLU", "lower=0.125, upper=0.3333333333333333, inplace=False", "F.rrelu", "lower upper training"),
    _layer("PReLU", "num_parameters=1, init=0.25", "F.prelu", "", {"weight": ("num_parameters", "")}),
    _layer("GLU", "dim=-1", "F.glu", "dim"),
    _layer("Softmax", "dim=None", "F.softmax", "dim"),
    _layer("Softmin", "dim=None", "F.softmin", "dim"),
    _layer("LogSoftmax", "dim=None", "F.log_softmax", "dim"),
    _layer("Softmax2d", "dim=-3", "F.softmax", "dim"),
    _layer("Identity", "", "torch.clone"),
    _layer(
        "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
        "p=0.5, inplace=False",
        "F.dropout",
        "p training",
    ),
]
_AFFINE: Weights = {"weight": ("num_features", "affine"), "bias": ("num_features", "affine")}
_RUNNING: Weights = {
    "running_mean": ("num_features", "track_running_stats"),
    "running_var": ("num_features", "track_running_stats"),
}
_NORMS = [
    _layer(
        "LayerNorm",
        "normalized_shape, eps=1e-5, elementwise_affine=True, bias=True",
        "F.layer_norm",
        "normalized_shape eps",
        {
            "weight": ("*normalized_shape", "elementwise_affine"),
            "bias": ("*normalized_shape", "elementwise_affine bias"),
        },
    ),
    _layer(
        "RMSNorm",
        "normalized_shape, eps=None, elementwise_affine=True",
        "F.rms_norm",
        "normalized_shape eps",
        {"weight": ("*normalized_shape", "elementwise_affine")},
    ),
    _layer(
        "GroupNorm",
        "num_groups, num_channels, eps=1e-5, affine=True",
        "F.group_norm",
        "num_groups eps",
        {"weight": ("num_channels", "affine"), "bias": ("num_channels", "affine")},
    ),
    _layer(
        "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm",
        "num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True",
        "F.batch_norm",
        "eps momentum training",
        {**_AFFINE, **_RUNNING},
    ),
    _layer(
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
        "num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False",
        "F.instance_norm",
        "eps momentum",
        {**_AFFINE, **_RUNNING},
    ),
    _layer("LocalResponseNorm", "size, alpha=1e-4, beta=0.75, k=1.0", "F.local_response_norm", "size alpha beta k"),
]
_POOLS = [
    *(
        _layer(
            f"MaxPool{n}d",
            "kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
            f"F.max_pool{n}d",
            "kernel_size stride padding dilation ceil_mode return_indices",
        )
        for n in (1, 2, 3)
    ),
    _layer(
        "AvgPool1d",
        "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True",
        "F.avg_pool1d",
        "kernel_size stride padding ceil_mode count_include_pad",
    ),
    *(
        _layer(
            f"AvgPool{n}d",
            "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None",
            f"F.avg_pool{n}d",
            "kernel_size stride padding ceil_mode count_include_pad divisor_override",
        )
        for n in (2, 3)
    ),
    *(
        _layer(
            f"LPPool{n}d",
            "norm_type, kernel_size, stride=None, ceil_mode=False",
            f"F.lp_pool{n}d",
            "norm_type kernel_size stride ceil_mode",
        )
        for n in (1, 2, 3)
    ),
    *(_layer(f"AdaptiveAvgPool{n}d", "output_size", f"F.adaptive_avg_pool{n}d", "output_size") for n in (1, 2, 3)),
    *(
        _layer(
            f"AdaptiveMaxPool{n}d",
            "output_size, return_indices=False",
            f"F.adaptive_max_pool{n}d",
            "output_size return_indices",
        )
        for n in (1, 2, 3)
    ),
]
_PADS = [
    *(
        _layer(
            f"{kind}Pad{n}d",
            "padding",
            "r0kit.pad_sides",
            "padding mode value count",
            hidden=f"mode='{mode}', value=0.0, count={n}",
        )
        for kind, mode in (
            ("Zero", "constant"),
            ("Reflection", "reflect"),
            ("Replication", "replicate"),
            ("Circular", "circular"),
        )
        for n in (1, 2, 3)
    ),
    *(
        _layer(
            f"ConstantPad{n}d",
            "padding, value",
            "r0kit.pad_sides",
            "padding mode value count",
            hidden=f"mode='constant', count={n}",
        )
        for n in (1, 2, 3)
    ),
]
_ARRANGEMENTS = [
    _layer("Flatten", "start_dim=1, end_dim=-1", "torch.flatten", "start_dim end_dim"),
    _layer("Unflatten", "dim, unflattened_size", "torch.unflatten", "dim sizes=unflattened_size"),
    _layer("PixelShuffle", "upscale_factor", "F.pixel_shuffle", "upscale_factor"),
    _layer("PixelUnshuffle", "downscale_factor", "F.pixel_unshuffle", "downscale_factor"),
    _layer("ChannelShuffle", "groups", "F.channel_shuffle", "groups"),
    _layer("Unfold", "kernel_size, dilation=1, padding=0, stride=1", "F.unfold", "kernel_size dilation padding stride"),
    _layer(
        "Fold",
        "output_size, kernel_size, dilation=1, padding=0, stride=1",
        "F.fold",
        "output_size kernel_size dilation padding stride",
    ),
    _layer(
        "Upsample",
        "size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None",
        "F.interpolate",
        "size scale_factor mode align_corners",
    ),
    _layer("UpsamplingNearest2d", "size=None, scale_factor=None", "F.interpolate", "size scale_factor"),
]
_PRODUCTS = [
    _layer(
        "Linear",
        "in_features, out_features, bias=True",
        "F.linear",
        "",
        {"weight": ("out_features, in_features", ""), "bias": ("out_features", "bias")},
    ),
    _layer(
        "Bilinear",
        "in1_features, in2_features, out_features, bias=True",
        "F.bilinear",
        "",
        {"weight": ("out_features, in1_features, in2_features", ""), "bias": ("out_features", "bias")},
        inputs="input1 input2",
    ),
    *(_conv(n, transposed) for n in (1, 2, 3) for transposed in (False, True)),
    _layer(
        "Embedding",
        "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False",
        "F.embedding",
        "",
        {"weight": ("num_embeddings, embedding_dim", "")},
    ),
]
_PAIRS = [
    _layer("CosineSimilarity", "dim=1, eps=1e-8", "F.cosine_similarity", "dim eps", inputs="x1 x2"),
    _layer(
        "PairwiseDistance", "p=2.0, eps=1e-6, keepdim=False", "F.pairwise_distance", "p eps keepdim", inputs="x1 x2"
    ),
]
_OLD = "size_average=None, reduce=None, reduction='mean'"
_LOSSES = [
    *(
        _layer(f"{name}Loss", _OLD, f"F.{target}", "reduction", inputs="input target")
        for name, target in (("MSE", "mse_loss"), ("L1", "l1_loss"), ("SoftMargin", "soft_margin_loss"))
    ),
    _layer("SmoothL1Loss", f"{_OLD}, beta=1.0", "F.smooth_l1_loss", "reduction beta", inputs="input target"),
    _layer("HuberLoss", "reduction='mean', delta=1.0", "F.huber_loss", "reduction delta", inputs="input target"),
    _layer("BCELoss", f"weight=None, {_OLD}", "F.binary_cross_entropy", "weight reduction", inputs="input target"),
    _layer(
        "BCEWithLogitsLoss",
        f"weight=None, {_OLD}, pos_weight=None",
        "F.binary_cross_entropy_with_logits",
        "weight reduction pos_weight",
        inputs="input target",
    ),
    _layer("KLDivLoss", f"{_OLD}, log_target=False", "F.kl_div", "reduction log_target", inputs="input target"),
    _layer(
        "HingeEmbeddingLoss", f"margin=1.0, {_OLD}", "F.hinge_embedding_loss", "margin reduction", inputs="input target"
    ),
    _layer(
        "PoissonNLLLoss",
        "log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction='mean'",
        "F.poisson_nll_loss",
        "log_input full eps reduction",
        inputs="input target",
    ),
    _layer(
        "GaussianNLLLoss",
        "full=False, eps=1e-6, reduction='mean'",
        "F.gaussian_nll_loss",
        "full eps reduction",
        inputs="input target var",
    ),
    _layer(
        "CrossEntropyLoss",
        "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0",
        "F.cross_entropy",
        "weight ignore_index reduction label_smoothing",
        inputs="input target",
    ),
    _layer(
        "NLLLoss",
        "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'",
        "F.nll_loss",
        "weight ignore_index reduction",
        inputs="input target",
    ),
    _layer(
        "CosineEmbeddingLoss",
        f"margin=0.0, {_OLD}",
        "F.cosine_embedding_loss",
        "margin reduction",
        inputs="input1 input2 target",
    ),
    _layer(
        "MarginRankingLoss",
        f"margin=0.0, {_OLD}",
        "F.margin_ranking_loss",
        "margin reduction",
        inputs="input1 input2 target",
    ),
    _layer(
        "TripletMarginLoss",
        f"margin=1.0, p=2.0, eps=1e-6, swap=False, {_OLD}",
        "F.triplet_margin_loss",
        "margin p eps swap reduction",
        inputs="anchor positive negative",
    ),
]

LAYERS: list[Layer] = [*_ACTIVATIONS, *_NORMS, *_POOLS, *_PADS, *_ARRANGEMENTS, *_PRODUCTS, *_PAIRS, *_LOSSES]

# Layers that are programs of their own.
_TIME = "is a loop over time with hidden weights"
_STACK = "is several attention and feed-forward layers with hidden weights"
REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"), _TIME),
    **dict.fromkeys(
        (
            "MultiheadAttention",
            "Transformer",
            "TransformerEncoder",
            "TransformerEncoderLayer",
            "TransformerDecoder",
            "TransformerDecoderLayer",
        ),
        _STACK,
    ),
    "CTCLoss": "runs a dynamic programme over alignments",
    "EmbeddingBag": "reduces over bags of data-dependent length",
    "AdaptiveLogSoftmaxWithLoss": "chooses its clusters by data",
}
