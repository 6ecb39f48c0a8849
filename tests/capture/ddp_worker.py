"""One rank of test_capture.py's distributed test: OUT RANK WORKERS."""

import gzip
import sys

import numpy
import torch
from torch import distributed, nn

from gradflight_capture import Capture


def main(out, rank, workers):
    distributed.init_process_group("gloo", init_method=f"file://{out}/rendezvous", rank=rank, world_size=workers)
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    parallel = nn.parallel.DistributedDataParallel(model)
    random = torch.Generator().manual_seed(100 + rank)
    with Capture(parallel, out, name="ddp", batch=5, workers=workers, rank=rank, iterations=[1], warmup=0) as capture:
        for step in range(3):
            x = torch.randn(5, 4, generator=random)
            if step == 1:
                own = torch.autograd.grad(model(x).square().sum(), list(model.parameters()))
            parallel.zero_grad(set_to_none=True)
            with capture.worker():
                parallel(x).square().sum().backward()
            if step == 1:
                reduced = [p.grad.clone() for p in model.parameters()]
            capture.step()
    with gzip.open(f"{out}/gradients/iteration-1/worker-{rank}.npy.gz") as file:
        kept = numpy.load(file)
    flat = lambda tensors: torch.cat([t.flatten() for t in tensors]).numpy()
    numpy.testing.assert_array_equal(kept, flat(own))
    assert not numpy.array_equal(kept, flat(reduced)), "the reduced gradient was kept"
    distributed.barrier()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
