"""The rules put to the test by their own examples: the lines in question, in a whole contract."""

from collections.abc import Callable, Iterator
from textwrap import indent

from r0kit.contract.read import Document, parse
from r0kit.contract.structure import CONTRACT
from r0kit.finding import Report
from r0kit.rulebook.trials import Trial
from r0kit.rulebook.trials import self_test as trials_of
from r0kit.validate import RULES, Golden, validate_text

_CONTRACT = {
    "schema_version": "schema_version: 1",
    "op": "op: shift",
    "module_count": "module_count: 2",
    "primary_inputs": 'primary_inputs: [{name: x, shape: "[M, N]", dtype: float32}]',
    "final_outputs": "final_outputs: [{name: y, source: module_2}]",
    "composition_verification": "composition_verification: "
    "{atol: 0.001, rtol: 0.001, seeds: [42], shapes: [{M: 4, N: 8}, {M: 3, N: 1001}]}",
    "modules": """modules:
  - id: 1
    name: double
    description: double each element
    section: vector
    golden_steps: [t = x * 2]
    inputs: [{name: x, source: primary}]
    outputs: [{name: t, shape: "[M, N]", dtype: float32}]
    golden_stage_fn: shift_golden_stage1""",
}
_LAST_MODULE = {
    "id": "id: 2",
    "name": "name: shift",
    "description": "description: shift by one",
    "section": "section: vector",
    "golden_steps": "golden_steps: [y = t + 1]",
    "inputs": "inputs: [{name: t, source: module_1}]",
    "outputs": 'outputs: [{name: y, shape: "[M, N]", dtype: float32}]',
    "golden_stage_fn": "golden_stage_fn: shift_golden_stage12",
}


def completed(example: str) -> str:
    """The whole contract of which `example` shows some lines: keys of the contract, or of its last Module."""
    own = list(_blocks("".join(line for line in example.splitlines(True) if not line.startswith("#"))))
    keys = {key for key, _ in own}
    contract = [text for key, text in own if key in CONTRACT.fields]
    module = [text for key, text in _LAST_MODULE.items() if key not in keys]
    module += (text for key, text in own if key not in CONTRACT.fields)
    rest = [text for key, text in _CONTRACT.items() if key not in keys]
    return "\n".join((*contract, *rest, f"  - {indent(chr(10).join(module), '    ')[4:]}", ""))


def _blocks(example: str) -> Iterator[tuple[str, str]]:
    """Each key of the outermost mapping with its lines."""
    block: list[str] = []
    for line in example.splitlines():
        if block and not line.startswith(" "):
            yield block[0].partition(":")[0], "\n".join(block)
            block = []
        block.append(line)
    yield block[0].partition(":")[0], "\n".join(block)


Reader = Callable[[str, Document], Golden]  # source of a golden, and the contract beside it -> the golden


def judged(example: str, read: Reader) -> Report:
    """What all rules say about an example, beside the golden that it shows where it shows one."""
    text = completed(example)
    source = "".join(line.removeprefix("# ") for line in example.splitlines(True) if line.startswith("#"))
    return validate_text(text, golden=read(source, parse(text, "<example>")) if source else None)


def self_test(read: Reader) -> list[Trial]:
    """Every rule's good and bad example, judged by all rules."""
    return list(trials_of(RULES, lambda example: (f.rule for f in judged(example, read).findings)))
