"""Command lines of `validate` that need no parser: files and flags that are spelt out.

Parsing options takes `argparse` a quarter, and `typer` two thirds, of the time in which a small contract is validated;
CI does that a thousand times a day. Help, errors, abbreviations and options with values are left to the parsers.
"""

from collections.abc import Sequence
from typing import NamedTuple

_FLAGS = frozenset(("--json", "--strict", "--self-test"))


class Options(NamedTuple):
    """What `validate` is asked to do."""

    files: list[str]
    format_name: str = "text"
    strict: bool = False
    self_test: bool = False
    golden: str = ""
    fix: bool = False
    diff: bool = False

    def run(self) -> int:
        """Do it; returns the exit status."""
        from r0kit.cli.checking import check_files, check_rules  # a wrong command line does without

        if self.self_test:
            return check_rules(self.format_name)
        if self.fix or self.diff:
            from r0kit.cli.fixing import fix_files, show_fixes

            if self.diff:
                return show_fixes(self.files)
            fix_files(self.files)
        return check_files(self.files, self.format_name, self.strict, self.golden)


def plain_options(arguments: Sequence[str]) -> Options | None:
    """The options that `arguments` spell out, None where it takes a parser to tell."""
    flags = {argument for argument in arguments if argument.startswith("-")}
    files = [argument for argument in arguments if argument not in flags]
    if not flags <= _FLAGS or not (files or "--self-test" in flags):
        return None
    return Options(files, "json" if "--json" in flags else "text", "--strict" in flags, "--self-test" in flags)
