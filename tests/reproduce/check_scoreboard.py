#!/usr/bin/env python3
"""Holds `gradflight reproduce --json` on the shipped packs against the published figures and the rules of docs/reproduce.md,
computed anew from its rows. Says nothing about how large the errors are."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from error_statistics import close, percentile

ROLES = {"predicted", "dependent", "failed", "fitted", "statement", "input", "excluded"}
CLASSES = {"predicted": "informative", "dependent": "dependent"}


def measurements(published):
    """Figure id -> a name for the measurement that it prints."""
    original = {figure["id"]: figure.get("dup_of") for figure in published}

    def first(figure):
        return first(original[figure]) if original.get(figure) in original else figure

    return {figure: first(figure) for figure in original}


def summary_of(errors):
    """Count, median, 90th percentile."""
    return (len(errors), statistics.median(errors), percentile(errors, 0.9)) if errors else (0, None, None)


def check_summary(counts, key, errors, name, complain):
    stated = counts[key]
    expected = summary_of(errors)
    if stated["count"] != expected[0] or not close(stated["median_abs_error"], expected[1]) or not close(stated["p90_abs_error"], expected[2]):
        complain(f"{name}: {key} is {stated}, the rows say {expected}")


def check_against_form(counts, predicted, name, complain):
    stated = counts["against_form"]
    differ = [row for row in predicted if row["closed_form"] is not None and abs(row["closed_form"] - row["simulated"]) > 0.01 * abs(row["simulated"])]
    form_error = lambda row: abs((row["closed_form"] - row["reported"]) / row["reported"])
    closer = sum(abs(row["relative_error"]) < form_error(row) for row in differ)
    medians = [statistics.median(errors) if errors else None for errors in ([abs(row["relative_error"]) for row in differ], [form_error(row) for row in differ])]
    if (stated["count"], stated["closer"]) != (len(differ), closer) or not close(stated["median_abs_error"], medians[0]) or not close(stated["form_median_abs_error"], medians[1]):
        complain(f"{name}: against_form is {stated}, the rows say {len(differ)}, {closer}, {medians}")


def check_counts(counts, rows, name, complain):
    role = lambda r: [row for row in rows if row["role"] == r]
    error = lambda row: abs(row["relative_error"])
    errors = [error(row) for row in role("predicted")]
    check_summary(counts, "informative", errors, name, complain)
    check_summary(counts, "with_failed", errors + [error(row) for row in role("failed")], name, complain)
    check_summary(counts, "non_input", [abs(row["non_input_error"]) for row in role("predicted") if row["non_input_error"] is not None], name, complain)
    check_against_form(counts, role("predicted"), name, complain)
    expected = {
        "predicted": len(errors),
        "predicted_from_text": sum(row["source"] == "text" for row in role("predicted")),
        "dependent": len(role("dependent")),
        "failed": len(role("failed")),
        "fitted_figures": len(role("fitted")),
        "statements": len(role("statement")),
        "statements_held": sum(row["holds"] for row in role("statement")),
        "inputs": len(role("input")),
        "excluded": len(role("excluded")),
    }
    for key, value in expected.items():
        if counts[key] != value:
            complain(f"{name}: {key} is {counts[key]}, the rows say {value}")
    _, median, p90 = summary_of(errors)
    if not close(counts["median_abs_error"], median) or not close(counts["p90_abs_error"], p90):
        complain(f"{name}: errors {counts['median_abs_error']}, {counts['p90_abs_error']}; the rows say {median}, {p90}")


def check_row(row, figure, complain):
    if row["role"] not in ROLES:
        complain(f"{row['id']}: role {row['role']}")
    if row["reported"] != figure["value"] or row["unit"] != figure["unit"]:
        complain(f"{row['id']}: not as published")
    number = isinstance(figure["value"], (int, float)) and not isinstance(figure["value"], bool)
    if row["class"] != CLASSES.get(row["role"]):
        complain(f"{row['id']}: class {row['class']} of a {row['role']} figure")
    if row["role"] in ("predicted", "fitted", "dependent", "failed"):
        if not number or not close(row["relative_error"], (row["simulated"] - row["reported"]) / row["reported"]):
            complain(f"{row['id']}: relative error {row['relative_error']}")
    if row["role"] == "statement" and (number or not isinstance(row["holds"], bool)):
        complain(f"{row['id']}: a statement that is none")
    if row["role"] in ("input", "excluded", "fitted", "dependent", "failed") and not row["reason"]:
        complain(f"{row['id']}: {row['role']} without a reason")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradflight", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    options = parser.parse_args()
    scenarios = options.source / "scenarios"
    done = subprocess.run([options.gradflight, "reproduce", "--packs", scenarios, "--json"], stdout=subprocess.PIPE, check=True)
    board = json.loads(done.stdout)
    published = [figure for file in sorted((scenarios / "published").glob("*.json")) for figure in json.loads(file.read_text())]
    complaints = []
    complain = complaints.append

    rows = {row["id"]: row for row in board["figures"]}
    papers = {paper["paper"]: paper for paper in board["papers"]}
    wanted = {figure["id"]: figure for figure in published if figure["paper"] in papers}
    if len(rows) != len(board["figures"]) or rows.keys() != wanted.keys():
        complain(f"figures without a row, or rows without a figure: {sorted(rows.keys() ^ wanted.keys())}")
    for name, row in rows.items():
        check_row(row, wanted[name], complain)

    # A measurement counts once, and not at all where it went in.
    groups = {}
    for figure, measurement in measurements(published).items():
        if figure in rows:
            groups.setdefault(measurement, []).append(rows[figure])
    for measurement, members in groups.items():
        counted = [row["id"] for row in members if row["role"] in ("predicted", "failed", "fitted", "statement")]
        if len(counted) > 1 or counted and any(row["role"] == "input" for row in members):
            complain(f"{measurement} counts more than once, or is an input: {counted}")

    for name, paper in papers.items():
        check_counts(paper, [row for row in rows.values() if row["paper"] == name], name, complain)
        if paper["fitted_parameters"] != sum(p["paper"] == name for p in board["parameters"]):
            complain(f"{name}: {paper['fitted_parameters']} parameters are not those listed")
        if paper["fits"] and paper["fits"]["stale"]:
            complain(f"{name}: {paper['pack'].replace('.json', '-fits.json')} is stale: calibrate --write it again")
    check_counts(board["summary"], list(rows.values()), "summary", complain)
    if board["summary"]["structural_choices"] != len(board["choices"]):
        complain("summary: the choices are not those listed")
    if board["summary"]["fitted_parameters"] != len(board["parameters"]):
        complain("summary: the parameters are not those listed")
    for parameter in board["parameters"]:
        low, high = parameter["bounds"]
        if not low <= parameter["value"] <= high:
            complain(f"{parameter['name']}: outside its bounds")
        for figure in parameter["fitted_to"]:
            if rows[figure]["role"] != "fitted":
                complain(f"{parameter['name']}: {figure} is {rows[figure]['role']}")
    fitted = {figure for parameter in board["parameters"] for figure in parameter["fitted_to"]}
    if fitted != {name for name, row in rows.items() if row["role"] == "fitted"}:
        complain("figures are fitted that no parameter is fitted to")

    for complaint in complaints:
        print(complaint)
    print(f"{len(rows)} figures of {len(papers)} papers, {board['summary']['predicted']} predicted: {len(complaints)} complaints")
    return 1 if complaints or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
