#!/usr/bin/env python3
"""Check Module contracts, from a checkout in which nothing but PyYAML is installed: FILE... [--json] [--self-test]."""

import sys
from os.path import abspath, dirname

sys.path.insert(0, dirname(dirname(abspath(__file__))))

from r0kit.cli.classic import validate_module_yaml

if __name__ == "__main__":
    validate_module_yaml()
