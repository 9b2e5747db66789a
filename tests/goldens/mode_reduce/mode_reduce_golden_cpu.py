import torch


def mode_reduce_golden_cpu(x, mode: str = "均值", keep: bool = False):
    """按模式归约最后一维。x: [B, N]"""
    assert x.dim() == 2, "输入必须是二维"
    if mode == "均值":  # 平均
        y = x.mean(dim=-1, keepdim=keep)
    elif mode == "最大":
        y = x.amax(dim=-1, keepdim=keep)
    else:
        raise ValueError(f"未知模式 {mode}")
    标度 = 2.0  # 中文变量名
    return y * 标度
