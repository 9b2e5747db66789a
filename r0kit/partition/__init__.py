"""Program -> Partition: which Steps share a Module, and why not (design.md section 6)."""
