"""`r0kit explain`: what a rule says, why, and its examples."""

from typing import Annotated

import typer

from r0kit.rulebook import explained, listing, page
from r0kit.validate import RULES

PAGE_TITLE = "Rules of a Module contract"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("explain", short_help="Explain a rule, or list them.")(explain)


def explain(
    code: Annotated[str | None, typer.Argument(metavar="[CODE]", help="A rule such as rule2; none lists all.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Explain every rule.")] = False,
    format_name: Annotated[str, typer.Option("--format", help="text or md.")] = "text",
) -> None:
    """Explain a rule: what it says, why, a right and a wrong example. Without CODE, list the rules."""
    if format_name not in ("text", "md"):
        raise typer.BadParameter(f"{format_name!r} is neither text nor md", param_hint="--format")
    rules = [rule for rule in RULES if everything or code is None or rule.id == _rule_id(code)]
    if not rules:
        raise typer.BadParameter(f"no rule is called {code!r}; `r0kit explain` lists them", param_hint="CODE")
    if format_name == "md":
        print(page(PAGE_TITLE, rules), end="")
    elif everything or code is not None:
        print("\n".join(explained(rule) for rule in rules), end="")
    else:
        print(listing(rules), end="")


def _rule_id(code: str) -> str:
    """Rules are often called by their number alone."""
    return f"rule{code}" if code.isdecimal() else code.lower()
