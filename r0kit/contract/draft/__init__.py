"""Partition -> Contract: every part of the contract that follows from the golden, its SPEC, and how they were cut."""

from r0kit.contract.draft.draft import Draft, draft

__all__ = ["Draft", "draft"]
