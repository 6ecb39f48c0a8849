#!/usr/bin/env python3
"""Holds the published schemas against files with a validator that is not ours.

scenarios/schema.json: every shipped scenario, platform, workload, sweep, reproduction pack and list of published figures must pass,
and each of them with an unknown key added must not. With --gradflight scenarios/result.schema.json instead: what `run --json`
prints for each golden scenario, example and scenario of real gradients, and with an unknown key in an object of each shape no more."""
import argparse
import concurrent.futures
import json
import subprocess
import sys
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
# A file's kind: that of its folder, unless it is one of those that lie beside scenarios, or the scenario of a job.
SPECIAL = {"reproduce.json": "pack", "reproduce-fits.json": "pack_fits"}
SPECIAL_FOLDERS = {"jobs": "scenario", "schedules": "schedule"}
SCHEMAS = {"schema.json", "result.schema.json"}
KINDS = {"scenarios": "scenario", "platforms": "platform", "workloads": "workload", "analysis/sweeps": "sweep",
         "analysis/measurements": "measured_pack"}


def errors(validator, document):
    return [f"{'/'.join(map(str, e.absolute_path)) or '/'}: {e.message[:200]}" for e in validator.iter_errors(document)]


def objects(value, place=()):
    """Every object inside a document, itself included, each with its place: the keys that lead to it."""
    if isinstance(value, dict):
        yield place, value
        for key, item in value.items():
            yield from objects(item, (*place, key))
    elif isinstance(value, list):
        for item in value:
            yield from objects(item, place)


def refuses_unknown(validator, document, shapes):
    """An unknown key must be noticed in the first object of each shape: place and keys. Adds to the shapes that were tried."""
    for place, part in objects(document):
        shape = (place, tuple(part))
        if shape in shapes:
            continue
        shapes.add(shape)
        part["no_such_key"] = 1
        accepted = validator.is_valid(document)
        del part["no_such_key"]
        if accepted:
            return False
    return True


def check_results(gradflight, schema):
    """How many results were held against the schema, and how many do not fit."""
    validator = jsonschema.Draft202012Validator(schema)
    folders = ("scenarios/golden", "scenarios/examples", "scenarios/captured")
    runs = [path.relative_to(ROOT) for folder in folders for path in sorted((ROOT / folder).rglob("*.json"))
            if SPECIAL_FOLDERS.get(path.parent.name, "scenario") == "scenario"]

    def simulated(path):
        command = [gradflight, "run", path, "--json"]
        return path, subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    failed = 0
    shapes = set()
    optional = {"data", "selection", "paper_form", "phase"}  # each in some result at least
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, done in pool.map(simulated, runs):
            if done.returncode != 0:
                found = [f"exit code {done.returncode}: {done.stderr.strip()[:200]}"]
            else:
                result = json.loads(done.stdout)
                found = errors(validator, result)
                if not refuses_unknown(validator, result, shapes):
                    found.append("the schema lets an unknown key pass")
                optional -= {key for _, part in objects(result) for key in part}
            for text in found:
                print(f"{path}: {text}")
            failed += bool(found)
    if optional:
        print(f"no result has {', '.join(sorted(optional))}: these say nothing of that part of the schema")
    return len(runs), failed + bool(optional)


def check_files(schema):
    """How many shipped files were held against the schema, and how many do not fit."""
    failed, checked = 0, 0
    for folder, usual in KINDS.items():
        for path in sorted((ROOT / folder).rglob("*.json")):
            kind = SPECIAL_FOLDERS.get(path.parent.name, SPECIAL.get(path.name, usual))
            # A capture's index of gradients is a form of its own; tests/capture holds it against the workload.
            if path.name in SCHEMAS or path.parent.name == "gradients":
                continue
            document = json.loads(path.read_text())
            # Published figures are a list of objects.
            listed = isinstance(document, list)
            validator = jsonschema.Draft202012Validator(
                {"$ref": f"#/$defs/{'published_figure' if listed else kind}", "$defs": schema["$defs"]})
            found = [text for part in (document if listed else [document]) for text in errors(validator, part)]
            if not errors(validator, {**(document[0] if listed else document), "no_such_key": 1}):
                found.append("the schema lets an unknown key pass")
            for text in found:
                print(f"{path.relative_to(ROOT)}: {text}")
            failed += bool(found)
            checked += 1
    return checked, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradflight", type=Path, help="the program whose results are held against the schema of results")
    parser.add_argument("--schema", type=Path)
    arguments = parser.parse_args()
    path = arguments.schema or ROOT / "scenarios" / ("result.schema.json" if arguments.gradflight else "schema.json")
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    checked, failed = check_results(arguments.gradflight.resolve(), schema) if arguments.gradflight else check_files(schema)
    print(f"{checked} {'results' if arguments.gradflight else 'files'} held against {path.name}, {failed} do not fit")
    return 0 if failed == 0 and checked > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
