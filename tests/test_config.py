"""The configuration of a project: where it is found, what it changes, and what is said about mistakes in it."""

import json
import re
from pathlib import Path

import pytest
from corpus import VALID

from r0kit.cli import common, run
from r0kit.cli.project import config_files
from r0kit.cli.settings import config
from r0kit.config import Config, read_config
from r0kit.finding import InputError, Report, Severity
from r0kit.validate import RULES

GOLDEN = Path(__file__).parent / "goldens/row_softmax/row_softmax_golden_cpu.py"
WARNED = VALID[0].replace("is_fusion: false", "is_fusion: true")  # rule10
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, which is the working folder, with a contract of which rule10 warns."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "c.yaml").write_text(WARNED, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(project: Path, text: str, name: str = "pyproject.toml") -> None:
    (project / name).write_text(text, "utf-8")


def status(*arguments: object) -> int:
    return common.status_of(lambda: run(list(map(str, arguments))))


CHOICES = {"platform": lambda: ("a5", "a2a3"), "lang": lambda: ("zh", "en")}


def read(folder: Path, text: str) -> Config:
    (folder / "pyproject.toml").write_text(text, "utf-8")
    return read_config(str(folder / "pyproject.toml"), ("tool", "r0kit"), CHOICES, ["rule0", "rule13", "rule15"])


@pytest.mark.parametrize(
    "text",
    [
        '[tool.r0kit]\nplatform = "a5"\n[tool.r0kit.severity]\nrule13 = "off"\n',
        '[tool.r0kit]\nplatform = "a5"\nseverity.rule13 = "off"\n',
        '[tool.r0kit]\nplatform = "a5"\nseverity = {rule13 = "off"}\n',
        '[tool]\nr0kit = {platform = "a5", severity = {rule13 = "off"}}\n',
        'tool.r0kit = {platform = "a5", severity = {rule13 = "off"}}\n',
        '["tool"."r0kit"]\n"platform" = \'a5\'\n"severity".rule13 = "off"\n',
    ],
)
def test_settings_are_read_however_they_are_written(text: str, tmp_path: Path, project: Path) -> None:
    found = read(tmp_path, text)
    assert (found.values, found.severities, found.findings) == ({"platform": "a5"}, {"rule13": "off"}, ())
    settings(project, text)
    assert [path for path, _ in config_files()] == ["pyproject.toml"]


# Text, the place of the finding, words of its message and of its hint.
WRONG = [
    ('[tool.r0kit]\nplatfrom = "a5"\n', (2, 1), "there is no setting 'platfrom'", "did you mean platform?"),
    ("[tool.r0kit]\nzzz = 1\n", (2, 1), "there is no setting 'zzz'", "there are platform, lang, severity"),
    ('[tool.r0kit]\n  platform =  "a9"\n', (2, 15), "'a9' is no platform", "write one of a5, a2a3"),
    ("[tool.r0kit]\nlang = 3\n", (2, 8), "3 is no lang", "write one of zh, en"),
    ('[tool.r0kit]\nlang = ["zh"]\n', (2, 8), "an array is no lang", "write one of zh, en"),
    ('[tool.r0kit]\nplatform = "A5 "\n', (2, 12), "'A5 ' is no platform", 'did you mean "a5"?'),
    ('[tool.r0kit.severity]\nrule13 = "warn"\n', (2, 10), "'warn' is no severity", 'did you mean "warning"?'),
    ("[tool.r0kit.severity]\nrule13 = false\n", (2, 10), "false is no severity", 'write "off", with its quotes'),
    ('[tool.r0kit]\r\nplatfrom = "a5"\r\n', (2, 1), "there is no setting 'platfrom'", "did you mean platform?"),
    ("[tool.r0kit]\nseverity = 3\n", (2, 12), "severity is a table of rules", "write [tool.r0kit.severity]"),
    ('[tool.r0kit.severity]\nrule12 = "off"\n', (2, 1), "there is no rule 'rule12'", "did you mean rule15?"),
    ('[tool.r0kit.severity]\nrule13 = "fatal"\n', (2, 10), "'fatal' is no severity", "error, warning, note, off"),
    ("[tool.r0kit.severity]\nrule13 = true\n", (2, 10), "true is no severity", "write one of"),
    ('[tool.r0kit.severity]\nrule0 = "off"\n', (2, 1), "rule0 is always an error", "remove the line"),
    ('[tool.r0kit]\nseverity = {rule13 = "off", rule99 = "off"}\n', (2, 29), "no rule 'rule99'", "did you mean rule"),
    ('[tool]\nr0kit = {platform = "a5", zzz = 1}\n', (2, 27), "there is no setting 'zzz'", "there are"),
    ("[tool]\nr0kit = 3\n", (2, 9), "tool.r0kit is a table of settings", "below [tool.r0kit]"),
    ('[tool.r0kit]\n# zzz = 1\nx = """\nzzz = 1"""\n', (3, 1), "there is no setting 'x'", ""),
]


@pytest.mark.parametrize(("text", "place", "message", "hint"), WRONG)
def test_mistakes_have_places(text: str, place: tuple[int, int], message: str, hint: str, tmp_path: Path) -> None:
    config = read(tmp_path, text)
    (finding,) = config.findings
    assert (finding.rule, finding.severity) == ("config", Severity.ERROR)
    assert finding.location[1:3] == place
    assert message in finding.message and hint in finding.hint


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("[tool.r0kit]\nx = \n", (2, 5), "see https://toml.io"),
        ('[tool.r0kit]\nx = """a\n', (3, 1), "see https://toml.io"),
        ("a = 1\na = 2\n", (2, 6), "see https://toml.io"),
        ("[tool.r0kit.severity]\nrule13 = off # not now\n", (2, 10), 'put text in quotes: rule13 = "off"'),
    ],
)
def test_what_is_no_toml(text: str, place: tuple[int, int], hint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    (finding,) = caught.value.findings
    assert finding.message.startswith("not TOML: ") and finding.location[1:3] == place
    assert finding.hint == hint


def test_nesting_ends_in_a_finding(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read(tmp_path, f"x = {'[' * 100_000}")


@pytest.mark.parametrize(
    ("setting", "flags", "expected", "severity"),
    [
        ("", [], 0, "warning"),
        ('rule10 = "error"', [], 1, "error"),
        ('rule10 = "note"', ["--strict"], 0, "note"),
        ('rule10 = "off"', ["--strict"], 0, None),
        ('rule10 = "warning"', ["--strict"], 1, "error"),
        ('rule9 = "off"', [], 0, "warning"),
    ],
)
@pytest.mark.parametrize("name", ["pyproject.toml", "r0kit.toml"])
def test_severities(
    setting: str, flags: list[str], expected: int, severity: str | None, name: str, project: Path, capsys: Captured
) -> None:
    table = "severity" if name == "r0kit.toml" else "tool.r0kit.severity"
    settings(project, f"[{table}]\n{setting}\n", name)
    assert status("validate", "c.yaml", "--json", *flags) == expected
    found = [finding["severity"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert found == ([] if severity is None else [severity])


def test_severities_hold_in_other_processes(project: Path, capsys: Captured) -> None:
    settings(project, '[severity]\nrule10 = "error"\n', "r0kit.toml")
    files = ["c.yaml"] * 50
    assert status("validate", *files, "--jobs", 2) == 1
    assert capsys.readouterr().out.endswith("FAIL: 50 errors in 50 files\n")


def test_off_leaves_nothing_of_a_report() -> None:
    assert Report("c").rated({"rule1": "off"}) == Report("c")


def test_a_wrong_configuration_fails_the_run_and_the_rest_of_it_holds(project: Path, capsys: Captured) -> None:
    settings(project, '[severity]\nrule10 = "off"\nrule99 = "off"\n', "r0kit.toml")
    assert status("validate", "c.yaml") == 1
    out = capsys.readouterr().out
    assert out.startswith("r0kit.toml:3:1: error: there is no rule 'rule99' [config]\n  3 | rule99 = \"off\"\n")
    assert out.endswith("FAIL: 1 error in 2 files\n")


def test_a_configuration_that_cannot_be_read(project: Path, capsys: Captured) -> None:
    settings(project, "[severity\n", "r0kit.toml")
    assert status("validate", "c.yaml", "--json") == 1
    files = json.loads(capsys.readouterr().out)["files"]
    assert [(file["path"], file["status"]) for file in files] == [("r0kit.toml", "FAIL"), ("c.yaml", "PASS")]
    assert status("gen", GOLDEN) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "r0kit.toml:1:10: error: not TOML" in captured.err


def test_the_line_is_shown_and_what_is_wrong_in_it_marked(project: Path, capsys: Captured) -> None:
    settings(project, '[severity]\r\nrule99 = "off" # why\r\nrule10 = "of"  # why\r\n', "r0kit.toml")
    assert status("validate", "c.yaml") == 1
    out = capsys.readouterr().out
    assert (
        '  2 | rule99 = "off" # why\n    | ^^^^^^\n' in out
        and '  3 | rule10 = "of"  # why\n    |          ^^^^\n' in out
    )
    settings(project, "[severity]\nrule10 = off\n", "r0kit.toml")
    assert status("validate", "c.yaml") == 1
    assert "  2 | rule10 = off\n    |          ^" in capsys.readouterr().out


def test_hints_name_the_tables_of_the_file(project: Path, capsys: Captured) -> None:
    settings(project, 'severity = "off"\n', "r0kit.toml")
    assert status("validate", "c.yaml") == 1
    assert "hint: write [severity]\n" in capsys.readouterr().out
    settings(project, '[tool.r0kit]\nplatform = "a5"\n', "r0kit.toml")
    assert status("validate", "c.yaml") == 1
    assert "hint: write the settings without [tool.r0kit]" in capsys.readouterr().out


def test_a_link_that_leads_nowhere_is_told_of(project: Path, capsys: Captured) -> None:
    (project / "r0kit.toml").symlink_to("nowhere.toml")
    assert status("validate", "c.yaml") == 1
    assert "r0kit.toml: error: r0kit.toml does not exist [config]" in capsys.readouterr().out


def test_where_it_is_found(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(project, '[tool.r0kit]\nplatform = "a5"\n')
    inner = project / "custom" / "op"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert (config() or Config()).path == "../../pyproject.toml"
    settings(project / "custom", "", "r0kit.toml")
    assert (config() or Config()).path == "../r0kit.toml"
    (inner / ".git").mkdir()
    assert config() is None, "nothing beyond the repository"


@pytest.mark.parametrize(
    "other",
    [
        "[tool.other]\n",
        "# settings of [tool.r0kit] stand above\n",
        '[project]\ndescription = "made with tool.r0kit"\n',
        "[tool.r0kit-more]\nplatform = 1\n",
        "[tool]\nother = 1\n",
    ],
)
def test_a_pyproject_without_settings_is_passed_over(
    other: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(project, 'platform = "a5"\n', "r0kit.toml")
    (project / "custom").mkdir()
    settings(project / "custom", other)
    monkeypatch.chdir(project / "custom")
    assert (config() or Config()).path == "../r0kit.toml"


def test_what_is_wrong_is_told_in_the_order_of_its_lines(tmp_path: Path) -> None:
    found = read(tmp_path, '[tool.r0kit]\nseverity.rule99 = "off"\nlang = 1\nseverity.rule13 = "of"\nplan = 1\n')
    assert [finding.location.line for finding in found.findings] == [2, 3, 4, 5]


def test_a_page_shows_the_findings_that_validate_has(project: Path, capsys: Captured) -> None:
    assert status("render", "c.yaml", "--format", "html", "--lang", "en") == 0
    assert "rule10" in capsys.readouterr().out
    settings(project, '[severity]\nrule10 = "off"\n', "r0kit.toml")
    assert status("render", "c.yaml", "--format", "html", "--lang", "en") == 0
    assert "rule10" not in capsys.readouterr().out


def test_a_linked_pyproject_is_read(project: Path, capsys: Captured) -> None:
    (project / "shared.toml").write_text('[tool.r0kit.severity]\nrule10 = "error"\n')
    (project / "pyproject.toml").symlink_to("shared.toml")
    assert status("validate", "c.yaml") == 1


def drafted(capsys: Captured, *flags: str) -> str:
    assert status("gen", GOLDEN, *flags) == 0
    return capsys.readouterr().err


def test_gen_follows_option_then_configuration_then_default(project: Path, capsys: Captured) -> None:
    assert "strategy auto, platform a5" in drafted(capsys)
    settings(project, '[tool.r0kit]\nstrategy = "conventional"\nplatform = "a2a3"\n')
    assert "strategy conventional, platform a2a3" in drafted(capsys)
    assert "strategy online, platform a2a3" in drafted(capsys, "--strategy", "online")
    assert "strategy conventional, platform a5" in drafted(capsys, "--platform", "a5")


def test_plan_follows_option_then_configuration_then_default(project: Path, capsys: Captured) -> None:
    contract = Path(__file__).parent / "contracts/row_softmax.yaml"

    def platform(*flags: str) -> str:
        status("plan", contract, "--json", *flags)
        return str(json.loads(capsys.readouterr().out)["platform"])

    assert platform() == "a5"
    settings(project, '[tool.r0kit]\nplatform = "a2a3"\n')
    assert platform() == "a2a3"
    assert platform("--platform", "a5") == "a5"


def rendered(capsys: Captured, *flags: str) -> str:
    contract = Path(__file__).parent / "render/contracts/row_softmax.yaml"
    assert status("render", contract, *flags) == 0
    return capsys.readouterr().out


def test_render_follows_option_then_configuration_then_default(project: Path, capsys: Captured) -> None:
    assert "Module 列表" in rendered(capsys)
    settings(project, '[tool.r0kit]\nlang = "en"\n')
    assert "Module list" in rendered(capsys)
    assert "Module 列表" in rendered(capsys, "--lang", "zh")


def test_a_document_keeps_its_language(project: Path, capsys: Captured) -> None:
    settings(project, '[tool.r0kit]\nlang = "en"\n')
    rendered(capsys, "--design", "DESIGN.md", "--in-place")
    assert "Module list" in Path("DESIGN.md").read_text("utf-8")
    settings(project, '[tool.r0kit]\nlang = "zh"\n')
    rendered(capsys, "--design", "DESIGN.md", "--check")


def test_every_rule_and_every_setting_is_known(project: Path) -> None:
    rules = "\n".join(f'{rule.id} = "warning"' for rule in RULES if rule.id != "rule0")
    settings(project, f'platform = "a5"\nstrategy = "auto"\nlang = "zh"\n[severity]\n{rules}\n', "r0kit.toml")
    found = config()
    assert found is not None and found.findings == () and len(found.severities) == len(RULES) - 1
    assert found.values == {"platform": "a5", "strategy": "auto", "lang": "zh"}


def test_the_settings_of_the_readmes_are_right(tmp_path: Path, project: Path) -> None:
    for name in ("README.md", "README.zh.md"):
        (block,) = re.findall(
            r"^```toml\n(.*?)^```$", (Path(__file__).parents[1] / name).read_text("utf-8"), re.M | re.S
        )
        settings(project, block)
        found = config()
        assert found is not None and found.findings == () and len(found.values) == 3 and len(found.severities) == 3
