"""Reports for people: each finding with its line, a mark under the value, and what to do about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from r0kit.finding import Finding, Location, Report, Severity, printable

_WIDEST = 160  # columns of a source line that are shown

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}


def plain_text(reports: Sequence[Report], colour: bool = False) -> str:
    """All findings in order, and a summary."""
    blocks = [block for report in reports for block in finding_blocks(report, colour)]
    return "".join((*blocks, summary(reports), "\n"))


def finding_blocks(report: Report, colour: bool = False) -> Iterator[str]:
    """One block of lines per place, with all that is said of it."""
    lines = _lines(report.text, {finding.location.line for finding in report.findings}) if report.text else {}
    for place, findings in groupby(report.findings, key=lambda finding: finding.location):
        own = lines if place.path == report.path else {}  # the text is that of one file
        yield "".join(f"{line}\n" for line in _block(place, list(findings), own, colour))


def summary(reports: Sequence[Report]) -> str:
    """One line: the verdict, and how many findings in how many files."""
    counts = [sum(f.severity is severity for r in reports for f in r.findings) for severity in Severity]
    found = ", ".join(
        f"{count} {severity.value}{'s' * (count > 1)}"
        for count, severity in zip(counts, Severity, strict=True)
        if count
    )
    verdict = "FAIL" if any(report.failed for report in reports) else "PASS"
    files = f"{len(reports)} file{'s' * (len(reports) != 1)}"
    return f"{verdict}: {found or 'no findings'} in {files}"


def _lines(text: str, wanted: Iterable[int]) -> dict[int, str]:
    """The lines of these numbers; the others are passed over, as a file may have millions of them."""
    lines: dict[int, str] = {}
    number, start = 1, 0
    for line in sorted(wanted):
        while number < line:
            start = text.find("\n", start) + 1
            if not start:
                return lines
            number += 1
        end = text.find("\n", start)
        lines[line] = text[start : end if end >= 0 else len(text)]
    return lines


def _block(place: Location, findings: Sequence[Finding], lines: Mapping[int, str], colour: bool) -> Iterator[str]:
    for finding in findings:
        severity = finding.severity.value
        if colour:
            severity = f"\x1b[1;{_COLOURS[finding.severity]}m{severity}\x1b[0m"
        yield f"{_where(place)}: {severity}: {printable(finding.message)} [{finding.rule}]"
    if place.line > 0 and place.line in lines:
        yield from _excerpt(lines[place.line], place)
    for hint in dict.fromkeys(finding.hint for finding in findings if finding.hint):
        yield f"  hint: {printable(hint)}"


def _where(place: Location) -> str:
    """`path:line:column`, without what is not known: a column 0 is no place in a line."""
    known = (str(number) for number in (place.line, place.column) if number)
    return ":".join((printable(place.path), *known))


def _excerpt(line: str, place: Location) -> Iterator[str]:
    """The line, cut around the place where it is long, and carets under the place, where its column is known."""
    if not place.column:
        yield f"  {place.line} | {printable(line[:_WIDEST])}".rstrip()
        return
    start = place.column - 1
    end = place.end_column - 1 if place.end_line == place.line else len(line)
    first = max(0, start - _WIDEST // 2) if len(line) > _WIDEST else 0
    part = printable(line[first : first + _WIDEST])
    before, marked = part[: start - first], part[start - first : max(end, start + 1) - first]
    number = str(place.line)
    yield f"  {number} | {part}".rstrip()
    yield f"  {' ' * len(number)} | {' ' * _width(before)}{'^' * max(1, _width(marked))}"


def _width(text: str) -> int:
    """Columns of a terminal that `text` takes; most characters of Chinese take two."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
