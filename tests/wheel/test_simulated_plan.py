"""`r0kit plan --simulate` against the compiler itself."""

from pathlib import Path

import pytest
from wheel.judge import NEEDS_WHEEL

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire
from r0kit.contract.typed import read_contract
from r0kit.plan import plan_of
from r0kit.plan.simulate import Limits, Session, simulated
from r0kit.plan.simulate.session import Outcome
from r0kit.platform import load

CONTRACTS = Path(__file__).parents[1] / "contracts"
SUM = """import pypto
import torch


@pypto.frontend.jit(runtime_options={{"run_mode": pypto.RunMode.SIM}})
def kernel(x: pypto.Tensor((128, 4096), pypto.DT_FP32), out: pypto.Tensor((128, 1), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes({})
    out[:] = pypto.sum(x, dim=1, keepdim=True)


def main():
    {}
    kernel(torch.zeros(128, 4096), torch.zeros(128, 1))
"""


@NEEDS_WHEEL
@pytest.mark.wheel
def test_cycles_rejections_and_limits() -> None:
    with Session(Limits(seconds=60)) as session:
        assert session.version
        assert session.run(SUM.format("4, 4096", "pass")) == Outcome(24838)
        assert "Run pass failed" in session.run(SUM.format("16, 4096", "pass")).error
        assert "32Byte align" in session.run(SUM.format("4, 1001", "pass")).error
        assert "signal 11" in session.run(SUM.format("4, 4096", "import os; os.kill(os.getpid(), 11)")).error
    with Session(Limits(seconds=2)) as session:
        assert session.run(SUM.format("4, 4096", "while True: pass")).error == "not compiled within 2 s"
        assert session.version


@NEEDS_WHEEL
@pytest.mark.wheel
def test_a_reduction_along_the_middle_is_where_advice_and_simulator_differ() -> None:
    module = Module(1, "m", "", "vector", ("y = sum(x, M)",), (Wire("x", 0),), (Tensor("y", "[B, 1, N]", "float32"),))
    made = Contract("op", 1, (Tensor("x", "[B, M, N]", "float32"),), (module,), (Wire("y", 1),), Verification())
    with Session() as session:
        plan = simulated(plan_of(made, load("a2a3"), {"B": 16, "M": 256, "N": 256}), made, session)
    phase = plan.modules[0].phases[0]
    cycles = {candidate.tile: candidate.cycles for candidate in phase.candidates}
    assert phase.candidates[0].tile == (1, 16, 256)
    assert cycles[(1, 16, 256)] == 52400
    assert min(filter(None, cycles.values())) <= 37017
    assert any("the orders differ" in note for note in phase.notes)


@NEEDS_WHEEL
@pytest.mark.wheel
@pytest.mark.parametrize("name", ("layer_norm", "matmul_bias_gelu"))
def test_modules_of_contracts_are_simulated(name: str) -> None:
    contract = read_contract(str(CONTRACTS / f"{name}.yaml"))
    with Session() as session:
        plan = simulated(plan_of(contract, load("a2a3"), {}), contract, session)
    for module in plan.modules:
        assert any(candidate.cycles for phase in module.phases for candidate in phase.candidates)
