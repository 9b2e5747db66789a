"""Command lines of `validate` that need no parser: files and flags that are spelt out.

Parsing options takes `argparse` a quarter, and `typer` two thirds, of the time in which a small contract is validated;
CI does that a thousand times a day. Help, errors, abbreviations and options with values are left to the parsers.
"""

from collections.abc import Sequence

from r0kit.cli.request import Request

_FLAGS = frozenset(("--json", "--strict", "--self-test"))


class Options(Request):
    """What `validate` is asked to do, and the doing of it."""

    __slots__ = ()

    def run(self) -> int:
        """Do it; returns the exit status."""
        from r0kit.cli.checking import check_files, check_rules  # a wrong command line does without

        return check_rules(self.format_name) if self.self_test else check_files(self)


def plain_options(arguments: Sequence[str]) -> Options | None:
    """The options that `arguments` spell out, None where it takes a parser to tell."""
    flags = {argument for argument in arguments if argument.startswith("-")}
    files = [argument for argument in arguments if argument not in flags]
    if not flags <= _FLAGS or not (files or "--self-test" in flags):
        return None
    return Options(files, "json" if "--json" in flags else "text", "--strict" in flags, "--self-test" in flags)
