"""What `r0kit lint` does once its options are read."""

import os
import re
import sys
from collections.abc import Mapping
from typing import NamedTuple

from r0kit.cli.checking import colour
from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.cli.fixing import difference
from r0kit.cli.output import write_text
from r0kit.cli.searching import Wanted, found
from r0kit.cli.settings import configured
from r0kit.finding import Finding, InputError, Location, Report, Severity
from r0kit.lint import PITFALLS, lint_file, self_test
from r0kit.lint.fix import fixed_file
from r0kit.lint.parse import LIMIT, RULE
from r0kit.report import FORMATS, Style
from r0kit.source import read_text


def _imports_pypto(path: str) -> bool:
    """Whether a file may be one of kernels; what cannot be read is looked at, so that the report says why."""
    try:
        return _IMPORT.search(read_text(path, RULE, LIMIT)) is not None
    except InputError:
        return True


_IMPORT = re.compile(r"^\s*(?:import|from)\s+pypto\b", re.MULTILINE)
KERNELS = Wanted(lambda name: name.endswith(".py"), "Python file that imports pypto", RULE, _imports_pypto)


class Options(NamedTuple):
    """What `lint` is asked to do. version: of pypto, "" for the one that a file is written for."""

    files: list[str]
    format_name: str = "text"
    version: str = ""
    strict: bool = False
    fix: bool = False
    diff: bool = False
    self_test: bool = False

    def run(self) -> int:
        """Do it; returns the exit status."""
        if self.self_test:
            from r0kit.cli.trials import print_trials  # hardly ever wanted

            return print_trials(self_test(), self.format_name, "pitfalls")
        files, lost = found(self.files, KERNELS)
        if self.diff:
            return self._show_changes(files, lost)
        severities, own = configured()
        reports = [*own, *lost, *(self._report(path, severities) for path in files)]
        several = any(map(os.path.isdir, self.files))
        print(
            FORMATS[self.format_name].write(reports, Style(colour(), PITFALLS, several, command="r0kit lint")), end=""
        )
        return FINDINGS if any(report.failed for report in reports) else CLEAN

    def _report(self, path: str, severities: Mapping[str, str]) -> Report:
        """The report on a file, once it has been repaired where that is asked for."""
        if self.fix:
            self._repair(path)
        report = lint_file(path, self.version or None)
        if not report.findings and not _imports_pypto(path):
            what = "no kernel is looked for in it: it does not import pypto"
            report = Report(
                path, (Finding(RULE, Severity.NOTE, what, Location(path), "name the file with the kernel"),)
            )
        report = report.rated(severities)
        return report.strict() if self.strict else report

    def _repair(self, path: str) -> None:
        """Rewrite a file where that is safe, and say so; one that cannot be read is left to the report."""
        try:
            fixed = fixed_file(path, self.version or None)
        except InputError:
            return
        if fixed.edits:
            write_text(path, fixed.text)
            edits = f"{fixed.edits} edit{'s' * (fixed.edits != 1)}"
            print(f"r0kit lint: {path}: {edits} ({', '.join(fixed.rules)})", file=sys.stderr)

    def _show_changes(self, files: list[str], lost: list[Report]) -> int:
        """Unified diffs on standard output; the status is 1 where a file would change or cannot be read."""
        for report in lost:
            show(report.findings)
        status = FINDINGS if lost else CLEAN
        for path in files:
            try:
                fixed = fixed_file(path, self.version or None)
            except InputError as error:
                show(error.findings)
                status = FINDINGS
                continue
            if fixed.edits:
                sys.stdout.write("".join(difference(path, fixed.before, fixed.text)))
                status = FINDINGS
        return status
