"""Every branch of every rule: what is marked, what is said, what is advised. Rows name one fault each."""

import string

import pytest
from corpus import VALID
from judged import Said, said, said_of

from r0kit.contract import places
from r0kit.contract.likeness import nearest
from r0kit.contract.shape import Shape, read_shape
from r0kit.validate import validate_text
from r0kit.validate.examples import completed
from r0kit.validate.modules import stage

# Lines of a contract (see `completed`), the text that must be marked, and words of the message and of the hint.
Row = tuple[str, str, str, str]

T = "{name: t, source: module_1}"
Y = '{name: y, shape: "[M, N]", dtype: float32}'

RULE0: list[Row] = [
    ("op: 3", "3", "op must be a name, not the number 3", "put it in quotes"),
    ("op: no", "no", "op must be a name, not false", "YAML reads yes, no"),
    ("op: ''", "''", "op must be a name, not the text ''", "write a name"),
    ("op:", "", "op must be a name, not empty", "give it a value"),
    ("op: {a: b}", "{a: b}", "op must be a name, not a mapping", 'put text that contains ": "'),
    ("module_count: '2'", "'2'", "module_count must be an integer, not the text '2'", "write module_count: 2"),
    ("module_count: two", "two", "not the text 'two'", "write module_count: 2"),
    ("module_count: true", "true", "module_count must be an integer, not true", "write module_count: 2"),
    ("module_count: 2.5", "2.5", "not the number 2.5", "write module_count: 2"),
    ("id: two", "two", "modules[1].id must be an integer, not the text 'two'", "write id: 2"),
    ("source_lines: ['3']", "'3'", "modules[1].source_lines[0] must be an integer", "remove the quotes: 3"),
    ("schema_version: 2", "2", "schema_version must be 1, the one version there is", "write 1"),
    ("schema_version: '1'", "'1'", "schema_version must be 1", "write 1"),
    ("is_fusion: 'false'", "'false'", "is_fusion must be true or false", "remove the quotes: false"),
    ("is_fusion: ture", "ture", "is_fusion must be true or false, not the text 'ture'", "write true"),
    ("is_fusion: nope", "nope", "is_fusion must be true or false", "write true or false"),
    ("is_fusion: ｔｒｕｅ", "ｔｒｕｅ", "is_fusion must be true or false", "write true or false"),
    ("source_lines: [3， 4]", "3， 4", "must be an integer, not the text '3， 4'", "， is a full-width mark: write ,"),
    ("has_cross_core: 0", "0", "has_cross_core must be true or false", "write false"),
    ("has_cross_core: 1", "1", "has_cross_core must be true or false", "write true"),
    ("has_cross_core: 2", "2", "has_cross_core must be true or false", "write true or false"),
    (
        "composition_verification: {atol: 0,001, rtol: 0, seeds: [1], shapes: [{M: 1, N: 1}]}",
        "001",
        "the key 1 in",
        "a point",
    ),
    (
        'golden_steps: "y = t + 1\\n"',
        '"y = t + 1\\n"',
        "modules[1].golden_steps must be a list",
        'a list: ["y = t + 1"]',
    ),
    ("params: []", "[]", "params must be a mapping, not a list", "write a mapping"),
    ("wrapper: x", "x", "wrapper must be a list, not the text 'x'", "write a list: [x]"),
    ("symbols: [{origin: x}]", "{origin: x}", "symbols[0] has no `name`", "add `name:`"),
    ("reduction: [x]", "x", "reduction[0] must be a mapping", "write a mapping"),
    ("dimensions: {a: 1}", "{a: 1}", "dimensions must be a list, not a mapping", "begin its entry with a dash"),
    ("golden_steps: y = t + 1", "y = t + 1", "modules[1].golden_steps must be a list", 'a list: ["y = t + 1"]'),
    ("golden_steps: [1]", "1", "modules[1].golden_steps[0] must be text, not the number 1", "put it in quotes"),
    ("name: 7", "7", "modules[1].name must be text", "put it in quotes"),
    ("boundary: [x]", "x", "modules[1].boundary[0] must be a mapping", "write a mapping"),
    ("traversal: [x]", "[x]", "modules[1].traversal must be a mapping", "write a mapping"),
    ("handoff: {a: 1}", "{a: 1}", "modules[1].handoff must be a list", "write a list"),
    ("source_lines: [3, x]", "x", "modules[1].source_lines[1] must be an integer", "write an integer"),
    (f"inputs: [{T}, x]", "x", "modules[1].inputs[1] must be a mapping", "write {name: x, source: primary}"),
    (f"inputs: [{T}, x y]", "x y", "modules[1].inputs[1] must be a mapping", "write a mapping"),
    (f"inputs: [{T}, null]", "null", "modules[1].inputs[1] must be a mapping, not empty", "give it a value"),
    (f"outputs: [{Y}, z]", "z", "modules[1].outputs[1] must be a mapping", 'write {name: z, shape: "[M, N]",'),
    (f"outputs: [{Y}, {{shape: []}}]", "{shape: []}", "modules[1].outputs[1] has no `name`", "add `name:`"),
    (f"inputs: [{T}, {{source: primary}}]", "{source: primary}", "modules[1].inputs[1] has no `name`", "add `name:`"),
    ("final_outputs: [{name: y, source: module_2}, z]", "z", "final_outputs[1] must be a mapping", "write {name: z, s"),
    ("composition_verification: 3", "3", "composition_verification must be a mapping", "write a mapping"),
    ("params: {1: 2}", "1", "the key 1 in params is not text", "put it in quotes"),
    ("params: {on: 2}", "on", "the key true in params is not text", "put it in quotes"),
    ("schema_version: true", "true", "schema_version must be 1", "write 1"),
    ("description: 3", "3", "modules[1].description must be text, not the number 3", "put it in quotes"),
    ("api: {a: 1}", "{a: 1}", "modules[1].api must be a list, not a mapping", "begin its entry with a dash"),
    ("final_outputs: [{name: 3, source: module_2}]", "3", "final_outputs[0].name must be a name", "put it in quotes"),
    (
        "final_outputs: [{name: y, source: 2}]",
        "2",
        "final_outputs[0].source must be primary or module_<j>",
        "write primary or module_<j>",
    ),
    ("symbols: [{name: 3}]", "3", "symbols[0].name must be a name, not the number 3", "put it in quotes"),
]

RULE1: list[Row] = [
    (
        f"inputs: [{T}, {{name: X, source: primary}}]",
        "X",
        "Module 2: no primary input is called 'X'",
        "did you mean 'x'?",
    ),
    (
        f"inputs: [{T}, {{name: weight, source: primary}}]",
        *("weight", "no primary input is called 'weight'", "the primary inputs are 'x'; add 'weight' to them"),
    ),
    (f"inputs: [{T}, {{name: t, source: primary}}]", "t", "no primary input is called 't'", "write `source: module_1`"),
    (
        f"inputs: [{T}, {{name: y, source: primary}}]",
        "y",
        "no primary input is called 'y'",
        "the primary inputs are 'x'; add",
    ),
    (
        'primary_inputs: [{name: x, shape: "[M, N]"}, {name: scale}]\n'
        f"inputs: [{T}, {{name: scale, source: primary}}, {{name: scales, source: primary}}]",
        *("scales", "no primary input is called 'scales'", "did you mean 'scale'?"),
    ),
]

RULE2: list[Row] = [
    (f"inputs: [{T}, {{name: y, source: module_2}}]", "module_2", "'module_2' is the Module itself", "name an earlier"),
    (f"inputs: [{T}, {{name: z, source: module_3}}]", "module_3", "'module_3' is a later Module", "name an earlier"),
    (f"inputs: [{T}, {{name: x, source: module_2}}]", "module_2", "is the Module itself", "write `source: primary`"),
    ("inputs: [{name: t, source: module_2}]", "module_2", "is the Module itself", "write `source: module_1`"),
    (f"inputs: [{T}, {{name: t, source: module_4}}]", "module_4", "is a later Module", "write `source: module_1`"),
    (
        f"inputs: [{T}, {{name: tt, source: module_2}}]",
        *("module_2", "is the Module itself", "did you mean 't'? Module 1 produces it: write `source: module_1`"),
    ),
    (
        f"inputs: [{T}, {{name: tt, source: module_7}}]",
        *("module_7", "is a later Module", "did you mean 't'? Module 1 produces it"),
    ),
    (f"inputs: [{T}, {{name: tt, source: module_1}}]", "tt", "Module 1 has no output 'tt'", "did you mean 't'?"),
    (f"inputs: [{T}, {{name: q, source: module_1}}]", "q", "Module 1 has no output 'q'", "it has 't'"),
    (f"inputs: [{T}, {{name: x, source: module_1}}]", "x", "Module 1 has no output 'x'", "write `source: primary`"),
    ("inputs: [{name: t, source: stage_1}]", "stage_1", "the text 'stage_1' is not", "did you mean module_1?"),
    ("inputs: [{name: t, source: Module_1}]", "Module_1", "'Module_1' is not", "did you mean module_1?"),
    ("inputs: [{name: t, source: module-01}]", "module-01", "'module-01' is not", "did you mean module_1?"),
    ("inputs: [{name: t, source: ｍｏｄｕｌｅ＿1}]", "ｍｏｄｕｌｅ＿1", "is not", "did you mean module_1?"),
    ("inputs: [{name: t, source: 1}]", "1", "the number 1 is not primary or module_<j>", "did you mean module_1?"),
    ("inputs: [{name: t, source: double}]", "double", "'double' is not", "module_1, which is called 'double'?"),
    ("inputs: [{name: t, source: stage_7}]", "stage_7", "'stage_7' is not", "Module 1 produces it: write `source: m"),
    ("inputs: [{name: t, source: Primary}]", "Primary", "'Primary' is not", "Module 1 produces it: write `source: m"),
    (f"inputs: [{T}, {{name: x, source: Module_1}}]", "Module_1", "'Module_1' is not", "write `source: primary`"),
    (f"inputs: [{T}, {{name: x, source: primary_input}}]", "primary_input", "is not", "did you mean primary?"),
    (f"inputs: [{T}, {{name: x, source: golden}}]", "golden", "'golden' is not", "write `source: primary`"),
    (f"inputs: [{T}, {{name: q, source: primry}}]", "primry", "'primry' is not", "did you mean primary?"),
    (f"inputs: [{T}, {{source: modul_1}}]", "modul_1", "'modul_1' is not", "did you mean module_1?"),
    (f"inputs: [{T}, {{name: x, source: Primary}}]", "Primary", "'Primary' is not", "did you mean primary?"),
    ("inputs: [{name: t, source: module_ 1}]", "module_ 1", "'module_ 1' is not", "did you mean module_1?"),
    (f"inputs: [{T}, {{name: q, source: module_0}}]", "module_0", "'module_0' is not", "Modules are counted from 1"),
    (f"inputs: [{T}, {{name: q, source: there}}]", "there", "'there' is not", "Modules are counted from 1"),
    (f"inputs: [{T}, {{name: x}}]", "{name: x}", "Module 2, input 'x' has no source", "write `source: primary`"),
    (f"inputs: [{T}, {{name: q}}]", "{name: q}", "Module 2, input 'q' has no source", "add `source:`"),
]

RULE3: list[Row] = [
    ("final_outputs: []", "[]", "final_outputs is empty", "list each value"),
    (
        "final_outputs: [{name: y, source: module_2}, {name: x, source: primary}]",
        "primary",
        "comes from a Module",
        "copy",
    ),
    (
        "final_outputs: [{name: y, source: module_3}]",
        "module_3",
        "is beyond module_count 2",
        "write `source: module_2`",
    ),
    (
        "final_outputs: [{name: yy, source: module_3}]",
        *("module_3", "is beyond module_count 2", "did you mean 'y'? Module 2 produces it: write `source: module_2`"),
    ),
    ("final_outputs: [{name: q, source: module_3}]", "module_3", "is beyond module_count 2", "name the Module"),
    ("final_outputs: [{name: y, source: module_1}]", "y", "Module 1 has no output 'y'", "write `source: module_2`"),
    (
        "final_outputs: [{name: y, source: module_2}, {name: x, source: module_2}]",
        "x",
        "has no output 'x'",
        "it has 'y'",
    ),
    ("final_outputs: [{name: y}]", "{name: y}", "final output 'y' has no source", "write `source: module_2`"),
    ("final_outputs: [{name: y, source: y}]", "y", "the text 'y' is not module_<j>", "write `source: module_2`"),
    ("final_outputs: [{name: q, source: Primary}]", "Primary", "'Primary' is not module_<j>", "did you mean primary?"),
    ("final_outputs: [{source: module_2}]", "{source: module_2}", "has no name", "name the output"),
]

RULE4: list[Row] = [
    ("outputs: []\nfinal_outputs: [{name: t, source: module_1}]", "[]", "Module 2 has no outputs", "list what"),
    ("outputs:\nfinal_outputs: [{name: t, source: module_1}]", "", "Module 2 has no outputs", "list what"),
]


def _shape(shape: str) -> str:
    return f"outputs: [{{name: y, shape: {shape}, dtype: float32}}]"


RULE5: list[Row] = [
    (_shape("M, N"), "M", "the shape 'M, N' is not in brackets", "write '[M, N]'"),
    (_shape('"M, N"'), '"M, N"', "the shape 'M, N' is not in brackets", "write '[M, N]'"),
    (_shape('"[M ** 2]"'), '"[M ** 2]"', "'*' does not fit in", "write the product out"),
    (_shape('"[M / 2]"'), '"[M / 2]"', "'/' does not fit in", "use //"),
    (_shape('"[M % 2]"'), '"[M % 2]"', "'%' does not fit in", 'write a list such as "[M, N // 2, 8]"'),
    (_shape('"[1.5]"'), '"[1.5]"', "'.' does not fit in", "a dimension is an integer"),
    (_shape('"[f(M)]"'), '"[f(M)]"', "'(' does not fit in", "functions are not known"),
    (_shape('"[M"'), '"[M"', "is not in brackets", "write '[M]'"),
    *(
        (_shape(word), word, "is not in brackets", 'write a list such as "[M')
        for word in ("TODO", "fixme", "TBD", "tbc", "xxx", "placeholder", "changeme")
    ),
    (_shape('"M, N]"'), '"M, N]"', "the shape 'M, N]' is not in brackets", "write '[M, N]'"),
    (_shape('"[~M]"'), '"[~M]"', "'~' does not fit in", 'write a list such as "[M'),
    (_shape('"[017]"'), '"[017]"', "'17' does not fit in", 'write a list such as "[M'),
    (_shape('[M, "(N"]'), '"(N"', "something is missing at the end of the shape '(N'", "write 'N'"),
    (_shape('[M, ""]'), '""', "something is missing at the end of the shape ''", 'write a list such as "[M'),
    (_shape('"[M, +"'), '"[M, +"', "is not in brackets", "write a list such as"),
    (_shape('"[(M]"'), '"[(M]"', "something is missing at the end", "write '[M]'"),
    (_shape('"[M)]"'), '"[M)]"', "')' does not fit in", "write '[M]'"),
    (_shape('"[M,]"'), '"[M,]"', "something is missing at the end", "write '[M]'"),
    (_shape('"[(M, N)]"'), '"[(M, N)]"', "',' does not fit in", "write '[M, N]'"),
    (_shape('"(M, N)"'), '"(M, N)"', "the shape '(M, N)' is not in brackets", "write '[M, N]'"),
    (_shape('"[M, N)"'), '"[M, N)"', "the shape '[M, N)' is not in brackets", "write '[M, N]'"),
    (_shape('"[M N]"'), '"[M N]"', "'N' does not fit in", "write '[M, N]'"),
    (_shape('"[M，N]"'), '"[M，N]"', "'，' does not fit in", "write '[M,N]'"),
    (_shape('"[M; N]"'), '"[M; N]"', "';' does not fit in", "write '[M, N]'"),
    (_shape('"[M, (N]"'), '"[M, (N]"', "something is missing at the end", "write a list such as"),
    (_shape('"[None]"'), '"[None]"', "'None' does not fit in", "write a list such as"),
    (_shape('"[M²]"'), '"[M²]"', "'M²' does not fit in", "write a list such as"),
    (_shape('[M, "M N"]'), '"M N"', "'N' does not fit in the shape 'M N'", "write an entry each: M, N"),
    (_shape("[M, 1.5]"), "1.5", "the number 1.5 is no dimension", "write a list such as"),
    (_shape("[M, true]"), "true", "true is no dimension", "write a list such as"),
    (_shape("[[M]]"), "[M]", "a list is no dimension", "write a list such as"),
    (_shape('["M, N"]'), '"M, N"', "',' does not fit in", "write an entry each: M, N"),
    (_shape("[M， N]"), "M， N", "'，' does not fit in", "write an entry each: M, N"),
    (_shape("[null]"), "null", "empty is no dimension", "write a list such as"),
    (_shape("4"), "4", "the number 4 is no shape", "write a list such as"),
    (_shape("{M: 1}"), "{M: 1}", "a mapping is no shape", "write a list such as"),
    (_shape(f'"[{"M+" * 600}M]"'), f'"[{"M+" * 600}M]"', "a shape of 1203 characters", "write a list such as"),
    ("inputs: [{name: t, source: module_1, shape: M}]", "M", "is not in brackets", "write '[M]'"),
    ("final_outputs: [{name: y, source: module_2, shape: M}]", "M", "is not in brackets", "write '[M]'"),
]


def _dtype(dtype: str) -> str:
    return f'outputs: [{{name: y, shape: "[M, N]", dtype: {dtype}}}]'


RULE6: list[Row] = [
    (_dtype("fp16"), "fp16", "modules[1].outputs[0] ('y'): the text 'fp16' is no dtype", "write float16"),
    (_dtype("FLOAT32"), "FLOAT32", "'FLOAT32' is no dtype", "write float32"),
    (_dtype("'float32 '"), "'float32 '", "'float32 ' is no dtype", "write float32"),
    (_dtype("torch.bfloat16"), "torch.bfloat16", "is no dtype", "write bfloat16"),
    (_dtype("float64"), "float64", "is no dtype", "write float32"),
    (_dtype("DT_FP16"), "DT_FP16", "the text 'DT_FP16' is no dtype", "write float16"),
    (_dtype("pypto.DT_BF16"), "pypto.DT_BF16", "is no dtype", "write bfloat16"),
    (_dtype("np.int8"), "np.int8", "is no dtype", "write int8"),
    (_dtype("i32"), "i32", "is no dtype", "write int32"),
    (_dtype("ｆloat32"), "ｆloat32", "is no dtype", "write float32"),
    (_dtype("float23"), "float23", "is no dtype", "did you mean 'float32'?"),
    (_dtype("int46"), "int46", "is no dtype", "did you mean 'int64'?"),
    (_dtype("zzz"), "zzz", "is no dtype", "write one of float32, float16"),
    (_dtype("[float32]"), "[float32]", "a list is no dtype", "write one of"),
    (_dtype("null"), "null", "empty is no dtype", "write one of"),
    ("inputs: [{name: t, source: module_1, dtype: half}]", "half", "modules[1].inputs[0]", "write float16"),
    ('primary_inputs: [{name: x, shape: "[M, N]", dtype: int4}]', "int4", "primary_inputs[0] ('x')", ""),
]

RULE7: list[Row] = [
    ("module_count: 3", "3", "module_count is 3, but the number of Modules is 2", "write module_count: 2"),
    ("module_count: -1", "-1", "module_count is -1", "write module_count: 2"),
]

RULE8: list[Row] = [
    (f"outputs: [{Y}, {Y}]", "y", "a second output of Module 2 is called 'y'", "give it another name"),
    (f"inputs: [{T}, {T}]", "t", "a second input of Module 2 is called 't'", "give it another name"),
    (
        'primary_inputs: [{name: x, shape: "[M, N]"}, {name: x}]',
        *("x", "a second primary input is called 'x'", "give it another name"),
    ),
]

RULE9: list[Row] = [
    ("section: Cube", "Cube", "Module 2: the text 'Cube' is no section", "did you mean cube?"),
    ("section: Scaling", "Scaling", "the text 'Scaling' is no section", "Scaling is a buffer"),
    ("section: cub", "cub", "the text 'cub' is no section", "did you mean cube?"),
    ("section: vec", "vec", "the text 'vec' is no section", "did you mean vector?"),
    ("section: AIC", "AIC", "the text 'AIC' is no section", "did you mean cube?"),
    ("section: mixed", "mixed", "the text 'mixed' is no section", "write cube (contractions"),
    ("section: [cube, vector]", "[cube, vector]", "a list is no section", "split a Module"),
    ("section:", "", "empty is no section", "split a Module"),
]

RULE10: list[Row] = [
    ("is_fusion: true", "true", "is_fusion is true, but one section occurs", "write is_fusion: false"),
    ("has_cross_core: true", "true", "no value passes between cube and vector", "write has_cross_core: false"),
    (
        "is_fusion: false\nhas_cross_core: true\nsection: cube",
        "false",
        "is_fusion is false, but cube and",
        "is_fusion: true",
    ),
    (
        "is_fusion: true\nhas_cross_core: false\nsection: cube",
        "false",
        "a cube and a vector Module exchange",
        "core: true",
    ),
]

RULE11: list[Row] = [
    (f"description: {placeholder}", placeholder, "modules[1].description still has to be filled in", "decide")
    for placeholder in (
        *(
            "TODO",
            "the FIXME part",
            "TBD",
            "'{purpose}'",
            "<purpose>",
            "'...'",
            "'???'",
            "？",
            "待定",
            "todo",
            "' Tbd '",
        ),
        *('"TO\\x44O"', "placeholder", "待补充", "TODO待补", "…"),
    )
]

RULE12: list[Row] = [
    (_shape('"[M, K]"'), '"[M, K]"', "no primary input has a dimension 'K'", "of the primary inputs ('M', 'N'), or"),
    (_shape('"[M, n]"'), '"[M, n]"', "no primary input has a dimension 'n'", "did you mean 'N'?"),
    (_shape('[M, "N * NN"]'), '"N * NN"', "no primary input has a dimension 'NN'", "did you mean 'N'?"),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{M: 1, N: 1}, {M: 4}]}",
        *("{M: 4}", "composition_verification.shapes[1] gives no extent to 'N'", "add 'N'"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{M: 1, n: 1}]}",
        *("n", "composition_verification.shapes[0] gives an extent to 'n', and none to 'N'", "did you mean 'N'?"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{m: 1, n: 1}]}",
        *(
            "{m: 1, n: 1}",
            "composition_verification.shapes[0] gives no extent to 'M', 'N'",
            "did you mean 'M', 'N'? Cap",
        ),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{M=4, N=8}]}",
        *("M=4", "composition_verification.shapes[0]: 'M=4' is no symbol with its extent", "write {M: 4, N: 8}"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{x: [4, 8]}]}",
        *("{x: [4, 8]}", "gives the shapes of inputs, not the extents of symbols", "write {M: 4, N: 8}"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{x: [a]}]}",
        *("{x: [a]}", "gives the shapes of inputs, not the extents of symbols", "write {M: 4, N: 128}"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{M: 4, N: '8'}]}",
        *("'8'", "the text '8' is no extent of 'N'", "remove the quotes: 8"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{M: 4, N: x}]}",
        *("x", "the text 'x' is no extent of 'N'", "write an integer"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{M: -4, N: 1}]}",
        *("-4", "the number -4 is no extent of 'M'", "write an integer"),
    ),
    (
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{M: true, N: 1}]}",
        *("true", "true is no extent of 'M'", "write an integer"),
    ),
]

RULE13: list[Row] = [
    (
        f"inputs: [{T[:-1]}, dtype: int8}}]",
        "int8",
        "'t' has the dtype 'int8' here and 'float32' where it is made",
        "write 'float32'",
    ),
    (
        f"inputs: [{T[:-1]}, shape: [M]}}]",
        "[M]",
        "'t' has the shape '[M]' here and '[M,N]' where it is made",
        "write '[M,N]'",
    ),
    (
        f"inputs: [{T}, {{name: x, source: primary, dtype: int8}}]",
        "int8",
        "'x' has the dtype 'int8' here",
        "write 'float32'",
    ),
    (
        "final_outputs: [{name: y, source: module_2, dtype: int8}]",
        "int8",
        "'y' has the dtype 'int8' here",
        "write 'float32'",
    ),
    (f"outputs: [{Y}, {{name: z}}]", "z", "Module 2: the output 'z' is neither used nor final", "connect it"),
    (
        "inputs: []\nfinal_outputs: [{name: y, source: module_2}]",
        "t",
        "Module 1: the output 't' is neither",
        "connect it",
    ),
    (
        'primary_inputs: [{name: x, shape: "[M, N]"}, {name: w}]',
        *("w", "the primary input 'w' is used by no Module", "connect it"),
    ),
]


def _verified(**fields: str) -> str:
    values = {"atol": "0.1", "rtol": "0.1", "seeds": "[1]", "shapes": "[{M: 1, N: 1}]", **fields}
    return f"composition_verification: {{{', '.join(f'{key}: {value}' for key, value in values.items() if value)}}}"


RULE14: list[Row] = [
    (_verified(atol="1e-3"), "1e-3", "atol must be a number, not the text '1e-3'", "write it with a point, 0.001"),
    (_verified(atol="'0,001'"), "'0,001'", "atol must be a number", "write it with a point: 0.001"),
    (_verified(atol="'0.001'"), "'0.001'", "atol must be a number", "remove the quotes: 0.001"),
    (_verified(atol="'1'"), "'1'", "atol must be a number", "remove the quotes: 1"),
    (_verified(atol="x"), "x", "atol must be a number, not the text 'x'", "write a number such as 0.001"),
    (_verified(atol="'nan'"), "'nan'", "atol must be a number", "write 0.001"),
    (_verified(atol="true"), "true", "atol must be a number, not true", "write a number"),
    (_verified(rtol="[]"), "[]", "rtol must be a number, not a list", "write a number"),
    (_verified(rtol=".nan"), ".nan", "rtol is nan: a tolerance is finite", "write a number"),
    (_verified(rtol=".inf"), ".inf", "rtol is inf: a tolerance is finite", "write a number"),
    (_verified(rtol="-0.1"), "-0.1", "rtol is -0.1: a tolerance is finite and not negative", "write a number"),
    (_verified(atol=""), "{", "composition_verification has no atol", "add atol"),
    (_verified(rtol=""), "{", "composition_verification has no rtol", "add rtol"),
    (_verified(seeds=""), "{", "composition_verification has no seeds", "add seeds"),
    (_verified(shapes=""), "{", "composition_verification has no shapes", "add shapes"),
    (
        _verified(seeds="[]"),
        "[]",
        "seeds must be a list with at least one entry, not empty",
        "write a list such as [42, 123]",
    ),
    (
        _verified(seeds="42"),
        "42",
        "seeds must be a list with at least one entry, not the number 42",
        "write a list such as [42, 123]",
    ),
    (
        _verified(seeds="null"),
        "null",
        "seeds must be a list with at least one entry, not empty",
        "write a list such as [42, 123]",
    ),
    (_verified(seeds="[1, x]"), "x", "seeds[1] must be an integer, not the text 'x'", "write an integer"),
    (_verified(seeds="[true]"), "true", "seeds[0] must be an integer, not true", "write an integer"),
    (_verified(seeds="[1.0]"), "1.0", "seeds[0] must be an integer, not the number 1.0", "write an integer"),
    (_verified(shapes="[]"), "[]", "shapes must be a list with at least one entry", "write a list such as [{"),
    (_verified(shapes="[4]"), "4", "shapes[0] must be a mapping of symbols to extents", "such as {M: 4, N: 128}"),
    (_verified(policy="strict"), "strict", "the text 'strict' is no policy", "write pro_scheme_a"),
    (_verified(atol="", rtol="", policy="x"), "x", "the text 'x' is no policy", "write pro_scheme_a"),
]

RULE15: list[Row] = [
    ("name: ''", "id: 2", "Module 2 has no name", "add `name:`"),
    ("golden_steps: []", "id: 2", "Module 2 has no golden_steps", "add `golden_steps:`"),
    ("golden_stage_fn: ''", "id: 2", "Module 2 has no golden_stage_fn", "add `golden_stage_fn:`"),
    (
        "golden_stage_fn: shift_golden_stage2",
        "shift_golden_stage2",
        "does not name Modules 1 to 2",
        "write 'shift_golden_",
    ),
    ("golden_stage_fn: other_golden_stage12", "other_golden_stage12", "does not name", "write 'shift_golden_stage12'"),
    (
        "golden_stage_fn: shift_golden_stage1_to_3",
        "shift_golden_stage1_to_3",
        "does not name",
        "'shift_golden_stage12'",
    ),
    ("golden_stage_fn: shift_golden_stage", "shift_golden_stage", "does not name", "'shift_golden_stage12'"),
    ("golden_stage_fn: shift_golden_stage1", "shift_golden_stage1", "is already the stage function of Module 1", "own"),
]

RULE18: list[Row] = [
    (
        "descripton: x",
        "descripton",
        "the key 'descripton' in modules[1] means nothing here",
        "did you mean 'description'?",
    ),
    ("zzz: x", "zzz", "the key 'zzz' in modules[1] means nothing here", "remove it"),
    ("op: shift\nop: shift", "op", "the key 'op' occurs twice in the contract, first in line 1", "keep one"),
    (f"inputs: [{T[:-1]}, from: x}}]", "from", "the key 'from' in modules[1].inputs[0] means nothing", "remove it"),
    (
        f"outputs: [{Y[:-1]}, type: x}}]",
        "type",
        "the key 'type' in modules[1].outputs[0] means nothing",
        "did you mean",
    ),
    ("final_outputs: [{name: y, source: module_2, id: 1}]", "id", "the key 'id' in final_outputs[0]", "remove it"),
    ('primary_inputs: [{name: x, shape: "[M, N]", at: 1}]', "at", "the key 'at' in primary_inputs[0]", "remove it"),
    (_verified(tol="1"), "tol", "the key 'tol' in composition_verification means nothing", "did you mean 'rtol'?"),
    ("params: {a: 1, b: 2, a: 3}", "a", "the key 'a' occurs twice in params, first in line 1", "keep one"),
]

TABLE = {
    "rule0": RULE0,
    "rule1": RULE1,
    "rule2": RULE2,
    "rule3": RULE3,
    "rule4": RULE4,
    "rule5": RULE5,
    "rule6": RULE6,
    "rule7": RULE7,
    "rule8": RULE8,
    "rule9": RULE9,
    "rule10": RULE10,
    "rule11": RULE11,
    "rule12": RULE12,
    "rule13": RULE13,
    "rule14": RULE14,
    "rule15": RULE15,
    "rule18": RULE18,
}


@pytest.mark.parametrize(("rule", "row"), [(rule, row) for rule, rows in TABLE.items() for row in rows])
def test_one_fault(rule: str, row: Row) -> None:
    example, marked, message, hint = row
    findings = [finding for finding in said(example) if finding.rule == rule]
    assert [finding for finding in findings if _fits(finding, marked, message, hint)], findings
    assert len(findings) == 1, findings


def _fits(finding: Said, marked: str, message: str, hint: str) -> bool:
    starts = finding.marked == marked or (marked == "{" and finding.marked.startswith("{"))
    return starts and message in finding.message and hint in finding.hint and finding.hint != ""


# Lines that are right, each for a reason that a stricter rule would miss.
RIGHT = [
    "module_count: 2.0",
    "id: 2.0",
    "schema_version: 1.0",
    "inputs: [{name: t, source: phase_1}]",
    "inputs: [{name: t, source: module_01}]",
    f"inputs: [{T}, {{name: x, source: primary, shape: [M, N], dtype: float32}}]",
    f'inputs: [{T[:-1]}, shape: "[M,N]"}}]',
    _shape('"[M, -N + 0x10, 1_024, (M + 1) // 2 * N]"'),
    _shape('[M, -1, "N", 0]'),
    _shape('" [ ] "'),
    _shape('"[M, 0o1_7, 0B1_01, 00_0]"'),
    _shape("[]"),
    "outputs: [{name: y}]",
    _verified(atol="0", rtol="1"),
    _verified(atol="", rtol="", policy="pro_scheme_a"),
    _verified(policy="pro_scheme_a"),
    _verified(seeds="[0, -1]"),
    _verified(shapes="[{M: 0, N: 1, K: 3}]"),
    "symbols: [{name: K, origin: n.item(), line: 3}]\n" + _shape('"[M, K]"'),
    "params: {k: 8}\n" + _shape('"[M, k]"'),
    "params: {N: 8}\n" + _verified(shapes="[{M: 4}]"),
    "golden_stage_fn: shift_golden_stage1_to_2",
    "description: what is x? a < b and c > d",
    "golden_steps: ['{y} = x[..., 0]', 'TODOS = 1', 'a ? b : c']",
    "wrapper: [3, x, {a: 1}]",
    "outputs: [{name: y}]\nfinal_outputs: [{name: y, source: module_2, dtype: int8}]",
    "boundary: [{kind: section, anything: 1}]\ntraversal: {axes: [M], other: 1}\nhandoff: []\nsource_lines: [3, 4]",
    "reduction: [{axis: N, whatever: 1}]\ndimensions: [{name: x}]",
    "has_cross_core: false\nis_fusion: false",
]


@pytest.mark.parametrize("example", RIGHT)
def test_right(example: str) -> None:
    assert said(example) == []


# Lines that violate exactly these rules: what one rule has said, no other one repeats.
EXACTLY = [
    (f"inputs: [{T}, {{source: module_1}}]", {"rule0"}),
    (f"inputs: [{T}, {{source: primary}}]", {"rule0"}),
    (f"inputs: [{T}, {{name: 3, source: primary}}]", {"rule0"}),
    (f"inputs: [{T}, {{name: x}}]", {"rule0", "rule2"}),
    (f"inputs: [{T}, {{name: x, source: 1}}]", {"rule0", "rule2"}),
    ("final_outputs: {}", {"rule0"}),
    ("final_outputs: ''", {"rule0"}),
    ("outputs: ''\nfinal_outputs: [{name: t, source: module_1}]", {"rule0"}),
    ("outputs: {}\nfinal_outputs: [{name: t, source: module_1}]", {"rule0"}),
    (f"inputs: [{T}, {{name: q, source: module_1, dtype: int8}}]", {"rule2"}),
    ('primary_inputs: [{name: x, shape: "[M, N]"}, {shape: []}]', {"rule0"}),
    (f"outputs: [{Y}, {{shape: []}}]", {"rule0"}),
    (f"outputs: [{Y}, {{shape: []}}, {{shape: []}}]", {"rule0"}),
    ("is_fusion: 'false'", {"rule0"}),
    ("module_count: x", {"rule0"}),
    ("modules: 3", {"rule0"}),
    ("composition_verification: []", {"rule0"}),
    ("composition_verification:", {"rule0"}),
    ("params: 3", {"rule0"}),
    ("op: ''", {"rule0"}),
]


@pytest.mark.parametrize(("example", "rules"), EXACTLY)
def test_exactly_these_rules(example: str, rules: set[str]) -> None:
    assert {finding.rule for finding in said(example)} == rules


def test_final_outputs_that_are_missing() -> None:
    text = completed("zzz: 1").replace("final_outputs: [{name: y, source: module_2}]\n", "")
    (finding,) = (finding for finding in said_of(text) if finding.rule == "rule3")
    assert finding.message == "the contract has no final_outputs"


def test_a_module_without_an_id_is_told_where_the_value_is() -> None:
    text = completed("inputs: [{name: t, source: primary}]").replace("  - id: 2\n    name", "  - name")
    (finding,) = (finding for finding in said_of(text) if finding.rule == "rule1")
    assert finding.hint == "Module 1 produces it: write `source: module_1`"


def test_the_latest_module_before_the_reader_is_advised() -> None:
    modules = "".join(
        f"  - {{id: {k}, inputs: [{wire}], outputs: [{{name: {name}}}]}}\n"
        for k, name, wire in (
            (1, "a", ""),
            (2, "a", ""),
            (3, "b", "{name: a, source: primary}"),
            (4, "a", ""),
        )
    )
    text = f"op: x\nmodule_count: 4\nmodules:\n{modules}final_outputs: [{{name: a, source: module_3}}]\n"
    hints = {finding.rule: finding.hint for finding in said_of(text)}
    assert hints["rule1"] == "Module 2 produces it: write `source: module_2`"
    assert hints["rule3"] == "Module 4 produces it: write `source: module_4`"


def test_fusion_that_is_left_out() -> None:
    findings = [finding for finding in said("section: cube") if finding.rule == "rule10"]
    assert [finding.message for finding in findings] == [
        "is_fusion is missing, but cube and vector Modules occur",
        "has_cross_core is missing, but a cube and a vector Module exchange data",
    ]


def test_flags_wait_for_the_sections() -> None:
    assert not [finding for finding in said("section: mixed\nis_fusion: true") if finding.rule == "rule10"]


def test_crossing_takes_a_wire_between_the_sections_not_just_both_of_them() -> None:
    example = "section: cube\nis_fusion: true\nhas_cross_core: false\ninputs: [{name: x, source: primary}]"
    assert not [finding for finding in said(example) if finding.rule == "rule10"]


def test_an_error_among_the_warnings() -> None:
    severities = {finding.message[:20]: finding.severity for finding in said("zzz: 1\nop: shift\nop: shift")}
    assert sorted(severities.values()) == ["error", "warning"]


@pytest.mark.parametrize("key", ["op", "module_count", "modules"])
def test_a_required_key_of_the_contract(key: str) -> None:
    text = "".join(f"{line}\n" for line in ("op: x", "module_count: 1", "modules: [3]") if not line.startswith(key))
    messages = [finding.message for finding in said_of(text) if finding.rule == "rule0"]
    assert f"the contract has no `{key}`" in messages


@pytest.mark.parametrize(
    ("key", "rules"),
    [
        ("id", {"rule0", "rule3"}),
        ("inputs", {"rule0"}),
        ("outputs", {"rule0", "rule3", "rule4"}),
        ("section", {"rule9"}),
        ("name", {"rule15"}),
        ("description", {"rule15"}),
        ("golden_steps", {"rule15"}),
        ("golden_stage_fn", {"rule15"}),
    ],
)
def test_a_key_of_a_module_that_is_missing(key: str, rules: set[str]) -> None:
    lines = completed("zzz: 1").splitlines()
    last = max(number for number, line in enumerate(lines) if line.strip().removeprefix("- ").startswith(f"{key}:"))
    lines[last] = "  - zzz: 1" if key == "id" else ""
    findings = [finding for finding in said_of("\n".join(lines) + "\n") if finding.rule != "rule18"]
    assert {finding.rule for finding in findings} == rules
    assert any(key in finding.message for finding in findings)


def test_numbers_that_are_missing_are_told() -> None:
    text = completed("zzz: 1").replace("module_count: 2\n", "").replace("  - id: 2\n    name", "  - name")
    hints = {finding.message: finding.hint for finding in said_of(text) if finding.rule == "rule0"}
    assert hints["the contract has no `module_count`"] == "write module_count: 2"
    assert hints["modules[1] has no `id`"] == "write id: 2"


def test_a_module_without_a_section() -> None:
    text = completed("zzz: 1").replace("    section: vector\n", "")
    messages = [(finding.message, finding.hint) for finding in said_of(text) if finding.rule == "rule9"]
    advice = "add `section: cube` or `section: vector`"
    assert messages == [("Module 1 has no section", advice), ("Module 2 has no section", advice)]


def test_the_order_of_ids() -> None:
    text = VALID[0].replace("id: 1\n", "id: 3\n", 1)
    findings = [finding for finding in said_of(text) if finding.rule == "rule8"]
    assert [(f.marked, f.message, f.hint) for f in findings] == [("3", "modules[0] has the id 3", "write id: 1")]


def test_nothing_but_rule0_about_a_file_that_is_no_mapping() -> None:
    for text in ("", "- op: x\n", "error: not found", "3"):
        rules = {finding.rule for finding in said_of(text)} - {"rule14", "rule18"}
        assert rules == {"rule0"}


@pytest.mark.parametrize("section", ["section: [vector]", "title: vector"])
def test_flags_of_two_modules_with_one_id(section: str) -> None:
    """The second of them has a section, the first has none."""
    text = VALID[0].replace("section: vector", section, 1).replace("id: 2", "id: 1").replace("module_1", "module_0")
    assert {"rule8", "rule9"} <= {finding.rule for finding in said_of(text)}


def test_one_broken_entry_does_not_hide_another() -> None:
    example = f"op: 3\nsection: mixed\ninputs: [x, {T}, {{name: q, source: primary}}]\n{_dtype('fp16')}"
    assert {finding.rule for finding in said(example)} == {"rule0", "rule1", "rule6", "rule9"}


def test_symbols_of_a_broken_shape_are_not_reported_as_unknown() -> None:
    example = 'primary_inputs: [{name: x, shape: "[M, N / 2]", dtype: float32}]'
    assert {finding.rule for finding in said(example)} == {"rule5"}


def test_a_module_without_an_id_is_judged_all_the_same() -> None:
    text = "op: x\nmodule_count: 1\nmodules:\n  - inputs: [{name: a, source: module_7}]\n    outputs: [{name: y}]\n"
    messages = [finding.message for finding in said_of(text) if finding.rule == "rule2"]
    assert messages == ["modules[0], input 'a': there is no Module 7 with outputs"]


def test_stage_functions_of_many_modules() -> None:
    assert [stage(k) for k in (1, 9, 10, 12)] == ["1", "123456789", "1_to_10", "1_to_12"]


def test_findings_come_in_the_order_of_the_file() -> None:
    example = f"op: 3\nsection: mixed\n{_dtype('fp16')}\nzzz: 1"
    places = [finding.location[1:3] for finding in validate_text(completed(example)).findings]
    assert places == sorted(places)
    assert len(places) == 4


def test_a_right_contract_needs_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    def locate(*_: object) -> None:
        raise AssertionError("the text was read a second time")

    monkeypatch.setattr(places, "locate", locate)
    assert validate_text(VALID[0]).findings == ()


def test_unknown_keys_of_the_contract_itself() -> None:
    messages = [finding.message for finding in said_of(f"{VALID[0]}modles: []\n") if finding.rule == "rule18"]
    assert messages == ["the key 'modles' in the contract means nothing here"]


def test_names_are_suggested_for_the_first_fifty_mistakes() -> None:
    keys = "".join(f"modle{'s' * number}: 1\n" for number in range(60))
    hints = [finding.hint for finding in said_of(f"{VALID[0]}{keys}") if finding.rule == "rule18"]
    assert [hint.startswith("did you mean 'modules'?") for hint in hints[:6]] == [True] * 6
    text = "".join(f"modules{letter}: 1\n" for letter in string.ascii_letters)
    hints = [finding.hint for finding in said_of(f"{VALID[0]}{text}") if finding.rule == "rule18"]
    assert [hint == "did you mean 'modules'?" for hint in hints] == [True] * 50 + [False] * 2


def test_what_is_near() -> None:
    assert nearest("beta1", [1, None, "beta2"]) == "beta2"
    assert nearest("x1", []) is None
    assert nearest("a" * 80, ["a" * 80 + "b"]) is None, "so long a name was hardly mistyped"
    assert nearest("a" * 79 + "b", ["a" * 80]) == "a" * 80
    assert nearest("q", [*map(str, range(100)), "q"]) is None, "a hundred are looked at"
    assert nearest("q", [*map(str, range(99)), "q"]) == "q"


def test_symbols_beside_keys_that_are_no_text() -> None:
    assert {f.rule for f in said(f"params: {{1: 2}}\n{_shape('[M, K]')}")} == {"rule0", "rule12"}


def test_a_contract_that_is_never_verified() -> None:
    text = VALID[0][: VALID[0].index("composition_verification:")]
    (finding,) = [finding for finding in said_of(text) if finding.rule == "rule14"]
    assert finding.message == "the contract has no composition_verification"
    assert finding.hint == "add atol, rtol, seeds and shapes"


def test_symbols_of_a_broken_shape_are_left_alone() -> None:
    assert {finding.rule for finding in said(_shape('"[M, K / 2]"'))} == {"rule5"}


def test_five_symbols_without_an_extent_are_named() -> None:
    names = ", ".join(f"S{number}" for number in range(7))
    example = (
        f'primary_inputs: [{{name: x, shape: "[{names}]", dtype: float32}}]\n{_shape("[S0]")}\n'
        "composition_verification: {atol: 0, rtol: 0, seeds: [1], shapes: [{}]}"
    )
    (said_so,) = [finding.message for finding in said(example) if "gives no extent" in finding.message]
    assert said_so.endswith("gives no extent to 'S0', 'S1', 'S2', 'S3', 'S4'")


def test_outputs_without_a_name_are_none_that_a_module_has() -> None:
    unnamed = VALID[0].replace("  outputs:\n", "  outputs:\n  - shape: '[M]'\n", 1)
    text = unnamed.replace("- name: m\n    source: module_1", "- name: q\n    source: module_1", 1)
    assert [finding.hint for finding in said_of(text) if finding.rule == "rule2"] == ["it has 'm'"]


@pytest.mark.parametrize("function", ["12", "1_to_2", "1", "x_golden_stage12", "shift_golden_stage_12"])
def test_stage_functions_that_only_end_like_one(function: str) -> None:
    assert {finding.rule for finding in said(f"golden_stage_fn: '{function}'")} == {"rule15"}


def test_the_stage_function_of_a_module_with_a_large_number() -> None:
    text = VALID[0].replace("id: 1\n", "id: 1000000000000\n", 1)
    assert {"rule8"} <= {finding.rule for finding in said_of(text)}


def test_an_entry_without_a_name_is_called_by_its_place() -> None:
    messages = [finding.message for finding in said("outputs: [{shape: M}]") if finding.rule == "rule5"]
    assert messages == ["modules[1].outputs[0]: the shape 'M' is not in brackets"]


def test_what_the_file_must_be_is_told_in_full() -> None:
    (finding,) = [finding for finding in said_of("- op: x\n") if finding.rule == "rule0"]
    assert finding.message == "the contract must be a mapping with op, module_count and modules, not a list"


def test_a_flag_that_is_missing_is_told_at_the_contract() -> None:
    text = completed("section: cube")
    places = {f.message: f.location[1:3] for f in validate_text(text).findings if f.rule == "rule10"}
    assert places == {
        "is_fusion is missing, but cube and vector Modules occur": (1, 1),
        "has_cross_core is missing, but a cube and a vector Module exchange data": (1, 1),
    }


def test_the_longest_shape() -> None:
    longest = f"[{' ' * 995}M+1]"
    assert len(longest) == 1000
    assert read_shape(longest).problem == ""
    assert read_shape(f"[{longest}").problem == "a shape of 1001 characters"
    assert read_shape([longest[1:-1] + "  "]) == Shape((("M", 0),))
    assert read_shape([longest + " "]).problem == f"the text {longest[:57] + '...'!r} is no dimension"


@pytest.mark.parametrize(("blanks", "hint"), [(994, "use // for division"), (995, "write a list such as ")])
def test_the_longest_shape_that_is_looked_into(blanks: int, hint: str) -> None:
    (found,) = said(_shape(f'"[M/2 {" " * blanks}]"'))
    assert found.hint.startswith(hint)


def test_shapes_of_nothing() -> None:
    assert read_shape("[]") == read_shape(" [ ] ") == read_shape([]) == Shape()
    assert read_shape("[").problem == "the shape '[' is not in brackets"


def test_names_of_a_shape_and_the_dimensions_in_which_they_stand() -> None:
    assert read_shape("[_m, 2*k0 + _m]") == Shape((("_m", -1), ("k0", -1)))
    assert read_shape([4, "_m", "2*k0 + _m"]) == Shape((("_m", 1), ("k0", 2), ("_m", 2)))
    assert read_shape("[_m / 2]")._replace(problem="") == Shape((("_m", -1),), dimension=-1)
    assert read_shape([4, "_m / 2", "k"])._replace(problem="") == Shape((("_m", 1),), dimension=1)


def test_a_source_that_is_a_list_is_not_searched_for_a_number() -> None:
    hints = [
        finding.hint for finding in said(f"inputs: [{T}, {{name: x, source: [module_1]}}]") if finding.rule == "rule2"
    ]
    assert hints == ["it is a primary input: write `source: primary`"]


def test_five_outputs_of_the_module_are_named() -> None:
    outputs = "".join(f"  - name: out{number}\n" for number in range(6))
    text = VALID[0].replace("  outputs:\n", f"  outputs:\n{outputs}", 1)
    text = text.replace("- name: m\n    source: module_1", "- name: q\n    source: module_1", 1)
    (hint,) = [finding.hint for finding in said_of(text) if finding.rule == "rule2"]
    assert hint == "it has 'out0', 'out1', 'out2', 'out3', 'out4'"


def test_a_later_source_of_an_input_without_a_name() -> None:
    messages = [f.message for f in said(f"inputs: [{T}, {{source: module_9}}]") if f.rule == "rule2"]
    assert messages == ["Module 2, input empty: the source 'module_9' is a later Module"]


def test_of_several_producers_the_latest_is_named() -> None:
    text = VALID[0].replace("  - name: s\n    shape", "  - name: m\n  - name: s\n    shape", 1)
    head, third = text[: text.index("- id: 3")], text[text.index("- id: 3") :]
    third = third.replace("- name: m\n    source: module_1", "- name: m\n    source: primary", 1)
    hints = [finding.hint for finding in said_of(head + third) if finding.rule == "rule1"]
    assert hints == ["Module 2 produces it: write `source: module_2`"]


def test_an_empty_file_is_called_empty() -> None:
    (finding,) = [finding for finding in said_of("# nothing\n") if finding.rule == "rule0"]
    assert finding.message == "the file is empty: there is no contract in it"
