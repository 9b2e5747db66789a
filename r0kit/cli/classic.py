"""The entry points of the original scripts, with their command lines; `argparse` because they must start at once."""

import sys
from typing import NoReturn

from r0kit.cli import common
from r0kit.cli.plain import plain_options


def validate_module_yaml() -> NoReturn:
    """`validate_module_yaml FILE... [--json] [--self-test]`."""
    options = plain_options(sys.argv[1:])
    if options is None:
        from r0kit.cli.parsed import parsed  # hardly ever wanted

        options = parsed(sys.argv[1:])
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
