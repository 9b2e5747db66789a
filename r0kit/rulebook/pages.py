"""What people read of rules, made from their rows: the list, the page, and all about one of them."""

from collections.abc import Iterable

from r0kit.rulebook import Rule


def listing(rules: Iterable[Rule]) -> str:
    """One line per rule: id, severity and title."""
    return "".join(f"{rule.id:<8}{rule.severity.value:<9}{rule.title}\n" for rule in rules)


def explained(rule: Rule) -> str:
    """All that the row says, as plain text."""
    return (
        f"{rule.id} ({rule.severity.value}): {rule.title}\n\n{rule.why}\n\nWhat to do: {rule.hint}.\n\n{_known(rule)}"
        f"Right:\n\n{_indented(rule.good)}\n\nWrong:\n\n{_indented(rule.bad)}\n"
    )


def page(title: str, rules: Iterable[Rule], language: str = "yaml") -> str:
    """All rows as one Markdown page; language: that of the examples."""
    sections = (
        f"## {rule.id}: {rule.title}\n\n{rule.why}\n\nSeverity: {rule.severity.value}. What to do: {rule.hint}.\n\n"
        f"{_known(rule)}Right:\n\n```{language}\n{rule.good.strip()}\n```\n\n"
        f"Wrong:\n\n```{language}\n{rule.bad.strip()}\n```\n"
        for rule in rules
    )
    return "\n".join((f"# {title}\n", *sections))


def _known(rule: Rule) -> str:
    """The versions and the evidence of a rule, where it names any."""
    versions = f"Versions: {rule.versions}.\n\n" if rule.versions else ""
    return f"{versions}Evidence: {rule.evidence}.\n\n" if rule.evidence else versions


def _indented(example: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in example.strip().splitlines())
