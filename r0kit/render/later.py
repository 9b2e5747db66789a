"""The lists for later rounds as tables of section 0 and of the page."""

from r0kit.contract.model import Contract
from r0kit.render.downstream import Chain, Check, Path, State, downstream, readers
from r0kit.render.escape import Safe
from r0kit.render.flow import FINAL
from r0kit.render.record import pick
from r0kit.render.tables import Cells, Context, stacked
from r0kit.render.words import Words

MAX_PLATFORMS = 3  # with a column of their own; all others share one


def later(contract: Contract, words: Words) -> Context:
    """API chains, states, the number of handoffs (whose table belongs to the data flow), and the review list."""
    lists = downstream(contract)
    platforms = tuple(dict.fromkeys(name for chain in lists.chains for name in chain.paths))
    return {
        "chain_columns": _columns(platforms, words),
        "chains": [_chain(chain, platforms, words) for chain in lists.chains],
        "missing": [line for chain in lists.chains for line in _missing(chain, words)],
        "state_columns": words.columns("later.state_columns"),
        "states": [_state(state, words) for state in lists.states],
        "no_states": all(module.traversal is not None for module in contract.modules),
        "handoffs": len(lists.handoffs),
        "check_columns": words.columns("later.check_columns"),
        "checks": [_check(number, check, words) for number, check in enumerate(lists.review, 1)],
    }


def _columns(platforms: tuple[str, ...], words: Words) -> Cells:
    others = (words.say("later.others"),) if len(platforms) > MAX_PLATFORMS else ()
    return (*words.columns("later.chain_columns"), *map(words.prose, platforms[:MAX_PLATFORMS]), *others)


def _chain(chain: Chain, platforms: tuple[str, ...], words: Words) -> Cells:
    first = platforms[:MAX_PLATFORMS]
    cells = [_path(chain.paths.get(name), words) for name in first]
    if len(platforms) > MAX_PLATFORMS:
        rest = [(words.prose(name), _path(path, words)) for name, path in chain.paths.items() if name not in first]
        cells.append(stacked([words.say("later.other", platform=name, chain=path) for name, path in rest]))
    return (words.say("module", id=chain.module), words.code(chain.value), words.code(chain.op), *cells)


def _path(path: Path | None, words: Words) -> Safe:
    if path is None:
        return words.say("not_recorded")
    if not path.apis:
        return words.say("later.no_path")
    return words.join([words.mark(api) for api in path.apis])


def _missing(chain: Chain, words: Words) -> list[Safe]:
    return [
        words.say(
            "later.missing",
            value=words.code(chain.value),
            module=words.say("module", id=chain.module),
            platform=words.prose(platform),
            reason=words.prose(path.reason) or words.say("not_recorded"),
        )
        for platform, path in chain.paths.items()
        if not path.apis
    ]


def _state(state: State, words: Words) -> Cells:
    return (
        words.code(state.name),
        words.code(pick(state.record, "dtype")),
        words.code(pick(state.record, "initial")),
        _start(state, words),
        modules(state.updated_by, words),
        words.say("later.stored" if state.stored else "later.on_chip"),
        _lifetime(state, words),
    )


def _start(state: State, words: Words) -> Safe:
    return words.code(state.each) if state.each else words.say("later.once" if state.over else "not_recorded")


def _lifetime(state: State, words: Words) -> Safe:
    first, last = (words.say("module", id=number) for number in (state.first, state.last))
    parts = [first if state.first == state.last else words.say("later.lifetime", first=first, last=last)]
    if readers(state):
        parts.append(words.say("later.read_by", modules=modules(readers(state), words)))
    if FINAL in state.read_by:
        parts.append(words.say("later.final"))
    return words.join(parts)


def modules(numbers: tuple[int, ...], words: Words) -> Safe:
    """Modules in one cell."""
    return words.join([words.say("module", id=number) for number in numbers])


def _check(number: int, check: Check, words: Words) -> Cells:
    what = words.say(f"later.{check.kind}", subject=words.code(check.subject), detail=words.code(check.detail))
    return Safe(str(number)), words.say(f"later.kind.{check.kind}"), what, modules(check.modules, words)
