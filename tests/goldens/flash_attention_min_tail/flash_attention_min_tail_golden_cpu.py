import torch

BLOCK_N = 32


def flash_attention_min_tail_golden_cpu(q, k, v, sm_scale=0.125):
    """Block loop whose last block is short; the first block initialises the state.  q [N, S, D], k, v [N, T, D]."""
    seq_len = k.size(1)
    num_blocks = (seq_len + BLOCK_N - 1) // BLOCK_N
    qf = q.float()
    for i in range(num_blocks):
        begin = i * BLOCK_N
        end = min(begin + BLOCK_N, seq_len)
        k_blk = k[:, begin:end, :].float()
        v_blk = v[:, begin:end, :].float()
        scores = torch.bmm(qf, k_blk.transpose(1, 2)) * sm_scale
        blk_max, _ = torch.max(scores, dim=-1, keepdim=True)
        if i == 0:
            row_max = blk_max
            p = torch.exp(scores - row_max)
            row_sum = p.sum(dim=-1, keepdim=True)
            acc = torch.bmm(p, v_blk)
        else:
            new_max = torch.max(row_max, blk_max)
            factor = torch.exp(row_max - new_max)
            p = torch.exp(scores - new_max)
            row_sum = row_sum * factor + p.sum(dim=-1, keepdim=True)
            acc = acc * factor + torch.bmm(p, v_blk)
            row_max = new_max
    return (acc / row_sum).to(q.dtype)
