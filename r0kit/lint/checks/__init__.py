"""The pitfalls, each a function of the subject that says where it is fallen into."""
