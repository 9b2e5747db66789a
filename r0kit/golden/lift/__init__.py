"""Loops as closed forms: a body read once, its trips joined into Steps over whole axes, the identity checked in numbers."""
