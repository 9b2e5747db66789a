"""The pins file: what it says, and what is said about one that says something else."""

import pytest

from r0kit.finding import InputError
from r0kit.golden.program import Output, Program, Section
from r0kit.partition.pins import Pins, check_pins, read_pins


@pytest.fixture
def pins_of(tmp_path):
    def read(text):
        path = tmp_path / "pins.yaml"
        path.write_text(text, encoding="utf-8")
        return read_pins(str(path))

    return read


def test_every_key(pins_of):
    text = "split_after: [m, s]\nkeep_together: [[gate, up]]\nsection: {scaled: cube}\nresident: [N]  # fits\n"
    pins = pins_of(text)
    assert pins == Pins(frozenset("ms"), (("gate", "up"),), {"scaled": Section.CUBE}, frozenset("N"))
    assert pins.together("up", "gate") and not pins.together("up", "m")
    places = {pin.name: (pin.place.line, pin.place.column) for pin in pins.pins}
    assert places == {"m": (1, 15), "s": (1, 18), "gate": (2, 18), "up": (2, 24), "scaled": (3, 11), "N": (4, 12)}


@pytest.mark.parametrize("text", ["", "# nothing decided\n", "split_after: []\n"])
def test_nothing_decided(pins_of, text):
    assert pins_of(text) == Pins()


def test_one_name_needs_no_list(pins_of):
    assert pins_of("split_after: m\n").split_after == {"m"}


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("split_afer: [m]\n", 1, "unknown key split_afer", "did you mean split_after?"),
        ("resident: [N]\nresident: [M]\n", 2, "resident stands here for the second time", "join the two"),
        ("section: {a: scaling}\n", 1, "the section of a must be cube or vector", "choose one"),
        ("section: [a]\n", 1, "section must be a mapping of names", "such as `section: {scaled: cube}`"),
        ("keep_together: [a, b]\n", 1, "keep_together must list groups of two or more values", "keep_together"),
        ("split_after: [[m]]\n", 1, "split_after must list names", "split_after: [m]"),
        ("- m\n", 1, "the file must be a mapping of names", "such as `split_after: [m]`"),
        ("split_after: [m\n", 2, "not YAML", "correct the syntax"),
        ("a: 1\n---\nb: 2\n", 2, "not YAML", "correct the syntax"),
    ],
)
def test_faults_have_a_place_and_a_hint(pins_of, text, line, message, hint):
    with pytest.raises(InputError) as caught:
        pins_of(text)
    finding = caught.value.findings[0]
    assert finding.location.line == line
    assert message in finding.message and hint in finding.hint


def test_all_faults_are_reported_at_once(pins_of):
    with pytest.raises(InputError) as caught:
        pins_of("splt: [m]\nsection: {a: b}\n")
    assert [finding.location.line for finding in caught.value.findings] == [1, 2]


def test_a_pin_on_nothing_is_a_warning(pins_of):
    program = Program("op", "g.py", "op_golden", "", (), (), (), (Output("prob", "prob"),))
    found = check_pins(pins_of("split_after: [prob, probs]\nresident: [M, K]\n"), program, frozenset("MN"))
    assert [(finding.rule, finding.location.line, finding.hint) for finding in found] == [
        ("partition.unknown-pin", 1, "did you mean prob?"),
        ("partition.unknown-pin", 2, "`r0kit steps` lists the values and their axes"),
    ]


def test_a_pin_on_a_value_that_the_strategy_rewrote_says_so(pins_of):
    read = Program("op", "g.py", "op_golden", "", (), (), (), (Output("prob", "prob"), Output("y", "y")))
    rewritten = Program("op", "g.py", "op_golden", "", (), (), (), (Output("y", "y"),))
    (found,) = check_pins(pins_of("split_after: [prob, y]\n"), rewritten, frozenset(), read)
    assert found.rule == "partition.impossible-pin"
    assert "prob, which this strategy computes in another form" in found.message
