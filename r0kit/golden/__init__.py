"""Golden source -> Program: read with `ast`, never imported, never run."""
