"""Partition -> Contract: every part of the contract that follows from the golden, its SPEC, and how they were cut."""

from r0kit.contract.draft.draft import Draft, draft
from r0kit.contract.draft.explain import explanation
from r0kit.contract.draft.undecided import with_todos

__all__ = ["Draft", "draft", "explanation", "with_todos"]
