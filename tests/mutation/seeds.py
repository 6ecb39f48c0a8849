"""The files that are spoilt, by kind, and the commands that read such a file. Words: {f} the mutant, {d} the folder that
it stands in where it needs neighbours (a copy of its own), {o} an empty folder."""
import gzip, pathlib, shutil, subprocess

from mutations import spoil_bytes, spoil_json, spoil_log, spoil_table

SCENARIO = ["run {f} --json", "run {f} --json", "run {f} --json --set limits.simulated_time=1s", "run {f} --json --set engine=simgrid",
            "run {f}", "run {f} --out {o}/run --timeline {o}/t.json", "check {f} --json", "check {f}", "validate {f}",
            "plan {f} --limit 50", "regress {f}"]
IN_RING = "scenarios/examples/ring.json"
SWEEP = ["validate {f}", "sweep {f} --out {o}/s --slurm 2",
         "sweep {f} --out {o}/s --jobs 1 && merge {o}/s && analyze {o}/s"]
COMMANDS = {
    "scenario": SCENARIO,
    # without shortcuts, which a mutant may lose, these would take minutes
    "large": ["validate {f}", "plan {f} --limit 50",
              "run {f} --json --set limits.messages=1000000 --set limits.wall_time=3s"],
    "platform": ["validate {f}", f"run {IN_RING} --set platform={{f}} --json", f"run {IN_RING} --set platform={{f}}",
                 f"plan {IN_RING} --set platform={{f}} --limit 50"],
    "workload": ["validate {f}", f"run {IN_RING} --set workload={{f}} --json", f"plan {IN_RING} --set workload={{f}} --limit 50"],
    "sweep": SWEEP,
    "pack": ["validate {f}", "reproduce --packs {d} --json --jobs 1", "reproduce --packs {d} --jobs 1 --report {o}/page.html"],
    "toy": ["validate {f}", "calibrate {f} --jobs 1", "calibrate {f} --jobs 1 --write --cross-validate 2",
            "reproduce --packs {d} --json --jobs 1"],
    "measured": ["validate {d}/packs/toy.json", "reproduce --measured --packs {d}/packs --json --jobs 1",
                 "reproduce --measured toy --packs {d}/packs --jobs 1 --report {o}/page.html"],
    "table": ["calibrate {f} --jobs 1", "calibrate {f} --jobs 1 --json", "calibrate {f} --jobs 1 --out {o}/platform.json"],
    "trace": ["import kineto {f} --out {o}/w.json --recorded {o}/r.json && validate {o}/w.json", "import kineto {f} --times busy"],
    "tensor": ["codec stats --codec threelc {f}", "codec encode --codec inceptionn {f} {o}/g.bin",
               "codec encode --codec topk {f} {o}/g.bin"],
    "code": ["codec decode --codec inceptionn --elements 1000 {f} {o}/g.npy", "codec decode --codec threelc --elements 1000 {f} {o}/g.npy",
             "codec decode --codec topk --elements 1000 {f} {o}/g.npy"],
    "captured": ["validate {d}/workload.json", "run scenarios/captured/ring-inceptionn.json --set workload={d}/workload.json --json"],
    "log": ["collective all_reduce --platform dgx-a100 --nodes 2 --against {f} --end 1MiB",
            "collective all_gather --platform dgx-a100 --against {f} --end 1MiB --json",
            "calibrate {f} --platform rack-25gbe --ranks 8 --nodes 2 --op all_reduce --jobs 1"],
    "topology": ["import topology {f} --out {o}/p.json && validate {o}/p.json"],
    "swept": ["merge {d}", "merge {d} && analyze {d}", "analyze {d} --page {o}/p.html --baseline nodes=4"],
}


class Seed:
    def __init__(self, path, kind, data, spoils, folder=None):
        self.path, self.kind, self.data, self.spoils, self.folder = path, kind, data, spoils, folder


def kind_of(path):
    text = path.as_posix()
    if path.name == "index.json" or "/gradients/" in text or "packs/" in text or "data/measured/" in text or "data/logs/" in text:
        return None
    if path.name in ("reproduce.json", "reproduce-fits.json"):
        return "pack" if path.parts[1] in ("pipe-sgd", "inceptionn", "gtop-k") else None  # the others take seconds
    if "sweep" in text:
        return "sweep"
    if "gradientflow" in text and path.parts[0] == "scenarios":
        return "large"
    return {"platforms": "platform", "workloads": "workload"}.get(path.parts[0], "scenario")


def prepare(gradflight, source, tree):
    """Copies of the repository's inputs (a link would let a mutant's command write them), and what is made for this."""
    for folder in ("scenarios", "platforms", "workloads", "analysis/sweeps", "analysis/measurements", "tests/cli/data",
                   "tests/scenarios/data"):
        shutil.copytree(source / folder, tree / folder)
    data = tree / "tests/cli/data"
    subprocess.run([gradflight, "sweep", data / "sweep.json", "--out", tree / "swept", "--jobs", "1"], check=True, capture_output=True)
    for path in (tree / "swept").glob("records.*"):  # the name has the time of day
        path.rename(tree / "swept/records.here.1.1.jsonl")
    for codec in ("inceptionn", "threelc", "topk"):
        subprocess.run([gradflight, "codec", "encode", "--codec", codec, data / "gradient.npy", tree / f"{codec}.bin"], check=True)


def seeds(tree):
    def seed(path, kind, spoils, folder=None):
        data = (tree / path).read_bytes()
        if path.suffix == ".gz" and kind == "trace":
            data = gzip.decompress(data)
        return Seed(path, kind, data, spoils, folder)

    found, as_json = [], [spoil_json] * 6 + [spoil_bytes]
    for path in sorted(path.relative_to(tree) for path in tree.rglob("*.json")):
        kind = kind_of(path)
        if kind:
            found.append(seed(path, kind, as_json, path.parent if kind == "pack" else None))
    toy = pathlib.Path("tests/cli/data/packs/toy")
    found += [seed(toy / name, "toy", as_json, toy) for name in ("reproduce.json", "ring.json", "cluster.json")] * 2
    measured = pathlib.Path("tests/cli/data/measured")
    found += [seed(measured / name, "measured", as_json, measured) for name in ("packs/toy.json", "packs/slow.json", "cluster.json")] * 4
    found += [seed(measured / "toy.csv", "measured", [spoil_table, spoil_table, spoil_bytes], measured)] * 6
    found += [seed(path.relative_to(tree), "table", [spoil_table, spoil_table, spoil_bytes], None)
              for path in (tree / "analysis/measurements").glob("*.csv")] * 12
    for path in sorted((tree / "tests/cli/data/logs").glob("log-*")):
        as_log = as_json if path.suffix == ".json" else [spoil_log, spoil_log, spoil_bytes]
        found += [seed(path.relative_to(tree), "log", as_log)]
    for name in ("ib_write_bw.txt", "iperf3.json", "ucx_perftest.txt"):
        found += [seed(pathlib.Path("tests/cli/data/logs") / name, "log", [spoil_log, spoil_bytes])]
    for name in ("nccl-topology.xml", "nvidia-smi-topo-m.txt"):
        found += [seed(pathlib.Path("tests/cli/data/logs") / name, "topology", [spoil_log, spoil_bytes])] * 2
    for name in ("trace-bf16.json", "trace-one-infinity.json"):
        found += [seed(pathlib.Path("tests/cli/data/logs") / name, "trace", [spoil_bytes])]
    for path in sorted((tree / "tests/scenarios/data/kineto").glob("*.gz")):
        found += [seed(path.relative_to(tree), "trace", as_json)] * 3
    found += [seed(pathlib.Path("tests/cli/data/step.kineto.json"), "trace", as_json)] * 4
    found += [seed(pathlib.Path("tests/cli/data/gradient.npy"), "tensor", [spoil_bytes])] * 6
    found += [seed(pathlib.Path(f"{codec}.bin"), "code", [spoil_bytes]) for codec in ("inceptionn", "threelc", "topk")] * 2
    for version in (1, 2):
        captured = pathlib.Path(f"tests/scenarios/data/gradients/version-{version}")
        found += [seed(captured / name, "captured", as_json, captured) for name in ("workload.json", "gradients/index.json")] * 3
        found += [seed(path.relative_to(tree), "captured", [spoil_bytes], captured)
                  for path in sorted((tree / captured / "gradients/early").iterdir())]
    found += [seed(pathlib.Path("swept") / name, "swept", [spoil_json if name == "sweep.json" else spoil_bytes, spoil_bytes],
                   pathlib.Path("swept")) for name in ("sweep.json", "records.here.1.1.jsonl")] * 3
    return found
