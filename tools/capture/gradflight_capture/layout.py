"""The workload directory as it lies on disk. Docs: docs/capture.md, "The format".

    workload.json                      layers with times, tensors with shapes
    gradients/index.json               points, workers, offsets
    gradients/POINT/worker-W.npy.gz    float32, one dimension: all tensors in the workload's order
"""

import gzip
import io
import json
import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy

FORMAT = "gradflight-gradients"


class Tensor(NamedTuple):
    name: str
    shape: tuple

    def elements(self):
        return math.prod(self.shape)


class Layer(NamedTuple):
    name: str
    forward: float  # seconds
    backward: float
    tensors: list


def checked_point(name):
    """A point's name is a folder's."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", str(name)):
        raise ValueError(f"point {name!r}: a name of letters, digits, dot, dash and underscore, please")
    return str(name)


class Directory:
    def __init__(self, path):
        self.path = Path(path)

    def write_gradient(self, point, worker, flat):
        folder = self.path / "gradients" / point
        folder.mkdir(parents=True, exist_ok=True)
        plain = io.BytesIO()
        numpy.save(plain, numpy.ascontiguousarray(flat, dtype="<f4"))
        # No time within: the same values give the same bytes.
        (folder / f"worker-{worker}.npy.gz").write_bytes(gzip.compress(plain.getvalue(), 9, mtime=0))

    def write_workload(self, name, source, layers, update, batch):
        rows = [{"name": layer.name, "forward": _time(layer.forward), "backward": _time(layer.backward),
                 "tensors": [{"name": t.name, "shape": list(t.shape) or [1]} for t in layer.tensors]} for layer in layers]
        self._write("workload.json", {"name": name, "source": source, "batch": batch, "update": _time(update),
                                      "layers": rows}, "layers")

    def write_index(self, layers, workers, points, timing, training):
        rows, offset = [], 0
        for layer in layers:
            for tensor in layer.tensors:
                rows.append({"name": tensor.name, "offset": offset, "elements": tensor.elements()})
                offset += tensor.elements()
        self._write("gradients/index.json", {
            "format": FORMAT, "version": 2, "elements": offset, "workers": workers,
            "files": "{point}/worker-{worker}.npy.gz", "points": [_plain(p) for p in points], "timing": timing,
            "training": _plain(training), "tensors": rows}, "tensors", "points")

    def _write(self, name, value, *tables):
        """JSON with one line for each entry of a table: readable, and its changes too."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for key, entry in value.items():
            if key in tables:
                body = ",\n".join("    " + json.dumps(row) for row in entry)
                lines.append(f"  {json.dumps(key)}: [\n{body}\n  ]")
            else:
                lines.append(f"  {json.dumps(key)}: {json.dumps(entry)}")
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _time(seconds):
    return f"{seconds * 1e6:.3f}us"


def _plain(facts):
    """Scalars of numpy and torch as numbers, floats with the digits that mean something."""
    def value(x):
        x = x.item() if hasattr(x, "item") else x
        return float(f"{x:.6g}") if isinstance(x, float) else x
    return {key: value(x) for key, x in facts.items()}
