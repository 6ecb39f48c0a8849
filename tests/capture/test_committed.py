#!/usr/bin/env python3
"""Every committed capture is consistent; standard library only. Also: the checker finds each kind of damage."""

import importlib.util
import json
import shutil
import struct
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "workloads" / "captured"

# Loaded by its path: the package itself imports PyTorch.
spec = importlib.util.spec_from_file_location("check", ROOT / "tools/capture/gradflight_capture/check.py")
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)

# workers, points; what docs/capture.md says
EXPECTED = {
    "hdc": (3, ["middle"]),
    "mnist-mlp": (4, ["early", "middle", "late"]),
    "resnet20": (4, ["early", "middle", "late"]),
    "small-cnn": (8, ["early", "middle", "late"]),
}
CATALOGUE = {"mnist-mlp": "mnist_mlp", "hdc": "hdc_5fc", "resnet20": "resnet20_cifar"}


def load(path):
    return json.loads(path.read_text())


def shapes(workload):
    return [tuple(t["shape"]) for layer in workload["layers"] for t in layer["tensors"]]


class CommittedTest(unittest.TestCase):
    def test_directories_are_consistent(self):
        self.assertEqual(sorted(p.name for p in CAPTURED.iterdir() if p.is_dir()), sorted(EXPECTED))
        for name, (workers, points) in EXPECTED.items():
            with self.subTest(name):
                self.assertEqual(check.check_directory(CAPTURED / name), [])
                index = load(CAPTURED / name / "gradients" / "index.json")
                self.assertEqual((index["workers"], [p["name"] for p in index["points"]]), (workers, points))
                for point in index["points"]:
                    self.assertTrue(point["loss"] > 0 and 0 < point["accuracy"] <= 1)

    def test_shapes_are_those_of_the_catalogue(self):
        for name, entry in CATALOGUE.items():
            with self.subTest(name):
                captured = load(CAPTURED / name / "workload.json")
                self.assertEqual(shapes(captured), shapes(load(ROOT / "workloads" / "networks" / f"{entry}.json")))

    def test_size(self):
        total = sum(p.stat().st_size for p in CAPTURED.rglob("*") if p.is_file())
        self.assertLessEqual(total, 60_000_000)

    def test_table_in_the_documentation(self):
        text = (ROOT / "docs" / "capture.md").read_text()
        for name in EXPECTED:
            for point in load(CAPTURED / name / "gradients" / "index.json")["points"]:
                row = (f"| `{name}` | {point['name']} | {point['iteration']} | {point['epoch']} | {point['loss']:.4f} | "
                       f"{point['test_loss']:.4f} | {100 * point['accuracy']:.1f} % |")
                self.assertIn(row, text)


class CheckerTest(unittest.TestCase):
    """On a copy of the smallest capture, damaged one way at a time."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = Path(folder.name) / "copy"
        shutil.copytree(CAPTURED / "small-cnn", self.copy)
        self.file = self.copy / "gradients" / "late" / "worker-7.npy"

    def assert_found(self, text):
        found = check.check_directory(self.copy)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def change(self, name, edit):
        value = load(self.copy / name)
        edit(value)
        (self.copy / name).write_text(json.dumps(value))

    def patch(self, offset, data):
        content = bytearray(self.file.read_bytes())
        offset %= len(content)
        content[offset:offset + len(data)] = data
        self.file.write_bytes(content)

    def test_missing_file(self):
        self.file.unlink()
        self.assert_found("gradients/late/worker-7.npy: missing")

    def test_file_too_many(self):
        self.file.rename(self.file.with_name("worker-8.npy"))
        self.assertIn("gradients/late/worker-8.npy: not in the index", check.check_directory(self.copy))

    def test_truncated(self):
        self.file.write_bytes(self.file.read_bytes()[:-4])
        self.assert_found("bytes of data")

    def test_no_npy(self):
        self.patch(0, b"XX")
        self.assert_found("not a .npy file")

    def test_other_type(self):
        self.file.write_bytes(self.file.read_bytes().replace(b"<f4", b">f4"))
        self.assert_found("not little-endian float32")

    def test_not_finite(self):
        self.patch(-4, struct.pack("<f", float("nan")))
        self.assert_found("finite")

    def test_twins(self):
        shutil.copy(self.file.with_name("worker-6.npy"), self.file)
        self.assert_found("the same values as late/worker-6.npy")

    def test_other_shape(self):
        self.change("workload.json", lambda w: w["layers"][0]["tensors"][0].update(shape=[8, 1, 5, 4]))
        self.assert_found("not those of workload.json")

    def test_offset(self):
        self.change("gradients/index.json", lambda i: i["tensors"][1].update(offset=7))
        self.assert_found("tensor conv1.bias is at 200, not at 7")

    def test_order_of_points(self):
        self.change("gradients/index.json", lambda i: i["points"].reverse())
        self.assert_found("order of their iterations")

    def test_missing_key(self):
        self.change("gradients/index.json", lambda i: i.pop("workers"))
        self.assert_found("KeyError 'workers'")

    def test_no_json(self):
        (self.copy / "workload.json").write_text("{")
        self.assert_found("workload.json")


if __name__ == "__main__":
    sys.exit(unittest.main())
