#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""packaging/schemas.py FOLDER…

Widens the JSON schema of every command's document (resources/schemas/COMMAND.json, draft 7) so that
the documents in FOLDER, which baseline.sh writes, hold, and writes the page for scripts
(resources/help/scripts.md). A key is required where every document that holds no error has it; others
may be added at any time. Nothing that a schema allows is ever taken from it here: by hand, with a new
`schema` number, where a key goes or takes another type.
"""
import json, re, subprocess, sys
from collections import Counter
from pathlib import Path

if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
    print(__doc__)
    sys.exit(0 if "-h" in sys.argv or "--help" in sys.argv else 2)
ROOT = Path(__file__).resolve().parent.parent
CLI = str(ROOT / ".build/test/app/cli/kernscope-cli")
COMMON = ("schema", "tool", "version", "command", "diagnostics")


class Node:
    """All values that were seen in one place."""

    def __init__(self):
        self.types, self.objects = set(), 0
        self.keys, self.found, self.items, self.named = {}, Counter(), None, False

    @staticmethod
    def of(schema, definitions):
        """What a schema allows, as if one value of each kind had been seen."""
        node = Node()
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
        types = schema.get("type", [])
        node.types = {types} if isinstance(types, str) else set(types)
        node.objects = 1 if "object" in node.types else 0
        node.keys = {key: Node.of(each, definitions) for key, each in schema.get("properties", {}).items()}
        node.found = Counter(schema.get("required", []))
        if "additionalProperties" in schema:
            node.named, node.keys = True, {"*": Node.of(schema["additionalProperties"], definitions)}
        if "items" in schema or "array" in node.types:
            node.items = Node.of(schema.get("items", {}), definitions)
        return node

    def add(self, value):
        names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
        if isinstance(value, dict):
            self.types.add("object")
            self.objects += 1
            for key, each in value.items():
                self.keys.setdefault(key, Node()).add(each)
                self.found[key] += 1
        elif isinstance(value, list):
            self.types.add("array")
            self.items = self.items or Node()
            for each in value:
                self.items.add(each)
        else:
            self.types.add(names[type(value)])

    def schema(self):
        types = self.types - ({"integer"} if "number" in self.types else set())
        result = {"type": sorted(types)[0] if len(types) == 1 else sorted(types)} if types else {}
        if "object" in types and self.isMap():
            every = Node()
            for each in self.keys.values():
                every.join(each)
            result["additionalProperties"] = every.schema()
        elif "object" in types:
            result["properties"] = {key: each.schema() for key, each in self.keys.items()}
            always = [key for key in self.keys if self.found[key] == self.objects]
            if always:
                result["required"] = always
        if self.items is not None and self.items.types:
            result["items"] = self.items.schema()
        return result

    def isMap(self):
        """Whether the keys are names from files, chips and the like, and no words of the document."""
        return self.named or len(self.keys) > 80 or any(not re.fullmatch(r"[a-z][a-z0-9_]*", key) for key in self.keys)

    def join(self, other):
        self.types |= other.types
        self.named |= other.named
        self.objects += other.objects
        self.found += other.found
        for key, each in other.keys.items():
            self.keys.setdefault(key, Node()).join(each)
        if other.items is not None:
            self.items = self.items or Node()
            self.items.join(other.items)


def documents(path):
    """The document in a file of baseline.sh: a line of the command, one of its exit status, the document."""
    head = path.read_text(errors="replace").split("\n", 2)
    try:
        return json.loads(head[2].split("\n--- ")[0]) if len(head) == 3 else None
    except ValueError:
        return None


commands = {}
for path in sorted((ROOT / "resources/schemas").glob("*.json")):
    known = json.loads(path.read_text())
    whole = Node.of({**known, "required": known["required"] + known.get("anyOf", [{}])[0].get("required", [])},
                    known.get("definitions", {}))
    whole.keys["command"].types = {"string"}
    commands[path.stem] = (whole, Node())
for folder in sys.argv[1:]:
    for path in sorted(Path(folder).iterdir()):
        document = documents(path)
        if not isinstance(document, dict) or document.get("tool") != "kernscope" or not document.get("command"):
            continue
        whole, failed = commands.setdefault(document["command"], (Node(), Node()))
        isError = any(each["severity"] == "error" for each in document["diagnostics"])
        (failed if isError else whole).add(document)

# Diagnostics and the like are the same everywhere.
diagnostics = Node()
for pair in commands.values():
    for node in pair:
        if "diagnostics" in node.keys:
            diagnostics.join(node.keys["diagnostics"])


def shared(schema, definitions):
    """Large parts that stand in several places become definitions."""
    texts = Counter()

    def count(part):
        if isinstance(part, dict):
            if "type" in part and len(text := json.dumps(part)) > 400:
                texts[text] += 1
            for each in part.values():
                count(each)

    def replace(part, name):
        if not isinstance(part, dict):
            return part
        text = json.dumps(part)
        if texts[text] > 1:
            found = next((key for key, each in definitions.items() if each["text"] == text), None)
            if not found:
                found = name if name not in definitions else f"{name}{len(definitions)}"
                definitions[found] = {"text": text}
                definitions[found]["part"] = {k: replace(v, k if k != "items" else name) for k, v in part.items()}
            return {"$ref": f"#/definitions/{found}"}
        return {key: replace(each, name if key in ("items", "properties", "additionalProperties") else key)
                for key, each in part.items()}

    count(schema)
    return replace(schema, "document")


folder = ROOT / "resources/schemas"
pages = []

PAGE = """# For scripts and coding agents

Every command prints one JSON document with `--json`, nothing else, on standard output: `schema`, `tool`, `version`, `command`
and `diagnostics` (`severity`, `code`, `file`, `offset`, `expected`, `found`, `message`) are in each, the rest is below, by
command. Offsets and sizes are integers in bytes; what is not known is null. Keys may be added, never renamed or retyped
without another `schema` number. The schemas themselves (JSON Schema, draft 7) are installed in `share/kernscope/schemas`.

Exit status: 0 done; 1 done, and the answer is "differs" or "does not hold"; 2 wrong use; 3 bad input (what could be read is
printed, the faults are in `diagnostics`); 4 a file could not be read or written. `-` is standard output, and standard input
where one file is read. A weight is `NAME`, `FUNCTION/NAME` or `MODEL/FUNCTION/NAME`: the key `address` of every document.

"""


def compact(schema):
    """One line for each property and each definition."""
    text = lambda part: json.dumps(part, ensure_ascii=False, separators=(", ", ":"))
    lines = []
    for key, part in schema.items():
        if key in ("properties", "definitions"):
            inside = ",\n".join(f"  {text(name)}: {text(each)}" for name, each in part.items())
            lines.append(f" {text(key)}: {{\n{inside}\n }}")
        else:
            lines.append(f" {text(key)}: {text(part)}")
    return "{\n" + ",\n".join(lines) + "\n}"


def section(command, properties, definitions):
    """At most ten lines: an example, and the keys of the document."""
    said = subprocess.run([CLI, *(["section", "build"] if command == "section" else [command]), "--help"], capture_output=True,
                          text=True).stdout
    example = next(line.strip() for line in said.split("Examples:")[1].splitlines() if line.strip())
    if "--json" not in example:
        example += " --json"
    own = {key: each for key, each in properties.items() if key not in COMMON}
    small = [key for key, each in own.items() if "{" not in typeName(each, definitions)]
    large = [key for key in own if key not in small]
    lines = [f"{key}: {shortened(typeName(own[key], definitions))}" for key in large[:5]]
    lines += [", ".join(large[5:])] if large[5:] else []
    lines += [", ".join(f"{key}: {typeName(own[key], definitions)}" for key in small)] if small else []
    return f"## {command}\n\n```\n{example}\n" + "\n".join(lines) + "\n```\n"


def typeName(schema, definitions):
    """One word for a page: `[{…}]`, `number`, `text|null`."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[1]]["part"]
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    names = []
    for each in types:
        if each == "array":
            names.append("[" + typeName(schema.get("items", {}), definitions) + "]")
        elif each == "object":
            names.append("{NAME: " + typeName(schema["additionalProperties"], definitions) + "}"
                         if "additionalProperties" in schema else "{" + ", ".join(schema["properties"]) + "}")
        else:
            names.append({"boolean": "bool", "integer": "int"}.get(each, each))
    return "|".join(sorted(names, key=lambda each: each == "null"))


def shortened(text, most=150):
    if len(text) <= most:
        return text
    return text[:text.rfind(",", 0, most)] + ", …" + "".join(c for c in reversed(text) if c in "}]")[-1:]


for command, (whole, failed) in sorted(commands.items()):
    always = [key for key in whole.keys if whole.found[key] == whole.objects and key not in COMMON]
    whole.join(failed)
    whole.keys["diagnostics"] = diagnostics
    schema, definitions = whole.schema(), {}
    schema["required"] = list(COMMON)
    schema["properties"]["command"] = {"const": command}
    if always:
        schema["anyOf"] = [{"required": always}, {"properties": {"diagnostics": {
            "contains": {"properties": {"severity": {"const": "error"}}}}}}]
    schema = shared(schema, definitions)
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": f"kernscope-cli {command} --json"}
    if definitions:
        schema["definitions"] = {name: each["part"] for name, each in definitions.items()}
    (folder / f"{command}.json").write_text(compact({**head, **schema}) + "\n")
    pages.append(section(command, schema["properties"], definitions))

(ROOT / "resources/help/scripts.md").write_text(PAGE + "\n".join(pages) + "\n[Contents](index.md)\n")
print(f"{len(pages)} commands")
