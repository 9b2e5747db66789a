"""Tiles of a contract's Modules on a platform: candidates with their reasons, and the base test cases."""

from r0kit.plan.extents import ExtentError, Extents
from r0kit.plan.model import BaseCase, Candidate, ModulePlan, Phase, Plan
from r0kit.plan.planner import plan_of
from r0kit.plan.show import as_data, as_text

__all__ = [
    "BaseCase",
    "Candidate",
    "ExtentError",
    "Extents",
    "ModulePlan",
    "Phase",
    "Plan",
    "as_data",
    "as_text",
    "plan_of",
]
