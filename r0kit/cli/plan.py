"""`r0kit plan`: tiles for the Modules of a contract."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.cli.progress import progress
from r0kit.cli.settings import settled
from r0kit.contract.model import Contract
from r0kit.contract.typed import read_contract
from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.plan import Plan, as_data, as_text, plan_of
from r0kit.plan.extents import LARGEST, axes
from r0kit.platform import Platform, UnknownPlatformError, load


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("plan")(_plan)


def _plan(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The contract, a module_interfaces.yaml.")],
    platform: Annotated[
        str, typer.Option("--platform", metavar="P", help="Target; that of the configuration, or a5, by default.")
    ] = "",
    extents: Annotated[
        str,
        typer.Option("--extents", metavar="M=128,N=4096", help="Instead of those of the contract's largest shape."),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="Compile and simulate every candidate with pypto, for a2a3; takes minutes."),
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=1.0, max=3600.0, help="Seconds for one simulated kernel.")
    ] = 120.0,
) -> int:
    """Tile candidates per Module with their reasons and live bytes, and base test cases that are checked against them.

    --simulate writes each Module that the graph API can say as a kernel for each candidate, and shows the simulator's
    order beside that of the advice, with the compiler's words where it rejects one. Needs pip install "r0kit[pypto]".
    """
    contract = read_contract(file)
    bound = _extents(extents, axes(contract))
    plan = plan_of(contract, _platform(platform or (SIMULATED if simulate else settled().get("platform", ""))), bound)
    if simulate:
        plan = _simulated(plan, contract, file, timeout)
    sys.stdout.write(_json(plan) if json else as_text(plan))
    findings = tuple(_findings(plan, file))
    show(findings)
    return FINDINGS if any(finding.severity is Severity.ERROR for finding in findings) else CLEAN


def _simulated(plan: Plan, contract: Contract, file: str, timeout: float) -> Plan:
    from r0kit.plan.simulate import PLATFORM, Limits, Session, SimulatorError, simulated

    if plan.platform != PLATFORM:
        raise typer.BadParameter(f"only {PLATFORM} can be simulated", param_hint="--platform")
    try:
        with Session(Limits(seconds=timeout)) as session:
            return simulated(plan, contract, session, progress())
    except SimulatorError as error:
        hint = "without --simulate the plan needs no compiler"
        raise InputError([Finding("plan.simulator", Severity.ERROR, str(error), Location(file), hint)]) from None


def _platform(name: str) -> Platform:
    try:
        return load(name)
    except UnknownPlatformError as error:
        raise typer.BadParameter(str(error), param_hint="--platform") from None


def _extents(text: str, known: tuple[str, ...]) -> dict[str, int]:
    """`M=128,N=4096` as a table. BadParameter where it is something else, or names no axis of the contract."""
    found: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not name.isidentifier() or not value.isascii() or not value.isdigit() or not _sensible(value):
            raise typer.BadParameter(f"{part!r} is not of the form M=128", param_hint="--extents")
        if name not in known:
            raise typer.BadParameter(f"no axis {name}: there are {', '.join(known)}", param_hint="--extents")
        if found.get(name, int(value)) != int(value):
            raise typer.BadParameter(f"{name} is {found[name]} and {value}", param_hint="--extents")
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


SIMULATED = "a2a3"  # the platform that --simulate takes where none is named
_HINT = "change the contract (or --extents, --platform), not the test case"


def _json(plan: Plan) -> str:
    from json import dumps

    return dumps(as_data(plan), indent=2, ensure_ascii=False) + "\n"
