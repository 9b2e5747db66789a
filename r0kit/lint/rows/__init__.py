"""The pitfalls, one row each, in the order of their ids."""

from r0kit.lint.rows.calls import CALLS
from r0kit.lint.rows.formulas import FORMULAS
from r0kit.lint.rows.models import MODELS
from r0kit.lint.rows.tiles import TILES
from r0kit.rulebook import Rule

PITFALLS: tuple[Rule, ...] = tuple(sorted((*CALLS, *TILES, *FORMULAS, *MODELS), key=lambda rule: rule.id))
