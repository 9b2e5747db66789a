"""What `validate` is asked to do."""

from typing import NamedTuple


class Request(NamedTuple):
    """files: contracts, and folders with contracts; golden: what they are compared with; jobs: processes, 0 for as many
    as there are processors."""

    files: list[str]
    format_name: str = "text"
    strict: bool = False
    self_test: bool = False
    golden: str = ""
    fix: bool = False
    diff: bool = False
    jobs: int = 1
