"""What stands beside a golden or a contract: SPEC.md, and the golden of a contract."""

from __future__ import annotations

import os
from glob import escape, glob

from r0kit.contract.typed import read_contract
from r0kit.finding import InputError
from r0kit.source.refused import refusal
from r0kit.spec import Spec, read_spec

CONTRACT_NAME = "module_interfaces.yaml"


def spec_beside(golden: str, spec: str | None = None) -> Spec | None:
    """The SPEC in the file `spec`, else the SPEC.md beside the golden; None where there is neither.

    What is wrong with it is for `gen` to say. InputError where it cannot be read.
    """
    path = spec or os.path.join(os.path.dirname(golden), "SPEC.md")
    return read_spec(path)[0] if spec or os.path.isfile(path) else None


def golden_beside(contract: str) -> str:
    """The golden in the folder of the file `contract`: named after its operator, else the only one there, else `23_{op}.py`.

    InputError where the contract cannot be read, or has no golden beside it.
    """
    folder, op = os.path.dirname(contract), read_contract(contract).op
    for name in (f"{op}_golden_cpu.py", f"{op}_golden.py"):
        if os.path.isfile(os.path.join(folder, name)):
            return os.path.join(folder, name)
    others = [path for path in glob(os.path.join(escape(folder), "*_golden*.py")) if not path.endswith("_modular.py")]
    numbered = [path for path in glob(os.path.join(escape(folder), f"*_{escape(op)}.py")) if _is_numbered(path, op)]
    for found in (others, numbered):
        if len(found) == 1:
            return found[0]
    raise no_golden(contract, op)


def _is_numbered(path: str, op: str) -> bool:
    """Whether a file is called as in KernelBench: `23_Softmax.py`."""
    return os.path.basename(path).removesuffix(f"_{op}.py").isdecimal()


def no_golden(contract: str, op: str) -> InputError:
    """The contract `contract` stands alone."""
    what = f"has no golden of {op} beside it"
    return refusal(contract, "verify.golden", what, f"put {op}_golden_cpu.py into its folder")
