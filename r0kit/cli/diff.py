"""`r0kit diff`: what changed between two contracts, for a reviewer and for CI."""

from enum import Enum
from typing import Annotated

import typer

from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.contract.model import Contract
from r0kit.contract.read import Document, read
from r0kit.contract.typed import contract_of
from r0kit.diff import Change, Difference, as_json, as_markdown, as_text, compare
from r0kit.finding import Finding, InputError, Location
from r0kit.render.escape import code, plain


class _Format(str, Enum):
    TEXT = "text"
    JSON = "json"
    MD = "md"


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("diff")(_diff)


def _diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The contract before.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The contract after.")],
    format_: Annotated[_Format, typer.Option("--format", help="text, json, or md for a review.")] = _Format.TEXT,
    as_json_: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> int:
    """What changed between two contracts: Modules, values, wiring, and what later rounds take from them.

    Modules are matched by what they compute and are called, not by number. Exit status: 1 where something changed that
    later rounds build on (or a file cannot be read), 0 where only texts, reasons and figures did, or nothing.
    """
    wanted = _Format.JSON if as_json_ else format_
    before, after = _read(old), _read(new)
    findings = (*before[1], *after[1])
    if before[0] is None or after[0] is None:
        return _refused(old, new, findings, wanted)
    difference = compare(before[0][1], after[0][1])
    places = _places(difference, before[0][0], after[0][0])
    typer.echo(_written(difference, places, old, new, wanted), nl=False)
    return FINDINGS if difference.interface else CLEAN


def _read(path: str) -> tuple[tuple[Document, Contract] | None, tuple[Finding, ...]]:
    try:
        document = read(path)
        return (document, contract_of(document)), ()
    except InputError as error:
        return None, error.findings


def _refused(old: str, new: str, findings: tuple[Finding, ...], wanted: _Format) -> int:
    if wanted is _Format.JSON:
        typer.echo(as_json(None, old, new, lambda change: Location(new), findings), nl=False)
    else:
        show(findings)
    return FINDINGS


class _Places(dict[Change, Location]):
    """Places of changes, found in one pass over each file."""


def _places(difference: Difference, old: Document, new: Document) -> _Places:
    places = _Places()
    for gone, document in ((True, old), (False, new)):
        own = [change for change in difference.changes if change.gone is gone]
        found = document.locate({change.at for change in own})
        places.update({change: found[change.at] for change in own})
    return places


def _written(difference: Difference, places: _Places, old: str, new: str, wanted: _Format) -> str:
    if wanted is _Format.JSON:
        return as_json(difference, old, new, places.__getitem__)
    if wanted is _Format.MD:
        return as_markdown(difference, places.__getitem__, code)
    return as_text(difference, places.__getitem__, plain)
