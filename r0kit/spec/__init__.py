"""SPEC.md -> Spec: the tensors, parameters, tolerances and p0 cases of an operator, with the place of each."""

from r0kit.spec.model import Case, Place, Spec, TensorSpec, Tolerance, in_eval
from r0kit.spec.read import parse_spec, read_spec

__all__ = ["Case", "Place", "Spec", "TensorSpec", "Tolerance", "in_eval", "parse_spec", "read_spec"]
