"""The judge of the campaign `meanings` of fuzz.py: what torch computes by a golden is what the stages compose to.

The golden is read statically, divided, drafted and written as stage functions; both run on the inputs of the first p0
case. Whatever r0kit refuses it has to say so; a result that differs without a word is a failure.
"""

import dataclasses
import inspect
import json
import random
import signal
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import fuzz_inputs as inputs
import fuzz_programs

sys.path.insert(0, str(inputs.ROOT))

SECONDS = 3.0  # of a golden
FEW = 0.01  # of the elements may differ: those where a rounding decides a comparison, a floor, an order
FAR = 2e-2  # of the largest value: further than roundings get in a golden that is not ill-conditioned
NUDGE = 1e-5  # relative change of the inputs by which ill-conditioned goldens are known


def goldens() -> inputs.Corpus:
    """The goldens of the labelled operators."""
    return [operator.golden.read_text("utf-8") for operator in _operators()]


def programs(corpus: inputs.Corpus, _: inputs.Pool, __: inputs.Scraps, dice: random.Random) -> tuple[bytes, int]:
    """A golden of the corpus, changed, and its number."""
    origin = dice.randrange(len(corpus))
    return fuzz_programs.reworked(corpus[origin], dice).encode(), origin


@cache
def _operators() -> list[Any]:
    from tests import labelled

    return labelled.operators()


def judge(content: bytes, origin: int) -> str:
    """Run, read, divide, draft, write stages, run those, compare."""
    import torch

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)  # what nobody has set is NaN, which is passed over
    operator = _operators()[origin]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with _within(SECONDS):
                expected = _golden(content.decode(), operator)
        except Exception:
            return "no golden"
        if not expected or not all(isinstance(one, torch.Tensor) for one in expected):
            return "no golden"
        composed = _composed(content.decode(), operator, zlib.crc32(content))
        if composed is None:
            return "refused"
        results = composed()
        assert len(results) == len(expected), (len(results), len(expected))
        off = [_off(result, want) for result, want in zip(results, expected, strict=True)]
        if not any(off):
            return "agrees"
        if _is_rough(content.decode(), operator, expected):
            return "ill-conditioned"
    raise AssertionError("; ".join(filter(None, off)))


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """TimeoutError where the block takes longer: a change may have made a loop endless."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _golden(text: str, operator: Any, change: Callable[[Any], Any] = lambda tensor: tensor) -> list[Any]:
    """What the golden returns on the first p0 case, with its floating-point inputs changed."""
    from tests import labelled

    case = operator.machine["p0_cases"][0]
    module = ModuleType("golden")
    exec(compile(text, "golden", "exec"), module.__dict__)
    arguments = {name: _with(value, change) for name, value in labelled.make_inputs(operator, case).items()}
    return labelled.call(getattr(module, operator.function), {**arguments, **operator.parameters(case)})


def _with(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, list):
        return [_with(one, change) for one in value]
    return change(value) if value.is_floating_point() else value


def _is_rough(text: str, operator: Any, expected: list[Any]) -> bool:
    """Whether roundings alone, of the inputs or of the golden's own dtypes, change what it returns as much."""
    for change in (_nudged, lambda tensor: tensor.double()):
        try:
            others = _golden(text, operator, change)
        except Exception:  # operands of two dtypes
            continue
        if any(_off(other.to(want.dtype), want) for other, want in zip(others, expected, strict=True)):
            return True
    return False


def _nudged(tensor: Any) -> Any:
    import torch

    most = max(NUDGE, 2 * torch.finfo(tensor.dtype).eps)
    return (tensor * (1 + most * (torch.rand(tensor.shape) - 0.5))).to(tensor.dtype)


def _composed(text: str, operator: Any, number: int) -> Callable[[], list[Any]] | None:
    """A function that runs the composed stages; None where r0kit says what stopped it."""
    from r0kit.contract.typed import contract_of
    from r0kit.finding import InputError
    from r0kit.spec import read_spec
    from tests import labelled

    spec = dataclasses.replace(read_spec(str(operator.spec))[0], outputs=())
    try:
        document, stages = _stages(text, operator.golden.name, spec, number)
    except InputError as error:
        assert error.findings
        return None
    if stages.findings:
        return None
    contract, module = contract_of(document), ModuleType("stages")
    exec(compile(stages.source, "stages", "exec"), module.__dict__)
    function = getattr(module, f"{contract.op}_composed")
    case = operator.machine["p0_cases"][0]
    tensors, taken = labelled.make_inputs(operator, case), inspect.signature(function).parameters
    scalars = {name: value for name, value in operator.parameters(case).items() if name in taken}

    def run() -> list[Any]:
        result = function(*(tensors[tensor.name] for tensor in contract.primary_inputs), **scalars)
        return list(result) if isinstance(result, tuple) else [result]

    return run


def _stages(text: str, name: str, spec: Any, number: int) -> tuple[Any, Any]:
    """The contract of a golden under one of the strategies, as a document, and its stage functions."""
    from r0kit.contract.draft import draft
    from r0kit.contract.plain import plain
    from r0kit.contract.read import parse
    from r0kit.golden import read_program
    from r0kit.partition import Strategy, partition
    from r0kit.stages import stages_of

    with tempfile.TemporaryDirectory() as folder:
        golden = Path(folder, name)
        golden.write_text(text, "utf-8")
        strategy = list(Strategy)[number % len(Strategy)]
        contract = draft(partition(read_program(str(golden), spec), spec, strategy), spec).contract
        document = parse(json.dumps(plain(contract), default=dict, indent=1), "module_interfaces.yaml")
        return document, stages_of(document, str(golden), spec)


def _off(result: Any, expected: Any) -> str:
    """What is wrong with a result, "" where nothing is."""

    if (result.shape, result.dtype) != (expected.shape, expected.dtype):
        return f"{tuple(result.shape)} {result.dtype} instead of {tuple(expected.shape)} {expected.dtype}"
    a, b = result.double(), expected.double()
    known = b.isfinite()
    if not bool(known.any()):
        return ""
    scale = b[known].abs().max().clamp(min=1e-3)
    wrong = known & ~((a - b).abs() <= FAR * scale)
    share = wrong.double().mean().item()
    if share <= FEW and not (wrong.sum().item() > 1 and b.numel() < 100):
        return ""
    return f"{share:.0%} of {b.numel()} elements differ"
