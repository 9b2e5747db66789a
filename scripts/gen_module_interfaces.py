#!/usr/bin/env python3
"""Write a Module contract, from a checkout with PyYAML and Jinja2: GOLDEN [--spec S] [--op O] [--design D] > FILE."""

import sys
from os.path import abspath, dirname

sys.path.insert(0, dirname(dirname(abspath(__file__))))

from r0kit.cli.classic import gen_module_interfaces

if __name__ == "__main__":
    gen_module_interfaces()
