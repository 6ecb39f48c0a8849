#!/usr/bin/env python3
"""The capture tool on tiny models, against autograd itself. Exit code 77, and ctest says skipped, without PyTorch."""

import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "capture"
sys.path.insert(0, str(TOOLS))

try:
    import numpy
    import torch
except ImportError as missing:
    print(f"skipped: {missing} (for these tests: tools/install-dependencies --capture)")
    sys.exit(77)

from torch import nn
from torch.nn import functional

from gradflight_capture import Capture, check_directory
from networks import NETWORKS, parameters


class Slow(nn.Module):
    """Takes as long as it says, both ways."""

    class Wait(torch.autograd.Function):
        @staticmethod
        def forward(context, x, forward, backward):
            context.backward_seconds = backward
            time.sleep(forward)
            return x * 1

        @staticmethod
        def backward(context, gradient):
            time.sleep(context.backward_seconds)
            return gradient, None, None

    def __init__(self, forward, backward):
        super().__init__()
        self.seconds = (forward, backward)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return Slow.Wait.apply(x * self.scale, *self.seconds)


class Backwards(nn.Module):
    """Registers its layers in the other order than it uses them, and one of them never has a gradient."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 2)
        self.unused_in_loss = nn.Linear(4, 2)
        self.first = nn.Linear(4, 3)
        self.token = nn.Parameter(torch.ones(4))

    def forward(self, x):
        x = x + self.token
        self.unused_in_loss(x)
        return self.last(self.first(x).relu_())


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
        self.a.weight = self.b.weight

    def forward(self, x):
        return self.a(torch.tanh(self.b(x)))


def train(model, directory, workers=2, steps=4, iterations=(2,), inputs=4, after=None, **more):
    """Plain data-parallel training; `after` sees each worker's own gradient as autograd left it."""
    torch.manual_seed(3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with Capture(model, directory, name="tiny", batch=5, workers=workers, iterations=iterations,
                 warmup=more.pop("warmup", 1), **more) as capture:
        for step in range(steps):
            total = {}
            for worker in range(workers):
                optimizer.zero_grad(set_to_none=True)
                with capture.worker(worker):
                    model(torch.randn(5, inputs)).square().sum().backward()
                for name, p in model.named_parameters():
                    own = torch.zeros_like(p) if p.grad is None else p.grad.clone()
                    total[name] = own + total.get(name, 0)
                    if after:
                        after(step, worker, name, own.numpy())
            for name, p in model.named_parameters():
                p.grad = total[name] / workers
            with capture.update():
                optimizer.step()
            capture.step(loss=1.0)
    return capture


def load_gradient(path):
    with gzip.open(path) as file:
        return numpy.load(file)


class CaptureTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(2)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)

    def workload(self):
        return json.loads((self.out / "workload.json").read_text())

    def index(self):
        return json.loads((self.out / "gradients" / "index.json").read_text())

    def layers(self):
        return [layer["name"] for layer in self.workload()["layers"]]

    def assert_equal_autograd(self, model, **more):
        seen = {}
        train(model, self.out, after=lambda *key_and_value: seen.__setitem__(key_and_value[:3], key_and_value[3]), **more)
        index = self.index()
        for point in index["points"]:
            for worker in range(index["workers"]):
                flat = load_gradient(self.out / "gradients" / point["name"] / f"worker-{worker}.npy.gz")
                self.assertEqual((flat.dtype.str, flat.shape), ("<f4", (index["elements"],)))
                for tensor in index["tensors"]:
                    part = flat[tensor["offset"]:tensor["offset"] + tensor["elements"]]
                    expected = seen[point["iteration"], worker, tensor["name"]].ravel()
                    numpy.testing.assert_array_equal(part, expected, err_msg=tensor["name"])
        self.assertEqual(check_directory(self.out), [])

    def test_gradients_equal_autograd(self):
        model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(inplace=True), nn.Linear(6, 3))
        self.assert_equal_autograd(model, iterations={"first": 0, "third": 2})
        self.assertEqual([p["name"] for p in self.index()["points"]], ["first", "third"])

    def test_forward_order_is_that_of_the_calls(self):
        self.assert_equal_autograd(Backwards())
        self.assertEqual(self.layers(), ["(own)", "unused_in_loss", "first", "last"])
        names = [t["name"] for t in self.index()["tensors"]]
        self.assertEqual(names, ["token", "unused_in_loss.weight", "unused_in_loss.bias", "first.weight", "first.bias",
                                 "last.weight", "last.bias"])

    def test_tied_parameter_belongs_to_its_first_use(self):
        self.assert_equal_autograd(Tied())
        first, second = self.workload()["layers"]
        self.assertEqual((first["name"], len(first["tensors"]), second["name"], len(second["tensors"])), ("b", 2, "a", 1))

    def test_module_in_two_places_is_one_layer(self):
        shared = nn.Linear(4, 4)
        self.assert_equal_autograd(nn.Sequential(nn.Sequential(shared, nn.Tanh()), nn.Sequential(shared, nn.Linear(4, 1))))
        self.assertEqual(self.layers(), ["0.0", "0.1", "1.1"])

    def test_attention_is_one_layer(self):
        class Attends(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention, self.fc = nn.MultiheadAttention(4, 2, batch_first=True), nn.Linear(4, 1)

            def forward(self, x):
                x = x.unsqueeze(1)
                return self.fc(self.attention(x, x, x)[0])
        self.assert_equal_autograd(Attends())
        self.assertEqual(self.layers(), ["attention", "fc"])
        self.assertEqual(len(self.workload()["layers"][0]["tensors"]), 4)

    def test_times_are_those_of_the_layers(self):
        model = nn.Sequential(nn.Linear(4, 4), Slow(0.03, 0.09), nn.Tanh(), Slow(0.06, 0.03))
        train(model, self.out, workers=1, steps=6)
        time_of = {layer["name"]: [float(layer[d].removesuffix("us")) / 1e6 for d in ("forward", "backward")]
                   for layer in self.workload()["layers"]}
        self.assertEqual(list(time_of), ["0", "1", "2", "3"])
        for name, seconds in time_of.items():
            self.assertGreater(min(seconds), 0)
            for got, least in zip(seconds, getattr(model[int(name)], "seconds", (0, 0))):
                self.assertGreaterEqual(got, least)
                self.assertLess(got, least + 0.025)  # below the smallest difference between layers
        self.assertGreater(float(self.workload()["update"].removesuffix("us")), 0)

    def test_warm_up_and_kept_steps_are_not_timed(self):
        train(nn.Linear(4, 2), self.out, workers=3, steps=8, iterations=[2, 5], warmup=2)
        self.assertEqual(self.index()["timing"]["passes_timed"], 3 * (8 - 2 - 2))

    def test_accumulated_and_scaled_gradients(self):
        model, x = nn.Linear(4, 2), torch.ones(5, 4)
        with Capture(model, self.out, name="tiny", batch=10, iterations=[0], warmup=0) as capture:
            for _ in range(2):
                with capture.worker(0, gradient_scale=1024):
                    for _ in range(2):
                        (model(x).sum() * 1024).backward()
                capture.step()
        flat = load_gradient(self.out / "gradients" / "iteration-0" / "worker-0.npy.gz")
        numpy.testing.assert_array_equal(flat, [10] * 10)

    def test_frozen_parameters_are_left_out(self):
        model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
        model[0].requires_grad_(False)
        train(model, self.out)
        self.assertEqual([t["name"] for t in self.index()["tensors"]], ["1.weight", "1.bias"])

    def test_hooks_come_off(self):
        model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
        train(model, self.out)
        self.assertFalse(any(m._forward_hooks or m._forward_pre_hooks for m in model.modules()))
        self.assertFalse(any(p._backward_hooks for p in model.parameters()))

    def test_misuse_is_refused(self):
        model = nn.Linear(4, 2)
        make = lambda **more: Capture(model, self.out, name="t", batch=1, **more)
        with self.assertRaisesRegex(ValueError, "rank 2 is not one of 2"):
            make(workers=2, rank=2)
        with self.assertRaisesRegex(ValueError, "same iteration"):
            make(iterations={"a": 1, "b": 1})
        with self.assertRaisesRegex(ValueError, "letters, digits"):
            make(iterations={"../a": 1})
        with self.assertRaisesRegex(ValueError, "before step 9"):
            train(model, self.out, iterations=[9])
        with self.assertRaisesRegex(ValueError, "no step was timed"):
            train(model, self.out, warmup=100)
        capture = make(workers=2)
        with capture.worker(0):
            model(torch.ones(1, 4)).sum().backward()
        with self.assertRaisesRegex(ValueError, "without worker 1"):
            capture.step()
        with self.assertRaisesRegex(ValueError, "had its turn"):
            with capture.worker(0):
                pass

    def test_layer_that_never_runs_is_named(self):
        class Skips(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.skipped = nn.Linear(4, 2), nn.Linear(4, 2)

            def forward(self, x):
                return self.used(x)
        with self.assertRaisesRegex(ValueError, "layer skipped has parameters but never ran"):
            train(Skips(), self.out)

    def test_one_process_for_each_worker(self):
        """DistributedDataParallel: each rank keeps its own gradient, not the reduced one."""
        if not torch.distributed.is_available():
            self.skipTest("this PyTorch has no torch.distributed")
        ranks = [subprocess.Popen([sys.executable, Path(__file__).with_name("ddp_worker.py"), self.out, str(rank), "2"],
                                  env={**os.environ, "PYTHONPATH": str(TOOLS)}) for rank in range(2)]
        self.assertEqual([process.wait(timeout=1200) for process in ranks], [0, 0])
        self.assertEqual(check_directory(self.out), [])

    def run_example(self, **environment):
        return subprocess.Popen([sys.executable, TOOLS / "example.py", self.out], env={**os.environ, **environment})

    def test_example_in_one_process(self):
        self.assertEqual(self.run_example().wait(timeout=1200), 0)
        self.assertEqual((check_directory(self.out), self.index()["workers"]), ([], 4))

    def test_example_with_a_process_for_each_worker(self):
        if not torch.distributed.is_available():
            self.skipTest("this PyTorch has no torch.distributed")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        # What torchrun sets.
        ranks = [self.run_example(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1",
                                  MASTER_PORT=port) for rank in range(2)]
        self.assertEqual([process.wait(timeout=1200) for process in ranks], [0, 0])
        self.assertEqual((check_directory(self.out), self.index()["workers"]), ([], 2))


class NetworkTest(unittest.TestCase):
    def test_parameters(self):
        expected = {"mnist-mlp": 648010, "hdc": 1149010, "small-cnn": 11978, "resnet20": 269722}
        self.assertEqual({name: parameters(make()) for name, (make, _) in NETWORKS.items()}, expected)

    def test_resnet20_takes_cifar_images(self):
        make, _ = NETWORKS["resnet20"]
        self.assertEqual(make()(torch.zeros(2, 3, 32, 32)).shape, (2, 10))


if __name__ == "__main__":
    unittest.main()
