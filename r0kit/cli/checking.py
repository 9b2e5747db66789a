"""What `r0kit validate` and the script `validate_module_yaml` share, without the libraries that parse options."""

import os
import sys
from collections.abc import Iterable, Iterator

from r0kit.cli.common import CLEAN, FINDINGS
from r0kit.finding import Report
from r0kit.report import FORMATS, Style
from r0kit.rulebook import Trial
from r0kit.validate import RULES, validate_file

_MANY = 50  # files of which the progress is shown


def check_files(paths: list[str], format_name: str, strict: bool, golden: str = "") -> int:
    """Validate the files, beside the golden in the file `golden` if any, print the report, return the exit status."""
    reports = []
    for path in _with_progress(paths):
        report = _compared(path, golden) if golden else validate_file(path)
        reports.append((report.strict() if strict else report) if report.findings else Report(path))
    print(FORMATS[format_name].write(reports, Style(colour(), RULES)), end="")
    return FINDINGS if any(report.failed for report in reports) else CLEAN


def _compared(path: str, golden: str) -> Report:
    from r0kit.cli.comparing import report  # reads goldens, which nobody else needs here

    return report(path, golden)


def check_rules(format_name: str) -> int:
    """Run the self-test, print its verdict, and return the exit status."""
    from r0kit.cli.comparing import golden_of_text
    from r0kit.validate.examples import self_test

    trials = self_test(golden_of_text)
    failed = [trial for trial in trials if not trial.passed]
    if format_name == "json":
        print(_json(trials, failed), end="")
    else:
        for trial in failed:
            print(_complaint(trial))
        print(f"{'FAIL' if failed else 'PASS'}: {len(trials) - len(failed)} of {len(trials)} examples of the rules")
    return FINDINGS if failed else CLEAN


def _json(trials: list[Trial], failed: list[Trial]) -> str:
    from json import dumps

    verdict = {
        "status": "FAIL" if failed else "PASS",
        "violations": [_complaint(trial) for trial in failed],
        "trials": [{**trial._asdict(), "passed": trial.passed} for trial in trials],
    }
    return dumps(verdict, indent=2) + "\n"


def _complaint(trial: Trial) -> str:
    raised, expected = (", ".join(rules) or "nothing" for rules in (trial.raised, trial.expected))
    return f"{trial.rule}: its {trial.example} example raises {raised}, expected {expected}"


def _with_progress(paths: Iterable[str]) -> Iterator[str]:
    """The paths, counted on standard error where they are many and a person is looking."""
    paths = list(paths)
    shows = len(paths) >= _MANY and sys.stderr is not None and sys.stderr.isatty()
    for number, path in enumerate(paths, 1):
        if shows and (number % 10 == 0 or number == len(paths)):
            end = "\n" if number == len(paths) else ""
            print(f"\rvalidating {number} of {len(paths)}", end=end, file=sys.stderr, flush=True)
        yield path


def colour() -> bool:
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
