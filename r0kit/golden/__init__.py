"""Golden source -> Program: read with `ast`, never imported, never run."""

from r0kit.golden.read import program_of, read_program

__all__ = ["program_of", "read_program"]
