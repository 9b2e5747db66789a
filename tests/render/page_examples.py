"""Pages that the tests of the page share: small, large, Chinese, hostile, old, and with everything that can be given."""

import json
from collections.abc import Callable

from render_contracts import contract
from render_plan import PLAN

from r0kit.contract.model import Contract, Module, Tensor, Wire
from r0kit.finding import Finding, Location, Severity
from r0kit.render import Lang, html, with_plan
from r0kit.render.supplement import Source, Supplement, proof_of

HOSTILE = "<script>alert(1)</script> ]]> --> `|` \"'\n\u202eback & <img src=x onerror=alert(1)>"


def twenty(name: str = "scores_of_all_queries_against_every_cached_key", count: int = 20) -> Contract:
    """Cube and vector Modules in turn, each with inputs of its own and one from far above."""
    modules = tuple(_module(number, name) for number in range(1, count + 1))
    inputs = (Tensor("x", "[B, S, D]", "float16"), *(Tensor(f"w{n}", "[D, D]", "float16") for n in range(1, count + 1)))
    return Contract("block_of_twenty", count, inputs, modules, (Wire(f"v{count}", count),))


def _module(number: int, name: str) -> Module:
    wires = [Wire("x", 0) if number == 1 else Wire(f"v{number - 1}", number - 1), Wire(f"w{number}", 0)]
    if number > 4 and number % 4 == 0:
        wires.append(Wire(f"v{number - 4}", number - 4))
    about = "running maximum and denominator over T, and the weights of each tile, rescaled whenever the maximum grows"
    section = "vector" if number % 3 == 0 else "cube"
    traversal = {"axes": ["B", "S", "D"], "reduces": ["D"], "algorithm": "online"}
    made = (Tensor(f"v{number}", "[B, H, S, T]", "float32"),)
    steps = (f"v{number} = f(x)",)
    return Module(number, f"{name}_{number}", about, section, steps, tuple(wires), made, traversal=traversal)


def hostile_supplement() -> Supplement:
    """Everything that can be given, and all of it hostile."""
    place = Location(HOSTILE, 3, 4)
    findings = (Finding("rule0", Severity.ERROR, HOSTILE, place, HOSTILE), Finding("x", Severity.WARNING, "", place))
    check = {"id": HOSTILE, "status": "FAIL", "max_abs_diff": "inf", "bindings": {HOSTILE: HOSTILE}, "seed": 1}
    first = {"failing_module_boundary": 1, "summary": HOSTILE}
    report = {"status": "FAIL", "checks": [check, 3], "first_failure": first, "findings": [{"message": HOSTILE}]}
    golden = Source(HOSTILE, tuple(f"    {HOSTILE}" for _ in range(30)))
    return Supplement(golden, proof_of(json.dumps(report), "v.json"), findings)


def full() -> Supplement:
    """What the command gives for a contract with its golden and a verification."""
    check = {"id": "p0-seed42", "status": "PASS", "max_abs_diff": 1.5e-7, "max_rel_diff": 0.0, "seed": 42}
    checks = [{**check, "bindings": {"B": 1, "S": size}} for size in (1, 5, 128)]
    report = {"status": "PASS", "cases_passed": 3, "cases_total": 3, "first_failure": None, "checks": checks}
    lines = tuple(
        f"    line{number} = torch.matmul(q, k.transpose(-2, -1)) * scale  # {number}" for number in range(1, 40)
    )
    return Supplement(Source("golden.py", lines), proof_of(json.dumps(report), "v.json"), ())


PAGES: dict[str, Callable[[], str]] = {
    "row_softmax": lambda: html(with_plan(contract("row_softmax"), PLAN), Lang.EN, full()),
    "attention": lambda: html(contract("attention"), Lang.EN, full()),
    "flash_attention": lambda: html(contract("flash_attention"), Lang.ZH, full()),
    "twenty": lambda: html(twenty(), Lang.EN),
    "chinese": lambda: html(twenty("投影与注意力得分以及很长很长的名字", 5), Lang.ZH),
    "older": lambda: html(contract("older"), Lang.ZH),
    "hostile": lambda: html(contract("hostile"), Lang.EN, hostile_supplement()),
    "schemes": lambda: html(contract("reduction_schemes"), Lang.EN),
}
