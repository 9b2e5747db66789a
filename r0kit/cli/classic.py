"""The entry points of the original scripts, with their command lines; `argparse` because they must start at once."""

import sys
from typing import NoReturn

from r0kit.cli import common
from r0kit.cli.plain import Options, plain_options
from r0kit.report import FORMATS


def validate_module_yaml() -> NoReturn:
    """`validate_module_yaml FILE... [--json] [--self-test]`."""
    options = plain_options(sys.argv[1:]) or _parsed(sys.argv[1:])
    common.leave(options.run, brief=True)


def gen_module_interfaces() -> NoReturn:
    """`gen_module_interfaces GOLDEN [--spec SPEC.md] [--op OP] [--design DESIGN.md] > FILE`."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="gen_module_interfaces", description="Write the Module contract of a golden.")
    parser.add_argument("golden", metavar="GOLDEN", help="the Python file of the golden; it is never run")
    parser.add_argument("--spec", metavar="SPEC.md", help="its SPEC; SPEC.md beside the golden by default")
    parser.add_argument("--op", metavar="OP", help="the operator; decides where a file has several goldens")
    parser.add_argument("--design", metavar="DESIGN.md", help="the document that the contract belongs to")
    options = parser.parse_args()
    common.leave(lambda: _generate(options.golden, options.spec, options.op or None, options.design))


def _generate(golden: str, spec: str | None, op: str | None, design: str | None) -> int:
    from r0kit.cli.generating import Generation  # validate_module_yaml does without it

    return Generation(golden, spec, op, design).run()


def _parsed(arguments: list[str]) -> Options:
    """The options of a command line with abbreviations; help and wrong usage end the process here."""
    from argparse import ArgumentParser

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
