"""On-chip capacities, alignments and move paths of each platform, as data (`platforms.json`, with sources)."""

from r0kit.platform.model import Move, Platform, UnknownPlatformError, default_name, load, names

__all__ = ["Move", "Platform", "UnknownPlatformError", "default_name", "load", "names"]
