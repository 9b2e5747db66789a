"""`python -m r0kit`: the same as the console script."""

from r0kit.cli import main

if __name__ == "__main__":
    main()
