# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of this folder with pytest: for ctest, which takes "skipped: " for what it says."""
import importlib.util
import sys
from pathlib import Path

missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: Python has no {' and no '.join(missing)} (python3-numpy, python3-pytest)")
    sys.exit()
import pytest

folder = str(Path(__file__).parent)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-rs", folder, *sys.argv[1:]]))
