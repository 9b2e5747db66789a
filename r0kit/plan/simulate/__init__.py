"""Candidates by simulated cycles: a Module as a small pypto kernel, compiled and simulated by the wheel on the CPU."""
