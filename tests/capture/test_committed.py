#!/usr/bin/env python3
"""Every committed capture is consistent; standard library only. Also: the checker finds each kind of damage."""

import gzip
import importlib.util
import json
import shutil
import struct
import subprocess
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
    "mnist-mlp": (2, ["late"]),
    "resnet20": (2, ["early", "middle", "late"]),
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
        self.assertLessEqual(total, 20_000_000)

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
        self.file = self.copy / "gradients" / "late" / "worker-7.npy.gz"

    def assert_found(self, text):
        found = check.check_directory(self.copy)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def change(self, name, edit):
        value = load(self.copy / name)
        edit(value)
        (self.copy / name).write_text(json.dumps(value))

    def edit(self, change):
        """What is packed in the file, changed."""
        self.file.write_bytes(gzip.compress(change(gzip.decompress(self.file.read_bytes()))))

    def patch(self, offset, data):
        def change(content):
            start = offset % len(content)
            return content[:start] + data + content[start + len(data):]
        self.edit(change)

    def test_missing_file(self):
        self.file.unlink()
        self.assert_found("gradients/late/worker-7.npy.gz: missing")

    def test_file_too_many(self):
        self.file.rename(self.file.with_name("worker-8.npy.gz"))
        self.assertIn("gradients/late/worker-8.npy.gz: not in the index", check.check_directory(self.copy))

    def test_truncated(self):
        self.edit(lambda content: content[:-4])
        self.assert_found("bytes of data")

    def test_packed_data_truncated(self):
        self.file.write_bytes(self.file.read_bytes()[:-4])
        self.assert_found("not a whole gzip file")

    def test_packed_data_damaged(self):
        content = bytearray(self.file.read_bytes())
        content[-5] ^= 1  # of the checksum
        self.file.write_bytes(content)
        self.assert_found("not a whole gzip file")

    def test_no_npy(self):
        self.patch(0, b"XX")
        self.assert_found("not a .npy file")

    def test_other_type(self):
        self.edit(lambda content: content.replace(b"<f4", b">f4"))
        self.assert_found("not little-endian float32")

    def test_not_finite(self):
        self.patch(-4, struct.pack("<f", float("nan")))
        self.assert_found("finite")

    def test_twins(self):
        shutil.copy(self.file.with_name("worker-6.npy.gz"), self.file)
        self.assert_found("the same values as late/worker-6.npy.gz")

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

    def test_files_of_another_version(self):
        self.change("gradients/index.json", lambda i: i.update(version=1))
        self.assert_found("files of version 1 are {point}/worker-{worker}.npy")

    def test_no_json(self):
        (self.copy / "workload.json").write_text("{")
        self.assert_found("workload.json")


class PackTest(unittest.TestCase):
    """tools/capture/pack.py, from version 1 to version 2."""

    FIXTURES = ROOT / "tests" / "scenarios" / "data" / "gradients"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def pack(self, *options):
        command = [sys.executable, ROOT / "tools/capture/pack.py", self.FIXTURES / "version-1", self.out, *options]
        return subprocess.run(command, capture_output=True, text=True)

    def values(self, directory, point, worker, extension):
        return check.read_npy(directory / "gradients" / point / f"worker-{worker}{extension}")

    def test_both_versions_are_consistent(self):
        for version in ("version-1", "version-2"):
            self.assertEqual(check.check_directory(self.FIXTURES / version), [])

    def test_all_of_it(self):
        self.assertEqual(self.pack().returncode, 0)
        self.assertEqual(check.check_directory(self.out), [])
        self.assertEqual(load(self.out / "gradients/index.json"), load(self.FIXTURES / "version-2/gradients/index.json"))
        for point in ("early", "late"):
            for worker in range(2):
                self.assertEqual(self.values(self.out, point, worker, ".npy.gz"),
                                 self.values(self.FIXTURES / "version-1", point, worker, ".npy"))

    def test_a_part_of_it(self):
        self.assertEqual(self.pack("--workers", "1", "--points", "late").returncode, 0)
        self.assertEqual(check.check_directory(self.out), [])
        index = load(self.out / "gradients/index.json")
        self.assertEqual((index["workers"], [p["name"] for p in index["points"]]), (1, ["late"]))

    def test_what_is_not_there(self):
        for options, text in ((["--workers", "3"], "has 2 workers"), (["--points", "end"], "has no point end")):
            done = self.pack(*options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)
            self.assertFalse(self.out.exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
