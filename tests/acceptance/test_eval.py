"""`sayso eval`: a twin is held to its cases, with whatever model it has."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from server.domain.errors import ConfigurationError
from server.evaluation.cases import read_cases
from tests.fakes.chat_backend import ChatBackend, Reply, says

PAGE = "---\ntitle: Hours\nlanguage: en\n---\n# Hours\n\n## Monday\n\nThe shop opens at 10:00 on Mondays.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A shop's page."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "hours.md").write_text(PAGE)
    return tmp_path


def evaluated(*arguments: object, **environment: str) -> Result:
    return CliRunner().invoke(
        main, ["eval", *map(str, arguments)], env={"SEMANTIC": "off", **environment}
    )


def cases(folder: Path, text: str) -> Path:
    path = folder / "cases.toml"
    path.write_text(text)
    return path


def test_the_demo_twin_passes_its_cases_without_a_model(tmp_path: Path) -> None:
    """Facts, refusals, tools, approvals, in both languages; by words only, as on a machine with the smallest install."""
    out = tmp_path / "report.json"
    result = evaluated("--out", out)
    report = json.loads(out.read_text())
    assert [each["id"] for each in report["cases"] if each["wrong"]] == [], result.output
    assert result.exit_code == 0
    assert report["passed"] == len(report["cases"]) >= 40


def test_what_fails_is_told_with_what_was_read(folder: Path) -> None:
    """Each expectation that was not met, in a line; the exit status is 1 unless enough passed."""
    path = cases(
        folder,
        """
        [[case]]
        id = "wrong"
        say = "When does the shop open on Mondays?"
        expect = { outcome = "refused", contains = ["11:00", ["noon", "midday"]], contains_not = ["10:00"], cites = "prices.md", tools = ["get_availability"], flags = ["gap"] }
        [[case]]
        id = "right"
        say = "When does the shop open on Mondays?"
        expect = { contains = ["10:00"], cites = "hours.md" }
        """,
    )
    result = evaluated(path, KNOWLEDGE_DIR=str(folder / "pages"))
    assert result.exit_code == 1
    assert "**1 of 2 cases passed.**" in result.output
    for line in (
        "- outcome is answered, not refused",
        "- lacks “11:00”",
        "- lacks “noon” or “midday”",
        "- contains “10:00”",
        "- cites hours.md#monday, not prices.md",
        "- asked for the tools none, not get_availability",
        "- is not flagged gap",
        "> twin: ",
    ):
        assert line in result.output, line
    assert evaluated(path, "--at-least", "0.5", KNOWLEDGE_DIR=str(folder / "pages")).exit_code == 0
    assert evaluated(path, "--only", "right", KNOWLEDGE_DIR=str(folder / "pages")).exit_code == 0


def test_any_model_can_be_held_to_them(folder: Path) -> None:
    """A provider that invents is found out: the gate keeps its sentence back, and the case says so. One that is away, too."""
    path = cases(
        folder,
        """
        [[case]]
        id = "opens"
        say = "When does the shop open on Mondays?"
        expect = { outcome = "answered", contains = ["10:00"], contains_not = ["parrot"], withheld_at_most = 0 }
        """,
    )
    out = folder / "report.json"
    settings = {"KNOWLEDGE_DIR": str(folder / "pages"), "MODEL_NAME": "some-model"}
    with ChatBackend(
        says("The shop opens at 10:00 on Mondays [1]. It has a parrot."), says("-")
    ) as backend:
        evaluated(path, "--out", out, MODEL_BASE_URL=backend.base_url, **settings)
    report = json.loads(out.read_text())
    assert report["model"] == "some-model"
    assert report["cases"][0]["wrong"] == ["1 sentences kept back, more than 0"]
    with ChatBackend(*[Reply(status=500)] * 8) as backend:
        evaluated(path, "--out", out, MODEL_BASE_URL=backend.base_url, **settings)
    assert "outcome is error, not answered" in json.loads(out.read_text())["cases"][0]["wrong"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "case"),
        ("[[case]", "not TOML"),
        ('[[case]]\nid = "a"\nsay = "Hi"\nexpct = {}', "expct"),
        ('[[case]]\nid = "a"\nsay = "Hi"\nexpect = { outcome = "fine" }', "outcome"),
        ('[[case]]\nid = "a"\nsay = []\nexpect = {}', "say"),
        ('[[case]]\nid = "a"\nsay = "Hi"\nexpect = {}\n' * 2, "used twice: a"),
    ],
)
def test_a_wrong_file_is_refused_and_says_where(tmp_path: Path, text: str, told: str) -> None:
    """Before anything is played."""
    path = tmp_path / "cases.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=told):
        read_cases(path)
