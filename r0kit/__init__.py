"""r0kit: from a golden and its SPEC to a checked and proven Module contract."""

__version__ = "0.1.0"
