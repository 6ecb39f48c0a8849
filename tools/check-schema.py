#!/usr/bin/env python3
"""Holds the published scenarios/schema.json against every shipped JSON file with a validator that is not ours: scenarios,
platforms, workloads, sweeps, reproduction packs and published figures must pass, and each of them with an unknown key added must not."""
import argparse
import json
import sys
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
# A file's kind: that of its folder, unless it is one of those that lie beside scenarios.
SPECIAL = {"reproduce.json": "pack", "reproduce-fits.json": "pack_fits"}
KINDS = {"scenarios": "scenario", "platforms": "platform", "workloads": "workload", "analysis/sweeps": "sweep"}


def errors(validator, document):
    return [f"{'/'.join(map(str, e.absolute_path)) or '/'}: {e.message[:200]}" for e in validator.iter_errors(document)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schema", type=Path, default=ROOT / "scenarios" / "schema.json")
    arguments = parser.parse_args()
    schema = json.loads(arguments.schema.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    failed, checked = 0, 0
    for folder, kind in KINDS.items():
        for path in sorted((ROOT / folder).rglob("*.json")):
            # A capture's index of gradients is a form of its own; tests/capture holds it against the workload.
            if path == ROOT / "scenarios" / "schema.json" or path.parent.name == "gradients":
                continue
            document = json.loads(path.read_text())
            # Published figures are a list of objects.
            listed = isinstance(document, list)
            validator = jsonschema.Draft202012Validator(
                {"$ref": f"#/$defs/{'published_figure' if listed else SPECIAL.get(path.name, kind)}", "$defs": schema["$defs"]})
            found = [text for part in (document if listed else [document]) for text in errors(validator, part)]
            if not errors(validator, {**(document[0] if listed else document), "no_such_key": 1}):
                found.append("the schema lets an unknown key pass")
            for text in found:
                print(f"{path.relative_to(ROOT)}: {text}")
            failed += bool(found)
            checked += 1
    print(f"{checked} files held against {arguments.schema.name}, {failed} do not fit")
    return 0 if failed == 0 and checked > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
