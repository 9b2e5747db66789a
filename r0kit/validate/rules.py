"""The rules of a contract, one row each. Examples are the lines in question; `examples` completes them."""

from r0kit.finding import Severity
from r0kit.rulebook import Rule
from r0kit.validate import document, golden, modules, tensors, usage, wiring

_SHIFT = """# def shift_golden(x):
#     t = x.amax(-1, keepdim=True)
#     y = x - t
"""
_READS_BOTH = "inputs: [{name: x, source: primary}, {name: t, source: module_1}]\n"
_RETURNS_Y = "final_outputs: [{name: y, source: module_2}]"

RULES: tuple[Rule, ...] = (
    Rule(
        id="rule0",
        title="the file is one mapping with op, module_count and modules, and every entry has its shape",
        why="An error message that was redirected into the file, or an entry of the wrong type, must never pass for a "
        "contract. Whatever cannot be read ends here too: no file, no UTF-8, no YAML, more than one document.",
        severity=Severity.ERROR,
        good='golden_steps: ["y = t + 1: shifted"]',
        bad="golden_steps: [y = t + 1: shifted]",
        hint="give the entry the type that the contract has for it",
        check=document.structure,
    ),
    Rule(
        id="rule1",
        title="every input with source primary names a primary input",
        why="The primary inputs are the tensor parameters of the golden. A Module that reads another name from outside "
        "cannot be fed by anybody who calls the operator.",
        severity=Severity.ERROR,
        good="inputs: [{name: t, source: module_1}, {name: x, source: primary}]",
        bad="inputs: [{name: t, source: module_1}, {name: z, source: primary}]",
        hint="name a primary input, or the Module that produces the value",
        check=wiring.primary_sources,
    ),
    Rule(
        id="rule2",
        title="every other input names an earlier Module and one of its outputs",
        why="Modules run in the order of their ids. A Module that reads its own result or a later one has no order in "
        "which it can run, and a name that its source does not produce has no value. phase_<j> is read as module_<j>.",
        severity=Severity.ERROR,
        good="inputs: [{name: t, source: module_1}]",
        bad="inputs: [{name: t, source: module_1}, {name: y, source: module_2}]",
        hint="name an earlier Module that has this output",
        check=wiring.module_sources,
    ),
    Rule(
        id="rule3",
        title="there are final outputs, and each names an output of a Module",
        why="Every value that the golden returns must come out of a Module, or nothing can be compared with the golden.",
        severity=Severity.ERROR,
        good="final_outputs: [{name: y, source: module_2}]",
        bad="final_outputs: [{name: y, source: module_2}, {name: z, source: module_2}]",
        hint="name the Module that produces the value, and the output as it is called there",
        check=wiring.final_sources,
    ),
    Rule(
        id="rule4",
        title="every Module has an output",
        why="A Module without outputs computes nothing that anybody can see: a unit of design without a result.",
        severity=Severity.ERROR,
        good='outputs: [{name: y, shape: "[M, N]", dtype: float32}]',
        bad="outputs: []\nfinal_outputs: [{name: t, source: module_1}]",
        hint="list what the Module writes, or remove the Module",
        check=wiring.outputs_exist,
    ),
    Rule(
        id="rule5",
        title="every dimension of a shape is an expression of names, integers and + - * //",
        why="Shapes are evaluated for each test case and read by the rounds that plan tiles. Anything else than exact "
        "integer arithmetic (a fraction, a function, a comparison) has no meaning there.",
        severity=Severity.ERROR,
        good='outputs: [{name: y, shape: "[M, (N + 1) // 2]", dtype: float32}]',
        bad='outputs: [{name: y, shape: "[M, N / 2]", dtype: float32}]',
        hint='write a list such as "[M, N // 2, 8]"',
        check=tensors.shapes_are_expressions,
    ),
    Rule(
        id="rule6",
        title="every dtype is in the vocabulary",
        why=f"The rounds that follow size their tiles by the dtype. Known are {', '.join(tensors.DTYPES)}; a golden that "
        "computes in float64 is declared float32.",
        severity=Severity.ERROR,
        good='outputs: [{name: y, shape: "[M, N]", dtype: float16}]',
        bad='outputs: [{name: y, shape: "[M, N]", dtype: fp16}]',
        hint=f"write one of {', '.join(tensors.DTYPES)}",
        check=tensors.dtypes_are_known,
    ),
    Rule(
        id="rule7",
        title="module_count equals the number of Modules",
        why="The count is what a reviewer reads first, and what the tools of later rounds loop over; a Module that was "
        "lost or added by hand shows here.",
        severity=Severity.ERROR,
        good="module_count: 2",
        bad="module_count: 3",
        hint="count the entries of modules",
        check=modules.count_is_right,
    ),
    Rule(
        id="rule8",
        title="ids are 1..module_count in order, and names that are looked up are unique",
        why="Sources refer to Modules by id and to values by name. A gap, a swap or a second value of the same name makes "
        "such a reference mean something else than its author thought.",
        severity=Severity.ERROR,
        good='outputs: [{name: y, shape: "[M, N]", dtype: float32}]',
        bad='outputs:\n  - {name: y, shape: "[M, N]", dtype: float32}\n  - {name: y, shape: "[M, 1]", dtype: float32}',
        hint="number the Modules from 1 in the order of the file, and give every value its own name",
        check=modules.ids_and_names,
    ),
    Rule(
        id="rule9",
        title="every Module has one section, cube or vector",
        why="Cube and Vector are the two execution domains of the kernel; a Module lies in one of them. Scaling is a "
        "buffer of quantisation parameters, not a section: whoever uses it decides where the Module lies.",
        severity=Severity.ERROR,
        good="section: vector",
        bad="section: scaling",
        hint="write cube (contractions and the matrix data path) or vector (everything computed on UB)",
        check=modules.sections_are_known,
    ),
    Rule(
        id="rule10",
        title="is_fusion and has_cross_core agree with the sections and the wiring",
        why="is_fusion is true when both sections occur, has_cross_core when a cube and a vector Module exchange data. "
        "The later rounds plan synchronisation by these flags; one that is left out counts as false.",
        severity=Severity.WARNING,
        good="is_fusion: false\nhas_cross_core: false",
        bad="is_fusion: true\nhas_cross_core: false",
        hint="write what the Modules say",
        check=modules.flags_agree,
    ),
    Rule(
        id="rule11",
        title="no TODO or other placeholder is left",
        why="A draft says TODO where it could not decide. A contract with an open question is not one that the next "
        "round can build on.",
        severity=Severity.ERROR,
        good="description: shift by one",
        bad="description: TODO",
        hint="decide, and write it down",
        check=document.placeholders,
    ),
    Rule(
        id="rule12",
        title="every symbol of a shape is declared by a primary input, and every test shape binds them all",
        why="A symbol that no input has is an extent that nobody knows. Extents known only at run time are listed under "
        "symbols, scalar parameters under params. A test case without a value for a symbol cannot be run.",
        severity=Severity.ERROR,
        good='outputs: [{name: y, shape: "[M, N]", dtype: float32}]',
        bad='outputs: [{name: y, shape: "[M, K]", dtype: float32}]',
        hint="use the symbols of the primary inputs, or declare this one under symbols or params",
        check=tensors.symbols_are_bound,
    ),
    Rule(
        id="rule13",
        title="producer and consumers agree; every output is used or final, every primary input is used",
        why="A value that nobody reads is traffic for nothing, or a wire that was forgotten. Boundaries and handoffs, where "
        "a contract has them, name values that do pass there: each value that crosses between cube and vector has its "
        "handoff, in its direction.",
        severity=Severity.WARNING,
        good="inputs: [{name: t, source: module_1, dtype: float32}]",
        bad="inputs: [{name: t, source: module_1, dtype: float16}]",
        hint="connect it, list it under final_outputs, or remove it",
        check=usage.agreement,
    ),
    Rule(
        id="rule14",
        title="composition_verification is usable: finite tolerances, a seed and a shape",
        why="The composition of the Modules is proven by running them: that takes finite atol and rtol that are not "
        "negative (or a policy), at least one integer seed and one shape. 1e-3 without a point is text in YAML 1.1.",
        severity=Severity.ERROR,
        good="composition_verification: {atol: 0.001, rtol: 0.001, seeds: [42], shapes: [{M: 4, N: 8}]}",
        bad="composition_verification: {atol: 1e-3, rtol: 0.001, seeds: [42], shapes: [{M: 4, N: 8}]}",
        hint="give atol, rtol, seeds and shapes",
        check=document.verification,
    ),
    Rule(
        id="rule15",
        title="name, description, golden_steps and golden_stage_fn are there, and golden_stage_fn fits",
        why="They say what the Module computes, and which function of the golden proves Modules 1 to k: "
        "{op}_golden_stage123 up to nine Modules, {op}_golden_stage1_to_12 at any number.",
        severity=Severity.WARNING,
        good="golden_stage_fn: shift_golden_stage12",
        bad="golden_stage_fn: shift_stage2",
        hint="describe the Module",
        check=modules.descriptions,
    ),
    Rule(
        id="rule16",
        title="with --golden: primary inputs and final outputs are those of the golden",
        why="A contract that was edited by hand, or whose golden has moved on, can be right in itself and still describe "
        "another operator. The names, order, shapes and dtypes of the tensor parameters and return values must agree.",
        severity=Severity.ERROR,
        good=_SHIFT + "#     return y\n" + _READS_BOTH + _RETURNS_Y,
        bad=_SHIFT + "#     return y, t\n" + _READS_BOTH + _RETURNS_Y,
        hint="correct the contract, or draft it again with `r0kit gen --update`",
        check=golden.interface,
    ),
    Rule(
        id="rule17",
        title="with --golden: a Module stays in its section and traverses no axis again that it has reduced",
        why="A Module is one traversal of one section. What needs the whole of an axis ends it, unless its declared "
        "algorithm (online, resident) says otherwise; a contraction is cube work, everything else that computes is vector "
        "work. Modules that nothing keeps apart are noted.",
        severity=Severity.WARNING,
        good=_SHIFT + "#     return y\n" + _READS_BOTH + 'golden_steps: ["y = x - t"]',
        bad="""# def shift_golden(x):
#     t = x * 2
#     m = t.amax(-1, keepdim=True)
#     return t - m
inputs: [{name: t, source: module_1}]
golden_steps: ["m = amax(t, N)", "y = t - m"]""",
        hint="split the Module, or declare its algorithm",
        check=golden.modules,
    ),
    Rule(
        id="rule18",
        title="no unknown or duplicate key",
        why="A key that is misspelt says nothing, and of two equal keys YAML keeps the last without a word. A duplicate "
        "is an error, an unknown key a warning. Boundaries, traversals, handoffs and reductions may have keys and words of "
        "their own; what is nearly a known one is taken for a slip.",
        severity=Severity.WARNING,
        good="description: shift by one",
        bad="description: shift by one\ndescripton: add one to each element",
        hint="remove it, or write the key that was meant",
        check=document.keys,
    ),
)
