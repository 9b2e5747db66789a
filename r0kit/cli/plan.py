"""`r0kit plan`: tiles for the Modules of a contract."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.contract.typed import read_contract
from r0kit.finding import Finding, Location, Severity
from r0kit.plan import Plan, as_data, as_text, plan_of
from r0kit.plan.extents import LARGEST
from r0kit.platform import Platform, UnknownPlatformError, load


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("plan")(_plan)


def _plan(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The contract, a module_interfaces.yaml.")],
    platform: Annotated[str, typer.Option("--platform", metavar="P", help="Target; a5 when not given.")] = "",
    extents: Annotated[
        str,
        typer.Option("--extents", metavar="M=128,N=4096", help="Instead of those of the contract's largest shape."),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> int:
    """Tile candidates per Module with their reasons and live bytes, and base test cases that are checked against them."""
    plan = plan_of(read_contract(file), _platform(platform), _extents(extents))
    sys.stdout.write(_json(plan) if json else as_text(plan))
    findings = tuple(_findings(plan, file))
    show(findings)
    return FINDINGS if any(finding.severity is Severity.ERROR for finding in findings) else CLEAN


def _platform(name: str) -> Platform:
    try:
        return load(name)
    except UnknownPlatformError as error:
        raise typer.BadParameter(str(error), param_hint="--platform") from None


def _extents(text: str) -> dict[str, int]:
    """`M=128,N=4096` as a table. BadParameter where it is something else."""
    found: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not name.isidentifier() or not value.isascii() or not value.isdigit() or not _sensible(value):
            raise typer.BadParameter(f"{part!r} is not of the form M=128", param_hint="--extents")
        found[name] = int(value)
    return found


def _sensible(value: str) -> bool:
    return len(value) <= 15 and 0 < int(value) <= LARGEST


def _findings(plan: Plan, file: str) -> list[Finding]:
    return [
        Finding("plan.r0", Severity.ERROR, f"Module {module.id} {module.name}: {failure}", Location(file), _HINT)
        for module in plan.modules
        for failure in module.failures
    ]


_HINT = "change the contract (or --extents, --platform), not the test case"


def _json(plan: Plan) -> str:
    from json import dumps

    return dumps(as_data(plan), indent=2, ensure_ascii=False) + "\n"
