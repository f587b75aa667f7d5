#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares a build with a base under rules, for a CI job; what action.yml runs.

    compare.py --base A --build B [--rules FILE] [--reports FOLDER] [--cli PROGRAM]

Writes report.md, report.xml (JUnit) and report.sarif into FOLDER, an annotation for each fault and
diagnostic to standard output, the report to the file that GITHUB_STEP_SUMMARY names, and
holds=true|false to that of GITHUB_OUTPUT. Ends with the exit status of `kernscope-cli diff`.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape

SUMMARY_BYTES = 900_000  # a step's summary may have one MiB


def escaped(text, more=""):
    """As commands of a workflow want it: nothing of a file may become one."""
    for raw, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), *zip(more, ("%3A", "%2C"))):
        text = text.replace(raw, code)
    return text


class Comparison:
    def __init__(self, asked):
        self.asked = asked
        self.options = ["--rules", asked.rules] if asked.rules else []
        self.rows = []  # level, rule, text, file, offset

    def call(self, *arguments):
        return subprocess.run([self.asked.cli, *arguments], capture_output=True, check=False)

    def diff(self, *more):
        return self.call("diff", self.asked.base, self.asked.build, *self.options, *more)

    def place(self, row, own):
        """A file as the runner finds it: diagnostics begin with the bundle's own name. Where both have one
        name, it is the build's if the build alone has this row, which is one of `own`."""
        paths, file = [self.asked.build, self.asked.base], row.get("file")
        if not file:
            return self.asked.build
        if (key := self.fault(row)) in own:
            own.remove(key)
        else:
            paths.reverse()
        for path in paths:
            name = Path(path).name
            if file == name or file.startswith(name + "/"):
                return path.rstrip("/") + file[len(name):]
        return file

    def fault(self, row):
        file = row.get("file") or ""
        return row["code"], file.removeprefix(Path(self.asked.build).name + "/"), row.get("offset"), row.get("found")

    def read(self):
        """The verdict, what is wrong with the files, and what is worth a look in the new build."""
        done = self.diff("--json")
        document = json.loads(done.stdout)
        build = json.loads(self.call("inspect", self.asked.build, "--findings", "--json").stdout)
        own = [self.fault(row) for row in build.get("diagnostics", [])]
        for fault in (document.get("verdict") or {}).get("faults", []):
            name = fault.get("weight") or "the whole"
            text = f"{name}: {fault['limit']}: found {fault.get('found')}, allowed {fault.get('allowed')}"
            self.rows.append(("error", f"limit.{fault['limit']}", text, self.asked.build, None))
        for row in document.get("diagnostics", []):
            facts = ", ".join(f"{key} {row[key]}" for key in ("expected", "found") if row.get(key))
            text = row["message"] + (f" ({facts})" if facts else "")
            self.rows.append((row["severity"], row["code"], text, self.place(row, own), row.get("offset")))
        for finding in build.get("findings", []):
            self.rows.append(("note", f"finding.{finding['kind']}", finding["text"], self.asked.build, None))
        return done.returncode

    def sarif(self):
        rules = sorted({rule for _, rule, _, _, _ in self.rows})
        results = []
        for level, rule, text, file, offset in self.rows:
            place = {"artifactLocation": {"uri": Path(file).as_uri() if os.path.isabs(file) else quote(file)}}
            if offset is not None:
                place["region"] = {"byteOffset": offset}
            results.append({"ruleId": rule, "ruleIndex": rules.index(rule), "level": level, "message": {"text": text},
                            "locations": [{"physicalLocation": place}]})
        version = self.call("--version").stdout.decode().split()[-1]
        driver = {"name": "kernscope", "version": version, "rules": [{"id": rule} for rule in rules]}
        return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
                "runs": [{"tool": {"driver": driver}, "results": results}]}

    def failure(self):
        return "\n".join(["The builds were not compared:", "", *(f"- {file}: {text}" for _, _, text, file, _ in self.rows)]) + "\n"

    def failed_case(self):
        text = escape(re.sub("[^\t\n -\ufffd]", "?", self.failure()))
        return ('<testsuites><testsuite name="kernscope" tests="1" errors="1"><testcase name="whole">'
                f"<error>{text}</error></testcase></testsuite></testsuites>\n")

    def write(self, status):
        folder = Path(self.asked.reports)
        folder.mkdir(parents=True, exist_ok=True)
        markdown = self.diff("--format", "markdown").stdout or self.failure().encode()
        (folder / "report.md").write_bytes(markdown)
        (folder / "report.xml").write_bytes(self.diff("--format", "junit").stdout or self.failed_case().encode())
        (folder / "report.sarif").write_text(json.dumps(self.sarif(), indent=1) + "\n", encoding="utf-8")
        for level, rule, text, file, _ in self.rows:
            command = {"error": "error", "warning": "warning"}.get(level, "notice")
            print(f"::{command} file={escaped(file, ':,')},title={escaped(rule, ':,')}::{escaped(text)}")
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            cut = markdown[:SUMMARY_BYTES].decode("utf-8", "ignore")
            with open(summary, "a", encoding="utf-8") as file:
                file.write(cut + ("\n\n(cut: report.md has the rest)\n" if len(markdown) > SUMMARY_BYTES else "\n"))
        if output := os.environ.get("GITHUB_OUTPUT"):
            with open(output, "a", encoding="utf-8") as file:
                file.write(f"holds={'true' if status == 0 else 'false'}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rules", default="")
    parser.add_argument("--reports", default="kernscope-reports")
    parser.add_argument("--cli", default="kernscope-cli")
    comparison = Comparison(parser.parse_args())
    try:
        status = comparison.read()
    except OSError as error:
        print(f"::error::{escaped(f'{error.filename}: {error.strerror}')}")
        return 2
    comparison.write(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
