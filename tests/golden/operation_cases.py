"""Cases of the operation tables: for one spelling of each row, argument lists separated by `|`.

A case runs under every spelling of its row, in place too where torch has that.
"""

CASES = """
torch.neg: x | h | i | m
torch.abs: x | h | e | m
torch.sign: x | i | m
torch.square: x | i | m
torch.positive: x | m
torch.floor: x | i
torch.ceil: x | i
torch.trunc: x | i
torch.frac: x | i
torch.relu: x | i | m
F.relu6: x | i | m
torch.bitwise_not: m | i | x
torch.logical_not: m | i | x
torch.isnan: nan | i
torch.isinf: x | i
torch.isfinite: nan
torch.isposinf: x
torch.isneginf: x
torch.signbit: x | i
torch.exp: x | h | i | m | d | z
torch.exp2: x | i
torch.expm1: x | i
torch.log: p | i
torch.log2: p
torch.log10: p
torch.log1p: p
torch.sqrt: p | i | h
torch.rsqrt: p | i
torch.reciprocal: p | i
torch.sin: x | i
torch.cos: x | i
torch.tan: x
torch.asin: u
torch.acos: u
torch.atan: x
torch.sinh: x
torch.cosh: x
torch.tanh: x | i | h
torch.asinh: x
torch.acosh: p + 1
torch.atanh: u
torch.sinc: x
torch.sigmoid: x | i | h
torch.erf: x
torch.erfc: x
torch.erfinv: u
torch.lgamma: p
torch.digamma: p
torch.i0: x
special.ndtr: x
special.entr: u
torch.deg2rad: x | i
torch.rad2deg: x
F.silu: x | h | i
F.mish: x | i
F.hardswish: x | i
F.hardsigmoid: x | i
torch.selu: x | i
F.logsigmoid: x | i
F.softsign: x | i
F.tanhshrink: x | i
torch._prims.cbrt: p
torch.mul: x, y | x, r | x, 2 | i, 2.0 | i, 2 | h, x | h, z | m, m | h, 2.0 | x, eps
torch.true_divide: x, p | i, 2 | i, j | m, m
torch.floor_divide: x, p | i, 2 | i, j
torch.remainder: x, p | i, 3 | x, 2.0
torch.fmod: x, p | i, 3 | x, 2.0
torch.maximum: x, y | x, r | h, x | i, x
torch.minimum: x, y | x, c | i, j
torch.fmax: nan, y
torch.fmin: nan, y
torch.atan2: x, y | i, j
torch.hypot: x, y | i, j
torch.logaddexp: x, y | i, j
torch.logaddexp2: x, y
torch.copysign: x, y | x, -1.0 | i, j
torch.nextafter: x, y
torch.gcd: i, j | x, y
torch.lcm: i, j
torch.heaviside: x, y
torch.xlogy: x, p | x, 2.0 | i, j
special.xlog1py: x, p
torch.eq: x, y | x, 2 | i, 2 | i, x | m, m
torch.ne: x, y | x, 2
torch.lt: x, y | x, r | x, 0.5
torch.le: x, y | i, 2
torch.gt: x, y | x, c
torch.ge: x, y | i, x
torch.logical_and: m, n | x, m
torch.logical_or: m, n | i, m
torch.logical_xor: m, n
torch.bitwise_and: m, n | i, j | i, 3 | x, y | m, i
torch.bitwise_or: m, n | i, j | i, 3
torch.bitwise_xor: m, n | i, j | i, 3
torch.bitwise_left_shift: i, 2 | i, j | e, 1
torch.bitwise_right_shift: i, 2 | i, j
torch.add: x, y | x, r | x, 2 | i, 2.5 | m, m | h, g | e, j | i, z
torch.add: x, y, alpha=2 | x, y, alpha=scale
torch.sub: x, y | x, c | i, j | m, m | x, eps
torch.sub: x, y, alpha=0.5
torch.rsub: x, y | x, 1 | x, 1, alpha=2
torch.div: x, p | i, 2 | x, p, rounding_mode='floor' | x, p, rounding_mode='trunc' | i, j, rounding_mode='trunc'
torch.pow: x, 2 | p, 0.5 | p, y | i, 2 | i, 2.0 | h, 2
torch.pow: 2, x | 2.0, i
torch.float_power: i, 2 | d, y
torch.round: x | i
torch.round: x * 100, decimals=1
torch.clamp: x, -1.0, 1.0 | x, min=0 | x, max=0.5 | i, min=2.5 | x, y, p | h, 0 | i, 1, 3 | x, min=eps
torch.clamp_min: x, 0.0 | x, y | x, min=0.5
torch.clamp_max: x, 0.0 | i, 2
torch.where: m, x, y | m, x, 0.0 | m, 0, x | m, h, x | m, 1.0, 0.0 | m, i, 2.5 | x > 0, r, c
torch.Tensor.where: x, m, y | x, m, 0.0
torch.masked_fill: x, m, 0.0 | x, m, float('-inf') | h, m, -1e4 | i, m, 0 | x, m, z | t, m, 1.0 | x, i, 0.0
F.gelu: x | x, approximate='tanh' | h | i
F.softplus: x | x, 2.0, 10.0 | x, beta=scale | i
F.leaky_relu: x | x, 0.2 | x, negative_slope=0.3
F.elu: x | x, alpha=0.5 | i
F.celu: x | x, 0.5
F.hardtanh: x | x, -2.0, 0.5 | x, min_val=0.0, max_val=1.0
F.hardshrink: x | x, 0.2
F.softshrink: x | x, 0.2
F.threshold: x, 0.5, 0.0 | x, 0.1, 20.0
torch.logit: u | u, 1e-3
torch.nan_to_num: nan | nan, 1.0, 2.0, -2.0
torch.lerp: x, y, 0.3 | x, y, u
torch.addcmul: x, y, p | x, r, c, value=0.5
torch.addcdiv: x, y, p | x, y, p, value=2
torch.polygamma: 1, p
torch.ldexp: x, i | x, j
torch.tril: x | t, 1 | x, diagonal=-1 | r
torch.triu: x | t, -1 | x, diagonal=1 | m
T.to: x, torch.float16 | x, h | x, dtype=torch.int32 | x, 'cpu' | x, 'cpu', torch.float64 | x, y.dtype
T.type: x, torch.float16 | x, dtype=torch.int64
T.type_as: x, h | i, x
T.float: i | h | x
T.half: x
T.bfloat16: x
T.double: x
T.int: p
T.long: p
T.short: p
T.char: p
T.byte: p
T.bool: x | i
T.contiguous: x
torch.sum: x | x, 1 | x, dim=(0, 1) | x, -1, True | i | m, 0 | h, dim=0 | x, dim=1, dtype=torch.float64 | t, (0, 2)
torch.sum: e, dim=-1 | z
torch.mean: x | x, 1 | x, dim=-1, keepdim=True | x, (0, 1) | i | i, dtype=torch.float32 | h, 0 | t, [0, 1]
torch.amax: x | x, 1 | x, (0, 1), True | i, 0 | x, -1
torch.amin: x | x, dim=0
torch.any: m | m, 1 | x, 0 | m, (0, 1) | m, 1, True
torch.all: m | m, dim=1, keepdim=True | i
torch.prod: x | x, 1 | i, 1 | x, 0, True | x, 0, dtype=torch.float64
torch.argmax: x | x, 1 | x, -1, True | x, dim=0 | i
torch.argmin: x | x, 1 | t, dim=1, keepdim=True
torch.max: x | x, 1 | x, -1, True | x, y | x, dim=0, keepdim=True | i | t, 2
torch.max: x, other=y | x, i
torch.min: x | x, 1 | x, y | x, dim=0
torch.aminmax: x | x, dim=1 | x, dim=0, keepdim=True
torch.count_nonzero: m | i, 1 | x, dim=(0, 1)
torch.nansum: nan | nan, 1
torch.nanmean: nan | nan, 1, True
torch.median: x | x, 1 | x, dim=0, keepdim=True
torch.matmul: a, b | tk, b | tk, tkn | a, v | v, b | v, v | tk, v | tk.unsqueeze(1), tkn | ha, hb | ia, ib | a, hb | a, a
torch.matmul: tk[:1], tkn | tk, tkn[0] | tk[0], tkn
torch.mm: a, b | tk, tkn
torch.bmm: tk, tkn | a, b
torch.mv: a, v
torch.dot: v, v | a, v
F.linear: a, w | a, w, r | tk, w, r | v, w | a, v | tk, w
F.bilinear: x, a, torch.ones(4, 5, 7) | x, a, torch.ones(4, 5, 7), torch.ones(4)
torch.addmm: r, a, b | x, a, b, beta=0.5, alpha=2 | z, a, b
torch.addmv: r[:3], a, v
torch.addr: torch.ones(5, 7), r, v | torch.ones(5, 7), r, v, beta=2
torch.baddbmm: t, tk, tkn | x, tk, tkn, beta=2, alpha=0.5
torch.addbmm: x, tk, tkn
torch.outer: r, v | a, v
linalg.multi_dot: [a, b, sq] | [a, b]
torch.chain_matmul: a, b, sq
torch.tensordot: a, b, 1 | tk, tkn, ([2], [1]) | tk, tkn, ([0, 2], [0, 1]) | x, y | tk, tkn, dims=([0], [0])
torch.inner: a, w | v, v | tk, w | z, x
torch.reshape: x, (5, 3) | x, (-1,) | t, (2, -1) | t, (-1, 5) | t, (6, 5) | t, [2, 15] | x, (1, 3, 5) | z, (1,) | x, (4, 4)
T.reshape: x, 5, 3 | x, -1 | t, 2, -1 | x, 3, 1, 5 | t, -1, 5
T.view: x, 5, 3 | x, -1 | t, (6, 5) | x, torch.int32 | h[:, :4].contiguous(), torch.int32 | x, torch.int8 | j, torch.float32
T.view_as: x, x.t() | x, y
torch.flatten: t | t, 1 | t, 0, 1 | t, start_dim=1 | z | q, 1, -2
torch.ravel: t
torch.unflatten: x, 0, (1, 3) | t, -1, (5, 1) | q, -1, (2, -1) | q, 3, (-1, 2)
torch.transpose: x, 0, 1 | t, -1, -2 | q, 1, 2 | x, dim0=0, dim1=1
torch.t: x | r | t
torch.permute: t, (2, 0, 1) | t, (0, -1, 1) | t, [0, 2, 1] | x, (0, 0)
T.permute: t, 2, 0, 1 | q, 0, 2, 1, 3
torch.movedim: t, 0, -1 | q, (0, 1), (-1, -2) | t, 2, 0
torch.unsqueeze: x, 0 | x, -1 | x, 1 | x, 3
torch.squeeze: c | c, 1 | c, 0 | x, 0 | c, (0, 1) | x.unsqueeze(0) | z
T.expand: c, 3, 5 | c, -1, 5 | r, 4, 5 | c, (2, 3, 5) | x, -1, -1 | x, 3, 6
torch.broadcast_to: r, (3, 5) | c, (3, 5)
T.expand_as: c, x | r, t | x, x
torch.broadcast_tensors: c, r | x, z
torch.cat: [x, y] | [x, y], 1 | (x, y, x), dim=-1 | [x, h] | [x, i] | [t, t], 2 | [a, x], 1 | [a, x], 0 | [x]
torch.stack: [x, y] | [x, y], 1 | (x, y), dim=-1 | [z, z] | [x, r]
torch.vstack: [x, y] | [r, r] | [r, x]
torch.hstack: [x, y] | [r, r]
torch.dstack: [x, y] | [r, r]
torch.atleast_1d: z | x
torch.atleast_2d: z | r | x
torch.atleast_3d: z | r | x | t
torch.flip: x, (0,) | t, (0, -1) | x, [1]
T.flip: x, 0 | t, 0, 2
torch.fliplr: x
torch.flipud: x
torch.roll: x, 1 | x, 2, 1 | x, (1, 2), (0, 1) | x, -1, dims=-1
torch.select: t, 1, 2 | x, -1, -1 | x, dim=0, index=1
torch.narrow: t, 1, 1, 2 | x, -1, 0, 3 | x, 1, -2, 2
torch.unbind: x | t, 1 | t, dim=-1
torch.tile: x, (2,) | x, (2, 3) | x, (2, 1, 3)
T.repeat: x, 2, 3 | x, 2, 1, 3 | x, (2, 2) | x, 1, 1
torch.diagonal: sq | x | x, 1 | t, 0, 1, 2 | t, -1, -2, -1 | t, offset=1, dim1=2, dim2=1
torch.split: x, 2, 1 | x, 3 | x, [2, 3], 1 | t, 1, dim=2 | x, [2, 2], 1 | x, (1, 2)
torch.split_with_sizes: x, [2, 3], 1
torch.chunk: x, 2, 1 | x, 3 | q, 2, -1 | x, 2 | sig, 4, 2 | x, 7, 1
torch.tensor_split: x, 2, 1 | x, 3 | x, (1, 3), 1 | x, (2,), dim=-1
torch.vsplit: t, 2 | x, (1,)
torch.hsplit: x, (2,) | r, (2,)
torch.dsplit: t, (1, 3)
torch.zeros: 3, 5 | (3, 5) | 2, dtype=torch.int32 | () | size=(2, 3)
torch.ones: 3, 5 | (x.shape[0], 2)
torch.full: (3, 5), 2.0 | (2,), 3 | (2,), True | (2,), 1.5, dtype=torch.float16 | (2,), eps
torch.zeros_like: x | h | x, dtype=torch.int32
torch.ones_like: x | i
torch.full_like: x, 2.5 | i, 3 | x, 1, dtype=torch.float64
T.new_zeros: h, 2, 3 | h, (2, 3)
T.new_ones: x, 2
T.new_full: x, (2, 3), 4.0
T.fill_: x, 2.0 | x, z
T.zero_: x
torch.arange: 5 | 2, 9 | 1, 10, 3 | 5.0 | 0, 1, 0.25 | x.shape[1] | 5, dtype=torch.float32 | 10, 0, -2 | x.shape[1] - 1, -1, -1
torch.linspace: 0, 1, 5 | -1.0, 1.0, steps=7
torch.logspace: 0, 1, 5
torch.eye: 3 | 3, 5 | x.shape[1] | 2, dtype=torch.bool
torch.scalar_tensor: 2 | 2.5, dtype=torch.float16
torch.tensor: 2.0 | 3 | True | [1, 2, 3] | [[1.0, 2.0], [3.0, 4.0]] | [1, 2.5] | 2, dtype=torch.float32 | scale | [z, z]
F.softmax: x, 1 | x, dim=-1 | x, dim=0, dtype=torch.float64 | h, -1 | i, 1 | i, 1, dtype=torch.float32
torch.softmax: x, 1 | t, dim=-1 | h, -1 | x, -1, dtype=torch.float64
F.softmin: x, 1
F.log_softmax: x, 1 | h, -1
torch.log_softmax: x, 1 | x, dim=-1, dtype=torch.float64
torch.logsumexp: x, 1 | x, dim=(0, 1) | x, -1, True | h, 1 | i, 1
torch.var: x | x, 1 | x, 1, False | x, dim=-1, unbiased=False | x, 1, True, True | x, dim=-1, correction=0, keepdim=True
torch.var: x, False
torch.std: x | x, 1 | x, dim=(0, 1), keepdim=True | h, 1 | x, dim=1, correction=0
torch.var_mean: x, 1 | x, dim=-1, unbiased=False, keepdim=True | x
torch.std_mean: x, 1
torch.norm: x | x, dim=1 | x, p=1, dim=1 | x, 2, -1, True | x, p=float('inf'), dim=0 | x, p=3, dim=1 | x, p='fro', dim=1
linalg.vector_norm: x | x, 1, 1 | x, dim=-1, keepdim=True | x, float('-inf'), 1 | x, 0, 1
F.normalize: x | x, dim=-1 | x, p=1, dim=0 | x, eps=eps | h
F.cosine_similarity: x, y | x, y, dim=-1 | x, r, 1
F.pairwise_distance: x, y | x, y, 1.0 | x, y, keepdim=True
torch.cdist: x, y | t, t | x, y, 1.0
torch.dist: x, y | x, y, 1
torch.einsum: 'mk,kn->mn', a, b | 'mk,kn', a, b | 'bmk,bkn->bmn', tk, tkn | 'mk,nk->nm', a, w | 'k,k->', v, v | 'mn->nm', x
torch.einsum: 'mn->m', x | 'nn->n', sq | 'nn->', sq | 'mn,mn->mn', x, y | 'n,k->nk', r, v | 'bhsd,bhpd->bhsp', q, k
torch.einsum: '...mk,...kn->...mn', tk, tkn | '...k,kn->...n', tk, b | 'm...,m...->...', x, y | 'mk,kn,mn->m', a, b, x
torch.einsum: 'mk,kn,nl->ml', a, b, sq | 'bmk,kn,mn,n->bn', tk, b, x, r | 'bmn,mn->bm', t, x | 'mn,n->m', x, r | 'mn,kn->', x, b
torch.einsum: 'i j, j k -> i k', a, b | 'bhd,bh->bd', t, t[:, :, 0] | 'hd,shd->hs', x, t | 'mk,kn->mn', a, x | 'mk,kn->mn', ha, hb
torch.einsum: 'mn,mn->mn', x, c | 'mk,kn->mn', a, hb | 'abc,cd->dab', tk, b | 'bij,bjk->ibk', tk, tkn | 'mn,mk->', x, a | 'mn,xn->m', x, y
F.conv2d: img, torch.ones(6, 4, 3, 3) | img, torch.ones(6, 4, 3, 2), torch.ones(6) | img, torch.ones(6, 4, 3, 3), None, 2, 1
F.conv2d: img, torch.ones(6, 4, 3, 3), stride=(1, 2), padding=(2, 0), dilation=2 | img, torch.ones(4, 1, 3, 3), groups=4
F.conv2d: img, torch.ones(6, 2, 3, 3), groups=2 | img, torch.ones(6, 4, 3, 3), padding='same' | img, torch.ones(6, 4, 2, 4), padding='same'
F.conv2d: img, torch.ones(6, 4, 3, 3), padding='valid' | img[0], torch.ones(6, 4, 3, 3) | img, torch.ones(6, 3, 3, 3) | img, torch.ones(6, 4, 12, 3)
F.conv1d: sig, torch.ones(6, 4, 3) | sig, torch.ones(6, 4, 3), torch.ones(6), 2, 1, 2 | sig, torch.ones(4, 1, 5), padding=4, groups=4
F.conv3d: vol, torch.ones(2, 4, 3, 2, 3) | vol, torch.ones(2, 4, 3, 3, 3), stride=2, padding=(1, 0, 1)
F.conv_transpose2d: img, torch.ones(4, 6, 3, 3) | img, torch.ones(4, 6, 3, 2), torch.ones(6), 2, 1, 1 | img, torch.ones(4, 2, 3, 3), groups=2
F.conv_transpose2d: img, torch.ones(4, 6, 3, 3), stride=(2, 3), padding=1, output_padding=(1, 2), dilation=2
F.conv_transpose1d: sig, torch.ones(4, 6, 3) | sig, torch.ones(4, 6, 3), stride=3, dilation=2
F.conv_transpose3d: vol, torch.ones(4, 2, 2, 2, 2) | vol, torch.ones(4, 2, 3, 3, 3), torch.ones(2), 2, 1
F.max_pool2d: img, 2 | img, 3, 2, 1 | img, (3, 2), stride=(2, 1) | img, 2, ceil_mode=True | img, 3, 2, 1, 2 | img[0], 2
F.max_pool2d: img, 3, 2, 1, ceil_mode=True
F.max_pool2d_with_indices: img, 2
F.max_pool1d: sig, 2 | sig, 3, 2, 1 | sig, 4, 3, ceil_mode=True
F.max_pool1d_with_indices: sig, 2
F.max_pool3d: vol, 2 | vol, 3, 2, 1
F.max_pool3d_with_indices: vol, 2
F.avg_pool1d: sig, 2 | sig, 3, 2, 1 | sig, 3, 2, ceil_mode=True | sig, 3, count_include_pad=False
F.avg_pool2d: img, 2 | img, 3, 2, 1, False, False | img, (2, 3), divisor_override=4 | img, 2, ceil_mode=True
F.avg_pool3d: vol, 2
F.lp_pool1d: sig, 2, 3
F.lp_pool2d: img, 2, 2, 2 | img, 3.0, 3
F.lp_pool3d: vol, 2, 2
F.adaptive_avg_pool1d: sig, 1 | sig, 5
F.adaptive_avg_pool2d: img, 1 | img, (1, 1) | img, (3, 5) | img, (None, 4) | img, 3
F.adaptive_avg_pool3d: vol, 1 | vol, (2, 3, 2)
F.adaptive_max_pool1d: sig, 1 | sig, 5, True
F.adaptive_max_pool2d: img, 1 | img, (3, 5), return_indices=True
F.adaptive_max_pool3d: vol, (2, 3, 2)
F.pad: x, (1, 2) | x, (1, 2, 3, 0) | x, (0, 1), 'constant', 2.0 | x, [1, 1], value=-1.0 | img, (1, 2, 3, 0), 'reflect' | x, (0, -2)
F.pad: img, (1, 1, 1, 1), mode='replicate' | img, (1, 1, 2, 2), mode='circular' | x, (0, 0) | i, (1, 0) | x, (0, 0, 1, 1) | x, (1, 2, 3)
torch.repeat_interleave: x, 2 | x, 2, 1 | x, 3, dim=0 | x, tgt, 0 | x, repeats=2, dim=-1
T.unfold: x, 1, 2, 1 | t, -1, 3, 2 | x, 0, 2, 2
F.unfold: img, 3 | img, (2, 3), 1, 1, 2 | img[0], 2, stride=2
F.fold: torch.ones(2, 12, 20), (5, 6), 2 | torch.ones(2, 36, 20), (4, 5), (3, 3), padding=1
torch.meshgrid: r, v | r, v, indexing='ij' | r, v, indexing='xy' | [r, v], indexing='ij'
torch.cartesian_prod: r, v
torch.diag_embed: r | x, 1 | x, -1, 0, 2
torch.diag: r | sq | x | r, 1 | sq, -1 | t
torch.trace: sq | x
torch.block_diag: x, a | x, r, z
torch.kron: x, a | x, r
torch.rot90: x | x, 2 | x, -1, (0, 1) | t, 1, [1, 2]
F.pixel_shuffle: img, 2
F.pixel_unshuffle: q, 2
F.channel_shuffle: img, 2
torch.gather: x, 1, im | x, 0, im | x, dim=-1, index=im[:, :2] | x, 1, im[:2]
torch.take_along_dim: x, im, 1 | x, im[:, :1], dim=1 | x, im
torch.index_select: x, 0, idx | x, 1, idx | t, dim=-1, index=idx | x, 0, zi % 3
torch.take: x, im
F.embedding: im, x | idx, a | idx2, x, padding_idx=0
F.one_hot: im, 5 | tgt, num_classes=x.shape[1] | zi, 9
torch.masked_select: x, m | t, m
torch.nonzero: m | t, as_tuple=True | x
torch.scatter: x, 1, im, y | x, 0, im, 2.0 | x, 1, im[:, :2], y | x, dim=1, index=im, value=1.0 | x, 1, im, y, reduce='add' | x, 0, im, h
torch.scatter_add: x, 1, im, y | x, 0, im[:2], y | x, dim=0, index=im, src=y
torch.scatter_reduce: x, 1, im, y, 'sum' | x, 0, im, y, reduce='amax', include_self=False
torch.index_add: x, 0, tgt, y | x, 0, tgt, y, alpha=2
torch.index_copy: x, 0, torch.tensor([2, 0, 1]), y
torch.index_fill: x, 0, tgt, 2.0 | x, 1, idx, z
torch.index_put: x, (tgt,), y | x, (tgt, tgt), z | x, (m,), z | x, (tgt,), r, accumulate=True
torch.masked_scatter: x, m, y | x, m, t
torch.searchsorted: torch.arange(5), i | torch.linspace(-1, 1, 5), x | torch.linspace(-1, 1, 5), x, right=True | torch.arange(5), 2, side='right'
torch.bucketize: x, torch.linspace(-1, 1, 5) | i, torch.arange(5), right=True, out_int32=True
torch.bincount: idx | idx, minlength=6 | tgt, weights=r[:3]
torch.histc: x, 4 | x, bins=5, min=-1, max=1
torch.isin: i, torch.tensor([1, 2]) | i, j, invert=True
torch.unique: i
torch.sort: x | x, 0 | x, dim=1, descending=True | x, -1, True
torch.argsort: x | x, 0, True | -x, dim=-1, stable=True
torch.msort: x
torch.topk: x, 2 | x, 2, 0 | x, 3, dim=-1, largest=False | x, k=2, dim=1, sorted=True
torch.kthvalue: x, 2 | x, 1, 0, True
torch.mode: i | i, 0, True
torch.quantile: x, 0.5 | x, 0.25, 1 | x, r.sigmoid(), dim=1 | x, 0.5, dim=0, keepdim=True | x, 0.3, interpolation='nearest' | i, 0.5
torch.nanquantile: nan, 0.5, 1
torch.cumsum: x, 1 | i, 0 | m, 1 | d, dim=-1, dtype=torch.float64 | e, dim=0 | h, 1
torch.cumprod: x, 1 | i, dim=0
torch.logcumsumexp: x, 1
torch.cummax: x, 1
torch.cummin: x, dim=0
torch.diff: x | x, 2 | x, dim=0 | x, prepend=c
F.layer_norm: x, (5,) | t, (3, 5), x, y | x, [5], r, r, 1e-3 | h, (5,) | t, t.shape[-1:], weight=r, eps=eps | x, (4,) | g, (5,)
F.rms_norm: x, (5,) | x, (5,), r, 1e-6 | t, (3, 5), eps=eps
F.group_norm: img, 2 | img, 4, torch.ones(4), torch.ones(4) | sig, 2, eps=1e-3 | img, 3
F.instance_norm: img | sig, weight=torch.ones(4), bias=torch.ones(4) | img, torch.ones(4), torch.ones(4), use_input_stats=False
F.batch_norm: img, torch.ones(4), torch.ones(4) | img, None, None, training=True | t, x[0][:3], p[0][:3], r[:3], r[:3], False, 0.1, 1e-3
F.batch_norm: x, None, None, r, r, True
F.scaled_dot_product_attention: q, k, vv | q, k, vv, causal | q, k, vv, bias4 | q, k, vv, is_causal=True | q, k, vv, scale=0.5 | hq, hq, hq
F.scaled_dot_product_attention: q, k[:, :2], vv[:, :2], enable_gqa=True | q[0], k[0], vv[0] | q, q, q, dropout_p=0.0, is_causal=True
F.glu: q | sig, 1 | x
F.prelu: x, z | x, r | img, torch.ones(4) | img, torch.full((1,), 0.25) | r, torch.full((1,), 0.25)
F.rrelu: x
F.dropout: x, 0.5, False | x, p=0.0 | x, training=False
torch.dropout: x, 0.3, False
F.mse_loss: x, y | x, y, reduction='sum' | x, y, reduction='none' | h, h
F.l1_loss: x, y | x, y, reduction='none'
F.smooth_l1_loss: x, y | x, y, beta=0.5, reduction='sum' | x, y, reduction='none', beta=0.0
F.huber_loss: x, y | x, y, reduction='sum', delta=0.5 | x, y, delta=eps
F.binary_cross_entropy: u, u | u, u, r, reduction='none'
F.binary_cross_entropy_with_logits: x, u | x, u, r | x, u, reduction='sum', pos_weight=r
F.kl_div: x, u | x, u, reduction='batchmean' | x, y, log_target=True, reduction='sum' | x, u, reduction='none'
F.hinge_embedding_loss: x, torch.sign(y) | x, torch.sign(y), margin=0.5, reduction='none'
F.soft_margin_loss: x, torch.sign(y)
F.poisson_nll_loss: x, p | p, p, log_input=False, reduction='sum'
F.gaussian_nll_loss: x, y, p
F.cross_entropy: x, tgt | x, tgt, reduction='none' | x, tgt, r | x, tgt, ignore_index=1 | x, tgt, label_smoothing=0.1 | x, u | h, tgt
F.cross_entropy: x, tgt, reduction='sum', weight=r, label_smoothing=0.2, ignore_index=0 | t, idx2[:, :5] | r, zi % 5 | x, u, label_smoothing=0.1
F.cross_entropy: x, tgt, r, label_smoothing=0.1 | x, u, r
F.nll_loss: x, tgt | x, tgt, r, reduction='sum' | x, tgt, ignore_index=2 | t, idx2[:, :5], reduction='none'
F.cosine_embedding_loss: x, y, torch.sign(c[:, 0]) | x, y, torch.sign(c[:, 0]), margin=0.3, reduction='none'
F.margin_ranking_loss: x, y, torch.sign(p) | x, y, torch.sign(u), margin=0.5, reduction='sum'
F.triplet_margin_loss: x, y, p | x, y, p, margin=0.5, p=1, swap=True | x, y, p, reduction='none'
"""

# Random values have a shape and a dtype, and numbers of their own.
RANDOM = """
torch.empty: 3, 5 | (3, 5) | 2, dtype=torch.int32 | size=(2, 3)
torch.empty_like: x | h
T.new_empty: h, 2, 3
torch.rand: 3, 5 | (2, 3)
torch.randn: 3, 5 | x.shape[0], 2
torch.rand_like: x | h
torch.randn_like: x
torch.randint: 5, (2, 3) | 1, 5, (2, 3)
torch.randperm: 5
F.dropout: x, 0.5 | x
F.rrelu: x, training=True
"""

# Expressions that are not a call of one row.
EXPRESSIONS = """
operator.iadd(x, h)
operator.imul(h, x)
operator.iand(m, n)
operator.isub(i, 2.5)
x[0]
x[-1]
x[1:]
x[:2, 1:3]
x[:, -2:]
x[:, :-1]
x[..., 0]
x[..., None]
x[None]
x[:, None, :]
t[0, ..., 1:]
t[:, 1]
t[..., ::2]
t[:, 1:3, ::2]
x[:10]
x[idx]
x[:, idx]
t[0, :, idx]
t[:, idx, 1:]
t[idx2[0, 0] % 2, idx]
t[idx % 2, :, idx]
t[:, idx, idx]
t[:, 1, idx]
x[idx2]
x[tgt, tgt]
x[mask1]
x[m]
t[:, m]
t[0][m]
x[zi % 3]
x[[0, 2]]
x[:, [True, False, True, True, False]]
x.shape
x.T
t.mT
q.shape[1]
x.ndim
x.max(dim=1).values
x.max(dim=1, keepdim=True)[0]
torch.max(x, dim=-1).indices
x - x.mean(-1, keepdim=True)
(x > 0) & (y > 0)
~(x > 0)
2 - x
1 / p
2 ** x
x ** -0.5
x @ w
-x
x % 2
i // 2
i << 1
x[:, : x.shape[1] // 2]
q.reshape(q.shape[0], -1, q.shape[3])
q.transpose(1, 2).reshape(q.shape[0], q.shape[2], -1)
"""
