"""What `r0kit lint` does once its options are read."""

import sys
from collections.abc import Mapping
from typing import NamedTuple

from r0kit.cli.checking import colour, configured, print_trials
from r0kit.cli.common import CLEAN, FINDINGS, show
from r0kit.cli.fixing import difference
from r0kit.cli.output import write_text
from r0kit.finding import InputError, Report
from r0kit.lint import PITFALLS, lint_file, self_test
from r0kit.lint.fix import fixed_file
from r0kit.report import FORMATS, Style


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
            return print_trials(self_test(), self.format_name, "pitfalls")
        if self.diff:
            return self._show_changes()
        severities, own = configured()
        reports = [*own, *(self._report(path, severities) for path in self.files)]
        print(FORMATS[self.format_name].write(reports, Style(colour(), PITFALLS, command="r0kit lint")), end="")
        return FINDINGS if any(report.failed for report in reports) else CLEAN

    def _report(self, path: str, severities: Mapping[str, str]) -> Report:
        """The report on a file, once it has been repaired where that is asked for."""
        if self.fix:
            self._repair(path)
        report = lint_file(path, self.version or None).rated(severities)
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

    def _show_changes(self) -> int:
        """Unified diffs on standard output; the status is 1 where a file would change or cannot be read."""
        status = CLEAN
        for path in self.files:
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
