"""Where `schemas/` and `templates/` are: inside the package in a wheel, beside it in a checkout.

A room's own data files are inside the package in both.
"""

from os.path import dirname, isdir, join

_PACKAGE = dirname(__file__)


def folder(name: str) -> str:
    """Absolute path of the resource folder `name` ("schemas", "templates", or a room with data files).

    Raises FileNotFoundError where neither place has it: a broken installation, not a user's mistake.
    """
    for parent in (_PACKAGE, dirname(_PACKAGE)):
        candidate = join(parent, name)
        if isdir(candidate):
            return candidate
    raise FileNotFoundError(f"r0kit's own folder {name}/ is missing; reinstall the package")


def text(name: str, file: str) -> str:
    """Text (UTF-8) of `file` in the resource folder `name`."""
    with open(join(folder(name), file), encoding="utf-8") as source:
        return source.read()
