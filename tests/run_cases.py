#!/usr/bin/env python3
"""Runs a share of a Catch2 executable's cases in one process, and writes a JUnit report that names each.

    run_cases.py EXECUTABLE --part K --parts N --report FILE

Part K holds every N-th case. Prints the failures and the slowest cases. Exits with 1 where a case failed, where the process
ended early, or where the report lacks a case that was asked for."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SLOWEST = 5


def cases(executable):
    listed = subprocess.run([executable, "--list-test-names-only"], capture_output=True, text=True, check=False)
    return [line for line in listed.stdout.splitlines() if line]


def share(names, part, parts):
    return sorted(names)[part - 1::parts]


def escaped(name):
    """How Catch2 takes a whole name; a comma would end it, even between quotes."""
    return '"' + name.replace("\\", "\\\\").replace(",", "\\,").replace('"', '\\"') + '"'


def run(executable, names, report):
    """The exit status of the process; the report appears under its name when it is whole."""
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    partial = report.with_suffix(".partial")
    with tempfile.NamedTemporaryFile("w", suffix=".names", encoding="utf-8") as wanted:
        wanted.writelines(f'{escaped(name)}\n' for name in names)
        wanted.flush()
        status = subprocess.run([executable, "--input-file", wanted.name, "--reporter", "junit", "--durations", "yes",
                                 "--out", str(partial)], check=False).returncode
    if partial.exists():
        partial.rename(report)
    return status


def told(report, names):
    """Of each named case that the report tells of: its seconds and failures. A section is "case/section" there."""
    try:
        root = xml.etree.ElementTree.parse(report).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return {}
    known, found = set(names), {}
    for case in root.iter("testcase"):
        name = case.get("name")
        while name not in known and "/" in name:
            name = name.rsplit("/", 1)[0]
        seconds, failures = found.get(name, (0.0, []))
        failures = failures + [f.text or f.get("message", "") for f in (*case.iter("failure"), *case.iter("error"))]
        found[name] = (max(seconds, float(case.get("time", 0))), failures)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable")
    parser.add_argument("--part", type=int, required=True)
    parser.add_argument("--parts", type=int, required=True)
    parser.add_argument("--report", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    names = share(cases(arguments.executable), arguments.part, arguments.parts)
    if not names:
        sys.exit(f"{os.path.basename(arguments.executable)} has no cases")
    status = run(arguments.executable, names, arguments.report)
    results = told(arguments.report, names)
    for name, (_, failures) in results.items():
        for failure in failures:
            print(f"FAILED: {name}\n{failure.strip()}\n")
    missing = [name for name in names if name not in results]
    for name in missing:
        print(f"NOT REPORTED: {name}")
    for name, (seconds, _) in sorted(results.items(), key=lambda r: -r[1][0])[:SLOWEST]:
        print(f"{seconds:8.2f} s  {name}")
    failed = sum(1 for _, failures in results.values() if failures)
    print(f"{len(names)} cases, {failed} failed, {len(missing)} not reported; exit status {status}")
    sys.exit(1 if status or failed or missing else 0)


if __name__ == "__main__":
    main()
