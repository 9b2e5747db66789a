"""What a page may show beside the contract: data that other rooms and files gave, checked for shape here."""

import json
from typing import Any, NamedTuple, NoReturn

from r0kit.finding import Finding, InputError, Location, Severity

RULE = "render.verify"


class Source(NamedTuple):
    """The golden's text, line by line."""

    name: str
    lines: tuple[str, ...]


class Case(NamedTuple):
    """One case of a verification: what it was, how it ended, the largest differences, and why it failed or was left out."""

    id: str
    status: str
    absolute: str
    relative: str
    seed: str
    bindings: str
    detail: str
    module: int | None


class Proof(NamedTuple):
    """A verification: PASS or FAIL, how many cases passed of how many, the first Module that is off, the cases,
    and what else was found."""

    status: str
    passed: str
    total: str
    module: int | None
    summary: str
    cases: tuple[Case, ...]
    findings: tuple[str, ...] = ()


class Supplement(NamedTuple):
    """What was found beside the contract. findings: None where nobody checked."""

    golden: Source | None = None
    proof: Proof | None = None
    findings: tuple[Finding, ...] | None = None


NOTHING = Supplement()


def proof_of(text: str, path: str) -> Proof:
    """The verification that `r0kit verify --json` wrote into the file `path`. InputError where `text` is not one."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse(path, f"is not JSON: {error.msg}", error.lineno, error.colno)
    except (RecursionError, ValueError) as error:
        _refuse(path, f"is not JSON that can be read: {error}")
    if (
        not isinstance(data, dict)
        or data.get("status") not in ("PASS", "FAIL")
        or not isinstance(data.get("checks"), list)
    ):
        _refuse(path, "is not a report of r0kit verify: it has no status and checks")
    return _proof(data)


def _refuse(path: str, what: str, line: int = 0, column: int = 0) -> NoReturn:
    hint = "write it with `r0kit verify GOLDEN --contract FILE --json`"
    raise InputError([Finding(RULE, Severity.ERROR, f"{path} {what}", Location(path, line, column), hint)])


def _proof(data: dict[str, Any]) -> Proof:
    first = data.get("first_failure")
    failure: dict[str, Any] = first if isinstance(first, dict) else {}
    checks = _records(data["checks"])
    return Proof(
        data["status"],
        _text(data.get("cases_passed")),
        _text(data.get("cases_total")),
        _module(failure.get("failing_module_boundary")),
        _text(failure.get("summary")),
        tuple(map(_case, checks)),
        tuple(_said(finding) for finding in _records(data.get("findings"))),
    )


def _said(finding: dict[str, Any]) -> str:
    rule, message = _text(finding.get("rule")), _text(finding.get("message"))
    return f"{message} [{rule}]" if rule else message


def _records(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _case(check: dict[str, Any]) -> Case:
    known, said = check.get("bindings"), check.get("failure")
    failure: dict[str, Any] = said if isinstance(said, dict) else {}
    bindings = ", ".join(f"{name} = {_text(value)}" for name, value in known.items()) if isinstance(known, dict) else ""
    detail = _text(failure.get("detail")) or _text(check.get("reason"))
    return Case(
        id=_text(check.get("id")),
        status=_text(check.get("status")),
        absolute=_text(check.get("max_abs_diff")),
        relative=_text(check.get("max_rel_diff")),
        seed=_text(check.get("seed")),
        bindings=bindings,
        detail=detail,
        module=_module(failure.get("module")),
    )


def _text(value: object) -> str:
    """A scalar as text; "" for what is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return str(value).lower() if isinstance(value, bool) else ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _module(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
