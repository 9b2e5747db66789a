"""Small goldens on which torch and the stages have disagreed, or nearly: aliases, changes in place, tensors of one number."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from r0kit.contract.draft import draft
from r0kit.contract.plain import plain
from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.finding import InputError
from r0kit.golden import read_program
from r0kit.partition import Strategy, partition
from r0kit.spec import Case, Spec, TensorSpec
from r0kit.stages import stages_of

# Name -> statements of the golden; x is [B, S, D], w [D].
READ = {
    "relu changes what the name means": "y = x * 2\nz = F.relu(y, inplace=True)\nreturn z + 1, y",
    "relu changes its base": "y = x * 2\nF.relu(y[0], inplace=True)\nreturn y",
    "a layer changes its input": "y = x - 0.5\nz = nn.ELU(1.0, True)(y)\nreturn y + z",
    "no change in place": "y = x - 0.5\nz = F.relu(y, inplace=False)\nreturn y + z",
    "sums of one number in a loop": (
        "v = 0.0\nfor i in range(x.shape[0]):\n    v = v + torch.maximum(x[i].sum(), x[i].sum().mean())\nreturn x + v"
    ),
    "a sum of one number is a tensor of its own": "t = x.sum()\nu = t.sum()\nu += 1\nreturn x + t",
    "a type that it has already is the tensor": "y = x * 2\nz = y.float()\nz += 1\nreturn y",
    "a copy of a part is a tensor of its own": "y = x * 2\nz = torch.cat([y])\nz += 1\nreturn y + z",
    "rolled by nothing is a tensor of its own": "y = x * 2\nz = y.roll(0, -1)\nz += 1\nreturn y + z",
    "a batch mean is by the input": (
        "y = F.log_softmax(w, -1)\nreturn F.kl_div(y, torch.softmax(x[0], -1), reduction='batchmean')"
    ),
    "a maximum that is in no first tile, and a clamp": (
        "m, n, a = torch.full((5,), -1e9), torch.zeros(5), torch.zeros(5)\nfor i in range(4):\n"
        "    s = x[0, :, 2 * i:2 * i + 2]\n    t = torch.maximum(m, s.amax(-1))\n    c = (m - t).exp()\n"
        "    p = (s - t[:, None]).clamp(-0.5, 0.5).exp()\n    n = n * c + p.sum(-1)\n    m = t\nreturn n"
    ),
    "a store into copied windows": "y = x.unfold(-1, 3, 1).clone()\ny[..., 0] = 0\nreturn y.amax(-1)",
    "a store into a copied row": "y = w.expand(5, 8).clone()\ny[0] = 0\ny[1:3] += 1\nreturn x + y",
    "the names of trips and of a tensor": (
        "i = x * 2\nh = torch.zeros_like(w)\no = torch.zeros(x.shape)\nfor j in range(x.shape[1]):\n"
        "    h = torch.tanh(w + h + i[0, j])\n    o[:, j] = h\n    i = i + 1\nreturn o"
    ),
    "the name of a trip that was a tensor's": (
        "i = x * 2\nh = torch.zeros_like(w)\no = torch.zeros(x.shape)\ny = i\nfor i in range(x.shape[1]):\n"
        "    h = torch.tanh(w + h + y[0, i])\n    o[:, i] = h\nreturn o"
    ),
    "one value twice, which a loop reads": (
        "f = x * 2\na = f\nfor i in range(x.shape[0]):\n    a = torch.softmax(a * w, -1) + f\nreturn f, a, f"
    ),
    "an index from the end": "return torch.stack([x[:, -i - 1] for i in range(x.shape[1])], 1)",
    "some items of a range": "y = x\nfor i in range(4)[1:3]:\n    y = y * (i + 1)\nreturn y",
    "tiles of a loop that stays one": (
        "n = x.shape[2]\nm, v = torch.zeros(x.shape[:2]), torch.zeros(x.shape[:2])\nfor i in range((n + 2) // 3):\n"
        "    j = min(3 * i + 3, n)\n    m = torch.tanh(m + x[:, :, 3 * i:j].sum(-1))\n    v = v + m\nreturn v"
    ),
    "the name of a loop that never runs": (
        "y = x\nfor j in range(3):\n    i = j\n    for i in range(1, x[:1].shape[0]):\n        y = torch.tanh(y) + i\n"
        "    y = y + i\nreturn y"
    ),
    "where the last tile ends": (
        "v = torch.zeros(x.shape[:2])\nfor i in range(0, x.shape[2], 4):\n    j = min(i + 4, x.shape[2])\n"
        "    v = v + x[:, :, i:j].sum(-1)\nreturn v * j"
    ),
    "terms that are too small to matter here": (
        "m, n = torch.full((2, 5), -1e30), torch.zeros(2, 5)\nfor i in range(0, x.shape[2], 4):\n"
        "    t = x[:, :, i:i + 4] * 20\n    c = torch.maximum(m, t.amax(-1))\n"
        "    n = n * torch.exp(m - c) + torch.exp(t - 64).sum(-1)\n    m = c\nreturn n * 1e28"
    ),
    "terms that vanish where numbers are large": (
        "m, n = torch.full((2, 5), -1e30), torch.zeros(2, 5)\nfor i in range(0, x.shape[2], 4):\n"
        "    t = x[:, :, i:i + 4] * 0.3\n    c = torch.maximum(m, t.amax(-1))\n"
        "    n = n * torch.exp(m - c) + torch.exp(t - (c * c)[..., None]).sum(-1)\n    m = c\nreturn n"
    ),
    "a bound that small numbers do not reach": (
        "y = x * 60\nn = torch.zeros(2, 5)\nfor i in range(x.shape[2]):\n    n = (n + y[:, :, i]).clamp(max=100.0)\nreturn n"
    ),
}
# What Python and torch mean, one question each.
LANGUAGE = {
    "store ragged": (
        "n = x.shape[2]\nm = torch.zeros(x.shape[:2])\ny = torch.empty(x.shape)\n"
        "for i in range((n + 2) // 3):\n    j = min(3 * i + 3, n)\n"
        "    m = torch.tanh(m + x[:, :, 3 * i:j].sum(-1))\n"
        "    y[:, :, 3 * i:j] = x[:, :, 3 * i:j] * m[..., None]\nreturn y"
    ),
    "mean ragged": (
        "n = x.shape[2]\nm = torch.zeros(x.shape[:2])\nfor i in range(0, n, 3):\n    t = x[:, :, i:i + 3]\n"
        "    m = torch.tanh(m + t.mean(-1))\nreturn m"
    ),
    "while": "i = 0\ny = x\nwhile i < x.shape[2]:\n    y = torch.tanh(y + x[:, :, i:i+1])\n    i += 2\nreturn y",
    "reversed": "y = x\nfor i in reversed(range(x.shape[2])):\n    y = torch.tanh(y + x[:, :, i:i+1])\nreturn y",
    "step -1": "y = x\nfor i in range(x.shape[2] - 1, -1, -1):\n    y = torch.tanh(y + x[:, :, i:i+1])\nreturn y",
    "enumerate": "y = x\nfor i, r in enumerate(x.unbind(1)):\n    y = torch.tanh(y + r[:, None] * i)\nreturn y",
    "split sizes": "a, b = x.split([3, 5], -1)\nreturn torch.cat([b, a], -1)",
    "chunk uneven": "return torch.cat([c * (i + 1) for i, c in enumerate(x.chunk(3, -1))], -1)",
    "list mutate": "l = [x, x * 2]\nm = l\nm[0] = x * 3\nreturn l[0] + l[1]",
    "alias view": "y = x * 1\nz = y.transpose(1, 2)\nz[:, 0] = 0\nreturn y",
    "alias reshape copy": "y = (x * 1).transpose(1, 2)\nz = y.reshape(2, -1)\nz[:, 0] = 5\nreturn y",
    "alias flatten view": "y = x * 1\nz = y.flatten()\nz[0] = 5\nreturn y",
    "aug on input view": "y = x.view(2, -1)\ny += 1\nreturn x",
    "masked store": "y = x.clone()\ny[y > 0] = 0\nreturn y",
    "masked add": "y = x.clone()\ny[y > 0] += 1\nreturn y",
    "index put": "y = x.clone()\ny[:, torch.tensor([0, 2])] = 1\nreturn y",
    "where idx": "i = x.argmax(-1, keepdim=True)\nreturn x.scatter(-1, i, 0.0)",
    "scan var": "s = 0\nfor i in range(3):\n    s = s + x[:, i]\n    x = x * 2\nreturn s",
    "nested fn mutate": "def f(t):\n    t += 1\n    return t * 2\ny = x * 1\nz = f(y)\nreturn y, z",
    "kw default mutable": "def f(t, acc=[]):\n    acc.append(t)\n    return len(acc)\nn = f(x) + f(x)\nreturn x * n",
    "closure late": "k = 1\ndef f(t):\n    return t * k\nk = 3\nreturn f(x)",
    "lambda late": "fs = [lambda t: t * i for i in range(3)]\nreturn sum(f(x) for f in fs)",
    "cond expr": "y = x if x.shape[0] > 5 else -x\nreturn y",
    "chained cmp": "y = ((0 < x) & (x < 1)).float()\nreturn y",
    "int division": "return x[:, : x.shape[1] // 2] - x[:, -(x.shape[1] // 2):]",
    "neg floor": "n = -x.shape[1] // 2\nreturn x * n",
    "mod neg": "n = -x.shape[1] % 3\nreturn x * n",
    "pow neg": "return x * 2 ** -x.shape[0]",
    "round half": "return torch.round(x * 2) + round(2.5) + round(3.5)",
    "bool arith": "return x * (x.shape[0] == 2) + True",
    "std ddof": "return x.std(-1), x.var(-1, unbiased=False), torch.var_mean(x, -1)[1]",
    "dtype promo": "return (x > 0) + 1, (x.half() + 1.0), x.int() / 2, x.int() // 2",
    "int trunc": "return (x * 3).int() % 2, (x * 3).int().float() // -2",
    "inplace dtype": "y = x.half()\ny += x\nreturn y",
    "max tuple": "v, i = x.max(1)\nreturn v * i",
    "out kw": "y = torch.empty_like(x)\ntorch.mul(x, 2, out=y)\nreturn y",
    "swap": "a, b = x, w\na, b = b, a\nreturn a * b",
    "star": "a, *b = x.unbind(1)\nreturn a + sum(b)",
    "while else": "i = 0\nwhile i < 3:\n    i += 1\nelse:\n    i = 10\nreturn x * i",
    "for else": "for i in range(3):\n    if i == 5:\n        break\nelse:\n    x = x * 2\nreturn x",
    "try": "try:\n    y = x * 2\nexcept Exception:\n    y = x\nreturn y",
    "del": "y = x * 2\nz = y\ndel y\nreturn z",
    "global dict": "d = {'a': x}\nd.update(b=x * 2)\nreturn sum(d.values())",
    "setdefault": "d = {}\nd.setdefault('a', x)\nd.setdefault('a', x * 2)\nreturn d['a']",
    "zip strict": "return sum(a * b for a, b in zip(x.unbind(1), range(3)))",
    "cumsum flip": "return x.flip(-1).cumsum(-1).flip(-1)",
    "roll": "return x.roll(shifts=(1, -1), dims=(1, 2))",
    "diff": "return x.diff(dim=-1), x.diff(n=2, dim=1)",
    "logaddexp": "return torch.logaddexp(x, w), torch.logcumsumexp(x, -1)",
    "gather neg": "return x[:, [-1, 0]]",
    "ellipsis": "return x[..., None, :].squeeze(-2)[0, ...]",
    "slice neg step": "return x[:, 1:4:2]",
    "clamp tensor": "return torch.clamp(x, min=w - 1, max=w + 1)",
    "addmm": "return torch.addmm(w, x[0], x[0].T @ x[0], beta=0.5, alpha=2)",
    "tensor_split": "return torch.cat([c.mean(-1, keepdim=True) for c in torch.tensor_split(x, 3, -1)], -1)",
    "bucketize": "return torch.searchsorted(w.sort()[0], x)",
    "einsum rep": "return torch.einsum('bsd,btd->bst', x, x)",
    "norm p": "return x.norm(p=1, dim=-1), x.norm(), torch.linalg.vector_norm(x, 3, dim=1)",
    "nanmean": "return torch.where(x > 0, x, float('nan')).nanmean(-1)",
    "unfold loop": "return x.unfold(1, 2, 1).mean(-1)",
    "view as": "return x.view(-1).view_as(x).view(2, 5, 2, 4).sum((1, 3))",
    "scan reverse store": (
        "h = torch.zeros(x.shape[0], x.shape[2])\no = torch.zeros_like(x)\n"
        "for t in range(x.shape[1] - 1, -1, -1):\n    h = torch.tanh(h + x[:, t])\n    o[:, t] = h\n"
        "return o"
    ),
    "reversed store": (
        "h = torch.zeros(x.shape[0], x.shape[2])\no = torch.zeros_like(x)\n"
        "for t in reversed(range(x.shape[1])):\n    h = torch.tanh(h + x[:, t])\n    o[:, t] = h\nreturn o"
    ),
    "neg index in loop": "h = x[:, 0]\nfor t in range(1, x.shape[1]):\n    h = torch.tanh(h + x[:, -t])\nreturn h",
    "step 2": "h = x[:, 0]\nfor t in range(0, x.shape[1], 2):\n    h = torch.tanh(h + x[:, t])\nreturn h",
    "step 2 from 1": "h = x[:, 0]\nfor t in range(1, x.shape[1], 2):\n    h = torch.tanh(h + x[:, t])\nreturn h",
    "step -2": "h = x[:, 0]\nfor t in range(x.shape[1] - 1, 0, -2):\n    h = torch.tanh(h + x[:, t])\nreturn h",
    "two states": (
        "a = b = torch.zeros(x.shape[0], x.shape[2])\nfor t in range(x.shape[1]):\n"
        "    a, b = torch.tanh(a + x[:, t]), a\nreturn a, b"
    ),
    "lstm like": (
        "h = c = torch.zeros(x.shape[0], 2)\nfor t in range(x.shape[1]):\n"
        "    i, f, g, o = (x[:, t] + torch.cat([h, c, h, c], -1)).chunk(4, -1)\n"
        "    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)\n"
        "    h = torch.sigmoid(o) * torch.tanh(c)\nreturn h, c"
    ),
    "early return": "h = x\nfor t in range(5):\n    h = h * 2\n    if t == 2:\n        return h\nreturn -h",
    "nested loops": (
        "o = torch.zeros(x.shape[1], x.shape[1])\nfor i in range(x.shape[1]):\n"
        "    for j in range(x.shape[1]):\n        o[i, j] = (x[0, i] * x[1, j]).sum()\nreturn o"
    ),
    "triangular loops": (
        "o = torch.zeros(x.shape[1], x.shape[1])\nfor i in range(x.shape[1]):\n    for j in range(i + 1):\n"
        "        o[i, j] = (x[0, i] * x[1, j]).sum()\nreturn o"
    ),
    "loop over heads": (
        "o = []\nfor h in range(4):\n    q = x[..., h * 2:(h + 1) * 2]\n"
        "    o.append(torch.softmax(q @ q.transpose(-1, -2), -1) @ q)\nreturn torch.cat(o, -1)"
    ),
    "accumulate dict": "d = {}\nfor i in range(3):\n    d[i] = x * i\nreturn d[0] + d[2]",
    "string keys": "d = {f'k{i}': x * i for i in range(3)}\nreturn d['k2']",
    "set order": "return x * len({1, 2, 2})",
    "sorted": "l = sorted([3, 1, 2])\nreturn x * l[0] + l[-1]",
    "comprehension if": "return sum(x * i for i in range(5) if i % 2)",
    "nested comprehension": "return torch.stack([torch.stack([x[i, j] for j in range(2)]) for i in range(2)])",
    "any all": "return x * (any([False, x.shape[0] > 1]) + all([]))",
    "map filter": "return sum(map(lambda t: t * 2, filter(lambda t: t is not None, [x, None, x])))",
    "reduce": "from functools import reduce\nreturn reduce(lambda a, b: a * b, [x, x + 1, w])",
    "partial": "from functools import partial\nf = partial(torch.clamp, min=0)\nreturn f(x, max=0.5)",
    "unpack nested": "(a, b), c = (x, x * 2), w\nreturn a + b * c",
    "walrus": "if (n := x.shape[0]) > 1:\n    x = x * n\nreturn x",
    "none check": "b = None\ny = x if b is None else x + b\nreturn y",
    "isinstance": "return x * 2 if isinstance(x, torch.Tensor) else x",
    "getattr": "f = getattr(torch, 'exp')\nreturn f(x)",
    "shape unpack": "b, s, d = x.size()\nreturn x.view(b * s, d).t().reshape(d, b, s)",
    "numel": "return x.sum() / x.numel()",
    "dims neg": "return x.sum(-2), x.mean((-1, -2)), x.amax((0, -1), keepdim=True)",
    "permute T": "return x.permute(2, 0, 1).contiguous().view(-1, 2)[:3]",
    "flatten unflatten": "return x.flatten(0, 1).unflatten(0, (2, 5))",
    "squeeze": "return x[:, :1].squeeze(1) + x[:, :1].squeeze()",
    "expand neg": "return w.expand(5, -1) + w[None].expand(5, 8)",
    "repeat": "return w.repeat(2, 3), w.repeat_interleave(2)",
    "tile": "return w.tile(3), w.tile((2, 1))",
    "stack cat dims": (
        "return torch.stack([w, w * 2], -1), torch.cat([x, x * 2], 1), torch.hstack([w, w]), torch.vstack([w, w])"
    ),
    "where scalar": "return torch.where(x > 0, x, torch.zeros(())), torch.where(x > 0, 1.0, 0.0)",
    "masked fill inf": "return torch.softmax(x.masked_fill(x < 0, float('-inf')), -1).nan_to_num(0)",
    "tril mask": (
        "m = torch.ones(5, 5).tril().bool()\nreturn (x @ x.transpose(1, 2)).masked_fill(~m, -1e9).softmax(-1)"
    ),
    "triu diag": "return torch.triu(x @ x.transpose(1, 2), diagonal=1), torch.tril(x, -1)",
    "arange mask": "return x * (torch.arange(8) < 3)",
    "linspace": "return x * torch.linspace(0, 1, 8)",
    "eye": "return x @ torch.eye(8)",
    "one hot": "return F.one_hot(x[:, :, 0].argmax(-1), 5)",
    "topk gather": "v, i = x.topk(3, -1)\nreturn x.gather(-1, i) - v",
    "sort desc": "v, i = x.sort(-1, descending=True)\nreturn v, i",
    "argsort": "return x.argsort(1)",
    "kthvalue": "return x.kthvalue(2, dim=-1).values",
    "median": "return x.median(-1).values, x.median()",
    "cummax": "return x.cummax(1).values, x.cumprod(-1)",
    "unique len": "return x.prod(-1), x.sum(dtype=torch.float64)",
    "layernorm": "return F.layer_norm(x, (8,), w), F.layer_norm(x, (5, 8))",
    "groupnorm": "return F.group_norm(x.transpose(1, 2), 4)",
    "batchnorm": "return F.batch_norm(x, None, None, training=True), F.batch_norm(x, torch.zeros(5), torch.ones(5))",
    "rmsnorm": "return F.rms_norm(x, (8,), w)",
    "normalize": "return F.normalize(x, dim=1), F.normalize(x, p=1, dim=-1)",
    "gelu": "return F.gelu(x), F.gelu(x, approximate='tanh'), F.silu(x), F.mish(x), F.softplus(x), F.hardswish(x)",
    "leaky": "return F.leaky_relu(x), F.leaky_relu(x, 0.2), F.elu(x), F.selu(x), F.relu6(x * 10), F.hardtanh(x)",
    "losses": (
        "return F.mse_loss(x, x * 2), F.l1_loss(x, -x, reduction='sum'), F.smooth_l1_loss(x, x * 2), F.huber_loss(x, x * 3)"
    ),
    "ce": "t = x[:, 0].argmax(-1)\nreturn F.cross_entropy(x[:, 0], t), F.nll_loss(F.log_softmax(x[:, 0], -1), t)",
    "ce smoothing": (
        "t = x[:, 0].argmax(-1)\nreturn F.cross_entropy(x[:, 0], t, label_smoothing=0.1, reduction='none')"
    ),
    "bce": (
        "return F.binary_cross_entropy_with_logits(x, torch.sigmoid(x)), F.kl_div(x.log_softmax(-1), x.softmax(-1))"
    ),
    "cos sim": "return F.cosine_similarity(x, x.flip(-1), dim=-1), F.pairwise_distance(x[0], x[1])",
    "pad": "return F.pad(x, (1, 2)), F.pad(x, (0, 0, 1, 1), value=3.0)",
    "pad modes": (
        "return F.pad(x, (1, 2), mode='reflect'), F.pad(x, (1, 2), mode='replicate'), F.pad(x, (1, 1), mode='circular')"
    ),
    "conv1d": "return F.conv1d(x, x[:1, :, :3].repeat(4, 1, 1), padding=1, stride=2)",
    "pool": "return F.max_pool1d(x, 2), F.avg_pool1d(x, 3, stride=2, padding=1), F.adaptive_avg_pool1d(x, 4)",
    "interpolate": "return F.interpolate(x, scale_factor=2), F.interpolate(x, size=4, mode='nearest')",
    "sdpa": "return F.scaled_dot_product_attention(x, x, x), F.scaled_dot_product_attention(x, x, x, is_causal=True)",
    "sdpa mask": "return F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(5, 5).tril() * 2, scale=0.3)",
    "bmm baddbmm": (
        "return torch.bmm(x, x.transpose(1, 2)), torch.baddbmm(x, x @ x.transpose(1, 2), x, beta=0.5, alpha=2.0)"
    ),
    "matmul vec": "return x @ w, w @ x[0].T, torch.dot(w, w), torch.outer(w, w), torch.mv(x[0], w)",
    "linear": "return F.linear(x, x[0], torch.arange(5.0)), F.bilinear(x[0], x[1], x.new_ones(2, 8, 8))",
    "einsum": "return torch.einsum('bsd,d->bs', x, w), torch.einsum('bsd->sd', x), torch.einsum('ii', x[0] @ x[0].T)",
    "tensordot": "return torch.tensordot(x, x, dims=([2], [2])), torch.tensordot(x, w, dims=1)",
    "cross": "return torch.cross(x[..., :3], x[..., 3:6], dim=-1), torch.cdist(x[:1], x[1:])",
    "trig": "return torch.atan2(x, w), torch.hypot(x, w), torch.sinh(x), torch.erfinv(x.tanh() * 0.9), torch.expm1(x)",
    "int ops": "i = (x * 5).int()\nreturn i & 3, i | 1, i ^ 2, ~i, i << 1, i >> 1, i % 3, i // 2",
    "float mod": "return x % 0.7, x // 0.3, torch.fmod(x, 0.7), torch.remainder(x, -0.7), x.floor_divide(0.3)",
    "compare chain": "return (x > 0) & (x < 1) | (x < -1), ~(x > 0), (x > 0) ^ (x < 1), (x > 0).logical_or(x < -1)",
    "clamp both": "return x.clamp(-0.5), x.clamp(max=0.5), x.clip(-1, 1), torch.minimum(x, w), x.max(w)",
    "round decimals": "return x.round(decimals=1), x.trunc(), x.frac(), x.sign(), x.sgn()",
    "bool sum": "return (x > 0).sum(), (x > 0).sum(-1), (x > 0).float().mean(), (x > 0).any(-1), (x > 0).all()",
    "quant": "s = x.abs().amax(-1, keepdim=True) / 127\nreturn (x / s).round().clamp(-128, 127).to(torch.int8), s",
    "dequant": (
        "q = (x * 10).to(torch.int8)\nreturn q.float() * 0.1, q.to(torch.int32) @ q.to(torch.int32).transpose(1, 2)"
    ),
    "half matmul": "return (x.half() @ x.half().transpose(1, 2)).float(), x.bfloat16() + x.half()",
    "double": "return x.double().exp().float(), x.double().sum()",
    "data idx": "i = x[0, 0].argmax()\nreturn x[..., i]",
    "full like": "return torch.full_like(x, 2.5), torch.full((2, 3), 7), x.new_full((2,), 3.0), x.new_zeros(3)",
    "meshgrid": "a, b = torch.meshgrid(torch.arange(3), torch.arange(2), indexing='ij')\nreturn a * b + x.sum()",
    "scatter add": "i = (x[..., :1] > 0).long()\nreturn torch.zeros(2, 5, 2).scatter_add(-1, i, x[..., :1])",
    "index add": "return torch.zeros(5, 8).index_add(0, torch.tensor([0, 2, 0]), x[0, :3])",
    "index select": "return x.index_select(1, torch.tensor([4, 0])), torch.take_along_dim(x, x.argsort(-1), -1)",
    "index copy": (
        "return torch.zeros(5, 8).index_copy(0, torch.tensor([1, 3]), x[0, :2]), x.index_fill(1, torch.tensor([0]), 9.0)"
    ),
    "adv index": "return x[torch.tensor([0, 1]), torch.tensor([2, 3])], x[:, torch.tensor([[0, 1], [2, 3]])]",
    "slice assign": "y = x.clone()\ny[:, 1:3] = w\ny[0, :, ::2] *= 3\ny[-1] = 0\nreturn y",
    "chained assign": "y = x.clone()\ny[0][1] = 5\ny[1, 2:][0] = w\nreturn y",
    "view aug": "y = x.clone()\nv = y[:, 0]\nv += 1\nv = v * 2\nreturn y, v",
    "transpose aug": "y = x.clone()\ny.transpose(1, 2)[:, 0] += 1\ny.T if False else None\nreturn y",
    "chunk aug": "y = x.clone()\na, b = y.chunk(2, -1)\na.mul_(2)\nb[:] = a\nreturn y",
    "unbind aug": "y = x.clone()\nfor r in y.unbind(1):\n    r += 1\nreturn y",
    "diag embed": (
        "return torch.diag(w), torch.diag_embed(x), torch.diagonal(x[0] @ x[0].T), torch.trace(x[0] @ x[0].T)"
    ),
    "block diag": "return torch.kron(w[:2], w[:3]), torch.block_diag(x[0], x[1])",
    "unfold fold": "return x.unfold(-1, 3, 2).sum(-1), F.unfold(x[None], (2, 2)).sum()",
    "lerp": "return torch.lerp(x, w, 0.3), torch.addcmul(x, w, w, value=0.5), torch.addcdiv(x, w, w.abs() + 1)",
    "logsumexp": "return torch.logsumexp(x, -1), torch.logsumexp(x, (0, 1)), x.log_softmax(1), F.softmin(x, -1)",
    "histc": "return torch.bincount((x[0, 0] > 0).long(), minlength=2), torch.count_nonzero(x > 0, dim=-1)",
    "dropout eval": "return F.dropout(x, 0.5, training=False), F.dropout(x, 0.0)",
    "glu": "return F.glu(x, -1), F.softsign(x), F.tanhshrink(x), F.threshold(x, 0.1, -1), F.logsigmoid(x), F.celu(x)",
    "pixel shuffle": "return F.pixel_shuffle(x[..., None].transpose(1, 2)[:, :8], 2)",
    "channel shuffle": "return torch.roll(x, 2), torch.flip(x, (0, 1)), torch.fliplr(x[0])",
    "masks are no changes": "m = x > 0\nn = m & (x < 1)\no = m | (x < -1)\nreturn m, n, o",
    "sets": "return x * len({1, 2, 2}) + len(set([3, 3])) + len({i % 2 for i in range(4)}) + len(frozenset((1, 1)))",
    "in place by an operator's name": "import operator\ny = x.clone()\nz = operator.iadd(y, 1)\nreturn y + z",
    "alias then rebind": "y = x\ny = y + 1\nreturn x, y",
    "alias aug int": "n = 3\nm = n\nm += 1\nreturn x * n + m",
    "tuple aug": "t = (x,)\nt += (w,)\nreturn t[0] * t[1]",
    "list mul": "l = [x] * 3\nl[0] = w\nreturn l[0] + l[1] + l[2]",
    "list alias in dict": "d = {'l': [x]}\nl = d['l']\nl.append(w)\nreturn d['l'][1] + d['l'][0]",
    "list slice copy": "l = [x, x * 2]\nm = l[:]\nm[0] = w\nreturn l[0] + m[0]",
    "list copy method": "l = [x]\nm = l.copy()\nm.append(w)\nreturn l[0] * len(l) + len(m)",
    "pop insert": "l = [x, w, x * 2]\na = l.pop(0)\nl.insert(0, a * 3)\nb = l.pop()\nreturn l[0] + b",
    "extend reverse": "l = [x]\nl.extend([w, x * 2])\nl.reverse()\nreturn l[0] - l[-1]",
    "dict items": "d = {'a': x, 'b': w}\nreturn sum(v * (i + 1) for i, (k, v) in enumerate(d.items()))",
    "dict get pop": "d = {'a': x}\ny = d.pop('a', None)\nz = d.get('a', w)\nreturn y + z",
    "dict comp": "d = {i: x * i for i in range(3) if i}\nreturn d[1] + d[2] * len(d)",
    "kwargs": "def f(**kw):\n    return kw['a'] * kw.get('b', 2)\nreturn f(a=x), f(a=x, b=3)",
    "args": "def f(*a, k=1):\n    return a[0] * len(a) * k\nreturn f(x, w, k=2)",
    "star call": "a = (x, w)\nk = {'alpha': 2}\nreturn torch.add(*a, **k)",
    "recursion": "def f(t, n):\n    return t if n == 0 else f(t * 2, n - 1)\nreturn f(x, 3)",
    "nonlocal": "c = 1\ndef f():\n    nonlocal c\n    c += 1\n    return c\nf()\nf()\nreturn x * c",
    "closure tensor": "s = x.sum()\ndef f(t):\n    return t / s\nreturn f(x) + f(w)",
    "inner changes arg": "def f(t):\n    t[0] = 0\ny = x.clone()\nf(y)\nreturn y",
    "inner returns view": "def f(t):\n    return t[0]\ny = x.clone()\nv = f(y)\nv += 1\nreturn y",
    "default tensor": "def f(t, s=w):\n    return t * s\nw = w + 1\nreturn f(x)",
    "class": (
        "class A:\n    def __init__(self, t):\n        self.t = t\n    def f(self, u):\n"
        "        return self.t + u\nreturn A(x).f(w)"
    ),
    "class attr change": "class A:\n    k = 2\na = A()\na.k = 3\nreturn x * a.k + A.k",
    "property": (
        "class A:\n    def __init__(self, t):\n        self.t = t\n    @property\n    def d(self):\n"
        "        return self.t * 2\nreturn A(x).d"
    ),
    "namedtuple": "from collections import namedtuple\nP = namedtuple('P', 'a b')\np = P(x, w)\nreturn p.a * p.b",
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: object\n    k: int = 2\np = P(x)\n"
        "return p.a * p.k"
    ),
    "itertools": "import itertools\nreturn sum(a * b for a, b in itertools.product([x, w], [1, 2]))",
    "math": (
        "import math\n"
        "return x * math.sqrt(2) + math.log2(8) + math.prod([2, 3]) + math.inf * 0 if False else x * math.pi"
    ),
    "int float conv": "return x * int(2.7) + float(3) + int(-2.7) + round(-2.5) + abs(-3) + divmod(7, 2)[1]",
    "floor neg": "return x * (-7 // 2) + (-7 % 3) + 7 // -2 + (2 ** -1)",
    "bit ops py": "return x * (5 & 3) + (5 | 2) + (5 ^ 1) + (1 << 3) + (~2)",
    "bool py": "return x * True + (not False) + (1 if x.shape[0] else 0) + (3 > 2 > 1)",
    "and or values": "k = 0 or 3\nj = 2 and 5\nn = None or x\nreturn n * k + j",
    "in": "return x * (2 in [1, 2]) + ('a' in {'a': 1}) + (5 not in (1, 2))",
    "min max py": "return x * min(3, x.shape[0], 7) + max([1, x.shape[1]]) + sum((1, 2), 3)",
    "range list": "return x * list(range(5))[-1] + list(range(10, 0, -3))[1] + len(range(1, 10, 4))",
    "zip star": "a, b = zip(*[(x, 1), (w, 2)])\nreturn a[0] * b[1] + a[1] * b[0]",
    "enumerate start": "return sum(x[:, 0] * i for i, _ in enumerate(range(3), start=2))",
    "reversed list": "return [t * i for i, t in enumerate(reversed([x, w]))][1]",
    "slice obj": "s = slice(1, 3)\nreturn x[:, s] + x[:, slice(None, 2)]",
    "none index": "return x[None, :, None].sum((0, 2)) + w[None, None]",
    "assert": "assert x.dim() == 3\nassert x.shape[-1] == w.shape[0], 'no'\nreturn x + w",
    "raise guard": "if x.shape[-1] != w.shape[0]:\n    raise ValueError\nreturn x + w",
    "with no_grad": "with torch.no_grad():\n    y = x * 2\nreturn y",
    "try finally": "y = x\ntry:\n    y = y * 2\nfinally:\n    y = y + 1\nreturn y",
    "while count": "n, y = 0, x\nwhile n < 4:\n    y = y + n\n    n += 2\nreturn y * n",
    "while true break": "n, y = 0, x\nwhile True:\n    n += 1\n    if n > 3:\n        break\n    y = y * 2\nreturn y",
    "for else break": "for i in range(3):\n    if i == 1:\n        break\nelse:\n    x = x * 100\nreturn x + i",
    "nested break": (
        "n = 0\nfor i in range(3):\n    for j in range(3):\n        if j > i:\n            break\n"
        "        n += 1\nreturn x * n"
    ),
    "del item": "l = [x, w]\ndel l[0]\nd = {'a': x}\ndel d['a']\nreturn l[0] * len(d) + x",
    "multi assign": "a = b = x * 2\nb = b + 1\nreturn a, b",
    "multi assign alias": "a = b = x * 2\nb += 1\nreturn a",
    "chained compare t": "m = (x > 0) * (x < 1)\nreturn m, m.int()",
    "mean masks": "m = (x > 0).float()\nreturn (x * m).sum(-1) / m.sum(-1).clamp(min=1)",
    "softmax manual": "e = torch.exp(x - x.max(-1, keepdim=True)[0])\nreturn e / e.sum(-1, keepdim=True)",
    "softmax twice axis": "return x.softmax(-1).softmax(1)",
    "online manual": (
        "m, s = x[..., :4].amax(-1), 0\nn = torch.maximum(m, x[..., 4:].amax(-1))\n"
        "s = torch.exp(x - n[..., None]).sum(-1)\nreturn m + s"
    ),
    "var one pass": "m = x.mean(-1)\nv = (x * x).mean(-1) - m * m\nreturn v, m",
    "var two pass": "m = x.mean(-1, keepdim=True)\nreturn ((x - m) ** 2).mean(-1)",
    "norm chain": (
        "y = x / x.norm(dim=-1, keepdim=True)\ny = y - y.mean(1, keepdim=True)\nreturn y / y.std(0, keepdim=True)"
    ),
    "cumsum norm": "c = x.abs().cumsum(-1)\nreturn c / c[..., -1:]",
    "attention": (
        "q, k, v = x, x * 0.5, x + 1\na = (q @ k.transpose(-2, -1)) / 8 ** 0.5\n"
        "return a.softmax(-1) @ v, a.logsumexp(-1)"
    ),
    "attention sink": "a = x @ x.mT\na = torch.cat([a, torch.zeros(2, 5, 1)], -1).softmax(-1)[..., :-1]\nreturn a @ x",
    "gumbel": "return (x - x.exp().log()).sum(), x.exp().sum(-1).log() - x.logsumexp(-1)",
    "topk mask": "v, i = x.topk(3, -1)\nm = torch.zeros_like(x).scatter(-1, i, 1.0)\nreturn (x * m).softmax(-1)",
    "rank": "return x.argsort(-1).argsort(-1)",
    "cross rows": "d = x[:, :, None] - x[:, None]\nreturn (d ** 2).sum(-1).sqrt()",
    "rope": (
        "a, b = x[..., ::2], x[..., 1::2]\nc, s = w[:4].cos(), w[:4].sin()\n"
        "return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)"
    ),
    "rotate half": "a, b = x.chunk(2, -1)\nreturn x * w.cos() + torch.cat([-b, a], -1) * w.sin()",
    "geglu": "a, b = x.split(4, dim=-1)\nreturn F.gelu(a) * b",
    "window": "y = F.pad(x.transpose(1, 2), (2, 0)).unfold(-1, 3, 1)\nreturn y.mean(-1).transpose(1, 2)",
    "shift": "y = torch.zeros_like(x)\ny[:, 1:] = x[:, :-1]\nreturn x - y",
    "shift cat": "return torch.cat([torch.zeros(2, 1, 8), x[:, :-1]], 1) + x",
    "reset mask": "y = x.clone()\ny[:, :, 2:5] = float('-inf')\nreturn y.softmax(-1)",
    "int8 sat": "return (x * 200).clamp(-128, 127).to(torch.int8).float()",
    "uint8": "return (x.abs() * 50).to(torch.uint8) + 1",
    "long div": "i = torch.arange(8)\nreturn x * (i // 3) + i % 3 - (i - 4) // 3",
    "bool mean": "return (x > w).float().mean((0, 1)), (x > w).sum() / x.numel()",
    "max both": "return torch.max(x, w), torch.max(x), x.max(), x.max(-1)[1], torch.min(x, 1).values",
    "sum list": "return sum([x, x * 2, w]), torch.stack([w, w + 1]).sum(0), torch.cat([w, w]).mean()",
    "broadcast": "return x * w + x[:, :1] * x[..., :1] - x.mean((0, 1)), torch.broadcast_to(w, (2, 5, 8))",
    "outer sum": "return w[:, None] + w[None, :], w.unsqueeze(-1) * w, w.reshape(2, 4).T.contiguous().view(-1)",
    "as strided like": "return x.reshape(2, 5, 2, 4).permute(0, 2, 1, 3).reshape(4, 5, 4).sum(1)",
    "type as": "return x.type(torch.float16), x.to('cpu'), x.to(torch.float64).type_as(x), x.to(w)",
    "dtype attr": (
        "return torch.zeros(3, dtype=x.dtype) + torch.finfo(x.dtype).eps, torch.tensor([1, 2], dtype=torch.int64)"
    ),
    "tensor consts": (
        "return x[..., :3] * torch.tensor([1.0, 2.0, 3.0]), x + torch.tensor(2), x * torch.tensor([[1.0], [2.0]])[:, :, None]"
    ),
    "scalar t": "s = torch.tensor(0.5)\nfor i in range(3):\n    s = s * 2\nreturn x * s",
    "zero dim": "s = x.sum()\nreturn x / s, s.unsqueeze(0), s.reshape(1, 1), s.expand(3)",
    "clone detach": "y = x.detach().clone()\ny.zero_()\nreturn x + y",
    "fill": "y = torch.empty(2, 3).fill_(2.0)\nz = torch.empty_like(y).copy_(y * 2)\nreturn y + z + x.sum()",
    "normal store": "y = torch.zeros(2, 5, 8)\ny[0] = x[1]\ny[1] = x[0]\nreturn y",
    "aug slices": "y = x.clone()\ny[..., 0] += y[..., 1]\ny[..., 1] -= y[..., 0]\nreturn y",
    "swap slices": "y = x.clone()\ny[:, 0], y[:, 1] = y[:, 1].clone(), y[:, 0].clone()\nreturn y",
    "swap slices alias": "y = x.clone()\na, b = y[:, 0], y[:, 1]\ny[:, 0] = b\ny[:, 1] = a\nreturn y",
    "view of view": "y = x.clone()\nv = y[0]\nu = v[1:3]\nu[:, 0] = 9\nreturn y, v",
    "reshape aug": "y = x.clone().reshape(10, 8)\nz = y.view(2, 5, 8)\nz[0] *= 2\nreturn y",
    "permute aug": "y = x.clone()\nz = y.permute(2, 0, 1)\nz[0] = 0\nz += 1\nreturn y",
    "squeeze aug": "y = x[:, :1].clone()\nz = y.squeeze(1)\nz += 5\nreturn y",
    "expand read": "y = w.expand(5, 8)\nreturn y + x, y.contiguous()[0]",
    "masked aug": "y = x.clone()\nm = y > 0\ny[m] = y[m] * 2\nreturn y",
    "where inplace": "y = x.clone()\ny[y < 0] *= -1\nreturn y",
    "index aug": "y = x.clone()\ni = torch.tensor([0, 2])\ny[:, i] += 1\nreturn y",
    "nested list comp alias": "l = [[x], [w]]\nl[0].append(x * 2)\nreturn l[0][1] + l[1][0]",
    "tril loop": "a = x[0] @ x[0].T\nfor i in range(5):\n    a[i, i + 1:] = 0\nreturn a",
    "gram schmidt": (
        "u = x[0].clone()\nfor i in range(1, 3):\n    for j in range(i):\n"
        "        u[i] = u[i] - (u[i] @ u[j]) * u[j] / (u[j] @ u[j])\nreturn u[:3]"
    ),
    "power iter": (
        "m = x[0].T @ x[0]\nv = torch.ones(8)\nfor _ in range(5):\n    v = m @ v\n    v = v / v.norm()\n"
        "return v @ m @ v"
    ),
    "newton": "y = x.abs() + 1\nz = y / 2\nfor _ in range(6):\n    z = 0.5 * (z + y / z)\nreturn z",
    "sinkhorn": (
        "p = x.exp()\nfor _ in range(3):\n    p = p / p.sum(-1, keepdim=True)\n"
        "    p = p / p.sum(-2, keepdim=True)\nreturn p"
    ),
    "horner": "y = torch.zeros_like(x)\nfor c in [1.0, -2.0, 0.5]:\n    y = y * x + c\nreturn y",
    "beam": (
        "s = x[:, 0]\nfor t in range(1, x.shape[1]):\n"
        "    s = torch.logsumexp(s.unsqueeze(-1) + x[:, t].unsqueeze(1) * 0.1, 1)\nreturn s"
    ),
    "viterbi": (
        "s = x[:, 0]\nfor t in range(1, x.shape[1]):\n"
        "    s = (s.unsqueeze(-1) + x[:, t].unsqueeze(1)).amax(1)\nreturn s"
    ),
    "ema": "h = x[:, 0]\nfor t in range(1, x.shape[1]):\n    h = 0.9 * h + 0.1 * x[:, t]\nreturn h",
    "cummax loop": (
        "m = x[:, 0]\no = [m]\nfor t in range(1, x.shape[1]):\n    m = torch.maximum(m, x[:, t])\n"
        "    o.append(m)\nreturn torch.stack(o, 1)"
    ),
    "prefix loop": (
        "s = torch.zeros_like(x[:, 0])\no = torch.empty_like(x)\nfor t in range(x.shape[1]):\n"
        "    s = s + x[:, t]\n    o[:, t] = s\nreturn o"
    ),
    "running mean": (
        "s = torch.zeros_like(x[:, 0])\nfor t in range(x.shape[1]):\n    s = s + (x[:, t] - s) / (t + 1)\nreturn s"
    ),
    "tile mean of means": (
        "s = torch.zeros(x.shape[:2])\nfor i in range(0, 8, 3):\n    s = s + x[..., i:i + 3].mean(-1)\nreturn s"
    ),
    "tile sum": (
        "s = torch.zeros(x.shape[:2])\nfor i in range(0, 8, 3):\n    s = s + x[..., i:i + 3].sum(-1)\nreturn s"
    ),
    "tile weighted": (
        "s = torch.zeros(x.shape[:2])\nfor i in range(0, 8, 4):\n"
        "    s = s + (i + 1) * x[..., i:i + 4].sum(-1)\nreturn s"
    ),
    "tile overlap": (
        "s = torch.zeros(x.shape[:2])\nfor i in range(0, 6, 2):\n    s = s + x[..., i:i + 4].sum(-1)\nreturn s"
    ),
    "tile gap": (
        "s = torch.zeros(x.shape[:2])\nfor i in range(0, 8, 4):\n    s = s + x[..., i:i + 2].sum(-1)\nreturn s"
    ),
    "tile partial": (
        "s = torch.zeros(x.shape[:2])\nfor i in range(0, 4, 2):\n    s = s + x[..., i:i + 2].sum(-1)\nreturn s"
    ),
    "tile from 2": (
        "s = torch.zeros(x.shape[:2])\nfor i in range(2, 8, 2):\n    s = s + x[..., i:i + 2].sum(-1)\nreturn s"
    ),
    "split k": (
        "o = torch.zeros(2, 5, 5)\nfor k in range(0, 8, 4):\n"
        "    o += x[..., k:k + 4] @ x[..., k:k + 4].transpose(1, 2)\nreturn o"
    ),
    "block store": (
        "o = torch.zeros(2, 5, 8)\nfor i in range(0, 8, 4):\n"
        "    o[..., i:i + 4] = x[..., i:i + 4] - x[..., i:i + 4].mean(-1, keepdim=True)\nreturn o"
    ),
    "rows then cols": (
        "o = torch.zeros(5, 8)\nfor b in range(2):\n    for s in range(5):\n"
        "        o[s] = o[s] + x[b, s] * (b + 1)\nreturn o"
    ),
}
# What each trip of a loop makes of its tile t of the last axis, and of its row t: tiles and rows do not see each other.
OF_TILES = (
    "t.cumsum(-1)",
    "t.cumprod(-1)",
    "t.flip(-1)",
    "t.roll(1, -1)",
    "t.sort(-1)[0]",
    "t.softmax(-1)",
    "t.cummax(-1)[0]",
    "t - t.mean(-1, keepdim=True)",
    "t.argsort(-1).float()",
    "t.logcumsumexp(-1)",
    "F.pad(t, (1, 0))[..., :4]",
    "t[..., [3, 2, 1, 0]]",
    "t.reshape(2, 5, 2, 2).transpose(-1, -2).reshape(2, 5, 4)",
    "t * torch.arange(4)",
    "t @ torch.ones(4, 4)",
    "torch.tril(t[0])[None] + t * 0",
    "t.amax(-1, keepdim=True).expand_as(t)",
    "t.gather(-1, torch.zeros(2, 5, 4, dtype=torch.long))",
    "t * t[..., :1]",
    "t * t[..., 0:1]",
    "t + t.shape[-1]",
    "t.diff(dim=-1, prepend=t[..., :1])",
    "F.normalize(t, dim=-1)",
    "t.var(-1, keepdim=True) + t * 0",
    "torch.cat([t[..., 2:], t[..., :2]], -1)",
    "t.unfold(-1, 2, 1).sum(-1)[..., [0, 1, 2, 2]]",
    "t.cumsum(1)",
    "t.transpose(0, 2).cumsum(1).transpose(0, 2)",
    "F.layer_norm(t, (4,))",
    "t.topk(1, -1)[0] + t * 0",
    "torch.where(t == t.max(), t, 0)",
    "t * torch.tensor([1.0, 2, 3, 4])",
    "t * w[:4]",
    "t * w[i:i + 4]",
    "t * i",
    "t.masked_fill(torch.arange(4) > 2, 0)",
    "t.tril()",
    "F.softmax(t.flatten(1), -1).view(2, 5, 4)",
)
OF_ROWS = (
    "t.cumsum(-1)",
    "t.cumsum(0)",
    "t.softmax(-1)",
    "t.softmax(0)",
    "t.flip(0)",
    "t.sort(0)[0]",
    "t - t.mean()",
    "t * i",
    "t * w[i]",
    "t.roll(1, 0)",
    "t @ t.T @ t",
    "t.triu()",
    "t[:, [1, 0, 2, 3, 4, 5, 6, 7]]",
    "t / t.norm()",
    "torch.cat([t[1:], t[:1]])",
    "F.layer_norm(t, t.shape)",
    "t.T.reshape(2, 8)",
    "t.amax(0)",
    "t.argmax(-1, keepdim=True) + t * 0",
    "F.normalize(t, dim=0)",
)
_TILES = (
    "n = x.size(2)\no = 0 * x\nfor i in range(0, n, 4):\n    t = x[..., i:i + 4]\n    o[..., i:i + 4] = {}\nreturn o"
)
_ROWS = "o = torch.zeros_like(x)\nfor i in range(0, x.shape[1]):\n    t = x[:, i]\n    o[:, i] = {}\nreturn o"
LANGUAGE |= {f"a tile's {text}": _TILES.format(text) for text in OF_TILES}
LANGUAGE |= {f"a row's {text}": _ROWS.format(text) for text in OF_ROWS}
REFUSED = {
    "a list that trips read and fill": (
        "h = [torch.zeros(x.shape[0], x.shape[2])]\nfor t in range(x.shape[1]):\n    h.append(torch.tanh(h[-1] + x[:, t]))\n"
        "return torch.stack(h, 1)"
    ),
    "one trip that is left out": (
        "h = x[:, 0]\nfor t in range(x.shape[1]):\n    if t == 2:\n        continue\n    h = torch.tanh(h + x[:, t])\n"
        "return h"
    ),
    "tiles of a list of which the last is shorter": (
        "m, y = torch.zeros(x.shape[:2]), []\nfor i in range(0, x.shape[2], 3):\n"
        "    t = x[:, :, i:i + 3]\n    m = torch.tanh(m + t.sum(-1))\n    y.append(t * m[..., None])\nreturn torch.cat(y, -1)"
    ),
    "tiles that end before the axis does": (
        "n = x.shape[2] - 1\nm, v = torch.zeros(x.shape[:2]), torch.zeros(x.shape[:2])\nfor i in range((n + 2) // 3):\n"
        "    j = min(3 * i + 3, n)\n    m = torch.tanh(m + x[:, :, 3 * i:j].sum(-1))\n    v = v + m\nreturn v"
    ),
    "the name of a loop that does not run": (
        "y = x\nfor j in range(3):\n    i = j\n    for i in range(2, x.shape[0]):\n        y = torch.tanh(y) + i\n"
        "    y = y + i\nreturn y"
    ),
    "an index from either end": "return torch.stack([x[:, -i] for i in range(x.shape[1])], 1)",
    "what a loop that is not read stores into": "y = x * 2\nfor i in range(x.shape[1])[:1]:\n    y[:, i] = 0\nreturn y",
    "what a loop that is not read sets": "y = x * 2\nfor i in range(x.shape[1])[:1]:\n    y = y + 1\nreturn y",
    "what a loop that is not read changes": "y = x * 2\nz = y[0]\nfor i in range(x.shape[1])[:1]:\n    z.add_(1)\nreturn y",
    "what a loop that is not read returns": "for i in range(x.shape[1])[:1]:\n    return x * i\nreturn x",
    "a loop that data end": "y = x\nfor i in range(3):\n    y = y * 2\n    if y.sum() > 0:\n        break\nreturn y",
    "a dtype that is a number": "return x.to(0.5)",
    "the extent of the last tile": (
        "v = torch.zeros(x.shape[:2])\nfor i in range(0, x.shape[2], 4):\n    j = min(i + 4, x.shape[2])\n    n = j - i\n"
        "    v = v + x[:, :, i:j].sum(-1)\nreturn v * n"
    ),
    "an order of one number": "return x + x.sum().topk(1, dim=-1)[0]",
    "windows that overlap": "y = x * 2\nz = y.unfold(-1, 3, 2)\nz *= 0.5\nreturn z",
    "a diagonal": "y = x[0] @ x[0].T\ny.diagonal().fill_(0)\nreturn y",
}


def golden(folder: Path, body: str) -> Path:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\ndef op_golden_cpu(x, w):\n{lines}"
    path = folder / "op_golden_cpu.py"
    path.write_text(text)
    return path


SPEC = Spec(
    "",
    op_name="op",
    inputs=(TensorSpec("x", ("B", "S", "D"), "float32"), TensorSpec("w", ("D",), "float32")),
    p0_cases=(Case("p0", input_shapes={"x": (2, 5, 8), "w": (8,)}),),
)


def stages(path: Path, strategy: Strategy) -> ModuleType:
    contract = draft(partition(read_program(str(path), SPEC), SPEC, strategy), SPEC).contract
    document = parse(json.dumps(plain(contract), default=dict, indent=1), "module_interfaces.yaml")
    found = stages_of(document, str(path), SPEC)
    assert found.findings == ()
    module = ModuleType("stages")
    exec(compile(found.source, "stages", "exec"), module.__dict__)
    module.__dict__["names"] = [tensor.name for tensor in contract_of(document).primary_inputs]
    return module


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        *((name, strategy) for name in READ for strategy in (Strategy.CONVENTIONAL, Strategy.ONLINE)),
        *((name, Strategy.ONLINE) for name in LANGUAGE),
    ],
)
def test_stages_compose_to_what_torch_computes(name: str, strategy: Strategy, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = golden(tmp_path, (READ | LANGUAGE)[name])
    module = stages(path, strategy)
    torch.manual_seed(0)
    inputs = {"x": torch.randn(2, 5, 8), "w": torch.randn(8)}
    result = module.op_composed(*(inputs[one].clone() for one in module.names))
    scope: dict[str, object] = {}
    exec(path.read_text(), scope)
    expected = scope["op_golden_cpu"](inputs["x"].clone(), inputs["w"].clone())  # type: ignore[operator]
    pairs = [(result, expected)] if isinstance(expected, torch.Tensor) else zip(result, expected, strict=True)
    for one, other in pairs:
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_said(name: str, tmp_path: Path) -> None:
    path = golden(tmp_path, REFUSED[name])
    program = read_program(str(path), SPEC)
    assert program.findings
    with pytest.raises(InputError):
        stages(path, Strategy.CONVENTIONAL)
