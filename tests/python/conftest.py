# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders that the tests read: the embedded sample, and the shared data where it is."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import kernscope

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def sample(tmp_path, monkeypatch):
    """A folder of its own with the sample bundles, which is the working folder."""
    kernscope.write_sample(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def data():
    folder = Path(os.environ.get("KERNSCOPE_DATA") or ROOT / "../shared/data")
    if not folder.is_dir():
        pytest.skip("no data folder (KERNSCOPE_DATA)")
    return folder


@pytest.fixture(scope="session")
def cli():
    """Runs kernscope-cli: returns the exit status and the document."""
    program = os.environ.get("KERNSCOPE_CLI") or shutil.which("kernscope-cli")
    if not program:
        pytest.skip("no kernscope-cli (KERNSCOPE_CLI)")

    def run(*arguments, document=True):
        done = subprocess.run([program, *map(str, arguments), *(["--json"] if document else [])],
                              capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout) if document else done.stdout

    return run
