"""Who may import whom, read from the sources with `ast`; an import inside a function counts like any other."""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "r0kit"

# Room -> rooms it may import. `source` (bytes of an input file -> text) is open to every room.
ROOMS: dict[str, set[str]] = {
    "finding": set(),
    "source": {"finding"},
    "rulebook": {"finding"},
    "config": {"finding"},
    "resources": set(),
    "spec": {"finding"},
    "syntax": set(),
    "golden": {"finding", "spec", "syntax"},
    "platform": {"resources"},
    "partition": {"golden", "finding", "spec", "platform"},
    "contract": {"partition", "golden", "spec", "finding", "resources"},
    "validate": {"contract", "rulebook", "finding", "golden"},
    "render": {"contract", "finding", "resources"},
    "stages": {"contract", "partition", "golden", "spec", "finding"},
    "verify": {"contract", "stages", "spec", "finding"},
    "diff": {"contract", "finding"},
    "lint": {"rulebook", "finding", "syntax"},
    "plan": {"contract", "platform"},
    "lower": {"contract", "partition", "platform"},
    "report": {"finding"},
    "plugin": {"verify", "contract", "finding"},
}
FREE = {"source", "r0kit"}  # `r0kit` itself holds the version alone

# Third-party library -> rooms that may import it; every other library is a mistake or a new row here.
LIBRARIES: dict[str, set[str]] = {
    "yaml": {"contract", "spec", "partition"},
    "jinja2": {"contract", "render", "stages", "lower"},
    "jsonschema": {"contract", "validate"},
    "torch": {"verify", "plan"},
    "pypto": {"plan"},
    "tomli": {"config"},
    "tomllib": {"config"},
    "pytest": {"plugin"},
    "pathspec": {"cli"},
    "typer": {"cli"},
}

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def room(module: str) -> str:
    """The room of a module of the package: r0kit.golden.dims lies in `golden`; r0kit and r0kit.__main__ in themselves."""
    return module.split(".")[1] if "." in module else module


def imports(module: str) -> Iterator[str]:
    """Every module that `module` imports anywhere in its source, as full names; submodules named by `from` resolved."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative import"
            base = node.module or ""
            yield from {f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names}


def own(module: str) -> set[str]:
    """The modules of the package that `module` imports."""
    return {name for name in imports(module) if name == "r0kit" or name.startswith("r0kit.")}


def test_the_sources_are_found() -> None:
    assert {"r0kit", "r0kit.finding", "r0kit.cli.app"} <= MODULES.keys()


def test_no_room_is_unlisted() -> None:
    assert {room(module) for module in MODULES} - {"r0kit", "__main__", "cli"} <= ROOMS.keys()


def test_every_name_imported_exists() -> None:
    missing = {(module, name) for module in MODULES for name in own(module) if name not in MODULES}
    assert not missing


@pytest.mark.parametrize("module", MODULES)
def test_imports_follow_the_table(module: str) -> None:
    here = room(module)
    wanted = {room(name) for name in own(module)} - {here} - FREE
    if here == "__main__":
        assert wanted == {"cli"}
    elif here == "cli":
        assert "__main__" not in wanted
    else:
        assert wanted <= ROOMS.get(here, set())


@pytest.mark.parametrize("module", MODULES)
def test_libraries_stay_in_their_rooms(module: str) -> None:
    outside = {name.split(".")[0] for name in imports(module)} - {"r0kit"} - sys.stdlib_module_names
    assert {library: room(module) in LIBRARIES.get(library, ()) for library in outside} == dict.fromkeys(outside, True)


def test_no_module_imports_itself_by_a_detour() -> None:
    try:
        TopologicalSorter({module: own(module) - {module} for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_table_itself_has_no_cycle() -> None:
    TopologicalSorter(ROOMS).prepare()
