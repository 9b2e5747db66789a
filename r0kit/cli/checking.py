"""What `r0kit validate` and the script `validate_module_yaml` share, without the libraries that parse request."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.cli.project import config_files
from r0kit.cli.request import Request
from r0kit.finding import Report
from r0kit.report import FORMATS, Style
from r0kit.validate import RULES, validate_file

_MANY = 50  # files of which the progress is shown


class _Judge(NamedTuple):
    """How each file is judged: beside which golden if any, and what the findings of a rule weigh."""

    golden: str
    strict: bool
    severities: Mapping[str, str]

    def report(self, path: str) -> Report:
        """The report on one file; its text is kept where findings need it."""
        report = _compared(path, self.golden) if self.golden else validate_file(path)
        if self.severities:
            report = report.rated(self.severities)
        return (report.strict() if self.strict else report) if report.findings else Report(path)


def check_files(request: Request) -> int:
    """Validate the files, put right before where that is asked for, print the report, and return the exit status."""
    files, reports, several = _asked(request.files)
    if request.diff:
        return _show_fixes(files, reports)
    written = _fix(files) if request.fix else CLEAN
    severities, own = _configured()
    judge = _Judge(request.golden, request.strict, severities)
    reports = [*own, *reports, *_with_progress(_reports(judge, files, request.jobs), len(files))]
    print(FORMATS[request.format_name].write(reports, Style(colour(), RULES, several)), end="")
    return FINDINGS if any(report.failed for report in reports) else written


def _fix(files: list[str]) -> int:
    from r0kit.cli.fixing import fix_files  # most runs change nothing

    return fix_files(files)


def _asked(paths: list[str]) -> tuple[list[str], list[Report], bool]:
    """The files to check, a report for each folder without any, and whether a folder was named."""
    if not any(map(os.path.isdir, paths)):
        return paths, [], False
    from r0kit.cli.searching import CONTRACTS, found  # most runs name files

    return *found(paths, CONTRACTS), True


def _show_fixes(files: list[str], lost: list[Report]) -> int:
    from r0kit.cli.fixing import show_fixes

    for report in lost:
        show(report.findings)
    return max(show_fixes(files), FINDINGS if lost else CLEAN)


def _configured() -> tuple[Mapping[str, str], list[Report]]:
    if next(config_files(), None) is None:
        return {}, []
    from r0kit.cli.settings import configured  # few folders have settings, and reading TOML costs

    return configured()


def _reports(judge: _Judge, files: list[str], jobs: int) -> Iterable[Report]:
    if jobs == 1 or len(files) == 1:
        return map(judge.report, files)
    from r0kit.cli.workers import reports_of  # loads what several processes take

    return reports_of(judge.report, files, jobs)


def _compared(path: str, golden: str) -> Report:
    from r0kit.cli.comparing import report  # reads goldens, which nobody else needs here

    return report(path, golden)


def _with_progress(reports: Iterable[Report], total: int) -> Iterator[Report]:
    """The reports, counted on standard error where they are many and a person is looking."""
    shows = total >= _MANY and sys.stderr is not None and sys.stderr.isatty()
    for number, report in enumerate(reports, 1):
        if shows and (number % 10 == 0 or number == total):
            end = "\n" if number == total else ""
            print(f"\rvalidated {number} of {total}", end=end, file=sys.stderr, flush=True)
        yield report


def colour() -> bool:
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
