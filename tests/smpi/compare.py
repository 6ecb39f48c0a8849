#!/usr/bin/env python3
"""Independent check: real MPI_Allreduce algorithms under SimGrid's SMPI against `gradflight run`, both engines.

SMPI adds an envelope of 16 bytes to each message. Every message of these exchanges is alone on its route, so that a
message_overhead of 16 bytes / bandwidth on our side is the same time. Reductions are free on both sides.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ALGORITHMS = {  # ours: SMPI's selection
    "ring": ["smpi/allreduce:lr"],
    "recursive_doubling": ["smpi/allreduce:rdb"],
    # Its own all-gather is not recursive doubling.
    "halving_doubling": ["smpi/allreduce:rab_rdb", "smpi/allgather:rdb"],
}
RANKS = [3, 4, 5, 7, 8, 12, 16, 32]
SIZES = [2**10, 2**20, 100 * 2**20]
TOLERANCE = 1e-9
BANDWIDTH = 1.25e9  # of star64.xml
ENVELOPE = 16
# No model of software costs or TCP: a message takes latency + bytes / bandwidth, rendezvous without a copy.
SETTINGS = ["network/model:SMPI", "smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:0",
            "network/TCP-gamma:1e30", "surf/precision:1e-15", "maxmin/precision:1e-9", "network/loopback-bw:1e30",
            "smpi/async-small-thresh:0", "smpi/send-is-detached-thresh:0", "smpi/os:0:0:0:0:0", "smpi/ois:0:0:0:0:0",
            "smpi/or:0:0:0:0:0", "smpi/wtime:0", "smpi/test:0", "smpi/iprobe:0", "smpi/init:0",
            "smpi/simulate-computation:no", "smpi/host-speed:1e9f"]


def output(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def smpi_seconds(arguments, folder, algorithm, ranks, sizes):
    """Simulated seconds by size. One process runs all sizes."""
    hosts = folder / "hosts"
    hosts.write_text("".join(f"node{i}\n" for i in range(ranks)))
    configuration = [f"--cfg={s}" for s in SETTINGS + ALGORITHMS[algorithm]]
    text = output(["smpirun", "-np", str(ranks), "-hostfile", hosts, "-platform", arguments.platform,
                   "--log=root.thres:error", *configuration, arguments.program, "1", *map(str, sizes)])
    return {int(size): float(seconds) for size, seconds in (line.split() for line in text.splitlines())}


def gradflight_seconds(arguments, folder, algorithm, ranks, size, engine):
    scenario = {
        "platform": {"nodes": ranks, "gpus_per_node": 1, "message_overhead": f"{ENVELOPE / BANDWIDTH * 1e9:.17g}ns",
                     "network": {"topology": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
        "workload": {"tensors": [{"name": "vector", "bytes": f"{size}B"}]},
        "training": {"exchange": {"algorithm": algorithm}, "granularity": "model", "overlap": "none", "iterations": 1},
        "engine": engine,
    }
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario))
    return json.loads(output([arguments.gradflight, "run", path, "--json"]))["time_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradflight", required=True)
    parser.add_argument("--program", required=True, help="allreduce.c, compiled by smpicc")
    parser.add_argument("--platform", required=True)
    parser.add_argument("algorithm", choices=ALGORITHMS)
    arguments = parser.parse_args()
    worst, compared, failed = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for ranks in RANKS:
            # Whole elements in blocks of one size, for rings and for halvings: SMPI has remainders elsewhere.
            grain = 4 * math.lcm(ranks, 32)
            sizes = [grain * math.ceil(size / grain) for size in SIZES]
            expected = smpi_seconds(arguments, folder, arguments.algorithm, ranks, sizes)
            for size in sizes:
                for engine in ("hybrid", "simgrid"):
                    ours = gradflight_seconds(arguments, folder, arguments.algorithm, ranks, size, engine)
                    error = abs(ours - expected[size]) / expected[size]
                    worst, compared = max(worst, error), compared + 1
                    if not error <= TOLERANCE:
                        failed += 1
                        print(f"{arguments.algorithm} p={ranks} {size} B {engine}: {ours!r} s, SMPI {expected[size]!r} s")
    print(f"{arguments.algorithm}: {compared} comparisons with SMPI, largest relative difference {worst:.2g}")
    return 0 if failed == 0 and compared == 2 * len(RANKS) * len(SIZES) else 1


if __name__ == "__main__":
    sys.exit(main())
