"""`r0kit explain`: what a rule or a pitfall says, why, and its examples."""

from typing import Annotated

import typer

from r0kit.lint.rows import PITFALLS
from r0kit.rulebook import Rule
from r0kit.rulebook.pages import explained, listing, page
from r0kit.validate import RULES

PAGE_TITLE = "Rules of a Module contract"
PITFALLS_TITLE = "Pitfalls of PyPTO kernels"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("explain", short_help="Explain a rule or a pitfall, or list them.")(explain)


def explain(
    code: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help="A rule such as rule2 or a pitfall such as P07; none lists all."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Explain every rule.")] = False,
    pitfalls: Annotated[bool, typer.Option("--pitfalls", help="Of the pitfalls of kernels, not the rules.")] = False,
    format_name: Annotated[str, typer.Option("--format", help="text or md.")] = "text",
) -> None:
    """Explain a rule or a pitfall: what it says, why, a right and a wrong example. Without CODE, list them."""
    if format_name not in ("text", "md"):
        raise typer.BadParameter(f"{format_name!r} is neither text nor md", param_hint="--format")
    rules = _chosen(code, everything, pitfalls)
    if not rules:
        raise typer.BadParameter(f"no rule is called {code!r}; `r0kit explain` lists them", param_hint="CODE")
    if format_name == "md":
        of_kernels = rules[0] in PITFALLS
        print(page(*((PITFALLS_TITLE, rules, "python") if of_kernels else (PAGE_TITLE, rules))), end="")
    elif everything or code is not None:
        print("\n".join(explained(rule) for rule in rules), end="")
    else:
        print(listing(rules), end="")


def _chosen(code: str | None, everything: bool, pitfalls: bool) -> list[Rule]:
    """The rows that are asked for: one by its code, else those of one table, or of both to list them."""
    if code is not None and not everything:
        return [rule for rule in (*RULES, *PITFALLS) if rule.id.lower() == _rule_id(code)]
    if pitfalls:
        return list(PITFALLS)
    return list(RULES) if everything else [*RULES, *PITFALLS]


def _rule_id(code: str) -> str:
    """Rules are often called by their number alone."""
    return f"rule{code}" if code.isdecimal() else code.lower()
