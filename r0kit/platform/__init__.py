"""Facts about targets as data with sources: capacities, alignments and moves (`platforms.json`), APIs (`apis.json`)."""

from r0kit.platform.api import Chain, chain, operations, sections
from r0kit.platform.model import Move, Platform, UnknownPlatformError, default_name, load, names

__all__ = [
    "Chain",
    "Move",
    "Platform",
    "UnknownPlatformError",
    "chain",
    "default_name",
    "load",
    "names",
    "operations",
    "sections",
]
