#!/usr/bin/env python3
"""Counts the cases of all JUnit reports below some directories; the last line that a gate prints. Exits with 1 where one failed."""
import pathlib
import sys
import xml.etree.ElementTree

passed = failed = skipped = 0
for directory in sys.argv[1:]:
    for report in sorted(pathlib.Path(directory).glob("*.xml")):
        names = {}
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            bad = case.find("failure") is not None or case.find("error") is not None
            left_out = case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")
            key = (case.get("classname"), case.get("name"))
            names[key] = max(names.get(key, 0), 2 if bad else 1 if left_out else 0)
        failed += sum(1 for state in names.values() if state == 2)
        skipped += sum(1 for state in names.values() if state == 1)
        passed += sum(1 for state in names.values() if state == 0)
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not passed else 0)
