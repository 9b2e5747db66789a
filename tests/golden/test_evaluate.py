"""Python that goldens are written in, read statically: each snippet held against torch in numbers."""

from __future__ import annotations

import pytest

from golden.reading import Snippet, written

CASES: dict[str, Snippet] = {
    "import_aliases": Snippet(
        """
        from torch import exp as e_, nn
        import torch.nn.functional as FF
        def f_golden(x):
            import math as m
            from torch.nn import functional as G
            return G.silu(e_(x)) * m.sqrt(2.0) + FF.relu(x)
        """,
        {"x": "M N"},
    ),
    "unpacking": Snippet(
        """
        def f_golden(x):
            a, *rest, b = x.unbind(0)
            (c, d), e = (a, b), rest[0]
            out = {"k": c, **{"j": d}}
            t = [out["k"], *[out["j"]], e]
            return torch.stack(t)
        """,
        {"x": "4 N"},
    ),
    "comprehensions": Snippet(
        """
        def f_golden(x, y):
            x, y = [t.float() * s for t, s in zip((x, y), (1.0, 2.0))]
            d = {k: v for k, v in (("a", x), ("b", y))}
            return d["a"] + d["b"] + sum(t.mean() for t in (x, y) if t is not None)
        """,
        {"x": "M N: float16", "y": "M N: float16"},
    ),
    "closures": Snippet(
        """
        import functools
        def f_golden(x):
            sq = lambda t, p=2: t ** p
            scale = functools.partial(torch.mul, other=3.0)
            def outer(t):
                k = 2.0
                def inner(u):
                    nonlocal k
                    k = k + 1
                    return u * k
                return inner(t) + k
            return sq(x) + scale(x) + outer(x)
        """,
        {"x": "M N"},
    ),
    "helpers": Snippet(
        """
        EPS = 1e-6
        HALF = 1 / 2
        def _norm(t, w=None, *, eps=EPS):
            r = torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + eps)
            t = t * r
            if w is not None:
                t = t * w
            return t
        def _call(fn, *args, **kwargs):
            return fn(*args, **kwargs)
        def f_golden(x, w):
            return _call(_norm, x, w, eps=1e-5) * HALF, _norm(x)
        """,
        {"x": "M N", "w": "N"},
    ),
    "folded_conditions": Snippet(
        """
        def f_golden(x, y=None):
            if (n := x.shape[-1]) > 2 and y is None:
                z = x / n
            elif n == 1:
                z = x
            else:
                z = x * 2
            return z if y is None else z + y
        """,
        {"x": "M N"},
    ),
    "asserts_and_contexts": Snippet(
        """
        def f_golden(x, w):
            assert x.dim() == 2 and x.shape[1] == w.shape[0], f"bad {x.shape}"
            assert isinstance(x, torch.Tensor)
            if x.shape[-1] != w.shape[0]:
                raise ValueError("no")
            with torch.no_grad():
                y = x @ w
            return y.relu()
        """,
        {"x": "M K", "w": "P N"},
        {"K": 5, "P": 5},
    ),
    "static_while": Snippet(
        """
        def f_golden(x, c):
            while c.ndim < x.ndim:
                c = c.unsqueeze(0)
            i = 0
            while True:
                i += 1
                if i == 2:
                    continue
                if i > 3:
                    break
                x = x + c * i
            return x
        """,
        {"x": "A B C", "c": "C"},
    ),
    "early_returns": Snippet(
        """
        def f_golden(x, mode: str = "sum", flag: bool = True):
            if mode == "mean":
                return x.mean()
            if not flag:
                return x
            if x.dtype in (torch.float16, torch.bfloat16):
                return x.float().sum(-1)
            return x.sum(-1)
        """,
        {"x": "M N: float16"},
    ),
    "views_share_storage": Snippet(
        """
        def f_golden(x):
            y = x.clone()
            v = y[1]
            v[0] = 5.0
            w = y.view(-1)
            w[2] = 7.0
            y[0, 1:] += 1
            z = y.t()
            z[0].mul_(2)
            a = y
            a -= 1
            return y, v, w, z
        """,
        {"x": "3 N"},
    ),
    "in_place": Snippet(
        """
        def f_golden(x):
            y = torch.zeros_like(x)
            y.copy_(x).add_(1).clamp_(min=0)
            m = x > 0
            y.masked_fill_(m, 3.0)
            y[~m] = 2.0
            k = torch.empty(x.shape[0], 2 * x.shape[1])
            k[:, 0::2] = x
            k[:, 1::2] = y
            k[..., -1] = 0
            return k, x
        """,
        {"x": "M N"},
    ),
    "in_place_keeps_dtype": Snippet(
        """
        def f_golden(x, y):
            a = x.clone()
            a += y
            b = x.contiguous()
            c = x.t().contiguous()
            c[0] = 1.0
            return a, b, c
        """,
        {"x": "M N: float16", "y": "M N"},
    ),
    "dictionaries": Snippet(
        """
        def f_golden(x, b=None):
            v, i = x.max(dim=-1)
            t = torch.topk(x, 2, dim=-1)
            return {"v": v, "i": i, "tv": t.values, "ti": t[1], "none": b, "x": x}
        """,
        {"x": "M N"},
    ),
    "shape_arithmetic": Snippet(
        """
        def f_golden(x, h: int = 2):
            B, S, D = x.size()
            d = D // h
            q = x.reshape(B, S, h, d).transpose(1, 2)
            s = q @ q.transpose(-1, -2) * d ** -0.5
            p = F.softmax(s, dim=-1, dtype=torch.float32).to(x.dtype)
            o = (p @ q).transpose(1, 2).contiguous().view(B, S, -1)
            return o, x.numel() * x.mean(), torch.tensor(len(x))
        """,
        {"x": "B S D"},
        {"D": 8},
    ),
    "builtins": Snippet(
        """
        def f_golden(x, y):
            big = x if x.shape[0] > y.shape[0] else y
            n = max(x.shape[0], y.shape[0])
            k = min(3, x.shape[1]) + abs(-2) + round(2.6) + int(3.9) + divmod(7, 2)[1]
            k += sum(sorted([3, 1, 2])[:2]) + len("ab") + (2 if hasattr(x, "shape") else 0) + math.floor(1.5)
            return big.sum() / n + k
        """,
        {"x": "M N", "y": "P N"},
        {"M": 6, "P": 4},
    ),
    "lists_of_tensors": Snippet(
        """
        def f_golden(xs, w):
            outs = []
            for i, x in enumerate(xs):
                outs.append(x * (i + 1))
            outs.extend([w])
            outs[0] = outs[0] + 1
            outs.insert(0, w)
            last = outs.pop()
            return torch.cat(outs, 0), last, len(outs) * w
        """,
        {"xs": "M N", "w": "M N"},
        lists={"xs": 3},
    ),
    "configuration_objects": Snippet(
        """
        from dataclasses import dataclass
        @dataclass
        class Config:
            heads: int
            eps: float = 1e-5
            def scale(self, t):
                return t / self.heads + self.eps
        class Table:
            WIDTH = 4
        def f_golden(x):
            config = Config(heads=2)
            return config.scale(x) * Table.WIDTH
        """,
        {"x": "M N"},
    ),
    "reads_of_numbers": Snippet(
        """
        def f_golden(x, i):
            k = int(i[0].item())
            return x[k] * x.max().item(), x[i[1]]
        """,
        {"x": "M N", "i": "2: int64"},
    ),
    "dtype_information": Snippet(
        """
        def f_golden(x, dtype=torch.float16):
            low = torch.finfo(x.dtype).min
            y = x.masked_fill(x < 0, low / 2).to(dtype).to(x.dtype)
            return y.clamp(torch.iinfo(torch.int8).min, torch.iinfo(torch.int8).max)
        """,
        {"x": "M N"},
    ),
    "layers": Snippet(
        """
        def f_golden(x):
            norm = torch.nn.Softmax(dim=-1)
            return torch.nn.ReLU()(norm(x) - 0.2)
        """,
        {"x": "M N"},
    ),
    "list_state": Snippet(
        """
        def f_golden(x):
            state = {"a": x, "n": 0}
            parts = [None] * 2
            for k in range(2):
                state["a"] = state["a"] * 2
                state["n"] += 1
                parts[k] = state["a"] + state["n"]
            del state["n"]
            return parts[0], parts[-1], "n" in state and x or -x
        """,
        {"x": "M N"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_computes_what_torch_computes(name: str) -> None:
    torch = pytest.importorskip("torch")
    from golden.execute import execute

    snippet = CASES[name]
    program = snippet.read()
    assert [finding for finding in program.findings if finding.severity.value != "note"] == []
    assert not {"opaque", "loop"} & {step.op for step in program.steps}
    found, expected = execute(program, snippet.tensors(), snippet.extents), snippet.run()
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert torch.allclose(ours.double(), theirs.double(), rtol=1e-4, atol=1e-5, equal_nan=True)


def test_steps_of_a_helper_stand_at_its_lines_with_its_names() -> None:
    program = CASES["helpers"].read()
    assert written(program)[:5] == [
        "pow = pow(x, 2): [M, N] float32",
        "mean_square = mean(pow): [M, 1] float32",
        "add = add(mean_square, 1e-05): [M, 1] float32",
        "r = rsqrt(add): [M, 1] float32",
        "t = mul(x, r): [M, N] float32",
    ]
    assert [step.span.line for step in program.steps[:5]] == [8, 8, 8, 8, 9]


def test_casts_fold_into_contractions() -> None:
    program = Snippet(
        """
        def f_golden(a, b):
            return torch.matmul(a.float(), b.float().t().contiguous()), a.float() + 1
        """,
        {"a": "M K: float16", "b": "N K: float16"},
    ).read()
    assert written(program) == [
        "permute = permute(b): [K, N] float16",
        "out = matmul(a, permute): [M, N] float32",
        "a_f32 = cast(a): [M, K] float32",
        "out_1 = add(a_f32, 1): [M, K] float32",
    ]
    assert program.steps[1].attrs["compute_dtype"] == "float32"
    assert [step.section.value for step in program.steps] == ["cube", "cube", "vector", "vector"]


def test_a_narrowing_cast_stays() -> None:
    program = Snippet(
        "def f_golden(a, b):\n    return a.half() @ b\n", {"a": "M K: float32", "b": "K N: float16"}
    ).read()
    assert written(program) == ["a_f16 = cast(a): [M, K] float16", "out = matmul(a_f16, b): [M, N] float16"]


def test_shape_conditions_are_assumed_and_asserted_ones_are_required() -> None:
    program = CASES["asserts_and_contexts"].read()
    assert [(str(c.left), str(c.right), c.assumed) for c in program.constraints] == [("K", "P", False)]
    notes = [f.message for f in CASES["folded_conditions"].read().findings]
    assert notes == ["`(n := x.shape[-1]) > 2` is taken as True, as in the first p0 case (N=5)"]
    square = Snippet(
        "def f_golden(x):\n    return x if x.shape[0] == x.shape[1] else -x\n", {"x": "M N"}, {"M": 3, "N": 3}
    )
    assert [(str(c.left), str(c.right), c.assumed) for c in square.read().constraints] == [("M", "N", True)]


def test_parameters_fold_only_where_the_structure_needs_them() -> None:
    source = """
        def f_golden(x, dim: int = -1, eps: float = 1e-6, mode: str = "a", unused: int = 3):
            if mode == "a":
                x = x + eps
            return x.sum(dim)
        """
    program = Snippet(source, {"x": "M N"}, params={"dim": 0}).read()
    assert {p.name: (p.default, p.value, p.folded) for p in program.parameters} == {
        "dim": ("-1", 0, True),
        "eps": ("1e-6", 1e-6, False),
        "mode": ('"a"', "a", True),
        "unused": ("3", 3, False),
    }
    assert written(program)[0] == "x_2 = add(x, eps): [M, N] float32"


def test_an_out_parameter_is_an_output_and_no_input() -> None:
    source = "def f_golden(x, out):\n    out[...] = x * 2\n"
    program = Snippet(source, {"x": "M N", "out": "M N"}).read()
    assert [value.name for value in program.inputs] == ["x"]
    assert written(program) == ["out = mul(x, 2): [M, N] float32"]
    assert [(output.name, output.value) for output in program.outputs] == [("out", "out")]


def test_a_partly_written_out_parameter_is_an_input_too() -> None:
    source = "def f_golden(x, out):\n    out[0] = x\n"
    program = Snippet(source, {"x": "N", "out": "M N"}).read()
    assert [value.name for value in program.inputs] == ["x", "out"]
    assert written(program) == ["out_new = slice_store(out, x): [M, N] float32"]


def test_an_input_that_is_returned_stays_itself() -> None:
    program = Snippet("def f_golden(x, y=None):\n    return x, y\n", {"x": "M N"}).read()
    assert program.steps == () and [(o.name, o.value) for o in program.outputs] == [("x", "x")]


def test_names_are_readable_and_unique() -> None:
    source = """
        def f_golden(x):
            x = x.float()
            x = x * 2
            lambda_ = x + 1
            return lambda_ - x
        """
    program = Snippet(source, {"x": "M N: float16"}).read()
    assert [step.target for step in program.steps] == ["x_f32", "x_2", "lambda_", "out"]


def test_columns_count_characters() -> None:
    program = Snippet('def f_golden(x):\n    y = x; 文 = "中文"; return torch.exp(y)\n', {"x": "N"}).read()
    assert (program.steps[0].span.line, program.steps[0].span.column, program.steps[0].text) == (5, 29, "torch.exp(y)")
