"""rule16 and rule17: contracts beside their golden, as drafted and as people edit them."""

import pytest
from labelled import FOLDER, operators

from r0kit.cli.comparing import golden_of, report
from r0kit.contract.draft import draft
from r0kit.contract.model import Module, Tensor, Wire
from r0kit.contract.read import parse
from r0kit.contract.write import contract_text
from r0kit.finding import Severity
from r0kit.golden import read_program
from r0kit.partition import Strategy, partition
from r0kit.spec import read_spec
from r0kit.validate import validate_document

OPERATORS = {operator.name: operator for operator in operators()}


def drafted(name, strategy="conventional"):
    operator = OPERATORS[name]
    spec, _ = read_spec(str(operator.spec))
    program = read_program(str(operator.golden), spec, name)
    return draft(partition(program, spec, Strategy(strategy)), spec).contract


def said(name, contract):
    """(rule, severity, message) of what is said about a contract beside the golden of the operator `name`."""
    document = parse(contract_text(contract), "contract.yaml")
    findings = validate_document(document, golden_of(document, str(OPERATORS[name].golden))).findings
    return [(finding.rule, finding.severity, finding.message) for finding in findings]


def with_module(contract, number, **changes):
    modules = tuple(m._replace(**changes) if m.id == number else m for m in contract.modules)
    return contract._replace(modules=modules)


SAMPLE = ("row_softmax", "layer_norm", "attention", "cross_entropy", "quant_matmul", "swiglu_mlp", "conv_bn_relu")


@pytest.mark.parametrize("strategy", ["conventional", "online", "auto"])
@pytest.mark.parametrize("name", SAMPLE)
def test_a_draft_agrees_with_its_golden(name, strategy):
    if strategy in OPERATORS[name].labels["sections"]:
        assert said(name, drafted(name, strategy)) == []


# rule16


def test_inputs_that_the_golden_does_not_have_or_the_contract_lacks():
    contract = drafted("layer_norm")
    renamed = tuple(t._replace(name="weight") if t.name == "gamma" else t for t in contract.primary_inputs)
    messages = [message for rule, _, message in said("layer_norm", contract._replace(primary_inputs=renamed))]
    assert "the golden binds no tensor parameter 'weight'" in messages
    assert "the golden's input 'gamma' is no primary input" in messages


def test_inputs_in_another_order():
    contract = drafted("attention")
    turned = contract._replace(primary_inputs=contract.primary_inputs[::-1])
    assert said("attention", turned) == [
        ("rule16", Severity.ERROR, "primary_inputs are in the order mask, v, k, q"),
    ]


def test_a_rank_that_is_not_that_of_spec():
    contract = drafted("row_softmax")
    wrong = contract._replace(primary_inputs=(Tensor("x", "[B, M, N]", "float16"),))
    found = said("row_softmax", wrong)
    assert ("rule16", Severity.ERROR, "'x' has the shape [B, M, N], and SPEC says [M, N]") in found


def test_a_dtype_that_spec_does_not_support():
    contract = drafted("row_softmax")
    inputs = (Tensor("x", "[M, N]", "int32"),)
    assert said("row_softmax", contract._replace(primary_inputs=inputs)) == [
        ("rule16", Severity.ERROR, "'x' is int32 here, and float16 in SPEC"),
    ]
    supported = contract._replace(primary_inputs=(Tensor("x", "[M, N]", "float32"),))
    assert said("row_softmax", supported) == []


def test_symbols_may_have_other_names_than_in_spec():
    contract = drafted("row_softmax")
    text = contract_text(contract).replace("M", "rows").replace("N", "columns")
    document = parse(text, "contract.yaml")
    assert validate_document(document, golden_of(document, str(OPERATORS["row_softmax"].golden))).findings == ()


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (Tensor("y", "[N, M]", "float32"), "'y' has the shape [N, M], and the golden returns [M, N]"),
        (Tensor("y", "[M]", "float32"), "'y' has the shape [M], and the golden returns [M, N]"),
        (Tensor("y", "[M, N]", "float16"), "'y' is float16 here, and float32 in the golden"),
    ],
)
def test_a_final_output_of_another_shape_or_dtype(output, message):
    contract = with_module(drafted("row_softmax"), 3, outputs=(output,))
    assert said("row_softmax", contract) == [("rule16", Severity.ERROR, message)]


def test_a_returned_value_that_is_missing():
    contract = drafted("add_rms_norm")
    short = contract._replace(final_outputs=contract.final_outputs[:1])
    rules = {(rule, severity) for rule, severity, _ in said("add_rms_norm", short)}
    assert ("rule16", Severity.ERROR) in rules


# rule17


def test_a_module_that_does_work_of_the_other_section():
    contract = with_module(drafted("matmul_bias_gelu"), 2, section="cube", handoff=())._replace(
        is_fusion=False, has_cross_core=False
    )
    (found,) = said("matmul_bias_gelu", contract)
    assert found[:2] == ("rule17", Severity.WARNING)
    assert found[2].startswith("Module 2 is cube, but y = gelu") and found[2].endswith("is vector work")


def test_a_softmax_in_one_module_needs_a_declared_algorithm():
    contract = drafted("row_softmax", "single_tile")
    assert said("row_softmax", contract) == []
    (found,) = said("row_softmax", with_module(contract, 1, traversal=None))
    assert found[2].startswith("Module 1 runs over N again for sub") and "reduced N for m" in found[2]


def test_an_online_module_may_not_write_the_output_as_well():
    traversal = {"axes": ["M", "N"], "reduces": ["N"], "algorithm": "online"}
    contract = with_module(drafted("row_softmax", "single_tile"), 1, traversal=traversal)
    (found,) = said("row_softmax", contract)
    assert found[0] == "rule17"


def merged(contract):
    """The statistics of a conventional softmax by a person, in one online Module, with names of their own order."""
    first, second, third = contract.modules
    both = first._replace(
        name="stats",
        outputs=(*first.outputs, *second.outputs),
        golden_steps=(*first.golden_steps, *second.golden_steps),
        traversal={"axes": ["M", "N"], "reduces": ["N"], "algorithm": "online"},
    )
    last = third._replace(
        id=2,
        inputs=tuple(Wire(wire.name, min(wire.module, 1)) for wire in third.inputs),
        golden_stage_fn="row_softmax_golden_stage12",
        boundary=(),
    )
    return contract._replace(module_count=2, modules=(both, last), final_outputs=(Wire("y", 2),), reduction=())


def test_a_hand_made_partition_that_is_legal_passes():
    assert said("row_softmax", merged(drafted("row_softmax"))) == []


def test_modules_that_could_be_one_are_noted():
    contract = drafted("silu")
    (only,) = contract.modules
    first = only._replace(outputs=(Tensor("sigmoid", "[M, N]", "float32"),), name="gate")
    second = Module(
        2,
        "product",
        "times x",
        "vector",
        ("y = x * sigmoid",),
        (Wire("x", 0), Wire("sigmoid", 1)),
        only.outputs,
        "silu_golden_stage12",
    )
    split = contract._replace(module_count=2, modules=(first, second), final_outputs=(Wire(only.outputs[0].name, 2),))
    shapes = {tensor.shape for tensor in contract.primary_inputs}
    split = with_module(split, 1, outputs=(Tensor("sigmoid", shapes.pop(), "float32"),))
    assert said("silu", split) == [
        (
            "rule17",
            Severity.NOTE,
            "Module 1 and Module 2 could be one: nothing that a rule knows keeps them apart",
        )
    ]
    pinned = with_module(split, 2, boundary=({"kind": "pinned", "value": "sigmoid"},))
    assert said("silu", pinned) == []


def test_a_module_that_lacks_an_input():
    contract = with_module(drafted("row_softmax"), 2, inputs=(Wire("m", 1),))
    (found,) = said("row_softmax", contract)
    assert "Module 2 needs 'x' for" in found[2] and "does not read it" in found[2]


def test_values_that_the_golden_does_not_have_are_left_alone():
    contract = drafted("attention", "online")
    assert any("acc" in output.name for module in contract.modules for output in module.outputs)
    assert said("attention", contract) == []


def test_a_golden_that_cannot_be_read_is_a_finding(tmp_path):
    contract = tmp_path / "c.yaml"
    contract.write_text(contract_text(drafted("silu")), encoding="utf-8")
    found = report(str(contract), str(tmp_path / "missing.py"))
    assert found.failed and "missing.py does not exist" in found.findings[0].message


def test_without_spec_the_contract_says_what_its_tensors_are(tmp_path):
    golden = tmp_path / "silu_golden.py"
    golden.write_text((FOLDER / "silu" / "silu_golden.py").read_text(encoding="utf-8"), encoding="utf-8")
    contract = tmp_path / "c.yaml"
    contract.write_text(contract_text(drafted("silu")), encoding="utf-8")
    assert report(str(contract), str(golden)).findings == ()
