"""Training of `gradflight reproduce --measured` against the logs, for check_measured.py."""
import collections
import csv
import json
import math

from error_statistics import close, percentile, statistics_of

MIB = 1024 * 1024
CONTENTION = {"hkbu-contention": (100 * MIB, 10e9 / 8)}  # bytes of each job's all-reduce, bytes a second of a node's link


def check_spreads_of_compute(board, wrong):
    """What each job that is left out takes from other packs' jobs, computed from steps of equal workers."""
    harmonic = lambda p: sum(1 / i for i in range(1, p + 1))
    spreads = collections.defaultdict(list)
    for job in board["training"]:
        for one in job["scales"] if job["board"] == "training" else []:
            perfect = job["base_step_s"] * one["ranks"] / job["base_ranks"]
            longer = perfect / one["measured"] - perfect / one["simulated"]
            spreads[job["pack"]].append(longer / (job["fitted_compute_s"] * (harmonic(one["ranks"]) - harmonic(job["base_ranks"]))))
    spreads = {pack: max(0, percentile(values, 0.5)) for pack, values in spreads.items()}
    for pack in board["packs"]:
        said = (pack["leave_one_out"] or {}).get("compute_spread")
        others = {name: value for name, value in spreads.items() if name != pack["name"]}
        if pack["name"] not in spreads:
            if said:
                wrong.append(f"{pack['name']}: a spread without jobs")
        elif said["from"] != list(others) or not math.isclose(said["value"], percentile(others.values(), 0.5), rel_tol=1e-9):
            wrong.append(f"{pack['name']}: compute_spread is {said}, not the median of {others}")


def speed_of(entry, row):
    """Work per second of all GPUs."""
    value, gpus = float(row[entry["column"]]), int(row[entry.get("gpus", "gpus")])
    return {"throughput": value, "throughput_per_gpu": value * gpus, "step_time": gpus / value, "step_time_us": gpus / (value * 1e-6),
            "job_time": entry.get("samples", 1) / value}[entry.get("measure", "throughput")]


def trained(packs, folder, rows):
    """(pack, board, job) -> {(GPUs, jobs at once): speeds}, of scored entries of training; adds to the rows by pack and role."""
    jobs = collections.defaultdict(lambda: collections.defaultdict(list))
    for pack in packs:
        form = json.loads((folder / f"{pack['name']}.json").read_text())
        for entry in form.get("training", []):
            role, own = entry.get("role", "scored"), collections.defaultdict(lambda: collections.defaultdict(list))
            where = {k: [str(x) for x in (v if isinstance(v, list) else [v])] for k, v in entry.get("where", {}).items()}
            with open(folder / entry["file"]) as log:
                for row in csv.DictReader(log):
                    if not all(row[column] in values for column, values in where.items()):
                        continue
                    rows[pack["name"], role] += 1
                    if role == "scored":
                        job = (pack["name"], entry["scenario"], ", ".join(row[c] for c in entry.get("jobs", [])))
                        scale = int(row[entry.get("gpus", "gpus")]), int(row[entry["beside"]]) if "beside" in entry else 1
                        own[job][scale].append(speed_of(entry, row))
            for job, scales in own.items():
                base = len(scales[min(scales)])
                rows[pack["name"], "scored"] -= base
                rows[pack["name"], "fitted"] += base
                jobs[job] = scales
    return jobs


def check_training(board, jobs, wrong):
    """Ratios and losses from the tables, and the boards from the cases."""
    if {(j["pack"], j["scenario"], j["job"]) for j in board["training"]} != set(jobs):
        wrong.append("training: jobs are missing")
    errors, left_out = collections.defaultdict(list), []
    for job in board["training"]:
        scales = jobs[job["pack"], job["scenario"], job["job"]]
        base = min(scales)
        if {(one["ranks"], one.get("jobs", 1)) for one in job["scales"]} != set(scales) - {base} or job["base_ranks"] != base[0]:
            wrong.append(f"{job['pack']}, {job['job']}: other scales than the log's")
            continue
        for one in job["scales"]:
            speed = percentile(scales[one["ranks"], one.get("jobs", 1)], 0.5)
            perfect = one["ranks"] / base[0]
            key = "perfect_scaling"
            if job["board"] == "contention":
                size, rate = CONTENTION[job["pack"]]
                ring = 2 * (one["ranks"] - 1) / one["ranks"] * size / rate
                key, measured, ideal = "line_ring", one["ranks"] / speed, one.get("jobs", 1) * ring
            elif job["board"] == "sharded":
                measured, ideal = 1 - speed / percentile(scales[base], 0.5) / perfect, 0
            else:
                measured, ideal = speed / percentile(scales[base], 0.5), perfect
            if not close(one["measured"], measured) or not close(one[key], ideal):
                wrong.append(f"{job['pack']}, {job['job']}: {one}, where the log has {measured}")
            errors[job["board"]].append((abs(one["simulated"] / measured - 1), abs(ideal / measured - 1)))
            if (one["leave_one_out"] is not None) != (job["board"] == "training"):
                wrong.append(f"{job['pack']}, {job['job']}: {one}: only ratios of training are left out")
            elif one["leave_one_out"]:
                left_out.append(abs(one["leave_one_out"]["simulated"] / measured - 1))
    for entry in board["boards"]:
        if entry["name"] == "training":
            for key, value in statistics_of(left_out).items():
                if not close(entry["leave_one_out"][key], value):
                    wrong.append(f"training, left out: {key} is {entry['leave_one_out'][key]}, not {value}")
        elif entry["name"] in errors and entry["leave_one_out"] is not None:
            wrong.append(f"{entry['name']}: nothing is left out there")
        if entry["name"] in errors:
            ours, theirs = zip(*errors[entry["name"]])
            for said, values in ((entry, ours), (entry["against"][0], theirs)):
                for key, value in statistics_of(values).items():
                    if not close(said[key], value):
                        wrong.append(f"{entry['name']}: {key} is {said[key]}, not {value}")
