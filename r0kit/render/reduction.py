"""Capacity of the reduction axes: may one exceed a tile, which scheme covers it, what each traversal keeps."""

from r0kit.contract.model import Contract, Module, Record
from r0kit.render.escape import Safe
from r0kit.render.record import entries, origin, pick, rest
from r0kit.render.tables import Cells, Context
from r0kit.render.words import Words

_AXIS_KEYS = (
    "axis",
    "extent",
    "bound",
    "may_exceed_tile",
    "scheme",
    "why",
    "traversals",
    "single_tile_limit",
    "buffers",
)
_STATE_KEYS = ("name", "dtype", "initial", "update", "tail_mask")
_TRAVERSAL_KEYS = ("axes", "reduces", "algorithm", "state")


def reduction(contract: Contract, words: Words) -> Context:
    """Both conclusions of the template per reduction axis, then the traversals and the states they carry."""
    conclusions = [axis_conclusion(record, contract, words) for record in contract.reduction]
    states = [row for module in contract.modules for row in _states(module, words)]
    return {
        "axes": conclusions,
        "no_reduction": not conclusions and _reduces_nothing(contract),
        "traversal_columns": words.columns("reduction.traversal_columns"),
        "traversals": _traversals(contract, words),
        "state_columns": words.columns("reduction.state_columns"),
        "states": states,
    }


def _reduces_nothing(contract: Contract) -> bool:
    """Whether every Module records its traversal and none of them reduces an axis."""
    return all(module.traversal is not None and not pick(module.traversal, "reduces") for module in contract.modules)


def axis_conclusion(record: Record, contract: Contract, words: Words) -> dict[str, Safe]:
    """May the axis exceed one tile, and which scheme covers it."""
    axis, extent = words.code(pick(record, "axis")), pick(record, "extent")
    if extent is not None:
        axis = words.say("reduction.extent", axis=axis, extent=words.mark(extent))
    return {
        "exceeds": words.say("reduction.axis", axis=axis, text=_exceeds(record, words)),
        "scheme": words.say("reduction.axis", axis=axis, text=_scheme(record, contract, words)),
    }


def _exceeds(record: Record, words: Words) -> Safe:
    exceeds = pick(record, "may_exceed_tile")
    answer = words.say("yes" if exceeds else "no") if isinstance(exceeds, bool) else words.code(exceeds)
    parts = [answer, _bound(pick(record, "bound"), words)]
    limit, buffers = pick(record, "single_tile_limit"), pick(record, "buffers")
    if limit is not None and entries(buffers):
        filled = words.say("reduction.filled", limit=words.mark(limit), buffers=_buffers(buffers, words))
        return words.join([*parts, filled])
    if limit is not None:
        parts.append(words.say("reduction.limit", limit=words.mark(limit)))
    if buffers is not None:
        parts.append(words.say("reduction.buffers", buffers=_buffers(buffers, words)))
    return words.join(parts)


def _bound(bound: object, words: Words) -> Safe:
    return words.again(bound) or words.say("reduction.bound", bound=words.code(bound))


def _buffers(buffers: object, words: Words) -> Safe:
    sizes = [
        words.say("reduction.buffer", value=words.code(pick(record, "value")), bytes=words.code(pick(record, "bytes")))
        for record in entries(buffers)
    ]
    return words.listed(sizes) or words.mark(buffers)


def _scheme(record: Record, contract: Contract, words: Words) -> Safe:
    why = pick(record, "why")
    parts = (words.again(why) or words.prose(why), rest(record, words, *_AXIS_KEYS))
    return words.join([_label(record, contract, words), *filter(None, parts)])


def _label(record: Record, contract: Contract, words: Words) -> Safe:
    """The scheme in words, by the number of traversals that the Modules make of the axis for this reduction."""
    known = f"reduction.scheme.{pick(record, 'scheme')}"
    if not words.known(known):
        return words.code(pick(record, "scheme"))
    count = _passes(record, contract)
    counted = f"{known}.{count if count < 3 else 'many'}"
    return words.say(counted, count=count) if words.known(counted) else words.say(known)


def _passes(record: Record, contract: Contract) -> int:
    """How many traversals there are from the first that keeps something; those before it only make the data.

    Where the record lists none, those of the Modules that run over the axis, from the first that reduces it.
    """
    axis = str(pick(record, "axis"))
    listed = [bool(pick(entry, "state")) for entry in entries(pick(record, "traversals"))]
    drawn = [module.traversal for module in contract.modules if module.traversal]
    keeping = listed or [axis in _names(t, "reduces") for t in drawn if axis in _names(t, "axes", "reduces")]
    return len(keeping) - (keeping.index(True) if True in keeping else 0)


def _names(record: Record, *keys: str) -> set[str]:
    found = (pick(record, key) for key in keys)
    return {str(name) for names in found if isinstance(names, (list, tuple)) for name in names}


def _traversals(contract: Contract, words: Words) -> list[Cells]:
    """One row per recorded traversal of a reduction axis; where there is none, what each Module traverses."""
    detailed = [
        (words.code(pick(record, "axis")), entry)
        for record in contract.reduction
        for entry in entries(pick(record, "traversals"))
    ]
    if detailed:
        return [_detailed(axis, entry, words) for axis, entry in detailed]
    return [_traversal(module, module.traversal, words) for module in contract.modules if module.traversal]


def _detailed(axis: Safe, entry: Record, words: Words) -> Cells:
    more = rest(entry, words, "module", "range", "state", "algorithm")
    span = words.code(pick(entry, "range"))
    return (
        origin(pick(entry, "module"), words),
        axis,
        Safe(f"{span}; {more}") if more else span,
        algorithm(pick(entry, "algorithm"), words),
        _state_names(pick(entry, "state"), words),
    )


def _traversal(module: Module, record: Record, words: Words) -> Cells:
    more = rest(record, words, *_TRAVERSAL_KEYS)
    axes = words.code(pick(record, "axes"))
    return (
        words.say("module", id=module.id),
        words.mark(pick(record, "reduces")) or words.say("none"),
        Safe(f"{axes}; {more}") if more else axes,
        algorithm(pick(record, "algorithm"), words),
        _state_names(pick(record, "state"), words),
    )


def algorithm(name: object, words: Words) -> Safe:
    """An algorithm in the reader's words."""
    known = f"reduction.algorithm.{name}"
    return words.say(known) if words.known(known) else words.code(name)


def _state_names(state: object, words: Words) -> Safe:
    names = [words.mark(pick(entry, "name")) for entry in entries(state)]
    return words.join(names) or words.mark(state) or words.say("none")


def _states(module: Module, words: Words) -> list[Cells]:
    records = entries(pick(module.traversal or {}, "state"))
    return [state_row(module, record, words) for record in records]


def state_row(module: Module, record: Record, words: Words) -> Cells:
    """A state as it is declared: initial value, update, tail mask."""
    name, dtype, initial = (words.code(pick(record, key)) for key in _STATE_KEYS[:3])
    update, mask = (words.again(pick(record, key)) or words.code(pick(record, key)) for key in _STATE_KEYS[3:])
    more = rest(record, words, *_STATE_KEYS)
    return (
        words.say("module", id=module.id),
        name,
        dtype,
        initial,
        Safe(f"{update}; {more}") if more else update,
        mask,
    )
