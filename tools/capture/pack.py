#!/usr/bin/env python3
"""Rewrites a captured workload directory in version 2 of the gradients' format (.npy.gz), whole or in part:

    tools/capture/pack.py IN OUT [--workers N] [--points NAME,...]

Values stay as they are. --workers keeps the first N, --points the named ones. Standard library only.
"""
import argparse
import gzip
import json
import shutil
import sys
from pathlib import Path

PACKED = "{point}/worker-{worker}.npy.gz"


def text_of(index):
    """JSON as the capture tool writes it: a line for each entry of a table."""
    def entry(key, value):
        if key in ("points", "tensors"):
            return f"  {json.dumps(key)}: [\n" + ",\n".join("    " + json.dumps(row) for row in value) + "\n  ]"
        return f"  {json.dumps(key)}: {json.dumps(value)}"
    return "{\n" + ",\n".join(entry(key, value) for key, value in index.items()) + "\n}\n"


def pack(source, target, workers=None, points=None):
    source, target = Path(source), Path(target)
    index = json.loads((source / "gradients" / "index.json").read_text())
    if index.get("format") != "gradflight-gradients" or index.get("version") not in (1, 2):
        raise ValueError(f"{source}: no gradients of version 1 or 2")
    workers = index["workers"] if workers is None else workers
    if not 1 <= workers <= index["workers"]:
        raise ValueError(f"{source}: has {index['workers']} workers")
    names = [point["name"] for point in index["points"]]
    unknown = set(points or []) - set(names)
    if unknown:
        raise ValueError(f"{source}: has no point {', '.join(sorted(unknown))}")
    kept = [point for point in index["points"] if points is None or point["name"] in points]
    for point in kept:
        (target / "gradients" / point["name"]).mkdir(parents=True)
        for worker in range(workers):
            file = source / "gradients" / index["files"].format(point=point["name"], worker=worker)
            plain = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
            # No time within: the same values give the same bytes.
            packed = gzip.compress(plain, 9, mtime=0)
            (target / "gradients" / PACKED.format(point=point["name"], worker=worker)).write_bytes(packed)
    index.update(version=2, workers=workers, files=PACKED, points=kept)
    (target / "gradients" / "index.json").write_text(text_of(index))
    shutil.copy(source / "workload.json", target / "workload.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="IN")
    parser.add_argument("target", metavar="OUT")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--points", type=lambda names: names.split(","))
    options = parser.parse_args()
    try:
        pack(options.source, options.target, options.workers, options.points)
    except (OSError, ValueError, KeyError) as error:
        print(f"pack.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
