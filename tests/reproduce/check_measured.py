#!/usr/bin/env python3
"""Holds `gradflight reproduce --measured --json` on the shipped packs against the logs themselves and the rules of
docs/measured.md, computed anew from its cases. Says nothing about how large the errors are."""
import argparse
import collections
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

from error_statistics import close, percentile, statistics_of
from training_boards import check_spreads_of_compute, check_training, trained

MIB = 1024 * 1024
UNITS = {"us": 1e-6, "ns": 1e-9, "GB/s": 1e9, "MB/s": 1e6, "Gbps": 1e9 / 8}
TYPICAL = {"gcp-a3-high": "tcpx", "gh200-x4-slingshot": "slingshot"}  # machines of the catalogue that nobody measured


def check_group(place, group, cases, wrong):
    """A group of a board against the cases that should be in it."""
    def same(said, errors, what):
        for key, value in statistics_of(errors).items():
            if not close(said[key], value):
                wrong.append(f"{place}: {what}: {key} is {said[key]}, not {value}")

    same(group, [abs(c["simulated_us"] / c["measured_us"] - 1) for c in cases], "simulated")
    for name, key in (("one ring at line rates", "line_ring_us"), ("NCCL's own formula", "model_time_us")):
        score = next(s for s in group["against"] if s["name"] == name)
        both = [(abs(c[key] / c["measured_us"] - 1), abs(c["simulated_us"] / c["measured_us"] - 1)) for c in cases if c[key] is not None]
        same(score, [theirs for theirs, _ in both], name)
        same(score["simulated"], [ours for _, ours in both], f"simulated beside {name}")
        if score["closer"] != sum(ours < theirs for theirs, ours in both):
            wrong.append(f"{place}: {name}: closer is {score['closer']}")


def check_boards(board, cases, wrong):
    for entry in board["boards"]:
        least = {"collectives": 4 * MIB, "sizes": 0}.get(entry["name"])
        if least is None:
            continue  # of training
        inside = [c for c in cases if c["role"] == "scored" and c["size_bytes"] >= least]
        if any((entry["name"] in c["boards"]) != (c["role"] == "scored" and c["size_bytes"] >= least) for c in cases):
            wrong.append(f"{entry['name']}: cases say otherwise which of them are in it")
        check_group(entry["name"], entry, inside, wrong)
        medians = []
        for machine in entry["machines"]:
            role = "scored" if machine["counted"] else "fitted"
            own = [c for c in cases if c["pack"] == machine["name"] and c["role"] == role and c["size_bytes"] >= least]
            check_group(f"{entry['name']}/{machine['name']}", machine, own, wrong)
            if machine["counted"]:
                medians.append(machine["median_abs_error"])
        if {c["pack"] for c in inside} != {m["name"] for m in entry["machines"] if m["counted"]}:
            wrong.append(f"{entry['name']}: machines are missing")
        if not close(entry["machine_median"], statistics.median(medians)):
            wrong.append(f"{entry['name']}: machine_median is {entry['machine_median']}")
        for operation in entry["operations"]:
            check_group(f"{entry['name']}/{operation['name']}", operation, [c for c in inside if c["op"] == operation["name"]], wrong)


def quantity(text):
    unit = text.lstrip("0123456789.")
    return float(text[:len(text) - len(unit)]) * UNITS[unit]


def fits_of(folder, machines):
    """name -> (machine, {key: group}, line rate of a NIC, {latency_s, rate_share} that were fitted), of packs that state a fabric and a machine."""
    fits = {}
    for file in sorted(folder.glob("*.json")):
        pack = json.loads(file.read_text())
        if "fabric" not in pack or "machine" not in pack:
            continue
        facts = {fact["path"]: fact["value"] for fact in pack.get("set", [])}
        node = json.loads((machines / f"{pack['machine']}.json").read_text())["node"]
        line = quantity(facts.get("platform.node.nic.bandwidth", node["nic"]["bandwidth"]))
        fitted, numbers = pack.get("fitted", {}).get("set", {}), {}
        if "platform.node.nic.latency" in fitted and least_fitted(pack, folder) <= 65536:
            numbers["latency_s"] = quantity(fitted["platform.node.nic.latency"])
        if "platform.node.nic_total_bandwidth" in fitted:
            numbers["rate_share"] = quantity(fitted["platform.node.nic_total_bandwidth"]) / (2 * line)
        elif "platform.node.nic.egress_bandwidth" in fitted:
            numbers["rate_share"] = quantity(fitted["platform.node.nic.egress_bandwidth"]) / line
        groups = {"latency_s": pack["fabric"], "rate_share": way_to_nic(node)}
        fits[pack["name"]] = pack["machine"], groups, line, numbers
    return fits


def way_to_nic(node):
    if not node.get("gpudirect", True):
        return "NICs fed from host memory"
    if not node.get("gpus_per_switch") and node["gpu"] not in ("GH200", "GB200"):
        return "NICs at the processor's PCIe root"
    return "a NIC for each GPU" if node["nics"] >= node["gpus"] else "NICs that GPUs share"


def least_fitted(pack, folder):
    """The smallest size of the rows that a pack's fit was made to."""
    sizes = []
    for entry in pack["tables"]:
        if entry.get("role") != "fitted":
            continue
        where = {column: {str(v) for v in (value if isinstance(value, list) else [value])} for column, value in entry.get("where", {}).items()}
        with open(folder / entry["file"], newline="") as log:
            sizes += [int(row["size_bytes"]) for row in csv.DictReader(log) if all(row[column] in values for column, values in where.items())]
    return min(sizes)


def check_typical(board, folder, machines, wrong):
    """What each machine that is left out takes from the others, computed from the packs' own fits."""
    fits = fits_of(folder, machines)
    for pack in board["packs"]:
        left, name = pack["leave_one_out"], pack["name"]
        if left is None or name not in fits:
            if left is not None and (left["latency_s"] or left["rate_share"]):
                wrong.append(f"{name}: typical values without a fabric")
            continue
        machine, groups, line, _ = fits[name]
        expected = list(f"{fact['path']}={fact['value']}" for fact in json.loads((folder / f"{name}.json").read_text()).get("set", []))
        for key, group in groups.items():
            others = {n: fit for n, fit in fits.items() if fit[0] != machine and fit[1][key] == group and key in fit[3]}
            if not others:
                if left[key]:
                    wrong.append(f"{name}: {key} is {left[key]}, but no other machine is like it")
                continue
            value = math.exp(percentile([math.log(fit[3][key]) for fit in others.values()], 0.5))
            if left[key]["from"] != list(others) or left[key]["of"] != group or not math.isclose(left[key]["value"], value, rel_tol=1e-9):
                wrong.append(f"{name}: {key} is {left[key]}, not {value} of {list(others)}")
            expected.append(f"platform.node.nic.latency={value * 1e6:.4g}us" if key == "latency_s" else
                            f"platform.node.nic_total_bandwidth={2 * value * line * 1e-9:.4g}GB/s")
        if left["settings"] != expected:
            wrong.append(f"{name}: settings {left['settings']}, not {expected}")
    for machine, fabric in TYPICAL.items():
        stated = quantity(json.loads((machines / f"{machine}.json").read_text())["node"]["nic"]["latency"])
        latencies = [math.log(fit[3]["latency_s"]) for fit in fits.values() if fit[1]["latency_s"] == fabric and "latency_s" in fit[3]]
        value = math.exp(percentile(latencies, 0.5))
        if not math.isclose(stated, value, rel_tol=5e-3):
            wrong.append(f"{machine}: a latency of {stated} s, not the {value} s that are typical of {fabric}")


def check_left_out(board, cases, wrong):
    """The leave-one-out boards and the signed errors from the cases: all count."""
    fabrics = {pack["name"]: pack["fabric"] for pack in board["packs"]}
    left_out = [{**case, **case["leave_one_out"]} for case in cases]
    for entry in board["boards"]:
        least = {"collectives": 4 * MIB, "sizes": 0}.get(entry["name"])
        if least is None:
            continue  # of training
        inside, place = [c for c in left_out if c["size_bytes"] >= least], f"{entry['name']}, left out"
        check_group(place, entry["leave_one_out"], inside, wrong)
        groups = {"machines": lambda c: c["pack"], "operations": lambda c: c["op"],
                  "fabrics": lambda c: "inside a node" if c["nodes"] == 1 else fabrics[c["pack"]] or "no fabric stated"}
        for key, name_of in groups.items():
            said = {group["name"]: group for group in entry["leave_one_out"][key]}
            if set(said) != {name_of(c) for c in inside}:
                wrong.append(f"{place}: {key} are missing")
            for name, group in said.items():
                check_group(f"{place}/{name}", group, [c for c in inside if name_of(c) == name], wrong)
        if not close(entry["leave_one_out"]["machine_median"], statistics.median(m["median_abs_error"] for m in entry["leave_one_out"]["machines"])):
            wrong.append(f"{place}: machine_median is {entry['leave_one_out']['machine_median']}")
    bounds = [64 * 1024 - 1, MIB, 16 * MIB, 256 * MIB, math.inf]
    for way, scored in (("leave_one_out", left_out), ("fit_in_place", [c for c in cases if c["role"] == "scored"])):
        said = board["signed_errors"][way]
        by_size = [[c for c in scored if low < c["size_bytes"] <= high] for low, high in zip([-1] + bounds, bounds)]
        groups = [(group, by_size[i]) for i, group in enumerate(said["sizes"])]
        groups += [(group, [c for c in scored if c["op"] == group["name"]]) for group in said["operations"]]
        groups += [(group, [c for c in scored if " ".join(filter(None, (c["algorithm"], c["protocol"]))) == group["name"]]) for group in said["choices"]]
        for key in ("sizes", "operations", "choices"):
            if sum(group["count"] for group in said[key]) != len(scored):
                wrong.append(f"signed errors, {way}: {key} do not have every case once")
        for group, members in groups:
            median = percentile([c["simulated_us"] / c["measured_us"] - 1 for c in members], 0.5) if members else None
            if group["count"] != len(members) or not close(group["median_error"], median):
                wrong.append(f"signed errors, {way}: {group}, not {median} over {len(members)}")


def logged(packs, folder):
    """(pack, op, nodes, ranks, size) -> measured times, of entries that are simulated; their roles; rows by pack and role."""
    times, roles, rows = collections.defaultdict(list), {}, collections.Counter()
    for pack in packs:
        for entry in pack["tables"]:
            with open(folder / entry["file"]) as log:
                for row in csv.DictReader(log):
                    wanted = entry["where"].items()
                    if not all(row[column] in values for column, values in wanted):
                        continue
                    rows[pack["name"], entry["role"]] += 1
                    if entry["role"] != "noted" and "time_us" in row:
                        key = (pack["name"], row.get("collective", "all_reduce"), int(row.get("nodes", 1)), int(row["ranks"]), int(row["size_bytes"]))
                        times[key].append(float(row["time_us"]))
                        roles[key] = entry["role"]
    return times, roles, rows


SPREADS = {"inside a node": "dgx-h100 --nodes 1", "with a NIC for each GPU": "dgx-h100 --nodes 2",
           "with NICs that GPUs share": "aws-p4d --nodes 2", "with NICs at the processor's PCIe root": "polaris --nodes 2"}


def unfitted(gradflight, source, folder):
    """The packs' cases with nothing fitted to any machine, and without typical values."""
    for log in source.glob("*.csv"):
        (folder / log.name).symlink_to(log.resolve())
    (folder / "packs").mkdir()
    for file in (source / "packs").glob("*.json"):
        pack = json.loads(file.read_text())
        if "machine" not in pack:
            continue
        pack.pop("fitted", None)
        pack.pop("training", None)
        for entry in pack["tables"]:
            if entry.get("role") == "fitted":
                del entry["role"]
        (folder / "packs" / file.name).write_text(json.dumps(pack))
    done = subprocess.run([gradflight, "reproduce", "--measured", "--packs", folder / "packs", "--json"], capture_output=True, text=True, check=True)
    return [case for case in json.loads(done.stdout)["cases"] if case["simulated_us"] is not None]


def check_spreads(gradflight, source, wrong):
    """What `collective` says of the times on measured machines, from the cases with nothing fitted."""
    ways = {}
    for file in (source / "analysis/measurements/modern/packs").glob("*.json"):
        pack = json.loads(file.read_text())
        if "machine" in pack:
            ways[pack["name"]] = way_to_nic(json.loads((source / f"platforms/machines/{pack['machine']}.json").read_text())["node"])
    ratios, machines, operations = collections.defaultdict(list), collections.defaultdict(set), collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        for case in unfitted(gradflight, source / "analysis/measurements/modern", pathlib.Path(folder)):
            like = "inside a node" if case["nodes"] == 1 else f"with {ways[case['pack']]}"
            machines[like].add(case["pack"])
            operations[like].add(case["op"])
            ratios[like, (case["size_bytes"] >= 65536) + (case["size_bytes"] >= 4 * MIB)].append(case["measured_us"] / case["simulated_us"])
    for like, machine in SPREADS.items():
        command = [gradflight, "collective", "all_reduce", "--begin", "8", "--end", "8", "--json", "--platform", *machine.split()]
        said = json.loads(subprocess.run(command, cwd=source, capture_output=True, text=True, check=True).stdout)["spread"]
        if said["like"] != like or said["machines"] != len(machines[like]):
            wrong.append(f"{machine}: {said['machines']} machines {said['like']}, not {len(machines[like])} {like}")
        if set(said["operations"]) != operations[like]:
            wrong.append(f"{machine}: {said['operations']} {like}, not {sorted(operations[like])}")
        for place, spread in enumerate(said["measured_over_simulated"]):
            values = ratios[like, place]
            least, most = percentile(values, 0.05), percentile(values, 0.95)
            if spread["cases"] != len(values) or abs(spread["least"] - least) > 0.0051 or abs(spread["most"] - most) > 0.0051:
                wrong.append(f"{like}: {spread}, not {least:.2f} to {most:.2f} of {len(values)} cases")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradflight", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    done = subprocess.run([arguments.gradflight.resolve(), "reproduce", "--measured", "--json"], cwd=arguments.source, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr)
        return 1
    board, wrong = json.loads(done.stdout), []
    times, roles, rows = logged(board["packs"], arguments.source / "analysis/measurements/modern/packs")
    cases = [c for c in board["cases"] if c["simulated_us"] is not None and "size_bytes" in c]
    check_boards(board, cases, wrong)
    check_typical(board, arguments.source / "analysis/measurements/modern/packs", arguments.source / "platforms/machines", wrong)
    check_left_out(board, cases, wrong)
    check_spreads_of_compute(board, wrong)
    check_spreads(arguments.gradflight.resolve(), arguments.source, wrong)
    check_training(board, trained(board["packs"], arguments.source / "analysis/measurements/modern/packs", rows), wrong)
    seen = set()
    for case in cases:
        key = (case["pack"], case["op"], case["nodes"], case["ranks"], case["size_bytes"])
        if key in seen:
            wrong.append(f"{key} is given twice")
        seen.add(key)
        if key not in times or not close(case["measured_us"], percentile(times[key], 0.5)) or case["measurements"] != len(times[key]):
            wrong.append(f"{key}: measured {case['measured_us']}, where the log has {times.get(key)}")
    for pack in board["packs"]:
        # Sizes that leave nothing for a rank are not simulated, whatever their entry's role.
        left_out = collections.Counter(roles[key] for key, t in times.items() if key[0] == pack["name"] and key not in seen for _ in t)
        for role in ("scored", "fitted", "noted"):
            moved = -left_out.total() if role == "noted" else left_out[role]
            if pack["rows"][role] + moved != rows[pack["name"], role]:
                wrong.append(f"{pack['name']}: {pack['rows'][role]} rows {role}, where the logs have {rows[pack['name'], role]}")
    for text in wrong[:40]:
        print(text)
    print(f"{len(cases)} cases of {len(board['packs'])} packs, {len(wrong)} mistakes")
    return 1 if wrong or len(cases) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
