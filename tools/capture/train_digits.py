#!/usr/bin/env python3
"""Trains one of the networks on scikit-learn's digits and captures it: how workloads/captured/ was made.

    tools/capture/train_digits.py NETWORK OUT [--workers 4] [--batch 25] [--points early=14,late=400] ...

One process plays all the workers: the gradients are those of real data-parallel training, whose every worker has its own
mini-batch and whose update applies their mean. Deterministic: a seed, one thread, a fixed order of sums.
"""

import argparse
import platform
import sys
import time
from pathlib import Path

import torch
from torch.nn import functional

from digits import Digits
from gradflight_capture import Capture
from networks import NETWORKS


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("out")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=25, help="images of one worker and step (default %(default)s)")
    parser.add_argument("--points", required=True, help="NAME=STEP,...: the steps whose gradients are kept; 0 is the first")
    parser.add_argument("--steps", type=int, help="steps to train (default: to the last point, and one to be timed)")
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--weight-decay", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def points_of(text):
    return {name: int(step) for name, _, step in (entry.partition("=") for entry in text.split(","))}


def evaluate(model, images, labels):
    """(loss, accuracy) on the images that training does not see."""
    model.eval()
    with torch.no_grad():
        output = torch.cat([model(part) for part in images.split(60)])
    model.train()
    return functional.cross_entropy(output, labels).item(), (output.argmax(1) == labels).float().mean().item()


def train(options, model, data, capture, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate, momentum=options.momentum,
                                weight_decay=options.weight_decay)
    step, epoch = 0, 0
    while step < steps:
        for shares in data.epoch([options.seed, epoch], options.workers, options.batch):
            kept = step in capture.points
            test_loss, accuracy = evaluate(model, *data.test) if kept else (None, None)
            optimizer.zero_grad(set_to_none=True)
            losses = []
            for worker, (images, labels) in enumerate(shares):
                with capture.worker(worker):
                    loss = functional.cross_entropy(model(images), labels)
                    loss.backward()
                losses.append(loss.item())
            for parameter in model.parameters():
                parameter.grad /= options.workers  # backward() summed them
            with capture.update():
                optimizer.step()
            loss = sum(losses) / len(losses)
            if kept:
                print(f"step {step} epoch {epoch} loss {loss:.4f} test loss {test_loss:.4f} accuracy {accuracy:.4f}",
                      file=sys.stderr)
            capture.step(epoch=epoch, loss=loss, test_loss=test_loss, accuracy=accuracy)
            step += 1
            if step == steps:
                return
        epoch += 1


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    make, form = NETWORKS[options.network]
    model, data = make(), Digits(form, options.seed)
    points = points_of(options.points)
    steps = options.steps or max(points.values()) + 2
    source = (f"Captured with {Path(__file__).name} of Gradflight: scikit-learn's digits, {options.workers} workers played "
              f"by one process; PyTorch {torch.__version__}, one thread of a CPU ({cpu()}): times are medians on a shared "
              "virtual machine, not a GPU's. Forward and backward without the loss.")
    training = {"command": " ".join([Path(__file__).name, *sys.argv[1:2], "OUT", *sys.argv[3:]]),
                "data": "sklearn.datasets.load_digits", "optimizer": "SGD", "learning_rate": options.learning_rate,
                "momentum": options.momentum, "weight_decay": options.weight_decay, "seed": options.seed,
                "batch": options.batch, "steps_per_epoch": data.steps_per_epoch(options.workers, options.batch)}
    began = time.monotonic()
    with Capture(model, options.out, name=options.network, batch=options.batch, workers=options.workers,
                 iterations=points, source=source, training=training) as capture:
        train(options, model, data, capture, steps)
    print(f"{options.network}: {steps} steps in {time.monotonic() - began:.0f} s", file=sys.stderr)


def cpu():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
