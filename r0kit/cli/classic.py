"""The entry points of the original scripts, with their command lines; `argparse` because they must start at once."""
