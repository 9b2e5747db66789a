"""Candidates by simulated cycles: a Module as a small pypto kernel, compiled and simulated by the wheel on the CPU."""

from r0kit.plan.simulate.rank import PLATFORM, Progress, in_silence, simulated
from r0kit.plan.simulate.session import Limits, Outcome, Session, SimulatorError

__all__ = ["PLATFORM", "Limits", "Outcome", "Progress", "Session", "SimulatorError", "in_silence", "simulated"]
