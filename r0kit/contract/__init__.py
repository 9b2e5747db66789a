"""The Module contract: its frozen model, how it is read with positions, drafted, and written."""
