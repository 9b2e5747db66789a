"""Static evaluation of a golden over `ast`: statements, expressions, calls and loops, with abstract values."""
