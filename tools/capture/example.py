#!/usr/bin/env python3
"""Captures a small model: copy the lines marked (*) into your own training.

    tools/capture/example.py OUT                                      one process plays four workers
    torchrun --nproc-per-node 4 tools/capture/example.py OUT          a process for each worker
"""

import os
import sys
from pathlib import Path

import torch
from torch import distributed, nn

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gradflight_capture import Capture  # (*)

STEPS, BATCH = 20, 32


def main(out):
    torch.manual_seed(1)
    rank = int(os.environ["RANK"]) if "RANK" in os.environ else None
    workers = int(os.environ["WORLD_SIZE"]) if rank is not None else 4
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    if rank is not None:
        distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
            model.cuda()
        model = nn.parallel.DistributedDataParallel(model)
    device = next(model.parameters()).device
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    played = range(workers) if rank is None else [rank]
    random = {worker: torch.Generator().manual_seed(worker) for worker in played}

    capture = Capture(model, out, name="example", batch=BATCH, workers=workers, rank=rank,  # (*)
                      iterations={"early": 2, "late": 18}, source="random data; example.py")
    with capture:
        for step in range(STEPS):
            optimizer.zero_grad()
            for worker in played:
                images = torch.randn(BATCH, 64, generator=random[worker]).to(device)
                labels = images[:, :10].argmax(1)
                with capture.worker(worker):  # (*)
                    loss = nn.functional.cross_entropy(model(images), labels)
                    loss.backward()
            for parameter in model.parameters():
                parameter.grad /= len(played)
            with capture.update():  # (*)
                optimizer.step()
            capture.step(loss=loss.item())  # (*)


if __name__ == "__main__":
    main(sys.argv[1])
