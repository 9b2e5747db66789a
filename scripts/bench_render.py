#!/usr/bin/env python3
"""Speed and growth of rendering and of comparing contracts: bench_render.py [--modules N] [--runs N]

Contracts of N/4 and N Modules, as rich as `r0kit gen` writes them, in every output form. One line each: seconds for N
(the best of the runs), and the ratio to N/4 (4 is linear). Reading the YAML is not in it. Exit status 1 where a form
takes a second or more for 1,000 Modules, or grows faster than it should.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire  # noqa: E402
from r0kit.diff import as_json as diff_json  # noqa: E402
from r0kit.diff import compare  # noqa: E402
from r0kit.finding import Location  # noqa: E402
from r0kit.render import Lang, as_json, chart, html, markdown, svg, update  # noqa: E402
from r0kit.render.supplement import Source, Supplement  # noqa: E402

LIMIT, GROWTH = 1.0, 6.0  # seconds for 1,000 Modules; ratio for four times as many
GOLDEN = Supplement(
    Source("golden.py", tuple(f"    v{n} = f(v{n - 1})  # 第 {n} 行" for n in range(1, 10_000))), None, ()
)


def contract(count: int) -> Contract:
    """Cube and vector Modules in turn, each with a weight of its own, and values that live for up to 50 Modules."""
    modules = tuple(_module(number) for number in range(1, count + 1))
    inputs = tuple(Tensor(f"w{number}", "[K, N]", "float16") for number in range(count + 1))
    passes = [
        {"module": f"module_{n}", "range": "0..N", "algorithm": "online", "state": [f"m{n}"]}
        for n in range(1, count + 1)
    ]
    axis = {"axis": "N", "bound": 65536, "may_exceed_tile": True, "scheme": "online", "traversals": passes}
    check = Verification(1e-3, 1e-3, "", (42,), ({"M": 4, "N": 8},))
    return Contract("bench", count, inputs, modules, (Wire(f"v{count}", count),), check, reduction=(axis,))


def _module(number: int) -> Module:
    far = max(0, number - 1 - number % 50)
    wires = (Wire(f"v{number - 1}", number - 1) if number > 1 else Wire("w0", 0), Wire(f"w{number}", 0))
    wires += (Wire(f"v{far}", far),) if 0 < far < number - 1 else ()
    value, apis = f"v{number}", {"a5": "pl.exp, pl.add", "a2a3": "pypto.exp"}
    none = {"a5": "pl.exp, pl.add", "a2a3": "none: no page of pypto describes it"}
    state = {"name": f"m{number}", "dtype": "float32", "initial": "-1.0e30", "update": "max", "tail_mask": "-1.0e30"}
    handoff = {"value": f"v{number - 1}", "written_to": "UB", "read_from": "UB", "path": "L0C -> UB (pl.move, FIX)"}
    return Module(
        *(number, f"module_{number}", "running maximum and exponential sum of each row 逐行统计"),
        *("cube" if number % 2 else "vector", (f"{value} = exp(v{number - 1})", f"s = sum({value})"), wires),
        *((Tensor(value, "[M, N]", "float32"),), f"bench_golden_stage1_to_{number}"),
        boundary=({"kind": "section", "from": f"module_{number - 1}", "value": f"v{number - 1}", "line": number},),
        traversal={"axes": ["M", "N"], "reduces": ["N"], "algorithm": "online", "state": [state]},
        handoff=(handoff,),
        api=tuple({"value": f"{value}_{n}", "op": "exp", **(apis if n else none)} for n in range(4)),
        source_lines=tuple(range(3 * number, 3 * number + 3)),
    )


def _diff(some: Contract) -> str:
    """Against the same contract with a Module more at its beginning, and another dtype everywhere."""
    modules = tuple(
        m._replace(
            id=m.id + 1,
            inputs=tuple(Wire(w.name, w.module + 1 if w.module else 0) for w in m.inputs),
            outputs=tuple(value._replace(dtype="float16") for value in m.outputs),
        )
        for m in some.modules
    )
    extra = Module(1, "extra", "", "vector", (), (), (Tensor("aside"),))
    new = some._replace(modules=(extra, *modules), final_outputs=(Wire(some.final_outputs[0].name, len(modules) + 1),))
    return diff_json(compare(some, new), "old", "new", lambda change: Location("new"))


FORMS: dict[str, Callable[[Contract], str]] = {
    "md": lambda some: markdown(some, Lang.ZH),
    "mermaid": lambda some: chart(some, Lang.ZH),
    "json": lambda some: as_json(some, Lang.ZH),
    "svg": lambda some: svg(some, Lang.ZH),
    "html": lambda some: html(some, Lang.ZH, GOLDEN),
    "in-place": lambda some: update(markdown(some, Lang.ZH), some, Lang.ZH, "DESIGN.md"),
    "diff": _diff,
}


def seconds(form: Callable[[Contract], str], some: Contract, runs: int) -> tuple[float, int]:
    """The best of several runs in processor time, and the characters written."""
    best, size = float("inf"), 0
    for _ in range(runs):
        start = time.process_time()
        size = len(form(some))
        best = min(best, time.process_time() - start)
    return best, size


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    small, large = contract(options.modules // 4), contract(options.modules)
    failed = False
    for name, form in FORMS.items():
        (few, _), (many, size) = seconds(form, small, options.runs), seconds(form, large, options.runs)
        ratio = many / few
        limit = LIMIT * (2 if name == "in-place" else 1) * options.modules / 1000  # in-place renders twice
        bad = many >= limit or ratio > GROWTH
        failed |= bad
        print(f"{name:9} {many:6.3f} s  {size / 1e6:5.2f} MB  x{ratio:.2f}{'  too slow' if bad else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
