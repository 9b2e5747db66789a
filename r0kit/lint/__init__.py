"""What goes wrong in PyPTO kernels: the pitfalls, and the report of where a kernel file falls into them."""

from functools import partial

from r0kit.finding import InputError, Report
from r0kit.lint.parse import LIMIT, RULE, too_deep
from r0kit.lint.place import located
from r0kit.lint.rows import PITFALLS
from r0kit.lint.subject import Subject, subject_of
from r0kit.lint.versions import BEFORE, JUDGED, holds
from r0kit.rulebook import run
from r0kit.rulebook.trials import Trial
from r0kit.rulebook.trials import self_test as trials_of
from r0kit.source import read_text

__all__ = ["BEFORE", "JUDGED", "PITFALLS", "lint_file", "lint_text", "self_test"]


def lint_file(path: str, version: str | None = None) -> Report:
    """The report on the kernel file `path`; version: that of pypto, None for the one the file is written for.

    Whatever is wrong with the file is in it too; nothing is raised, and nothing of the file is run.
    """
    try:
        text = read_text(path, RULE, LIMIT)
    except InputError as error:
        return Report(path, error.findings)
    return lint_text(text, path, version)


def lint_text(text: str, path: str = "<text>", version: str | None = None) -> Report:
    """The report on the kernel file that `text` is; `path` is what findings call it."""
    try:
        return lint_subject(subject_of(text, path, version))
    except InputError as error:
        return Report(path, error.findings, text)
    except RecursionError:  # helpers that are nested deeply, each inside another
        return Report(path, too_deep(path, 1).findings, text)


def lint_subject(subject: Subject) -> Report:
    """The report of all pitfalls that hold for the subject's version, in the order of the file."""
    rules = [rule for rule in PITFALLS if holds(rule.versions, subject.version)]
    findings = run(rules, subject, lambda places: located(subject.path, subject.lines, places))
    return Report(subject.path, findings, subject.text).sorted()


def self_test() -> list[Trial]:
    """The examples of every pitfall, each linted for a version in which that pitfall holds."""
    return [trial for rule in PITFALLS for trial in trials_of((rule,), partial(_raised, rule.versions))]


def _raised(versions: str, text: str) -> list[str]:
    """The pitfalls of an example, in JUDGED or, where the row holds no longer, in the version before."""
    version = JUDGED if holds(versions, JUDGED) else BEFORE
    return [finding.rule for finding in lint_text(text, version=version).findings]
