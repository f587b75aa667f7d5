# SPDX-License-Identifier: GPL-3.0-or-later
"""The command kernscope-cli of an installed wheel: the program that lies beside this file."""
import os
import sys
from pathlib import Path


def main() -> None:
    program = str(Path(__file__).with_name("kernscope-cli"))
    os.execv(program, [program, *sys.argv[1:]])
