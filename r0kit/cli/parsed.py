"""The command line of `validate_module_yaml` where it takes a parser to tell what is asked."""

from argparse import ArgumentParser

from r0kit.cli.plain import Options
from r0kit.report import FORMATS


def parsed(arguments: list[str]) -> Options:
    """The options of a command line with abbreviations; help and wrong usage end the process here."""
    parser = ArgumentParser(prog="validate_module_yaml", description="Check Module contracts against the rules.")
    add = parser.add_argument
    add("files", metavar="FILE", nargs="*", help="a contract (module_interfaces.yaml), or a folder with contracts")
    add("--json", action="store_true", help="report as JSON")
    add("--format", choices=FORMATS, default="text", help="how to report")
    add("--golden", metavar="GOLDEN.py", default="", help="compare with this golden, and the SPEC.md beside it")
    add("--strict", action="store_true", help="treat warnings as errors")
    add("--fix", action="store_true", help="put counts, flags, older spellings and the order of keys right")
    add("--diff", action="store_true", help="show what --fix would change, and change nothing")
    add("-j", "--jobs", metavar="N", type=int, default=1, help="processes; 0: as many as there are processors")
    add("--self-test", action="store_true", help="run the rules on their own examples")
    asked = parser.parse_args(arguments)
    if not asked.files and not asked.self_test:
        parser.error("name at least one FILE")
    if asked.jobs < 0:
        parser.error(f"--jobs is {asked.jobs}: 0 means as many as there are processors")
    name = "json" if asked.json else asked.format
    return Options(asked.files, name, asked.strict, asked.self_test, asked.golden, asked.fix, asked.diff, asked.jobs)
