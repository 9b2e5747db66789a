"""Reports as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html), for code scanning."""

import os
from collections.abc import Mapping, Sequence
from json import dumps
from pathlib import PurePath
from re import compile as pattern
from typing import Any
from urllib.parse import quote

from r0kit import __version__
from r0kit.finding import Finding, Location, Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LINK = pattern(r"\[(?=[^\[\]]*\]\()")  # what section 3.11.6 of the standard would take for a link
_NEVER_READ = frozenset("\x7f") | {chr(code) for code in range(32)} - {"\n", "\t"}


def sarif_text(reports: Sequence[Report], rules: Sequence[Any]) -> str:
    """The SARIF log of one run, indented by two."""
    rows = {rule.id: index for index, rule in enumerate(rules)}
    files = {path: index for index, path in enumerate(dict.fromkeys(_files(reports)))}
    results = [_result(finding, rows, files) for report in reports for finding in report.findings]
    driver = {"name": "r0kit", "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": uri(path)}} for path in files],
        "results": results,
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _files(reports: Sequence[Report]) -> list[str]:
    return [path for report in reports for path in (report.path, *(f.location.path for f in report.findings))]


def _rule(rule: Any) -> dict[str, Any]:
    """What a viewer shows as the help of a rule."""
    examples = f"Right:\n\n```\n{rule.good.strip()}\n```\n\nWrong:\n\n```\n{rule.bad.strip()}\n```"
    help_text = f"{rule.why}\n\nWhat to do: {rule.hint}."
    return {
        "id": rule.id,
        "shortDescription": {"text": plain(rule.title)},
        "fullDescription": {"text": plain(rule.why)},
        "help": {"text": plain(help_text), "markdown": f"{help_text}\n\n{examples}\n"},
        "defaultConfiguration": {"level": rule.severity.value},
    }


def _result(finding: Finding, rows: Mapping[str, int], files: Mapping[str, int]) -> dict[str, Any]:
    place = finding.location
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(place.path), "index": files[place.path]}}
    if place.line:
        physical["region"] = _region(place)
    index = {"ruleIndex": rows[finding.rule]} if finding.rule in rows else {}
    said = f"{finding.message}\nHint: {finding.hint}" if finding.hint else finding.message
    return {
        "ruleId": finding.rule,
        **index,
        "level": finding.severity.value,
        "message": {"text": plain(said)},
        "locations": [{"physicalLocation": physical}],
    }


def _region(place: Location) -> dict[str, int]:
    """Lines and columns from 1, as in a Location; the end is behind the last character in both."""
    region = {"startLine": place.line}
    if place.column:
        region["startColumn"] = place.column
    if place.column and (place.end_line, place.end_column) > (place.line, place.column):
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    return region


def plain(text: str) -> str:
    """`text` as a plain text message: braces are doubled, links are none (sections 3.11.5 and 3.11.6)."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return "".join("\ufffd" if c in _NEVER_READ else c for c in _LINK.sub(r"\\[", doubled))


def uri(path: str) -> str:
    """A path as a URI: relative where the path is, bytes that are no UTF-8 as they are in the file system."""
    if os.path.isabs(path):
        return PurePath(path).as_uri()
    return quote(os.fsencode(path.replace(os.sep, "/")))
