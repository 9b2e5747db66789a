"""What changed between two contracts, for a reviewer: Modules, values, wiring, and what later rounds take from them."""

from r0kit.diff.compare import compare
from r0kit.diff.kinds import KINDS
from r0kit.diff.model import Change, Difference
from r0kit.diff.write import as_json, as_markdown, as_text

__all__ = ["KINDS", "Change", "Difference", "as_json", "as_markdown", "as_text", "compare"]
