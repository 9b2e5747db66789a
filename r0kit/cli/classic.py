"""The entry points of the original scripts, with their command lines; `argparse` because they must start at once."""

from argparse import ArgumentParser
from typing import NoReturn

from r0kit.cli import common


def validate_module_yaml() -> NoReturn:
    """`validate_module_yaml FILE... [--json] [--self-test]`."""
    parser = ArgumentParser(prog="validate_module_yaml", description="Check Module contracts against the rules.")
    parser.add_argument("files", metavar="FILE", nargs="*", help="a contract (module_interfaces.yaml)")
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.add_argument("--self-test", action="store_true", help="run the rules on their own examples")
    parser.add_argument("--strict", action="store_true", help="treat warnings as errors")
    options = parser.parse_args()
    if not options.files and not options.self_test:
        parser.error("name at least one FILE")
    common.leave(
        lambda: _validate(options.files, "json" if options.json else "text", options.strict, options.self_test)
    )


def _validate(files: list[str], format_name: str, strict: bool, self_test: bool) -> int:
    from r0kit.cli.checking import check_files, check_rules  # not needed for --help, nor for a wrong command line

    return check_rules(format_name) if self_test else check_files(files, format_name, strict)
