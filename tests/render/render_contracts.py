"""The contracts that the tests of render share."""

from pathlib import Path

from r0kit.contract.model import Contract
from r0kit.contract.typed import read_contract

FOLDER = Path(__file__).parent / "contracts"
CONTRACTS = sorted(path.stem for path in FOLDER.glob("*.yaml"))


def contract(name: str) -> Contract:
    """The contract tests/render/contracts/<name>.yaml."""
    return read_contract(str(FOLDER / f"{name}.yaml"))
