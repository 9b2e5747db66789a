"""The rules on a contract with keys that mean nothing: they look at what was meant by those that are misspelt."""

from collections.abc import Callable, Iterable

from r0kit.contract.meant import as_meant, as_written
from r0kit.contract.path import Path
from r0kit.contract.read import Document
from r0kit.finding import Finding, Location
from r0kit.rulebook import Rule, run
from r0kit.validate.misspelt import by_owner
from r0kit.validate.subject import Golden, Subject


def judged(document: Document, golden: Golden | None, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """What the rules say about the contract as it was meant, at the places where it is written."""
    meant = as_meant(document.data)
    subject = Subject(document._replace(data=meant.data), golden, by_owner(meant.unknown))
    return run(rules, subject, _locator(document, meant.renamed))


def _locator(document: Document, renamed: dict[Path, str]) -> Callable[[Iterable[Path]], dict[Path, Location]]:
    """What finds the places of paths in the contract as it was meant."""

    def locate(paths: Iterable[Path]) -> dict[Path, Location]:
        written = {path: tuple(as_written(path, renamed)) for path in paths}
        places = document.locate(dict.fromkeys(written.values()))
        return {path: places[there] for path, there in written.items()}

    return locate
