"""The recorded verdicts of the original script."""

import json
from pathlib import Path
from typing import NamedTuple

CORE = frozenset(f"rule{number}" for number in range(8))


class Case(NamedTuple):
    """One contract and the rules of CORE that it violates; `crash` where the original script died on it."""

    id: str
    yaml: str
    rules: frozenset[str]
    crash: bool


def _case(line: str) -> Case:
    record = json.loads(line)
    return Case(record["id"], record["yaml"], frozenset(record["rules"]), record["reference"] == "crash")


CASES = tuple(
    map(_case, (Path(__file__).parent / "conformance/contracts.jsonl").read_text(encoding="utf-8").splitlines())
)
VALID = tuple(case.yaml for case in CASES if case.id.endswith("/identity") and not case.id.startswith("minimal"))
