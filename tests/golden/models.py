"""Goldens that are an `nn.Module`, as texts: what tests hold against torch, and campaigns change."""

import textwrap

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nfrom collections import OrderedDict\n\n"
# Name -> the file without its imports; each is held against what torch computes with the same weights.
MODELS = {
    "linear, group norm, a bias": """
        class Model(nn.Module):
            def __init__(self, features, hidden, groups):
                super().__init__()
                self.fc = nn.Linear(features, hidden)
                self.gn = nn.GroupNorm(groups, hidden)
                self.bias = nn.Parameter(torch.randn(hidden, 1).squeeze(1) * 0.1)
                self.act = nn.Hardtanh(-1.0, 1.0)
            def forward(self, x):
                return torch.logsumexp(self.act(self.gn(self.fc(x))) + self.bias, dim=1, keepdim=True)
        rows = 5
        features = 8
        def get_inputs():
            return [torch.randn(rows, features)]
        def get_init_inputs():
            return [features, 12, 3]
    """,
    "convolution and batch norm": """
        class Model(nn.Module):
            def __init__(self):
                super(Model, self).__init__()
                self.conv = nn.Conv2d(3, 4, 3, padding=1, bias=False)
                self.bn = nn.BatchNorm2d(4)
            def forward(self, x):
                return F.relu(self.bn(self.conv(x)))
        def get_inputs():
            return [torch.rand(2, 3, 6, 5)]
    """,
    "blocks in a list, a head": """
        class Gate(nn.Module):
            def forward(self, x):
                return x * torch.sigmoid(x)
        class Block(nn.Module):
            def __init__(self, d, hidden, bias):
                super().__init__()
                self.ln = nn.LayerNorm(d)
                self.up = nn.Linear(d, hidden)
                self.act = Gate()
                self.down = nn.Linear(hidden, d, bias=bias)
            def forward(self, x):
                return x + self.down(self.act(self.up(self.ln(x))))
        class Model(nn.Module):
            def __init__(self, d=6, layers=2):
                super().__init__()
                self.blocks = nn.ModuleList([Block(d, 2 * d, i > 0) for i in range(layers)])
                self.blocks.append(nn.Identity())
                self.head = nn.Sequential(OrderedDict([("norm", nn.LayerNorm(d)), ("out", nn.Linear(d, 3))]))
            def forward(self, x):
                for block in self.blocks:
                    x = block(x)
                return self.head(x), self.head.out(x), self.head[0](x), self.head[:1](x)
        batch, steps = 2, 3
        def get_inputs():
            return [torch.randn(batch, steps, 6)]
    """,
    "one parameter in two places": """
        class Model(nn.Module):
            def __init__(self, n, d):
                super().__init__()
                self.table = nn.Embedding(n, d)
                self.out = nn.Linear(d, n, bias=False)
                self.out.weight = self.table.weight
                self.scale = nn.Parameter(torch.ones(1) * 0.5)
                self.again = self.scale
            def forward(self, i):
                return self.out(self.table(i)) * self.scale + self.again
        n, d, length = 7, 4, 3
        def get_inputs():
            return [torch.randint(0, n, (length,))]
        def get_init_inputs():
            return [n, d]
    """,
    "buffers, constants, weights set by hand": """
        class Model(nn.Module):
            def __init__(self, d):
                super().__init__()
                self.register_buffer("shift", torch.arange(d).float() / d)
                self.mask = torch.tril(torch.ones(d, d))
                self.weight = nn.Parameter(torch.empty(d, d))
                self.register_parameter("b", nn.Parameter(torch.zeros(d)))
                self.register_parameter("none", None)
                self.reset()
            def reset(self):
                nn.init.kaiming_uniform_(self.weight, a=5 ** 0.5)
                with torch.no_grad():
                    self.b.uniform_(-1, 1)
            def forward(self, x):
                return F.linear(x + self.shift, self.weight * self.mask, self.b if self.none is None else None)
        def get_inputs():
            return [torch.randn(3, 5)]
        def get_init_inputs():
            return [5]
    """,
    "dictionaries, methods, settings, keywords": """
        class Base(nn.Module):
            def __init__(self, d, gain):
                super().__init__()
                self.gain = gain
                self.proj = self.make(d)
            def make(self, d):
                return nn.Linear(d, d)
            def mix(self, a, b):
                return a * self.gain + b
        class Model(Base):
            def __init__(self, d, *, gain=1.0, names=("a", "b")):
                super().__init__(d, gain=gain)
                self.names = names
                self.parts = nn.ModuleDict({name: nn.Linear(d, d) for name in names})
                self.extra = nn.ParameterList([nn.Parameter(torch.randn(d)) for _ in range(2)])
            def make(self, d):
                return nn.Linear(d, d, bias=False)
            def forward(self, x, weight):
                y = self.proj(x)
                for name, part in self.parts.items():
                    y = self.mix(part(y), self.parts[self.names[0]].weight.sum())
                for extra in self.extra:
                    y = y + extra
                return F.layer_norm(y, (self.proj.in_features,)) * weight
        size = 4
        def get_inputs():
            return [torch.randn(2, size), torch.randn(size)]
        def get_init_inputs():
            return [[size], {"gain": 0.5}]
    """,
    "a name that forward has": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 3)
                self.x = nn.Parameter(torch.randn(3))
            def forward(self, x, fc_weight):
                return self.fc(x) * self.x + fc_weight
        def get_inputs():
            return [torch.randn(2, 3), torch.randn(3)]
    """,
    "classes that derive from layers": """
        class ConvAct(nn.Sequential):
            def __init__(self, a, b):
                super().__init__(nn.Conv1d(a, b, 1), nn.ReLU())
        class Scaled(nn.Linear):
            def forward(self, x):
                return super().forward(x) * 2 + self.bias
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.add_module("first", ConvAct(2, 3))
                self.second = Scaled(4, 2)
            def forward(self, x):
                return self.second(self.first(x))
        def get_inputs():
            return [torch.randn(2, 2, 4)]
    """,
}


def text_of(name: str) -> str:
    """The file of one of MODELS."""
    return HEAD + textwrap.dedent(MODELS[name])
