"""Command lines of `validate` that need no parser: files and options that are spelt out.

Parsing options takes `argparse` a quarter, and `typer` two thirds, of the time in which a small contract is validated;
CI does that a thousand times a day. Help, errors and abbreviations are left to the parsers.
"""

from collections.abc import Sequence
from typing import Any

from r0kit.cli.request import Request
from r0kit.report import FORMATS

_FLAGS = {
    "--json": "json",
    "--strict": "strict",
    "--self-test": "self_test",
    "--fix": "fix",
    "--diff": "diff",
}
_VALUED = ("--format", "--golden", "--jobs")


class Options(Request):
    """What `validate` is asked to do, and the doing of it."""

    __slots__ = ()

    def run(self) -> int:
        """Do it; returns the exit status."""
        if self.self_test:
            from r0kit.cli.trials import check_rules  # hardly ever wanted

            return check_rules(self.format_name)
        from r0kit.cli.checking import check_files  # a wrong command line does without

        return check_files(self)


def plain_options(arguments: Sequence[str]) -> Options | None:
    """The options that `arguments` spell out, None where it takes a parser to tell."""
    files: list[str] = []
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument in _FLAGS:
            given[_FLAGS[argument]] = True
        elif name in _VALUED and name not in given and (not equals or name.startswith("--")):
            given[name] = value if equals else next(rest, "")
        elif argument.startswith("-"):
            return None
        else:
            files.append(argument)
    return _options(files, given) if files or "self_test" in given else None


def _options(files: list[str], given: dict[str, Any]) -> Options | None:
    """The options, None where a value is one of which a parser has to complain."""
    format_name, golden, jobs = given.pop("--format", "text"), given.pop("--golden", None), given.pop("--jobs", "1")
    if format_name not in FORMATS or not jobs.isdecimal() or golden == "" or (golden or "").startswith("-"):
        return None
    name = "json" if given.pop("json", False) else format_name
    return Options(files, name, golden=golden or "", jobs=int(jobs), **given)
