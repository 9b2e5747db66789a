"""The Module contract: its frozen model (`model`), read from YAML with places (`read`, `typed`), drafted, and written."""
