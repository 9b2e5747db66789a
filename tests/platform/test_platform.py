"""The platform table: what it says of each target, and how a name that it lacks is refused."""

import pytest

from r0kit.platform import UnknownPlatformError, default_name, load, names

KIB = 1024


@pytest.mark.parametrize(
    ("name", "ub", "l1", "l0a", "l0c"),
    [
        ("a5", 248, 512, 64, 256),
        ("a2a3", 192, 512, 64, 128),
        ("910c", 192, 512, 64, 128),
        ("kirin9030", 128, 512, 32, 64),
        ("kirinx90", 128, 1024, 64, 128),
    ],
)
def test_capacities(name, ub, l1, l0a, l0c):
    platform = load(name)
    found = (platform.ub, platform.l1, platform.l0a, platform.l0b, platform.l0c)
    assert found == tuple(size * KIB for size in (ub, l1, l0a, l0a, l0c))


def test_the_default_is_a5():
    assert default_name() == "a5"
    assert load() == load("a5")


@pytest.mark.parametrize(("alias", "name"), [("950", "a5"), ("Ascend950", "a5"), ("950PR_957x", "a5"), ("A2", "a2a3")])
def test_aliases(alias, name):
    assert load(alias).name == name


def test_cube_and_vector_exchange_tiles_on_chip_only_on_a5():
    direct = {name: bool(load(name).move("L0C", "UB") and load(name).move("UB", "L1")) for name in names()}
    assert {load(name).name for name, exists in direct.items() if exists} == {"a5"}


@pytest.mark.parametrize("name", names())
def test_every_platform_reaches_gm_from_both_sections(name):
    platform = load(name)
    for pair in [("GM", "UB"), ("UB", "GM"), ("GM", "L1"), ("L0C", "GM")]:
        assert platform.move(*pair), pair
    assert platform.vector_alignment == 32


def test_names_are_unique_and_an_unknown_one_lists_them():
    assert len(set(names())) == len(names())
    with pytest.raises(UnknownPlatformError, match="a5, a2a3, 910c, kirin9030, kirinx90; did you mean kirin9030"):
        load("kirin930")
