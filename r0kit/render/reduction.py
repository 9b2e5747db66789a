"""Capacity of the reduction axes: may one exceed a tile, which scheme covers it, what each traversal keeps."""

from r0kit.contract.model import Contract, Module, Record
from r0kit.render.escape import Safe
from r0kit.render.record import entries, origin, pick, rest
from r0kit.render.tables import Cells, Context
from r0kit.render.words import Words

_AXIS_KEYS = ("axis", "bound", "may_exceed_tile", "scheme", "why", "traversals", "single_tile_limit", "buffers")
_STATE_KEYS = ("name", "dtype", "initial", "update", "tail_mask")
_TRAVERSAL_KEYS = ("axes", "reduces", "algorithm", "state")


def reduction(contract: Contract, words: Words) -> Context:
    """Both conclusions of the template per reduction axis, then the traversals and the states they carry."""
    conclusions = [_axis(record, words) for record in contract.reduction]
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


def _axis(record: Record, words: Words) -> dict[str, Safe]:
    axis = words.code(pick(record, "axis"))
    return {
        "exceeds": words.say("reduction.axis", axis=axis, text=_exceeds(record, words)),
        "scheme": words.say("reduction.axis", axis=axis, text=_scheme(record, words)),
    }


def _exceeds(record: Record, words: Words) -> Safe:
    exceeds = pick(record, "may_exceed_tile")
    answer = words.say("yes" if exceeds else "no") if isinstance(exceeds, bool) else words.code(exceeds)
    parts = [answer, words.say("reduction.bound", bound=words.code(pick(record, "bound")))]
    limit, buffers = pick(record, "single_tile_limit"), pick(record, "buffers")
    if limit is not None:
        parts.append(words.say("reduction.limit", limit=words.mark(limit)))
    if buffers is not None:
        parts.append(words.say("reduction.buffers", buffers=_buffers(buffers, words)))
    return words.join(parts)


def _buffers(buffers: object, words: Words) -> Safe:
    sizes = [
        words.say("reduction.buffer", value=words.code(pick(record, "value")), bytes=words.code(pick(record, "bytes")))
        for record in entries(buffers)
    ]
    return words.join(sizes) or words.mark(buffers)


def _scheme(record: Record, words: Words) -> Safe:
    scheme = str(pick(record, "scheme"))
    known = f"reduction.scheme.{scheme}"
    parts = [words.say(known) if words.known(known) else words.code(pick(record, "scheme"))]
    return words.join([*parts, *filter(None, (words.prose(pick(record, "why")), rest(record, words, *_AXIS_KEYS)))])


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
        words.code(pick(entry, "algorithm")),
        _state_names(pick(entry, "state"), words),
    )


def _traversal(module: Module, record: Record, words: Words) -> Cells:
    more = rest(record, words, *_TRAVERSAL_KEYS)
    axes = words.code(pick(record, "axes"))
    return (
        words.say("module", id=module.id),
        words.mark(pick(record, "reduces")) or words.say("none"),
        Safe(f"{axes}; {more}") if more else axes,
        words.code(pick(record, "algorithm")),
        _state_names(pick(record, "state"), words),
    )


def _state_names(state: object, words: Words) -> Safe:
    names = [words.mark(pick(entry, "name")) for entry in entries(state)]
    return words.join(names) or words.mark(state) or words.say("none")


def _states(module: Module, words: Words) -> list[Cells]:
    records = entries(pick(module.traversal or {}, "state"))
    return [_state(module, record, words) for record in records]


def _state(module: Module, record: Record, words: Words) -> Cells:
    name, dtype, initial, update, mask = (words.code(pick(record, key)) for key in _STATE_KEYS)
    more = rest(record, words, *_STATE_KEYS)
    return (
        words.say("module", id=module.id),
        name,
        dtype,
        initial,
        Safe(f"{update}; {more}") if more else update,
        mask,
    )
