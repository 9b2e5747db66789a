"""Loops as one computation over all trips: each form held against torch in numbers, the usual ones Step by Step."""

from __future__ import annotations

import pytest

from golden.reading import Snippet, written
from r0kit.golden.program import Program

CASES: dict[str, Snippet] = {
    "sum_over_rows": Snippet(
        """
        def f_golden(x):
            acc = torch.zeros(x.shape[1])
            for i in range(x.shape[0]):
                acc = acc + x[i] * x[i]
            return acc
        """,
        {"x": "M N"},
    ),
    "maximum_over_columns": Snippet(
        """
        def f_golden(x):
            m = x[:, 0]
            for i in range(1, x.shape[1]):
                m = torch.maximum(m, x[:, i])
            return m
        """,
        {"x": "M N"},
    ),
    "contraction_over_tiles": Snippet(
        """
        def f_golden(a, b, tk: int = 2):
            c = torch.zeros(a.shape[0], b.shape[1])
            for k in range(0, a.shape[1], tk):
                c += a[:, k:k+tk].float() @ b[k:k+tk].float()
            return c
        """,
        {"a": "M K: float16", "b": "K N: float16"},
        {"K": 4},
    ),
    "contraction_over_blocks_from_none": Snippet(
        """
        BK = 4
        def f_golden(a, b):
            n = a.shape[1] // BK
            c = None
            for k in range(n):
                t = torch.matmul(a[:, k*BK:(k+1)*BK], b[k*BK:(k+1)*BK, :])
                c = t if c is None else c + t
            return c
        """,
        {"a": "M K", "b": "K N"},
        {"K": 8},
    ),
    "contraction_with_a_first_trip": Snippet(
        """
        def f_golden(a, b):
            K = a.shape[1]
            for k in range(0, K, 16):
                if k == 0:
                    c = a[:, k:k+16] @ b[k:k+16]
                else:
                    c = torch.addmm(c, a[:, k:k+16], b[k:k+16])
            return c
        """,
        {"a": "M K", "b": "K N"},
        {"K": 32},
    ),
    "scales_of_groups": Snippet(
        """
        G = 4
        def f_golden(x):
            M, N = x.shape
            out = torch.empty(M, N)
            s = torch.zeros(M, N // G)
            for g in range(N // G):
                blk = x[:, g*G:(g+1)*G]
                a = blk.abs().amax(-1, keepdim=True)
                out[:, g*G:(g+1)*G] = blk / a
                s[:, g] = a.squeeze(-1)
            return out, s
        """,
        {"x": "M N"},
        {"N": 12},
    ),
    "partial_products_with_group_scales": Snippet(
        """
        def f_golden(x, w, s, group: int = 4):
            K = x.shape[1]
            acc = torch.zeros(x.shape[0], w.shape[1])
            for g in range(K // group):
                part = x[:, g*group:(g+1)*group] @ w[g*group:(g+1)*group]
                acc = acc + part * s[g]
            return acc
        """,
        {"x": "M K", "w": "K N", "s": "G N"},
        {"K": 12, "G": 3},
    ),
    "attention_per_head_over_tiles": Snippet(
        """
        def f_golden(q, k, v):
            B, H, S, D = q.shape
            T = k.shape[2]
            out = torch.empty_like(q)
            for b in range(B):
                for h in range(H):
                    m = torch.full((S, 1), -float("inf"))
                    l = torch.zeros(S, 1)
                    acc = torch.zeros(S, D)
                    for j in range(0, T, 4):
                        s = q[b, h] @ k[b, h, j:j+4].T / math.sqrt(D)
                        mj = torch.max(m, s.max(-1, keepdim=True)[0])
                        p = torch.exp(s - mj)
                        a = torch.exp(m - mj)
                        l = a * l + p.sum(-1, keepdim=True)
                        acc = a * acc + p @ v[b, h, j:j+4]
                        m = mj
                    out[b, h] = acc / l
            return out
        """,
        {"q": "B H S D", "k": "B H T D", "v": "B H T D"},
        {"T": 8},
    ),
    "attention_over_query_and_key_tiles": Snippet(
        """
        def f_golden(q, k, v):
            S, D = q.shape
            T = k.shape[0]
            out = torch.empty(S, D)
            for i in range(0, S, 2):
                qi = q[i:i+2]
                m = torch.full((qi.shape[0],), float("-inf"))
                l = torch.zeros(qi.shape[0])
                o = torch.zeros(qi.shape[0], D)
                for j in range(0, T, 2):
                    s = qi @ k[j:j+2].t()
                    m_new = torch.maximum(m, s.amax(dim=1))
                    p = (s - m_new[:, None]).exp()
                    c = (m - m_new).exp()
                    l = l * c + p.sum(1)
                    o = o * c[:, None] + p @ v[j:j+2]
                    m = m_new
                out[i:i+2] = o / l[:, None]
            return out
        """,
        {"q": "S D", "k": "T D", "v": "T D"},
        {"S": 4, "T": 6},
    ),
    "normalised_in_every_trip": Snippet(
        """
        def f_golden(q, k, v):
            S, D = q.shape
            T = k.shape[0]
            O = torch.zeros(S, D); l = torch.zeros(S, 1); m = torch.full((S, 1), -1e30)
            for j in range(0, T, 3):
                s = q @ k[j:j+3].t() * 0.3
                mj = s.amax(1, keepdim=True)
                p = torch.exp(s - mj)
                lj = p.sum(1, keepdim=True)
                mn = torch.maximum(m, mj)
                ln = torch.exp(m - mn) * l + torch.exp(mj - mn) * lj
                O = (l * torch.exp(m - mn) * O + torch.exp(mj - mn) * (p @ v[j:j+3])) / ln
                m, l = mn, ln
            return O, m + torch.log(l)
        """,
        {"q": "S D", "k": "T D", "v": "T D"},
        {"T": 6},
    ),
    "running_logsumexp": Snippet(
        """
        def f_golden(x):
            lse = torch.full((x.shape[0],), -float("inf"))
            for j in range(0, x.shape[1], 2):
                lse = torch.logaddexp(lse, torch.logsumexp(x[:, j:j+2], dim=1))
            return lse
        """,
        {"x": "M N"},
        {"N": 6},
    ),
    "maximum_of_a_cat": Snippet(
        """
        def f_golden(x):
            m = torch.full((x.shape[0], 1), -float("inf")); l = torch.zeros(x.shape[0], 1)
            for xs in x.split(2, dim=1):
                mn = torch.cat([m, xs.amax(1, keepdim=True)], dim=1).amax(1, keepdim=True)
                l = l * torch.exp((m - mn) * 1.0) + torch.exp(xs - mn).sum(1, keepdim=True)
                m = mn
            return torch.exp(x - m) / l
        """,
        {"x": "M N"},
        {"N": 6},
    ),
    "online_statistics_key_by_key": Snippet(
        """
        def f_golden(x):
            m = torch.full((x.shape[0],), -float("inf")); l = torch.zeros(x.shape[0])
            for i in range(x.shape[1]):
                mn = torch.maximum(m, x[:, i])
                l = l * torch.exp(m - mn) + torch.exp(x[:, i] - mn)
                m = mn
            return m + l.log()
        """,
        {"x": "M N"},
        {"N": 6},
    ),
    "appended_and_joined": Snippet(
        """
        def f_golden(x):
            outs = []
            for i in range(0, x.shape[0], 2):
                outs.append(torch.relu(x[i:i+2]) + i * 0)
            ys = [t.sum() for t in x]
            return torch.cat(outs, dim=0), torch.stack(ys)
        """,
        {"x": "M N"},
        {"M": 4},
    ),
    "enumerate_and_zip": Snippet(
        """
        def f_golden(x, w):
            outs = []
            for i, row in enumerate(x):
                outs.append(row * w[i] + i)
            a = torch.stack(outs, -1)
            for i, (p, q) in enumerate(zip(x, w)):
                a[:, i] += p * q
            return a
        """,
        {"x": "M N", "w": "M"},
    ),
    "softmax_of_chunks": Snippet(
        """
        def f_golden(x):
            out = torch.zeros_like(x)
            for i in range(0, x.shape[1], 3):
                out[:, i:i+3] = torch.softmax(x[:, i:i+3], -1)
            return out
        """,
        {"x": "M N"},
        {"N": 6},
    ),
    "scan": Snippet(
        """
        def f_golden(x):
            c = torch.zeros(x.shape[0])
            out = torch.zeros_like(x)
            for t in range(x.shape[1]):
                c = c + x[:, t]
                out[:, t] = c
            return out
        """,
        {"x": "M N"},
    ),
    "stores_into_halves": Snippet(
        """
        def f_golden(x, cos, sin):
            y = torch.empty_like(x)
            h = x.shape[-1] // 2
            y[..., :h] = x[..., :h] * cos - x[..., h:] * sin
            y[..., h:] = x[..., h:] * cos + x[..., :h] * sin
            for i in range(x.shape[0]):
                y[i, :, 0] = 0
            return y
        """,
        {"x": "S B D", "cos": "C", "sin": "C"},
        {"D": 8, "C": 4},
    ),
    "numbers_read_per_trip": Snippet(
        """
        def f_golden(x, s):
            out = torch.zeros_like(x)
            for b in range(x.shape[0]):
                out[b] = x[b] * s[b].item() + float(s[b])
            return out
        """,
        {"x": "B N", "s": "B"},
    ),
    "static_trips": Snippet(
        """
        def f_golden(x, n: int = 3):
            for i in range(n):
                x = x / (x.sum(-1, keepdim=True) + i)
            for name in ("a", "b"):
                if name == "b":
                    x = x * 2
            return x
        """,
        {"x": "M N"},
    ),
    "causal_mask_inside": Snippet(
        """
        def f_golden(q, k, v):
            S, D = q.shape
            m = torch.full((S, 1), -1e30); l = torch.zeros(S, 1); o = torch.zeros(S, D)
            rows = torch.arange(S)[:, None]
            for j in range(0, S, 2):
                s = q @ k[j:j+2].T
                cols = j + torch.arange(2)[None, :]
                s = s.masked_fill(cols > rows, float("-inf"))
                mn = torch.maximum(m, s.amax(-1, keepdim=True))
                p = torch.exp(s - mn); a = torch.exp(m - mn)
                l = l * a + p.sum(-1, keepdim=True); o = o * a + p @ v[j:j+2]; m = mn
            return o / l
        """,
        {"q": "S D", "k": "S D", "v": "S D"},
        {"S": 6},
    ),
    "short_last_tile_with_mask": Snippet(
        """
        def f_golden(x, mask):
            m = torch.full((x.shape[0], 1), -1e30); l = torch.zeros(x.shape[0], 1)
            N = x.shape[1]
            for j in range((N + 3) // 4):
                lo = j * 4
                hi = min((j + 1) * 4, N)
                s = x[:, lo:hi] + (1.0 - mask[lo:hi].float()) * -1e9
                mn = torch.maximum(m, s.amax(-1, keepdim=True))
                l = l * torch.exp(m - mn) + torch.exp(s - mn).sum(-1, keepdim=True)
                m = mn
            return l, m
        """,
        {"x": "M N", "mask": "N: bool"},
        {"N": 7},
    ),
    "accumulating_store": Snippet(
        """
        def f_golden(x):
            B, S, D = x.shape
            out = torch.zeros(B, D)
            for b in range(B):
                for s in range(S):
                    out[b] += x[b, s]
            return out / S
        """,
        {"x": "B S D"},
    ),
    "interleaved_stores": Snippet(
        """
        def f_golden(x):
            M, N = x.shape
            y = torch.zeros(2 * M, N)
            for i in range(M):
                y[2 * i] = x[i]
                y[2 * i + 1] = -x[i]
            return y
        """,
        {"x": "M N"},
    ),
    "backwards": Snippet(
        """
        def f_golden(x):
            outs = []
            for i in reversed(range(x.shape[0])):
                outs.append(x[i] * 2)
            y = torch.zeros_like(x)
            for i in range(x.shape[0]):
                y[x.shape[0] - 1 - i] = x[i]
            return torch.stack(outs), y
        """,
        {"x": "M N"},
    ),
    "comprehensions_over_heads": Snippet(
        """
        def f_golden(x, w, h: int = 2):
            hs = [torch.softmax(x @ w[i], -1) for i in range(w.shape[0])]
            ys = torch.cat([x[:, i * 2:(i + 1) * 2].sum(-1, keepdim=True) for i in range(x.shape[1] // 2)], dim=-1)
            return torch.cat(hs, dim=-1), sum(hs), ys
        """,
        {"x": "M K", "w": "H K N"},
        {"K": 6},
    ),
    "contraction_in_blocks_of_one_extent": Snippet(
        """
        def f_golden(a, b):
            M, K = a.shape
            N = b.shape[1]
            c = torch.zeros(M, N)
            for i in range(0, M, 16):
                for j in range(0, N, 16):
                    acc = torch.zeros(16, 16)
                    for k in range(0, K, 16):
                        acc += a[i:i+16, k:k+16] @ b[k:k+16, j:j+16]
                    c[i:i+16, j:j+16] = acc
            return c
        """,
        {"a": "M K", "b": "K N"},
        {"M": 32, "K": 48, "N": 64},
    ),
    "contraction_in_counted_blocks": Snippet(
        """
        def f_golden(a, b):
            M, K = a.shape
            N = b.shape[1]
            c = torch.zeros(M, N)
            for i in range(M // 16):
                for j in range(N // 16):
                    acc = torch.zeros(16, 16)
                    for k in range(K // 16):
                        acc = acc + a[i*16:(i+1)*16, k*16:(k+1)*16] @ b[k*16:(k+1)*16, j*16:(j+1)*16]
                    c[i*16:(i+1)*16, j*16:(j+1)*16] = acc
            return c
        """,
        {"a": "M K", "b": "K N"},
        {"M": 32, "K": 48, "N": 64},
    ),
    "transposed_in_blocks": Snippet(
        """
        def f_golden(x, t: int = 4):
            M, N = x.shape
            y = torch.zeros(N, M)
            for i in range(0, M, t):
                for j in range(0, N, t):
                    y[j:j+t, i:i+t] = x[i:i+t, j:j+t].t()
            return y
        """,
        {"x": "M N"},
        {"M": 8, "N": 12},
    ),
    "paged_lookup": Snippet(
        """
        def f_golden(q, cache, table):
            B, D = q.shape
            out = torch.zeros(B, D)
            for b in range(B):
                k = cache[table[b].long()].reshape(-1, D)
                p = torch.softmax(k @ q[b], 0)
                out[b] = p @ k
            return out
        """,
        {"q": "B D", "cache": "P T D", "table": "B J: int32"},
        {"P": 3},
    ),
}
STAY_LOOPS = {"scan"}


@pytest.mark.parametrize("name", CASES)
def test_it_computes_what_torch_computes(name: str) -> None:
    torch = pytest.importorskip("torch")
    from golden.execute import execute

    snippet = CASES[name]
    program = snippet.read()
    found, expected = execute(program, snippet.tensors(), snippet.extents), snippet.run()
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert torch.allclose(ours.double(), theirs.double(), rtol=1e-4, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("name", CASES)
def test_loops_are_joined_where_trips_allow_it(name: str) -> None:
    program = CASES[name].read()
    assert ("loop" in {step.op for step in program.steps}) is (name in STAY_LOOPS)
    assert "opaque" not in {step.op for step in program.steps}
    assert [f.rule for f in program.findings if f.severity.value != "note"] == ["golden.loop-region"] * (
        name in STAY_LOOPS
    )


ATTENTION = [
    "permute = permute(k): [B, H, D, T] float32",
    "qk = matmul(q, permute): [B, H, S, T] float32",
    "s = div(qk, math.sqrt(D)): [B, H, S, T] float32",
    "mj = amax(s): [B, H, S, 1] float32",
    "sub = sub(s, mj): [B, H, S, T] float32",
    "p = exp(sub): [B, H, S, T] float32",
    "l = sum(p): [B, H, S, 1] float32",
    "acc = matmul(p, v): [B, H, S, D] float32",
    "out = div(acc, l): [B, H, S, D] float32",
]


def test_attention_over_tiles_is_its_closed_form() -> None:
    program = CASES["attention_per_head_over_tiles"].read()
    assert written(program) == ATTENTION
    found = {(finding.rule, finding.location.line) for finding in program.findings}
    assert found == {("golden.loop-lifted", 9), ("golden.loop-lifted", 10), ("golden.recurrence-lifted", 14)}


def test_a_sum_of_tile_products_is_one_contraction() -> None:
    program = CASES["contraction_over_tiles"].read()
    assert written(program) == ["c = matmul(a, b): [M, N] float32"]
    assert program.steps[0].attrs["compute_dtype"] == "float32"
    assert [p.name for p in program.parameters if p.folded] == ["tk"]


def test_a_scan_is_one_region_with_what_its_trips_hand_on() -> None:
    program = CASES["scan"].read()
    assert written(program) == [
        "c = zeros(): [M] float32",
        "out_zeros = zeros(): [M, N] float32",
        "loop = loop(c, out_zeros, x): [M, N] float32",
        "out = project(loop): [M, N] float32",
    ]
    region = program.steps[2]
    assert (region.attrs["trip"], str(region.attrs["count"]), region.kind.value) == ("t", "N", "loop")
    assert [inner.op for inner in region.body] == ["carried", "carried", "select", "add", "slice_store"]
    assert region.carried == tuple(inner.target for inner in region.body[:2])


def read(source: str, shapes: dict[str, str], **more: object) -> Program:
    return Snippet(source, shapes, **more).read()  # type: ignore[arg-type]


def test_a_mean_of_tile_means_is_not_taken_for_a_mean() -> None:
    source = """
        def f_golden(x):
            m = torch.zeros(x.shape[0])
            for i in range(0, x.shape[1], 4):
                m = (m + x[:, i:i+4].mean(1)) / 2
            return m
        """
    program = read(source, {"x": "M N"}, sizes={"N": 8})
    assert [step.op for step in program.steps] == ["zeros", "loop", "project"]
    [finding] = program.findings
    assert finding.rule == "golden.loop-region" and "stays a loop" in finding.message
    assert (finding.location.line, finding.location.column) == (7, 5)


def test_softmax_of_tiles_is_not_taken_for_a_softmax() -> None:
    """It is read with the tiles as a batch axis instead: every chunk is normalised on its own."""
    program = CASES["softmax_of_chunks"].read()
    assert "row_max = amax(permute): [N // 3, M, 1] float32" in written(program)


def test_a_loop_over_a_billion_trips_costs_nothing() -> None:
    source = """
        def f_golden(x):
            for i in range(10**9):
                x = x * 0.5 + i
            return x
        """
    program = read(source, {"x": "M N"})
    assert [step.op for step in program.steps] == ["loop", "project"]


def test_trips_that_cover_only_a_part_keep_to_it() -> None:
    source = """
        def f_golden(x):
            y = torch.zeros_like(x)
            for i in range(1, x.shape[0] - 1):
                y[i] = x[i] * 2
            return y
        """
    snippet = Snippet(source, {"x": "M N"}, {"M": 5})
    program = snippet.read()
    assert "slice = slice(x): [M - 2, N] float32" in written(program)
    torch = pytest.importorskip("torch")
    from golden.execute import execute

    assert torch.equal(execute(program, snippet.tensors(), snippet.extents)[0], snippet.run()[0])


def test_a_region_that_mixes_sections_says_so() -> None:
    source = """
        def f_golden(x, w):
            h = torch.zeros(x.shape[0], w.shape[0])
            for t in range(x.shape[1]):
                h = torch.tanh(h @ w + x[:, t])
            return h
        """
    program = read(source, {"x": "B T N", "w": "N N"})
    assert any("mixes cube and vector Steps" in finding.message for finding in program.findings)
