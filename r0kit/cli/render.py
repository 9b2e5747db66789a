"""`r0kit render`: section 0 of DESIGN.md from a contract."""

import os
from difflib import unified_diff
from enum import Enum
from json import loads
from typing import Annotated

import typer

from r0kit.cli.common import FINDINGS, show
from r0kit.cli.designing import RULE, updated
from r0kit.cli.output import named, refuse_inputs, write_bytes, write_text
from r0kit.cli.settings import settled
from r0kit.contract.model import Contract
from r0kit.contract.read import read
from r0kit.contract.typed import contract_of, read_contract
from r0kit.finding import Finding, Location, Severity
from r0kit.render import Lang, as_json, chart, html, markdown, svg, with_plan
from r0kit.source import read_bytes, read_text
from r0kit.source.refused import refusal

_MARKER = b"<!-- r0kit:begin"  # a document with a section 0 of ours has a language


_PLAN = "render.plan"


class _Format(str, Enum):
    MD = "md"
    MERMAID = "mermaid"
    JSON = "json"
    SVG = "svg"
    HTML = "html"


# Those that need the contract alone.
_FORMATS = {_Format.MD: markdown, _Format.MERMAID: chart, _Format.JSON: as_json, _Format.SVG: svg}


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("render")(_render)


def _render(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The contract, a module_interfaces.yaml.")],
    design: Annotated[
        str | None, typer.Option("--design", metavar="DESIGN.md", help="The document whose section 0 is meant.")
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Bring section 0 of DESIGN.md up to date; all else in it stays.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 with the difference when section 0 is behind the contract.")
    ] = False,
    lang: Annotated[
        Lang | None,
        typer.Option("--lang", help="Language; that of DESIGN.md's markers, of the configuration, or zh by default."),
    ] = None,
    format_: Annotated[
        _Format,
        typer.Option("--format", help="md: section 0; mermaid, svg: the data flow; json, html: all of it."),
    ] = _Format.MD,
    plan: Annotated[
        str | None, typer.Option("--plan", metavar="PLAN.json", help="Tiles to show: what `r0kit plan --json` wrote.")
    ] = None,
    golden: Annotated[
        str | None,
        typer.Option(
            "--golden", metavar="GOLDEN", help="html: the golden whose lines are shown; else that beside FILE."
        ),
    ] = None,
    verify_json: Annotated[
        str | None, typer.Option("--verify-json", metavar="FILE", help="html: what `r0kit verify --json` found.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write there, not to standard output.", callback=named),
    ] = None,
) -> int | None:
    """Section 0 of DESIGN.md from a contract, the data flow between its Modules, or all of it as a page or as JSON.

    The page (--format html) is one file that loads nothing and runs nothing. It shows the lines of the golden (one that
    is named, or the one beside FILE), what `validate` finds, and with --verify-json the results of `verify`.
    """
    if design is not None:
        _check_usage(in_place, check, format_, output)
        refuse_inputs(design, (file, plan), "name the document, DESIGN.md")
        return _in_design(_planned(file, plan), design, lang, check)
    if in_place or check:
        raise typer.BadParameter("--in-place and --check need --design DESIGN.md")
    if (golden is not None or verify_json is not None) and format_ is not _Format.HTML:
        raise typer.BadParameter("--golden and --verify-json belong to --format html")
    if output is not None:
        refuse_inputs(output, (file, plan, golden, verify_json), "name a file of its own")
    if format_ is _Format.HTML:
        text = _page(file, plan, lang or _settled(), golden, verify_json)
    else:
        text = _FORMATS[format_](_planned(file, plan), lang or _settled())
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
    return None


def _planned(file: str, plan: str | None) -> Contract:
    """The contract, with the plan beside it. InputError where the plan is none, or one of another operator."""
    return _beside(read_contract(file), plan)


def _beside(contract: Contract, plan: str | None) -> Contract:
    if plan is None:
        return contract
    try:
        data = loads(read_text(plan, _PLAN))
    except (ValueError, RecursionError) as error:
        raise refusal(plan, _PLAN, f"is no JSON: {error}", "write it with `r0kit plan FILE --json`") from None
    if not isinstance(data, dict) or data.get("op") != contract.op:
        raise refusal(plan, _PLAN, f"is no plan of {contract.op}", "write it with `r0kit plan FILE --json`")
    return with_plan(contract, data)


def _settled() -> Lang:
    """The language that the project has settled, or that of the official template."""
    return Lang(settled().get("lang", Lang.ZH))


def _page(file: str, plan: str | None, lang: Lang, golden: str | None, verify_json: str | None) -> str:
    from r0kit.cli.paging import supplement  # checks contracts and reads goldens, which no other format needs

    document = read(file)
    contract = contract_of(document)
    extra = supplement(document, contract, golden, verify_json)
    return html(_beside(contract, plan), lang, extra)


def _check_usage(in_place: bool, check: bool, format_: _Format, output: str | None) -> None:
    if in_place == check:
        raise typer.BadParameter("--design needs one of --in-place and --check")
    if format_ is not _Format.MD or output is not None:
        raise typer.BadParameter("--design takes neither --format nor -o")


def _in_design(contract: Contract, design: str, lang: Lang | None, check: bool) -> int | None:
    """Write, or show the difference of, the document `design` and what it would be with its section 0 up to date."""
    old = read_bytes(design, RULE) if os.path.lexists(design) else b""
    new = updated(old, contract, design, lang or (None if _MARKER in old else _settled()))
    if new == old:
        return None
    if not check:
        write_bytes(design, new)
        return None
    typer.echo(_difference(old.decode("utf-8-sig"), new.decode("utf-8-sig"), design), nl=False)
    message = "section 0 is behind the contract" if old else "there is no section 0 yet"
    hint = "run `r0kit render` with --in-place"
    show((Finding("render.behind", Severity.ERROR, message, Location(design), hint),))
    return FINDINGS


def _difference(old: str, new: str, name: str) -> str:
    """A unified diff. Lines end in \\n there; where ends differ from that, a carriage return shows."""
    rows = unified_diff(old.split("\n"), new.split("\n"), name, f"{name} (from the contract)", lineterm="")
    return "".join(f"{row.replace(chr(13), '^M')}\n" for row in rows)
