# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of packaging/action, with files of our own for summary and outputs."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ACTION = Path(__file__).resolve().parents[2] / "packaging/action"


@pytest.fixture
def compare(sample):
    program = os.environ.get("KERNSCOPE_CLI") or "kernscope-cli"

    def run(*arguments):
        for name in ("summary.md", "outputs"):
            (sample / name).write_text("")
        environment = {**os.environ, "GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "outputs"}
        return subprocess.run([sys.executable, str(ACTION / "compare.py"), "--cli", program, *arguments],
                              capture_output=True, text=True, env=environment, check=False)

    return run


def test_rules_that_are_broken(sample, compare):
    (sample / "limits.toml").write_text("min-cosine = 0.95\n")
    done = compare("--base", "sample-dense.mlmodelc", "--build", "sample-palette.mlmodelc", "--rules", "limits.toml")
    assert done.returncode == 1, done.stderr
    errors = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    assert len(errors) == 1 and "depthwise_weight" in errors[0] and "file=sample-palette.mlmodelc" in errors[0]
    assert "Does not hold" in (sample / "summary.md").read_text()
    assert (sample / "outputs").read_text() == "holds=false\n"
    reports = sample / "kernscope-reports"
    suite = ElementTree.parse(reports / "report.xml").getroot()
    assert len(suite.findall(".//failure")) == 1
    run, = json.loads((reports / "report.sarif").read_text())["runs"]
    levels = [each["level"] for each in run["results"]]
    assert levels.count("error") == 1 and levels.count("note") > 0 and run["tool"]["driver"]["version"]
    for each in run["results"]:
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"]


def test_rules_that_are_kept(sample, compare):
    (sample / "limits.toml").write_text("min-cosine = 0.5\n")
    done = compare("--base", "sample-dense.mlmodelc", "--build", "sample-palette.mlmodelc", "--rules", "limits.toml",
                   "--reports", "there/it/is")
    assert done.returncode == 0, done.stderr
    assert "::error" not in done.stdout and (sample / "outputs").read_text() == "holds=true\n"
    assert (sample / "there/it/is/report.md").stat().st_size > 0


def test_a_file_that_is_not_there(sample, compare):
    done = compare("--base", "none.mlmodelc", "--build", "sample-dense.mlmodelc")
    assert done.returncode == 4
    assert any(line.startswith("::error ") and "io.open" in line for line in done.stdout.splitlines())
    reports = sample / "kernscope-reports"
    assert "none.mlmodelc" in (reports / "report.md").read_text() and (sample / "summary.md").read_text().strip()
    assert len(ElementTree.parse(reports / "report.xml").getroot().findall(".//error")) == 1


def test_a_damaged_build_in_a_folder(sample, compare):
    build = sample / "out/of it/damaged.mlmodelc"
    shutil.copytree(sample / "sample-palette.mlmodelc", build)
    weights, = build.glob("weights/*.bin")
    weights.write_bytes(weights.read_bytes()[:-64])
    done = compare("--base", "sample-dense.mlmodelc", "--build", "out/of it/damaged.mlmodelc")
    assert done.returncode == 3, done.stderr
    assert "file=out/of it/damaged.mlmodelc/weights/" in done.stdout
    run, = json.loads((sample / "kernscope-reports/report.sarif").read_text())["runs"]
    places = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in run["results"]}
    assert any(place.startswith("out/of%20it/damaged.mlmodelc/weights/") for place in places), places


@pytest.mark.parametrize("damaged", [["released"], ["out"], ["released", "out"]])
def test_builds_of_one_name(sample, compare, damaged):
    """As in the action's own example: the fault is in the build that has it."""
    for folder in ("released", "out"):
        shutil.copytree(sample / "sample-dense.mlmodelc", sample / folder / "model.mlmodelc")
    for folder in damaged:
        weights = sample / folder / "model.mlmodelc/weights/weight.bin"
        weights.write_bytes(weights.read_bytes()[:-64])
    done = compare("--base", "released/model.mlmodelc", "--build", "out/model.mlmodelc")
    errors = [line for line in done.stdout.splitlines() if "title=blob.range" in line]
    assert {line.split("file=")[1].split("/")[0] for line in errors} == set(damaged), done.stdout
    done = compare("--base", str(sample / "released/model.mlmodelc"), "--build", str(sample / "out/model.mlmodelc"))
    run, = json.loads((sample / "kernscope-reports/report.sarif").read_text())["runs"]
    places = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in run["results"]]
    assert places and all(place.startswith(sample.as_uri()) for place in places), places


def test_a_program_that_is_not_there(sample, compare):
    done = compare("--base", "sample-dense.mlmodelc", "--build", "sample-dense.mlmodelc", "--cli", "no-such-program")
    assert (done.returncode, done.stderr) == (2, "") and "::error::no-such-program: " in done.stdout


def test_the_action_names_the_script(sample):
    text = (ACTION / "action.yml").read_text()
    assert 'python3 "$GITHUB_ACTION_PATH/compare.py"' in text
    assert "${{ inputs." not in text.split("run: ")[1]
