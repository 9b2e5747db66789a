"""The API table: chains by section and interface, and the reason where there is none."""

import pytest

from r0kit.golden import ops
from r0kit.platform import chain, operations, sections


@pytest.mark.parametrize(
    ("operation", "section", "interface", "apis"),
    [
        ("exp", "vector", "pypto_pro", ("pl.exp",)),
        ("exp", "vector", "pypto", ("pypto.exp",)),
        ("matmul", "cube", "pypto_pro", ("pl.load", "pl.move", "pl.matmul", "pl.matmul_acc", "pl.store")),
        ("add", "vector", "pypto_pro", ("pl.add",)),
        ("add", "cube", "pypto_pro", ("pl.matmul(bias)",)),
        ("permute", "cube", "pypto_pro", ("pl.load", "pl.store")),
    ],
)
def test_chains(operation, section, interface, apis):
    found = chain(operation, section, interface)
    assert found.apis == apis and not found.reason and found.source


@pytest.mark.parametrize(
    ("operation", "section", "interface", "reason"),
    [
        ("erf", "vector", "pypto_pro", "no erf page"),
        ("exp", "cube", "pypto_pro", "exp runs in the vector section only"),
        ("matmul", "vector", "pypto", "matmul runs in the cube section only"),
        ("reshape", "vector", "pypto_pro", "a view"),
        ("flip", "vector", "pypto", "no page"),
        ("made_up", "vector", "pypto", "the API table has no row for made_up"),
    ],
)
def test_no_chain_has_a_reason(operation, section, interface, reason):
    found = chain(operation, section, interface)
    assert found.apis == () and reason in found.reason


def test_variants_of_one_operation():
    assert chain("gelu", "vector", "pypto_pro", "none").apis == ()
    assert chain("gelu", "vector", "pypto_pro", "tanh").apis[-1] == "pl.div"


def test_sections_with_a_path():
    assert sections("exp", "pypto_pro") == {"vector"}
    assert sections("add", "pypto_pro") == {"cube", "vector"}
    assert sections("matmul", "pypto_pro") == {"cube"}
    assert sections("reshape", "pypto_pro") == frozenset()


def test_every_operation_of_a_golden_has_a_row():
    assert set(ops.KINDS) - {"opaque", "loop"} <= operations()
