"""A plan as `r0kit plan --json` writes it, that has everything section 0 says of one."""

from typing import Any

PLAN: dict[str, Any] = {
    "op": "row_softmax",
    "platform": "a2a3",
    "extents": {"M": 256, "N": 1024},
    "simulator": "pypto 0.2.0",
    "modules": [
        {
            "id": 1,
            "name": "online_stats",
            "phases": [
                {
                    "axes": ["M", "N"],
                    "extents": [256, 1024],
                    "candidates": [
                        {
                            "tile": [16, 1024],
                            "tiles": 16,
                            "contiguous_bytes": 32768,
                            "live_bytes": {"UB": 98304},
                            "capacity_bytes": {"UB": 196608},
                            "cycles": 26471,
                        },
                        {"tile": [8, 1024], "cycles": None, "rejected": "Run pass failed."},
                    ],
                }
            ],
            "cases": [
                {"kind": "aligned", "extents": {"M": 16, "N": 1024}, "served": True, "says": ""},
                {"kind": "two tails", "extents": {}, "served": True, "says": "1 of the axes"},
                {"kind": "one tail", "extents": {"M": 16}, "served": False, "says": "back to R0: N"},
                {"kind": "several tiles with a tail", "extents": {"M": 33}, "served": True, "says": ""},
            ],
        },
        {"id": 2, "name": "conv", "phases": [], "cases": [], "notes": ["no tiles: its lines say no contraction"]},
    ],
}
