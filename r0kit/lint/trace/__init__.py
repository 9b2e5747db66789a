"""What a kernel does, statement by statement, read from its syntax tree: values, operations, tiles in force."""
